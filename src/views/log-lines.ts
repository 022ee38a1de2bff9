/** An iteration's log for people: the agent's words unchanged, each tool call as one dim line, and the gates' output. */
import type { Entry } from '../core/reading/transcript.ts'
import { plain } from '../core/text/plain.ts'
import type { ScreenLine } from './screen/line.ts'

/** Takes the lines of a log one by one; remembers whether a gate is printing, and the agent's last words. */
export function logReader(read: (line: string) => Entry[], shown = { gates: true }): (line: string) => ScreenLine[] {
  let gate: string | null = null
  let lastWords = ''

  const entered = (line: string): ScreenLine[] => {
    const entries = read(line)
    // Plain text is all words, including its empty lines.
    const [only, ...more] = entries
    if (only?.kind === 'said' && only.text === line && more.length === 0) return [{ tone: 'plain', text: plain(line) }]
    const lines = entries.flatMap((entry) => {
      // Some agents repeat their last words at the end, some give them only there.
      if (entry.kind === 'end' && (entry.text ?? '').trim() !== lastWords.trim()) return wordLines(entry.text ?? '', 'plain')
      return entryLines(entry, margins)
    })
    for (const entry of entries) if (entry.kind === 'said' && !entry.isSub) lastWords = entry.text
    return lines
  }

  return (line) => {
    // A gate's output need not end with a line end.
    const [, before = '', note, name, how] = gateEnd.exec(line) ?? []
    if (note !== undefined && (before === '' || name === gate)) {
      gate = null
      if (!shown.gates) return []
      const ended: ScreenLine = { tone: how === 'passed' ? 'good' : 'bad', text: plain(note) }
      return before === '' ? [ended] : [{ tone: 'plain', text: plain(before) }, ended]
    }
    if (gate !== null) return shown.gates ? [{ tone: 'plain', text: plain(line) }] : []
    gate = gateBegin.exec(line)?.[1] ?? null
    if (gate !== null && !shown.gates) return []
    if (gate === null && line.startsWith(noteMark)) return [{ tone: 'warn', text: plain(line) }]
    if (gate !== null || line.startsWith('=== plugin ')) return [{ tone: 'strong', text: plain(line) }]
    return entered(line)
  }
}

/** Before what Ralph itself noticed. */
export const noteMark = '=== ralph: '

export const gateBegin = /^=== gate ([^:]+): /
export const gateEnd = /^(.*?)(=== gate ([^:]+): (passed|failed) in [\d.hms ]+ \(.*\))$/

/** The prefix of the agent's words, and of everything else. */
type Margins = { words: string; rest: string; noise: ScreenLine['tone'] }
const margins: Margins = { words: '', rest: '  ', noise: 'plain' }

/** One transcript entry in readable form. */
export function entryLines(entry: Entry, { words, rest, noise }: Margins): ScreenLine[] {
  switch (entry.kind) {
    case 'said':
      return wordLines(entry.text, entry.isSub ? 'dim' : 'plain').map((line) => ({ ...line, text: `${words}${line.text}` }))
    case 'tool':
      return [{ tone: 'dim', text: cut(`${rest}→ ${entry.name} ${flat(entry.target)}`.trimEnd(), longestLine) }]
    case 'tool-result':
      return entry.failed ? [{ tone: 'bad', text: cut(`${rest}✗ ${flat(entry.text)}`, longestLine) }] : []
    case 'error':
    case 'retrying':
    case 'throttled':
      return [{ tone: 'warn', text: `${rest}! ${flat(entry.message)}` }]
    case 'denied':
      return [{ tone: 'warn', text: `${rest}! denied: ${flat(entry.tool)}` }]
    case 'noise':
      return entry.text.trim() === '' ? [] : [{ tone: noise, text: `${words}${plain(entry.text)}` }]
    case 'session':
    case 'usage':
    case 'end':
      return []
  }
}

const wordLines = (text: string, tone: ScreenLine['tone']): ScreenLine[] =>
  text.trim() === '' ? [] : text.split('\n').map((line) => ({ tone, text: plain(line) }))

const longestLine = 200

export const cut = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(1, width - 1))}…` : text

export const flat = (text: string): string => plain(text.replace(/\s+/g, ' ')).trim()
