/** Lines as an output shows them: in their colours, wrapped, and in ASCII where nothing else can be shown. */
import type { ScreenLine, Tone } from '../screen/line.ts'
import { inAscii } from './glyphs.ts'
import type { TerminalLook } from './look.ts'
import { alignedTables } from './table.ts'
import { toneOf } from './tones.ts'
import { hangOf, wrapped } from './wrap.ts'

/** Text for people, whole lines or a part of one. JSON stays as it is. */
export function dressText(text: string, look: TerminalLook): string {
  if (/^[[{]/.test(text) || (!look.hasColour && look.hasGlyphs && look.columns === null)) return text
  const lines = text.split('\n')
  return (look.columns === null ? lines : alignedTables(lines, look.columns))
    .map((line) => dressed(line.includes('\u001b') ? { tone: 'plain', text: line } : { ...toneOf(line), text: line }, look))
    .join('\n')
}

/** One line, without its end. */
export function dressed(line: ScreenLine & { label?: string }, look: TerminalLook): string {
  const text = look.hasGlyphs ? line.text : inAscii(line.text)
  const { label = toneOf(line.text).label } = line
  const rows = look.columns === null || text.includes('\u001b') ? [text] : wrapped(text, look.columns, hangOf(line.text))
  if (!look.hasColour) return rows.join('\n')
  const split = look.hasGlyphs ? label.length : inAscii(label).length
  const first = rows[0] ?? ''
  const isLabelled = split > 0 && split < first.length && line.tone !== 'strong'
  const head = isLabelled
    ? coloured('dim', first.slice(0, split)) + coloured(line.tone, first.slice(split))
    : coloured(line.tone, first)
  return [head, ...rows.slice(1).map((row) => coloured(line.tone, row))].join('\n')
}

const coloured = (tone: Tone, text: string): string =>
  colours[tone] === '' || text.trim() === '' ? text : `\u001b[${colours[tone]}m${text}\u001b[0m`
const colours: Record<Tone, string> = { plain: '', good: '32', bad: '31', warn: '33', dim: '2', strong: '1' }

/** Part of a line, without wrapping. */
export const painter =
  ({ hasColour, hasGlyphs }: TerminalLook) =>
  ({ tone, text }: ScreenLine): string => {
    const shown = hasGlyphs ? text : inAscii(text)
    return hasColour ? coloured(tone, shown) : shown
  }
