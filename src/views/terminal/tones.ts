/** What a line means, by its mark or its label: a person looks for red and yellow first. */
import { outcomeWords } from '../../core/decide/outcome.ts'
import { outcomes } from '../../core/exit-codes.ts'
import type { Tone } from '../screen/line.ts'
import { isTableHead } from './table.ts'

/** A label is secondary: the value after it has the tone. */
export function toneOf(text: string): { label: string; tone: Tone } {
  const [, mark] = /^\s*([✓✗!?▸]) /.exec(text) ?? []
  if (mark !== undefined) return { label: '', tone: markTones[mark] ?? 'plain' }
  const [, severity] = /^\S+:\d+:\d+: (error|warning|note): /.exec(text) ?? []
  if (severity !== undefined) return { label: '', tone: severityTones[severity] ?? 'plain' }
  if (isTableHead(text)) return { label: '', tone: 'dim' }
  if (/^─+$/.test(text)) return { label: '', tone: 'dim' }
  if (/^(?:\S.*:|#{1,3} .*|Ralph Loop Summary)$/.test(text)) return { label: '', tone: 'strong' }
  if (/^\s+(?:read as: |all of it: |… |→ )/.test(text)) return { label: '', tone: 'dim' }
  const state = stateCell(text)
  if (state !== undefined) return { label: '', tone: stateTone('State', state) }
  const [label = '', name = ''] = /^([A-Z][A-Za-z/ -]{1,15}): +(?=\S)/.exec(text) ?? []
  return { label, tone: label === '' ? 'plain' : (labelTones[name] ?? stateTone(name, text.slice(label.length))) }
}

/** In a row of a table: how a feature or a run ended. */
const stateCell = (text: string): string | undefined =>
  text.split(/ {2,}/, 5).find((cell, column, cells) => column > 0 && cells.length > 3 && endWords.test(cell))
const endWords = new RegExp(`^(?:(?:ended|archived): )?(?:${outcomes.map(outcomeWords).join('|')})$|^ended: answered$|^killed$`)

const markTones: Record<string, Tone> = { '✓': 'good', '✗': 'bad', '!': 'warn', '?': 'warn', '▸': 'strong' }

/** As `ralph lint` and compilers write them. */
const severityTones: Record<string, Tone> = { error: 'bad', warning: 'warn', note: 'dim' }

const labelTones: Record<string, Tone> = { Failing: 'bad', Asks: 'warn', Flaky: 'warn', Next: 'strong', Feature: 'strong' }

function stateTone(name: string, value: string): Tone {
  if (name !== 'Exit' && name !== 'State' && name !== 'Breaker' && name !== 'Circuit breaker') return 'plain'
  if (/\breservation/.test(value)) return 'warn'
  if (/\bcomplete\b/i.test(value) || /^CLOSED/.test(value)) return 'good'
  if (/^(?:running|idle)\b/.test(value)) return 'plain'
  return /\b(?:stories failed|stuck|gate cannot run|killed)\b|^OPEN\b/i.test(value) ? 'bad' : 'warn'
}
