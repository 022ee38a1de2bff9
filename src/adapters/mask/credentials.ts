/** Recognises credentials: formats of known keys, private keys, passwords in URLs and settings, and the values of secret variables. */

/** A range of a text, and its replacement. */
export type Found = { start: number; end: number; instead: string }

export type Credentials = {
  /** All that begin at `from` or later, in order. */
  in(text: string, from: number): Found[]
  /** Where one begins that more text could complete; the text's length: nowhere. */
  openAt(text: string): number
  /** Where a private key begins that may continue in the next chunk; null: nowhere. */
  openKeyAt(text: string): number | null
  longest: number
}

export type Secret = { name: string; value: string }

export function credentialsOf(secrets: Secret[]): Credentials {
  const nameOf = new Map(secrets.map(({ name, value }) => [value, name]))
  const values = secrets.map(({ value }) => value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const known = values.length === 0 ? [] : [new RegExp(values.join('|'), 'g')]
  return {
    in(text, from) {
      const found: Found[] = []
      for (const pattern of [...known, ...shapes]) {
        pattern.lastIndex = Math.max(0, from - lookBack) // what identifies it may come before
        for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
          const end = pattern.lastIndex
          const name = nameOf.get(match[0])
          const start =
            name === undefined ? end - (match.slice(1).find((group) => group !== undefined) ?? match[0]).length : match.index
          if (start >= from) found.push({ start, end, instead: name === undefined ? '***' : `[RALPH masked ${name}]` })
        }
      }
      return found.length < 2 ? found : apart(found)
    },
    openAt: (text) => Math.min(openKeyAt(text) ?? text.length, openTokenAt(text), openValueAt(text, secrets)),
    openKeyAt,
    longest: Math.max(longestToken + lookBack, ...secrets.map(({ value }) => value.length)),
  }
}

/** How far back a pattern looks for what identifies it: a name, a header, a colour code right before a key. */
export const lookBack = 96

/** After this line, everything that looks like lines of a private key is treated as such. */
export const keyMark = '-----BEGIN PRIVATE KEY-----'

/** No token is longer; the limit says how far back a new chunk can still matter. */
const longestToken = 4096

/** Where a key may begin: not in "task-1234567890", but after "\n" in JSON, or after a colour code. */
const begins = '(?:^|[^A-Za-z0-9]|\\\\[bfnrt]|\\[[0-9;]{0,12}m)'
const token = '\\w.~+/=-'
/** Words after "sk-" or "Bearer" in prose and style sheets are shorter, or have no digit. */
const likely = (set: string, plain: number, withDigit: number) =>
  `([${set}]{${plain},${longestToken}}|(?=[${set}]{0,${plain - 2}}\\d)[${set}]{${withDigit},${plain - 1}})`
const withDigit = (set: string, least: number, most: number) => `((?=[${set}]{0,60}\\d)[${set}]{${least},${most}})`
const quote = '(?:\\\\{0,3}["\'])?'
const assigned = `\\\\{0,3}["']?[ \\t]{0,2}[:=][ \\t]{0,2}${quote}`

const lineEnd = '(?:\\r?\\n|(?:\\\\{1,4}r)?\\\\{1,4}n)'
/** What tools print around the lines of a file: numbers, diff marks, quotes. */
const margin = '[^A-Za-z/=\\\\\\r\\n]{0,16}'
const keyLine = `(?!${margin}-----E)${margin}(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset): [^\\n\\\\]{1,100}|[A-Za-z0-9+/][A-Za-z0-9+/=]{0,16384}(?![A-Za-z0-9+/=]| \\w))["' +,]{0,6}`
const keyLines = `${lineEnd}{0,3}${keyLine}(?:${lineEnd}{1,3}${keyLine}){0,400}`
const keyBegins = '-----(?<=-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----)'

/**
 * Each pattern has one group, for what is masked; the lookbehind stays. All patterns start with rare characters and look back from there:
 * everything that agents print goes through here, and patterns that start with the letters of the keys are many times slower.
 */
const prefixed = [
  `(?<=${begins}sk-)${likely('\\w-', 20, 10)}`,
  `(?<=${begins}(?:gh[pousr]|github_pat)_)(\\w{16,255})`,
  `(?<=${begins}(?:gl(?:pat|ptt|dt|rt|cbt|oas|soat)-|npm_|[sr]k_(?:live|test)_|whsec_|pypi-|GOCSPX-))${withDigit('\\w.+/=-', 16, 512)}`,
  `(?<=${begins}(?:dop_v1_|hf_|gsk_|xai-|xapp-|xox[abeprs]-))${withDigit('\\w.-', 10, 512)}`,
]
const dotted = [
  `(?<=[\\w-]{8}\\.)(eyJ[\\w-]{4,${longestToken}}\\.[\\w-]{10,1024})`, // a JWT without its header
  `(?<=${begins}ya29\\.)([\\w-]{20,1024})`,
  `(?<=[\\w~.-]{3}\\dQ~)([\\w~.-]{31,34})`,
  `(?<=[?&;])sig=([A-Za-z0-9+/%]{40,100}={0,2})`,
]
const named = [
  `(?<=[Pp]assw(?:or)?d)${assigned}${withDigit(`!@#%^*${token}`, 8, 255)}`,
  `(?<=[Ss]ecret|[Tt]oken|(?:[Aa]pi|[Aa]ccess|[Aa]ccount|[Pp]rivate)[_-]?[Kk]ey)${assigned}${withDigit(token, 16, 1024)}`,
]
const headers = [
  `(?:earer|EARER)(?<=[Bb].{5})[ \\t]{1,4}${likely(token, 16, 8)}`,
  `(?:uthorization|UTHORIZATION)[\\\\"']{0,4}[ \\t]{0,4}[:=][ \\t]{0,4}[\\\\"']{0,4}(?:[A-Za-z]{5,6}[ \\t]{1,4})?${likely(token, 16, 8)}`,
]
const shapes = [
  `[-_](?:${prefixed.join('|')})`,
  `[.~?&;](?:${dotted.join('|')})`,
  // As in a .env file: any value except another variable.
  `[KCWSP](?:EY|EN|RET|ORD|WD|HRASE)(?<=KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)[A-Z0-9_]{0,16}=${quote}(?!process\\.|os\\.|import\\.)([^\\s"'\`$<>(){}[\\],;|&\\\\]{8,1024})`,
  // As in JSON, YAML and code: a value of some length with a digit.
  `[kKcw](?:ey|en|ret|ord|d)(?:${named.join('|')})`,
  `A(?:[KS]IA(?<=${begins}A[KS]IA)([A-Z0-9]{12,32})|Iza(?<=${begins}AIza)([\\w-]{30,255}))`,
  `[AaBb](?:${headers.join('|')})`,
  `://(?:[^\\s:@/"'<>\\\\\`]{0,64}:([^\\s:@/"'<>\\\\\`$]{3,255})(?=@)|hooks\\.slack\\.com/services/([A-Za-z0-9/]{20,100}))`,
  `${keyBegins}((?=\\s|\\\\|[A-Za-z0-9+/]{8})${keyLines})`,
].map((source) => new RegExp(source, 'g'))

/** In order; overlapping ones are merged. */
function apart(found: Found[]): Found[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const kept: Found[] = []
  for (const one of found) {
    const last = kept.at(-1)
    if (last === undefined || one.start >= last.end) kept.push(one)
    else last.end = Math.max(last.end, one.end)
  }
  return kept
}

const keyStart = new RegExp(keyBegins, 'g')
const keyBody = new RegExp(`(?:${keyLines})?`, 'y')
const betweenLines = new RegExp(`^${lineEnd}{0,3}${margin}(?:\\r|\\\\{1,4}r?)?$`)
/** 400 lines of a key and what stands beside them. */
const longestKey = 400 * 130

function openKeyAt(text: string): number | null {
  keyStart.lastIndex = Math.max(0, text.length - longestKey)
  let at = -1
  while (keyStart.test(text)) at = keyStart.lastIndex
  if (at < 0) return null
  keyBody.lastIndex = at
  keyBody.test(text)
  return betweenLines.test(text.slice(keyBody.lastIndex, keyBody.lastIndex + lookBack)) ? at : null
}

/** What a pattern looks back at, when there is not enough text for it yet. */
const openToken = new RegExp(
  [
    `${begins}(?:sk-|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|npm_|[sr]k_(?:live|test)_|whsec_|pypi-|GOCSPX-|dop_v1_|hf_|gsk_|xai-|xapp-|xox[abeprs]-|A[KS]IA|AIza|ya29\\.)[${token}]*$`,
    `\\.e[\\w.-]*$|Q~[\\w~.-]*$|sig=[\\w+/%=]*$|hooks\\.slack\\.com/services/[\\w/]*$`,
    `(?:bearer|authorization)[\\s\\\\"':=]*(?:[a-z]+\\s+)?[${token}]*$`,
    '://[^\\s@/]*$',
    `(?:key|token|secret|passw(?:or)?d|passphrase)[\\w\\\\"']{0,18}[ \\t]{0,2}[:=][ \\t]{0,2}[\\\\"']{0,4}[^\\s"']*$`,
  ].join('|'),
  'i',
)

function openTokenAt(text: string): number {
  const from = Math.max(0, text.length - 2 * lookBack)
  const open = openToken.exec(text.slice(from))
  return open === null ? text.length : from + open.index
}

function openValueAt(text: string, secrets: Secret[]): number {
  let longest = 0
  for (const { value } of secrets) {
    for (let length = Math.min(value.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(value.slice(0, length))) longest = length
    }
  }
  return text.length - longest
}
