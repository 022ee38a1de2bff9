/** The user's uncommitted files, as people and prompts name them. */

/** The first ones, and how many more. A name with odd characters is quoted. */
export function shownPaths(paths: string[], most: number): string {
  const shown = paths.slice(0, most).map((path) => (/^[\p{L}\p{N} _./@+,=()-]+$/u.test(path) ? path : JSON.stringify(path)))
  const rest = paths.length - shown.length
  return rest > 0 ? `${shown.join(', ')} and ${rest.toLocaleString('en')} more` : shown.join(', ')
}

const mostInPrompt = 40

/** Empty: there are none. */
export const offLimits = (users: string[]): string[] =>
  users.length === 0
    ? []
    : [
        '',
        `Off limits: these files have uncommitted changes of the user. Do not change, stage, commit, stash, move or delete them: ${shownPaths(users, mostInPrompt)}.`,
        'Stage and commit your own files by name (git add <file>), never everything (git add -A, git commit -a). If the story needs a change in one of them, signal DECIDE.',
      ]
