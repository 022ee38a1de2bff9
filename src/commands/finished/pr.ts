/** `ralph pr`: pushes a feature's branch and opens or updates its one pull request. */
import { openGit } from '../../adapters/git/git.ts'
import { lockPath } from '../../adapters/project/find.ts'
import { takeLock } from '../../adapters/project/lock.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import { sendPullRequest } from '../../run/finish/pull-request.ts'
import { pullWords } from '../../run/finish/pull-request-line.ts'
import { projectOrArchive } from '../../run/history/archived.ts'
import { isAskedFromInside, onlyPeople } from '../../run/people/request.ts'
import { settingsOf } from '../../run/project.ts'

export type PrArgs = {
  feature?: string
  base?: string
  title?: string
  draft?: boolean
  ready?: boolean
  new?: boolean
  json?: boolean
  watch?: boolean
  once?: boolean
}

export async function runPr(args: PrArgs, io: Io): Promise<number> {
  if (args.draft === true && args.ready === true) throw new Failure(EXIT.usage, 'Use either --draft or --ready.')
  const project = await projectOrArchive(io, args.feature)
  if (isAskedFromInside(project, io.env)) throw new Failure(EXIT.usage, onlyPeople)
  const { settings } = await settingsOf(io, project)
  const isDraft = args.draft === true ? true : args.ready === true ? false : undefined
  const wanted = { base: args.base, title: args.title, isNew: args.new, isDraft }
  if (args.watch === true || args.once === true) {
    if (args.json === true) throw new Failure(EXIT.usage, '--json and --watch cannot be combined. Use one of them.')
    const { watchPullRequest } = await import('./watch-pr.ts')
    return watchPullRequest({ project, settings, io, isOnce: args.once === true }, wanted)
  }
  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'command' })
  const git = await openGit(project.root, io.env)
  try {
    const sent = await sendPullRequest(project, { settings, git, env: io.env }, wanted)
    const { how, pull, isPushed } = sent
    const { url, number, isDraft: isDraftNow } = pull
    const data = { version: 1, how, url, number, base: pull.base, isDraft: isDraftNow, isPushed }
    if (args.json === true) io.raw(`${JSON.stringify(data)}\n`)
    else io.out(`${pullWords(sent)}\n`)
    return 0
  } finally {
    git?.close()
    lock.release()
  }
}
