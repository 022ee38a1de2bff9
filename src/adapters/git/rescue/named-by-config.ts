/** Files that the configuration of git names, outside the work tree: other configuration, and what says how files are read. */
import { dirname, join, resolve } from 'node:path'
import { readPlain } from '../../files/kept-file.ts'

/** `top`: what lies in it is the project's own. */
type NamedPlaces = { home: string | undefined; top: string }

const most = 20

/** What these files include, and what that includes. */
export function includedBy(files: string[], places: NamedPlaces): string[] {
  const found: string[] = []
  const left = [...files]
  for (let file = left.shift(); file !== undefined && found.length < most; file = left.shift())
    for (const path of valuesIn(file, /^include(?:if\b.*)?$/i, /^path$/i).flatMap((value) => outside(file, value, places)))
      if (!files.includes(path) && !found.includes(path)) {
        found.push(path)
        left.push(path)
      }
  return found
}

/** Attributes and excludes that the user keeps in a file of another name than git's own. */
export const readBy = (files: string[], places: NamedPlaces): string[] => [
  ...new Set(
    files.flatMap((file) =>
      valuesIn(file, /^core$/i, /^(?:attributes|excludes)file$/i).flatMap((value) => outside(file, value, places)),
    ),
  ),
]

function outside(file: string, value: string, { home, top }: NamedPlaces): string[] {
  const path = value.startsWith('~/') ? join(home ?? '/', value.slice(2)) : resolve(dirname(file), value)
  return `${path}/`.startsWith(`${top}/`) && !path.startsWith(join(top, '.git/')) ? [] : [path]
}

/** Of the keys in the sections that match; git's own reader would be one more process for each file. */
function valuesIn(file: string, sections: RegExp, keys: RegExp): string[] {
  let isIn = false
  return (readPlain(file) ?? '').split('\n').flatMap((line) => {
    const [, section] = /^\s*\[([^\]]*)\]/.exec(line) ?? []
    if (section !== undefined) isIn = sections.test(section.trim().split(/[\s.]+/)[0] ?? '')
    const [, key = '', value = ''] = /^\s*(?:\[[^\]]*\]\s*)?([\w-]+)\s*=\s*"?([^"#;\n]*)"?/.exec(line) ?? []
    return isIn && keys.test(key) && value.trim() !== '' ? [value.trim()] : []
  })
}
