/** The values of secret variables, in every form in which they may be printed. */
import { tried } from '../../core/failure.ts'
import type { Secret } from './credentials.ts'
import { withoutEscapes } from './escapes.ts'

/** Longest first: plain, in JSON, in JSON within JSON, in a URL; line by line, because no match crosses a line end. */
export function secretsOf(env: Record<string, string | undefined>): Secret[] {
  const found = new Map<string, string>()
  for (const [name, whole] of Object.entries(env)) {
    if (!whole) continue
    for (const value of secretName.test(name) ? whole.split(/[\r\n]+/) : passwordsIn(whole)) {
      if (value.length < shortestSecret) continue
      for (const form of formsOf(value)) if (!found.has(form)) found.set(form, name)
    }
  }
  return [...found].map(([value, name]) => ({ name, value })).sort((a, b) => b.value.length - a.value.length)
}

const shortestSecret = 8
const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS$|_PWD$/i

/** The password of a variable that is a URL with a password, whatever its name. */
function passwordsIn(value: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*?:([^/?#@]+)@/i.exec(value)?.[1]
  return password === undefined ? [] : [password, decoded(password)]
}

/** The searched text has no escapes of plain characters any more. */
function formsOf(value: string): string[] {
  const once = JSON.stringify(value).slice(1, -1)
  const twice = JSON.stringify(once).slice(1, -1)
  const ascii = once.replace(/[^\0-~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [value, once, twice, ascii, encoded(value)].flatMap((form) => [form, withoutEscapes(form).text])
}

const decoded = (text: string): string => tried(() => decodeURIComponent(text), text)

/** Itself, where it is half of a pair of surrogates. */
const encoded = (text: string): string => tried(() => encodeURIComponent(text), text)
