/** Normalises paths as text, without a file system. */

/** Relative to the root, without `.` and `..`; null for a path outside, or for the root itself. */
export function pathInside(path: string): string | null {
  if (path.startsWith('/') || path.startsWith('~')) return null
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.length === 0 ? null : parts.join('/')
}
