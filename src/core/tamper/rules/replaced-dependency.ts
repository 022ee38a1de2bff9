/** Dependencies that now come from a folder of the project: tests may load something else. */

import type { Finding } from '../../proof/finding.ts'
import { inPattern } from '../../text/escape.ts'
import type { Change } from '../code/change.ts'

type Manifest = { files: RegExp; local: RegExp }

/** `local`: the name of the package first, then its folder. */
const manifests: Manifest[] = [
  { files: /(^|\/)go\.(?:mod|work)$/, local: /^\s*(?:replace\s+)?([\w./-]+)(?:\s+v[\w.+-]+)?\s*=>\s*(\.{1,2}\/\S*)/ },
  { files: /(^|\/)Cargo\.toml$/, local: /^\s*([\w-]+)\s*=\s*\{.*\bpath\s*=\s*"([^"]+)"/ },
  { files: /(^|\/)Gemfile$/, local: /^\s*gem\s+['"]([\w-]+)['"].*\bpath(?::|\s*=>)\s*['"]([^'"]+)['"]/ },
  { files: /(^|\/)requirements[\w.-]*\.txt$/, local: /^\s*([\w.-]+)(?:\[[\w,]+\])?\s*@\s*(?:file:)?(\.{0,2}\/\S+)/ },
  { files: /(^|\/)pyproject\.toml$/, local: /^\s*"?([\w.-]+)"?\s*=\s*\{.*\bpath\s*=\s*"([^"]+)"/ },
]

export function replacedDependency({ path, kind, added, before, beforeText }: Change): Finding[] {
  const local = kind === 'modified' ? manifests.find(({ files }) => files.test(path))?.local : undefined
  if (local === undefined) return []
  const known = new Set(before.map(({ bare }) => placeIn(local, bare)))
  return added.flatMap(({ at, bare }): Finding[] => {
    const [, name = '', folder = ''] = local.exec(bare) ?? []
    // One that was not there before is the project's own; another version of one that already came from there changes nothing.
    if (name === '' || known.has(placeIn(local, bare)) || !mentions(beforeText, name)) return []
    const words = `takes ${name} from ${folder} now, in ${path} (line ${at})`
    return [{ rule: 'subject-replaced', file: path, line: at, words, isBeyondChecks: true }]
  })
}

const placeIn = (local: RegExp, line: string): string => local.exec(line)?.slice(1).join(' ') ?? ''

const mentions = (text: string, name: string): boolean => new RegExp(`(?<![\\w./-])${inPattern(name)}(?![\\w./-])`).test(text)
