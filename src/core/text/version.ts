/** Versions of programs: which numbers a text has, and whether they are among those that were tested. */

/** The first one in a text: "codex-cli 0.166.0" has 0.166.0. */
export const versionIn = (text: string): string | undefined => /(?<![\d.])\d+\.\d+(?:\.\d+)*/.exec(text)?.[0]

/** Whether a version is that one or a later one. Missing numbers are 0. */
export function isSince(version: string, since: string): boolean {
  const numbers = (text: string): number[] => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number)
  const [here, least] = [numbers(version), numbers(since)]
  const at = least.findIndex((number, index) => (here[index] ?? 0) !== number)
  return at === -1 || (here[at] ?? 0) > (least[at] ?? 0)
}

/** What a person should know about an installed version; null: nothing. */
export function versionWarning(
  name: string,
  installed: string,
  { tested, oldest }: { tested?: string | undefined; oldest?: string | undefined },
): string | null {
  const version = versionIn(installed)
  if (version === undefined) return null
  if (oldest !== undefined && !isSince(version, oldest))
    return `${name} ${version} is older than ${oldest}, the oldest tested version: update it`
  if (tested !== undefined && !isSince(tested, version))
    return `${name} ${version} is newer than ${tested}, the newest tested version: if its output cannot be read, install ${tested}`
  return null
}
