/** Checks whether an agent's text can be used as a skill. */
import { type MessageLine, messageOf } from '../../reading/message.ts'
import { defaultPromise, withoutSignals } from '../../reading/reading.ts'
import { actsWhenRead, isHarmful } from './quoted.ts'
import { sections } from './skill-file.ts'

/** Skills are read completely, in every session that uses them. */
export const mostBodyChars = 8 * 1024

/** null: it has not the requested form, or has content that a skill must not have. Drops text before its first heading. */
export function readSkillBody(text: string, promise = defaultPromise): string | null {
  const { lines } = messageOf(unfenced(text.replaceAll('\r\n', '\n').trim()))
  const first = lines.findIndex((line) => isHeading(line, sections[0]))
  const preface = lines.slice(0, first)
  if (first === -1 || preface.some(({ text }) => /^(?:---|[\w-]+:\s)/.test(text))) return null
  const body = lines.slice(first)
  const found = body.flatMap((line) => sections.filter((name) => isHeading(line, name)))
  if (found.join() !== sections.join()) return null
  const whole = body
    .map((line) => line.text.trimEnd())
    .join('\n')
    .trim()
  return isHarmless(whole, promise) ? whole : null
}

const unfenced = (text: string): string => /^(`{3,}|~{3,})(?:markdown|md)?[ \t]*\n([\s\S]*)\n\1$/.exec(text)?.[2] ?? text

const isHeading = ({ text, fence }: MessageLine, name: string): boolean =>
  fence === undefined && text.trim().toLowerCase() === `## ${name.toLowerCase()}`

function isHarmless(body: string, promise: string): boolean {
  if (body.length > mostBodyChars) return false
  // Comments are invisible to people but not to agents; so are zero-width characters.
  if (/<!--|(?![\n\t])[\p{Cc}\p{Cf}]/u.test(body)) return false
  return withoutSignals(body, promise) === body && !isHarmful(body) && !actsWhenRead(body)
}
