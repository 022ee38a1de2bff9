/** Checks whether a value fits its setting, and converts it. */
import { shownAddress, situations } from '../core/notice/names.ts'
import { isRecord, jsonIn } from '../core/text/json.ts'
import { nearest } from '../core/text/nearest.ts'
import { parseDuration } from '../core/text/time.ts'
import { type AgentSetting, agentFormats, type Setting } from './setting.ts'

type Path = (string | number)[]
/** `path` leads from the setting's value to the wrong part. */
export type Mismatch = { path: Path; found: unknown; expected: string }
type Checked = { value: unknown } | { mismatch: Mismatch }

export function check(setting: Setting, raw: unknown): Checked {
  if (raw === null && setting.default === null) return { value: null }
  const expected = expectation(setting)
  switch (setting.type) {
    case 'whole':
      return Number.isSafeInteger(raw) && isInside(setting, raw as number) ? { value: raw } : wrong(raw, expected)
    case 'number':
      return Number.isFinite(raw) && isInside(setting, raw as number) ? { value: raw } : wrong(raw, expected)
    case 'minutes': {
      const minutes = minutesIn(raw)
      return minutes !== undefined && isInside(setting, minutes) ? { value: minutes } : wrong(raw, expected)
    }
    case 'bool':
      return typeof raw === 'boolean' ? { value: raw } : wrong(raw, expected)
    case 'text':
      if (setting.isAddress) return address(raw ?? '', expected)
      return setting.filled ? filledText(raw, textIn(raw)) : text(raw ?? '', textIn(raw))
    case 'choice': {
      const value = setting.older?.[String(raw)] ?? raw
      return setting.values.includes(value as string) ? { value } : wrong(raw, expected)
    }
    case 'list':
      return named(list(raw ?? [], expected), setting.names)
    case 'limits':
      return limits(raw, expected)
    case 'commands':
      return knownNames(
        map(raw ?? {}, expected, (command) => filledText(command, 'a command')),
        setting.names,
      )
    case 'prices':
      return map(raw ?? {}, expected, price)
    case 'keywords':
      return map(raw ?? {}, expected, keywords)
    case 'agent':
      return typeof raw === 'object' && raw !== null ? agent(raw, expected) : filledText(raw, expected)
  }
}

/** The text of a variable or flag, as the value that a file would have; unreadable text stays text, which the check rejects. */
export function fromText(setting: Setting, written: string): unknown {
  if (written === 'null' && setting.default === null) return null
  switch (setting.type) {
    case 'whole':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(written.trim()) ? Number(written) : written
    case 'bool':
      return { true: true, '1': true, false: false, '0': false }[written.trim().toLowerCase()] ?? written
    case 'minutes':
    case 'text':
    case 'choice':
      return written
    case 'list':
      return written.trim().startsWith('[') ? fromJson(written) : parts(written)
    case 'limits':
      return written.trim().startsWith('[') ? fromJson(written) : parts(written)
    case 'commands':
    case 'prices':
    case 'keywords':
      return fromJson(written)
    case 'agent':
      return written.trim().startsWith('{') ? fromJson(written) : written
  }
}

/** What a setting accepts, in words. */
export function expectation(setting: Setting): string {
  const orNull = setting.default === null ? ', or null' : ''
  switch (setting.type) {
    case 'whole':
      return `a whole number${bounds(setting)}${orNull}`
    case 'number':
      return `a number${bounds(setting)}${orNull}`
    case 'minutes':
      return `a duration${bounds(setting)}: 90s, 15m, 1h or a number of minutes${orNull}`
    case 'bool':
      return 'true or false'
    case 'text':
      return setting.isAddress ? 'a URL that starts with http:// or https://' : 'text'
    case 'choice':
      return `one of ${setting.values.join(', ')}`
    case 'list':
      return 'a list of strings'
    case 'limits':
      return 'a soft and a hard limit in minutes, such as [45, 60]'
    case 'commands':
      return 'an object with names and commands'
    case 'prices':
      return 'an object with a model and its {input, output, cache_read, cache_write}'
    case 'keywords':
      return 'an object with a list name and its words, or {words, weight}'
    case 'agent':
      return 'a name, {name, command, format, env} or {name: scripted, script}'
  }
}

type Numeric = Extract<Setting, { type: 'whole' | 'number' | 'minutes' }>

const isInside = ({ min, above, max }: Numeric, n: number): boolean =>
  (min === undefined || n >= min) && (above === undefined || n > above) && (max === undefined || n <= max)

function bounds({ min, above, max }: Numeric): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return `, ${min} or more`
  return above === undefined ? '' : ` above ${above}`
}

const wrong = (found: unknown, expected: string, path: Path = []): { mismatch: Mismatch } => ({
  mismatch: { path, found, expected },
})

function minutesIn(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined
  const ms = typeof raw === 'string' ? parseDuration(raw) : undefined
  return ms !== undefined && Number.isFinite(ms) ? ms / 60_000 : undefined // enough digits become infinity
}

/** Someone who wrote a number must learn that text needs quotes. */
const textIn = (raw: unknown): string => (typeof raw === 'string' ? 'text' : 'text in quotes')

const text = (raw: unknown, expected: string): Checked => (typeof raw === 'string' ? { value: raw } : wrong(raw, expected))

const filledText = (raw: unknown, expected: string): Checked =>
  typeof raw === 'string' && raw.trim() !== '' ? { value: raw } : wrong(raw, expected)

function list(raw: unknown, expected: string): Checked {
  if (!Array.isArray(raw)) return wrong(raw, expected)
  const bad = raw.findIndex((item) => typeof item !== 'string' || item.trim() === '')
  return bad < 0 ? { value: raw } : wrong(raw[bad], expected, [bad])
}

/** Known names only; for a typo, suggests the nearest. */
function named(checked: Checked, names: readonly string[] | undefined): Checked {
  if (names === undefined || 'mismatch' in checked) return checked
  const [bad] = [...(checked.value as string[]).entries()].filter(([, item]) => !names.includes(item))
  if (bad === undefined) return checked
  const [place, item] = bad
  const meant = nearest(item, names)
  const advice = meant === undefined ? '' : `; did you mean "${meant}"?`
  return wrong(item, `${situations.join(', ')}, or a kind of event${advice}`, [place])
}

/** The same for names of commands. */
function knownNames(checked: Checked, names: readonly string[] | undefined): Checked {
  if (names === undefined || 'mismatch' in checked) return checked
  const bad = Object.keys(checked.value as object).find((name) => !names.includes(name))
  if (bad === undefined) return checked
  const meant = nearest(bad, names)
  return wrong(bad, `one of ${names.join(', ')}${meant === undefined ? '' : `; did you mean "${meant}"?`}`, [bad])
}

/** The message leaves out what may be a key. */
function address(raw: unknown, expected: string): Checked {
  if (typeof raw !== 'string') return wrong(raw, expected)
  const isWeb = raw === '' || (URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol))
  return isWeb ? { value: raw } : wrong(shownAddress(raw), expected)
}

function limits(raw: unknown, expected: string): Checked {
  if (!Array.isArray(raw) || raw.length !== 2) return wrong(raw, expected)
  const [soft, hard] = [minutesIn(raw[0]), minutesIn(raw[1])]
  if (soft === undefined || soft <= 0) return wrong(raw[0], expected, [0])
  if (hard === undefined || hard < soft) return wrong(raw[1], `${expected}, with the hard limit at or above the soft limit`, [1])
  return { value: [soft, hard] }
}

function map(raw: unknown, expected: string, each: (value: unknown) => Checked): Checked {
  if (!isRecord(raw)) return wrong(raw, expected)
  const value: [string, unknown][] = []
  for (const [name, item] of Object.entries(raw)) {
    const checked = each(item)
    if ('mismatch' in checked) return wrong(checked.mismatch.found, checked.mismatch.expected, [name, ...checked.mismatch.path])
    value.push([name, checked.value])
  }
  return { value: Object.fromEntries(value) }
}

function price(raw: unknown): Checked {
  const expected = 'prices {input, output, cache_read, cache_write} in USD per million tokens'
  if (!isRecord(raw) || !('input' in raw) || !('output' in raw)) return wrong(raw, expected)
  const names = ['input', 'output', 'cache_read', 'cache_write']
  for (const [name, amount] of Object.entries(raw))
    if (!names.includes(name) || !Number.isFinite(amount) || (amount as number) < 0) return wrong(amount, expected, [name])
  return { value: raw }
}

function keywords(raw: unknown): Checked {
  const expected = 'a list of words, or {words, weight}'
  if (Array.isArray(raw)) return list(raw, expected)
  if (!isRecord(raw) || !Number.isFinite(raw['weight'])) return wrong(raw, expected)
  const words = list(raw['words'], expected)
  if ('mismatch' in words) return words
  const strange = Object.keys(raw).find((name) => name !== 'words' && name !== 'weight')
  return strange === undefined ? { value: raw } : wrong(raw[strange], expected, [strange])
}

function agent(raw: object, expected: string): Checked {
  if (!isRecord(raw)) return wrong(raw, expected)
  const fields: { [F in keyof Required<AgentSetting>]: (value: unknown) => Checked } = {
    name: (value) => filledText(value, "the agent's name"),
    command: (value) =>
      Array.isArray(value) && value.length > 0
        ? list(value, 'a list of program and arguments')
        : wrong(value, 'a list of program and arguments'),
    format: (value) =>
      agentFormats.some((format) => format === value) ? { value } : wrong(value, `one of ${agentFormats.join(', ')}`),
    env: (value) => map(value, 'an object with variables and their values', (item) => text(item, 'text')),
    script: (value) => filledText(value, 'the path of a script'),
  }
  if (!('name' in raw)) return wrong(raw, expected)
  for (const [name, value] of Object.entries(raw)) {
    if (!Object.hasOwn(fields, name)) return wrong(value, expected, [name])
    const checked = fields[name as keyof AgentSetting](value)
    if ('mismatch' in checked) return wrong(checked.mismatch.found, checked.mismatch.expected, [name, ...checked.mismatch.path])
  }
  return { value: raw }
}

const parts = (written: string): string[] =>
  written
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

function fromJson(written: string): unknown {
  const value = jsonIn(written)
  return value === undefined ? written : value
}
