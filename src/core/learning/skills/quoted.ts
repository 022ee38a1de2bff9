/** Learned texts as data: one line each, with nothing that an agent or its program would act on. */
import { defaultPromise, withoutSignals } from '../../reading/reading.ts'
import { harmIn } from '../harm.ts'
import { oneLine } from '../text.ts'

/** Claude Code runs commands in this form and reads files in that form as soon as a skill is loaded. */
const command = /(?<=^|\s)!(?=`)|(?<=```)!/m
const file = /(?<=^|\s)@(?=["'~/.])/m

export function quotedLine(text: string, most = 300, promise = defaultPromise): string {
  const line = oneLine(withoutSignals(text.slice(0, 4 * most), promise))
    .replace(/^(?:[#>*+-]+ )+/, '')
    .replaceAll('<!--', '‹!--')
    .replaceAll('-->', '--›')
    .replace(/`{3,}/g, '`')
    .replaceAll(new RegExp(command, 'g'), '! ')
    .replaceAll(new RegExp(file, 'g'), '@ ')
    .trim()
  return line.length > most
    ? `${line
        .slice(0, most - 1)
        .replace(/\p{Cs}$/u, '')
        .trimEnd()}…`
    : line
}

/** Whether a text of any length must not be passed to an agent as a lesson. */
export function isHarmful(text: string): boolean {
  const joined = text.replace(/\\\r?\n/g, ' ')
  return joined.split('\n').some((line) => harmIn(line) !== undefined) || fetched.some((pattern) => pattern.test(joined))
}

export const actsWhenRead = (text: string): boolean => command.test(text) || file.test(text)

const fetches = String.raw`\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b`
const runs = String.raw`(?:sudo\s+(?:-\S{1,20}\s+){0,4})?(?:\S{0,40}\/)?(?:(?:ba|z|da|k|fi|pw)?sh|python[\d.]*|node|perl|ruby|php|deno|bun|source|eval)\b`
const material = String.raw`\b(?:scripts?|installers?|binar(?:y|ies)|programs?|commands?|instructions?)\b`
/** Ways to run downloaded code that need more than one line, or one word more. */
const fetched = [
  String.raw`${fetches}[^\n]{0,500}(?:&&|;|\n|\|(?:\s*xargs)?)\s*(?:${runs}|chmod\s+\S{0,8}x\b|\.\/)`,
  String.raw`\b(?:iex|invoke-expression)\b[^\n]{0,60}${fetches}`,
  String.raw`\b(?:download|fetch)\w*\b[^.\n]{0,80}${material}[^\n]{0,80}\b(?:run|execut\w*|eval\w*|follow)\b`,
  String.raw`\bfollow\b[^.\n]{0,80}${material}[^.\n]{0,60}\bhttps?:\/\/`,
].map((pattern) => new RegExp(pattern, 'i'))
