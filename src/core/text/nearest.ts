/** The name that someone probably meant. */

/** The nearest of the names, or undefined if none is near enough for a typo. Ties go to the first. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const distance = typosBetween(written, name)
    if (distance < least) [best, least] = [name, distance]
  }
  return least <= mostTypos(written) ? best : undefined
}

/** For a message about an unknown name; empty: nothing is near. */
export function didYouMean(written: string, names: readonly string[]): string {
  const meant = nearest(written, names)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}

/** Letters to add, drop, change or swap to get from one to the other; case, `_` and `-` do not count, and a missing ending counts once. */
export function typosBetween(written: string, name: string): number {
  const [from, to] = [plain(written), plain(name)]
  if (from.length > longestName) return from.length // too long for a typo, and comparing would take long
  if (from.length >= 4 && to.startsWith(from)) return to.length === from.length ? 0 : 1
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = at(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? at(beforeLast, j - 2) + 1 : change
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, change, swap))
    }
    ;[beforeLast, last] = [last, row]
  }
  return at(last, to.length)
}

/** Beyond the table there is no way. */
const at = (row: number[], place: number): number => row[place] ?? Number.POSITIVE_INFINITY

/** How many typos are acceptable: a third of the letters. */
export const mostTypos = (written: string): number => Math.max(1, Math.floor(plain(written).length / 3))

/** No known name is half as long. */
const longestName = 200

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')
