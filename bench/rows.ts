/** Measurements as table rows: baseline, ralph, the difference, and whether the goal is met. */
import { median, spread } from './numbers.ts'

export type Row = {
  what: string
  unit: 'ms' | 'MB' | 'calls' | 'tokens'
  /** null: nothing to compare with. */
  floor: number | null
  ralph: number
  over: number
  /** What the goal is about, if not the difference to the baseline. */
  judged?: number
  noise: number
  /** null: shown without a goal. */
  goal: number | null
  /** By name, if others were measured too. */
  rivals?: Record<string, number>
}

/** One row from rounds that were measured in turns: differences are per round, so that a busy machine affects both sides. */
export function pairedRow(what: string, unit: Row['unit'], rounds: { floor: number; ralph: number }[], goal: number | null): Row {
  const differences = rounds.map(({ floor, ralph }) => ralph - floor)
  return {
    what,
    unit,
    floor: median(rounds.map(({ floor }) => floor)),
    ralph: median(rounds.map(({ ralph }) => ralph)),
    over: median(differences),
    noise: spread(differences),
    goal,
  }
}

/** Exceeding the goal by less than this run's spread is not a miss. */
export const isMissed = (row: Row): boolean => row.goal !== null && judgedOf(row) - row.noise > row.goal

const judgedOf = ({ judged, over }: Row): number => judged ?? over

const heads = ['what', 'floor', 'ralph', 'over the floor', 'noise', 'goal', '']

export function markdownTable(rows: Row[]): string {
  return tableOf(heads, rows.map(cellsOf))
}

/** The same programs compared: each with its ratio to the baseline. */
export function rivalsTable(rows: Row[]): string {
  const compared = rows.filter(({ rivals }) => rivals !== undefined)
  const names = [...new Set(compared.flatMap(({ rivals }) => Object.keys(rivals!)))]
  const cell = ({ unit, floor }: Row, value: number | undefined): string =>
    value === undefined ? 'unknown' : `${value.toFixed(1)} ${unit}${floor ? ` (×${(value / floor).toFixed(1)})` : ''}`
  const lines = compared.map((row) => [
    row.what,
    `${row.floor!.toFixed(1)} ${row.unit}`,
    cell(row, row.ralph),
    ...names.map((name) => cell(row, row.rivals![name])),
  ])
  return tableOf(['what', 'floor', 'ralph', ...names], lines)
}

function tableOf(heads: string[], lines: string[][]): string {
  const cells = [heads, ...lines]
  const widths = heads.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)))
  const line = (row: string[]): string => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(cells[0]!), rule, ...cells.slice(1).map(line)].join('\n')
}

/** A row as a sentence, with its goal. */
export function rowWords(row: Row): string {
  const { unit, floor, ralph, over, judged, goal } = row
  const amount = (value: number): string => `${value.toFixed(1)} ${unit}`
  const beside = floor === null ? '' : `, ${amount(over)} over the floor`
  const about = judged === undefined || floor === null ? '' : ' for the whole'
  return `${amount(ralph)}${beside}${goal === null ? '' : `; goal${about}: ${goal} ${unit}${isMissed(row) ? ', missed' : ''}`}`
}

function cellsOf(row: Row): string[] {
  const { what, unit, floor, ralph, over, noise, goal } = row
  const amount = (value: number): string => `${value.toFixed(1)} ${unit}`
  return [
    what,
    floor === null ? '' : amount(floor),
    amount(ralph),
    floor === null ? '' : `${amount(over)} (×${(ralph / floor).toFixed(1)})`,
    noise === 0 ? '' : `± ${noise.toFixed(1)}`,
    goal === null ? '' : `≤ ${goal} ${unit}`,
    goal === null ? '' : isMissed(row) ? '✗' : judgedOf(row) > goal ? '~ within noise' : '✓',
  ]
}
