/** What an error says is missing: the name, module or file that was not found, and the files in its trace. */
import { plainText } from '../reading/message.ts'
import { pathInside } from '../text/paths.ts'

export type Missing = {
  /** The last part of each, as one would search for it: `b` of `a.b`, `x.csv` of `data/x.csv`. */
  names: string[]
  /** Relative to the root, in the order of the trace. */
  files: { path: string; line?: number }[]
}

/** null: the error is of another kind. */
export function missingFrom(output: string, root: string): Missing | null {
  const lines = plainText(output)
    .slice(-longestOutput)
    .split('\n')
    .filter((line) => !isPassed.test(line))
  const names = [...new Set(lines.flatMap(namesIn))].slice(0, most)
  if (names.length === 0) return null
  return { names, files: filesIn(lines, root) }
}

const longestOutput = 256 * 1024
const most = 5
/** A passing test may be called "fails if x is not defined". */
const isPassed = /^\s*(?:[✓✔√✅]|ok\b|pass(?:ed)?\b|\[pass|--- PASS\b)/i

const quoted = String.raw`['"‘“\`]{1,2}([^'"’”\`\s]{1,200})`
const patterns: RegExp[] = [
  // Python
  new RegExp(`\\bNo module named ${quoted}`),
  new RegExp(`\\bcannot import name ${quoted}`),
  new RegExp(`\\bNameError: (?:free variable|name) ${quoted}`),
  new RegExp(`\\bmodule ['"][\\w.]+['"] has no attribute ${quoted}`),
  /\bNo such file or directory: '([^'\n]{1,300})'/,
  // JavaScript, TypeScript and their bundlers
  new RegExp(`\\bCannot find (?:module|package|name|namespace|type definition file for) ${quoted}`),
  /\bReferenceError: ([\w$]+) is not defined\b/,
  /'([\w$]+)' is not defined\s+no-undef\b/,
  new RegExp(`\\bdoes not provide an export named ${quoted}`),
  new RegExp(`\\bhas no exported member (?:named )?${quoted}`),
  new RegExp(`\\b(?:Failed to resolve import|Can't resolve|Could not resolve) ${quoted}`),
  /\bENOENT: no such file or directory, \w+ '([^'\n]{1,300})'/,
  new RegExp(`\\bMissing script: ${quoted}`),
  // Go
  /\.go:\d+(?::\d+)?: undefined: ([\w.]+)/,
  /\bno required module provides package ([^\s;:]+)/,
  /\bpackage (\S+) is not in (?:std|GOROOT)\b/,
  // Rust
  /\bunresolved import `([^`\n]+)`/,
  /\bfailed to resolve: .*`([^`\n]+)`/,
  /\bcannot find (?:\w+|crate or module|tuple struct[\w/ ]*|struct, variant or union type) `([^`\n]+)` in /,
  // Java, Kotlin, C#
  /^\s*(?:\[ERROR\]\s*)?symbol:\s+(?:class|variable|method|interface|enum|static)\s+(\w+)/,
  /\berror: package ([\w.]+) does not exist\b/,
  /\bpackage ([\w.]+) does not exist$/,
  /\b[Uu]nresolved reference:? '?(\w+)/,
  /\berror CS\d+: The (?:type or namespace )?name '(\w+)(?:<>)?'/,
  // Ruby, PHP
  /\buninitialized constant ([\w:]+)/,
  /\bundefined (?:local variable or )?method [`'](\w+[?!]?)'/,
  /\bcannot load such file -- (\S+)/,
  /\bCall to undefined (?:function|method) ([\w\\:]+)\(/,
  /\b(?:Class|Interface|Trait) ["']([\w\\]+)["'] not found\b/,
  // C and C++
  /\bfatal error: ['"]?([^\s:'"]+)['"]?(?:: No such file| file not found)/,
  /\b(?:error: |undeclared identifier )['‘]([\w:]+)['’](?: undeclared| was not declared|$)/,
  /\bundefined reference to [`'‘]([\w:]+)/,
  // Shells and make
  /(?:^|: )([\w.+/-]+): (?:command )?not found$/,
  /\bcommand not found: (\S+)/,
  /^[^:\n]*(?:: line \d+|: \d+)?: (?:cannot (?:open|access|stat) )?['‘]?([^\s:'’]+)['’]?: No such file\b/,
  /\bNo rule to make target ['`]([^'\n]+)'/,
]

function namesIn(line: string): string[] {
  const text = line.slice(0, 2000).trimEnd()
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]
    const name = found === undefined ? '' : searchName(found)
    if (name !== '') return [name]
  }
  return []
}

/** A path without its folders, a dotted or coloned name without its prefix; a package keeps its scope. */
function searchName(found: string): string {
  if (/^@[\w.-]+\/[\w.-]+$/.test(found)) return found
  const base =
    found
      .split(/[/\\]|::/)
      .filter((part) => part !== '' && !/^\.+$/.test(part))
      .at(-1) ?? ''
  if (/[/\\]/.test(found)) return found.startsWith('.') ? base.replace(/\.[cm]?[jt]sx?$/, '') : base
  return /^[\w.]+$/.test(base) && !isFileName.test(base) ? (base.split('.').filter(Boolean).at(-1) ?? '') : base
}

const extensions =
  'tsx?|jsx?|[cm][jt]s|pyi?|go|rs|java|kts?|scala|groovy|rb|php|cs|c|h|cc|cpp|cxx|hpp|hh|m|swift|exs?|erl|dart|lua|sh|bash|pl|sql|json|ya?ml|toml|s?css|html|vue|svelte'
const isFileName = new RegExp(`\\.(?:${extensions}|csv|txt|md|xml|ini|cfg|env|lock|db|sqlite|png|svg|proto|graphql)$`)
const place = new RegExp(
  `(?<![\\w/.@+-])(?:file://)?((?:\\.{0,2}/)?(?:[\\w@+.-]+/)*[\\w@+.-]+\\.(?:${extensions}))(?![\\w/-])(?:", line (\\d+)|:(\\d+)|\\((\\d+)[,)])?`,
  'g',
)
const notOurs = /(^|\/)(?:node_modules|site-packages|dist-packages|vendor|\.venv|venv|\.git|\.ralph|\.cargo|target)\//

function filesIn(lines: string[], root: string): Missing['files'] {
  // Removed first: it may contain characters that end a path elsewhere, such as spaces.
  const inRoot = new RegExp(`(?<![\\w/.-])(?:file://)?${root.replace(/\/+$/, '').replace(/[^\w/]/g, '\\$&')}/`, 'g')
  const files = new Map<string, number | undefined>()
  for (const line of lines) {
    for (const [, named = '', ...numbers] of line.slice(0, 2000).replace(inRoot, '').matchAll(place)) {
      const path = pathInside(named)
      const number = Number(numbers.find((text) => text !== undefined) ?? 0)
      if (path !== null && !notOurs.test(path) && files.get(path) === undefined) files.set(path, number || undefined)
    }
  }
  return [...files].slice(0, most).map(([path, line]) => (line === undefined ? { path } : { path, line }))
}
