/** The sources, or other files, that a story changed since it began, as they were and as they will be committed. */
import type { Git } from '../../adapters/git/git.ts'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { isSource } from '../../core/tamper/code/files.ts'

export async function changedSources(
  git: Git,
  from: string | null,
  now: string,
  isAsked: (path: string) => boolean = isSource,
): Promise<FileChange[]> {
  const paths = (await git.diffFiles(from, now)).filter(isAsked)
  return Promise.all(
    paths.map(async (path): Promise<FileChange> => {
      const [before, after] = [from === null ? null : await git.textAt(from, path), await git.textAt(now, path)]
      return {
        path,
        kind: after === null ? 'deleted' : before === null ? 'added' : 'modified',
        before: before ?? '',
        after: after ?? '',
      }
    }),
  )
}
