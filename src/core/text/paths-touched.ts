/** Whether two lists of files, folders and patterns could mean the same file. */

export const overlap = (some: string[], others: string[]): boolean =>
  whereMeet(touchedPaths(some), touchedPaths(others)) !== undefined

/** A file, folder or pattern; `start` is the part before its first wildcard. */
export type TouchedPath = { path: string; start: string; isOpen: boolean }

export const touchedPaths = (paths: string[]): TouchedPath[] =>
  paths.map((path) => {
    const plain = path.replace(/^\.?\/+|^\.$/, '').replace(/\/+$/, '')
    const at = plain.search(/[*?[{]/)
    return { path, ...(at === -1 ? { start: plain, isOpen: false } : { start: plain.slice(0, at), isOpen: true }) }
  })

/** The first path of these that may mean a file of the others. The part before the first wildcard decides: better one story that waits than two that conflict. */
export const whereMeet = (some: TouchedPath[], others: TouchedPath[]): string | undefined =>
  some.find((one) => others.some((other) => startsWith(one, other) || startsWith(other, one)))?.path

const startsWith = (longer: TouchedPath, shorter: TouchedPath): boolean =>
  shorter.isOpen
    ? longer.start.startsWith(shorter.start)
    : shorter.start === '' || longer.start === shorter.start || longer.start.startsWith(`${shorter.start}/`)
