/** Steps that many plays share: wrong work, weakened tests, and how an agent says that it is done. */
import type { Steps } from '../inner-run.ts'
import { storyId } from '../play.ts'
import type { FailingTests, Subject } from '../subject.ts'

/** Commits everything, marks the story as done and says so. */
export const done: Steps = [{ commit: 'feat: rehearsal' }, ...marked()]

/** Without a commit. */
export function marked(): Steps {
  return [{ flip: storyId() }, { say: 'Done: everything that the story asks for is there, and the tests pass.' }]
}

export const wrongWork = ({ wrong: { path, text } }: Subject): Steps => [{ write: { path, text } }]

/** Writes the tests that fail with their text as `change` gives it. null: it cannot be done in this language. */
export function weakened(
  { failing, wrong }: Subject,
  change: (path: string, text: string, blocks: FailingTests['blocks']) => string | null,
): Steps | null {
  const steps = failing.map(({ file, blocks }) => {
    // Where tests are beside the code, both are in one file.
    const text = change(file.path, file.path === wrong.path ? wrong.text : file.text, blocks)
    return text === null ? null : { write: { path: file.path, text } }
  })
  return steps.length === 0 || steps.includes(null) ? null : steps.filter((step) => step !== null)
}

/** Test files that have nothing else in them. */
export const ownFiles = ({ failing, wrong }: Subject): string[] =>
  failing.map(({ file }) => file.path).filter((path) => path !== wrong.path)

/** As a word of a shell command. */
