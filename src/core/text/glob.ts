/** Patterns of paths as .gitignore has them: without a slash anywhere, with one from the root; a folder means all in it. */
import { inPattern } from './escape.ts'

/** A regular expression that grep -E reads too; matches whole paths below `root`, which is empty or ends without a slash. */
export function globSource(pattern: string, root = ''): string {
  const [, isAnchored, inner = ''] = /^(\.?\/)?(.*?)\/*$/s.exec(pattern) ?? []
  const start = root === '' ? '' : `${inPattern(root)}/`
  const anywhere = isAnchored === undefined && !inner.includes('/') ? '(.*/)?' : ''
  const body = inner
    .split(/(\*\*\/|\/\*\*$|\*\*|\*|\?)/)
    .map((part) => wild[part] ?? inPattern(part))
    .join('')
  return `^${start}${anywhere}${body}(/.*)?$`
}

export const matchesGlob = (path: string, pattern: string): boolean => new RegExp(globSource(pattern), 's').test(path)

const wild: Record<string, string> = { '**/': '(.*/)?', '/**': '/.*', '**': '.*', '*': '[^/]*', '?': '[^/]' }
