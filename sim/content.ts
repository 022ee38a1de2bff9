/** The content of the simulated project's files: pieces, each by somebody, and a name for each set of them. */

/**
 * `g` good work, `b` what breaks content-dependent gates, `w` a weakened check, `x` evidence of a cheat, `u` written by the user, `l` learned. In order of arrival;
 * good work repairs what is broken, weakened or a cheat.
 */
export type Content = readonly string[]

export const without = (content: Content, pieces: Iterable<string>): Content => {
  const gone = new Set(pieces)
  return content.filter((piece) => !gone.has(piece))
}
export const added = (from: Content, to: Content): Content => without(to, from)
export const isBroken = (content: Content): boolean => content.some((piece) => piece.startsWith('b'))
export const isCheat = (piece: string): boolean => piece.startsWith('x')
export const isWeak = (piece: string): boolean => piece.startsWith('w')
export const isUsers = (piece: string): boolean => piece.startsWith('u')
export const repaired = (content: Content): Content => content.filter((piece) => !/^[bwx]/.test(piece))

/** Applies the changes from `base` to `theirs` to `ours`. */
export const joined = (base: Content, ours: Content, theirs: Content): Content => [
  ...without(ours, added(theirs, base)),
  ...added([...base, ...ours], theirs),
]

/** Both removed the same since `base`. */
export function clashes(base: Content, ours: Content, theirs: Content): boolean {
  const gone = added(ours, base)
  return added(theirs, base).some((piece) => gone.includes(piece))
}

/** Each piece is in one of a few files, so that stories conflict. */
export const filesOf = (pieces: Content): string[] => [
  ...new Set(pieces.map((piece) => (isUsers(piece) ? 'mine.txt' : files[Number(piece.slice(1)) % files.length]!))),
]

const files = ['src/a.ts', 'src/b.ts', 'docs/guide.md', 'docs/more.md', 'lib/a/x.ts', 'lib/b/x.ts']

/** The same pieces have the same short name, in any order. */
export function namer(): (content: Content) => string {
  const names = new Map<string, string>([['', 'c0']])
  return (content) => {
    const key = content.toSorted().join(' ')
    const known = names.get(key) ?? `c${names.size}`
    names.set(key, known)
    return known
  }
}
