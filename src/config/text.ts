/** Settings as the text of a config.yaml. */
import { capital } from '../core/text/escape.ts'
import { expectation } from './check.ts'
import { keys } from './names.ts'
import type { Setting } from './setting.ts'
import type { SettingSource } from './sources.ts'
import { envName, type Key, type Settings, table } from './table.ts'

/** A file for people to fill in, with each key explained: set ones with their value, the others commented out with their default. */
export function configText(heading: string, shown: readonly Key[], values: Partial<Settings> = {}): string {
  const lines = heading.split('\n').map((line) => `# ${line}`.trimEnd())
  eachInSection(shown, {
    section: (word, indent) => lines.push(...(indent === '' ? [''] : []), `${indent}${word}:`),
    key: (key, word, indent) => {
      const setting: Setting = table[key]
      const isSet = values[key] !== undefined
      if (indent === '') lines.push('')
      lines.push(`${indent}# ${setting.doc}${choices(setting)}`)
      lines.push(`${indent}${isSet ? '' : '# '}${word}: ${yamlValue(isSet ? values[key] : setting.default)}`)
    },
  })
  return `${lines.join('\n')}\n`
}

/** Every value with its source, as a config.yaml that would give the same settings. `columns`: the terminal's; long values stay whole. */
export function shownSettings(settings: Settings, sources: Record<Key, SettingSource>, columns: number | null): string {
  const rows: { text: string; source?: string }[] = []
  eachInSection(keys, {
    section: (word, indent) => rows.push({ text: `${indent}${word}:` }),
    key: (key, word, indent) =>
      rows.push({ text: `${indent}${word}: ${yamlValue(settings[key])}`, source: sourceWords(key, sources[key]) }),
  })
  const longest = Math.max(...rows.map(({ source }) => (source === undefined ? 0 : `  # ${source}`.length)))
  const width = Math.min(58, (columns ?? Infinity) - longest, Math.max(...rows.map(({ text }) => text.length)))
  return rows.map(({ text, source }) => (source ? `${text.padEnd(width)}  # ${source}\n` : `${text}\n`)).join('')
}

/** Variables are named, because there are many and nobody remembers where they were set. */
const sourceWords = (key: Key, source: SettingSource): string => (source === 'env' ? envName(key) : source)

/** JSON is YAML too; a plain word needs no quotes. */
export function yamlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlValue).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, inner]) => `${yamlValue(name)}: ${yamlValue(inner)}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  return typeof value === 'string' && isPlainWord(value) ? value : JSON.stringify(value)
}

function eachInSection(
  shown: readonly Key[],
  on: { section(word: string, indent: string): void; key(key: Key, word: string, indent: string): void },
): void {
  let open: string[] = []
  for (const key of shown) {
    const section = key.split('.')
    const name = section.pop() ?? key
    for (const [depth, word] of section.entries()) {
      if (section.slice(0, depth + 1).every((other, i) => open[i] === other)) continue
      on.section(word, '  '.repeat(depth))
      open = section.slice(0, depth + 1)
    }
    open = section
    on.key(key, name, '  '.repeat(section.length))
  }
}

function choices(setting: Setting): string {
  const isListed = setting.type === 'choice' || setting.type === 'minutes'
  return isListed ? ` ${capital(expectation(setting))}.` : ''
}

/** A word that YAML reads as itself: not true, null or a number. */
const isPlainWord = (text: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
