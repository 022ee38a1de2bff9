/** Tables on a terminal: aligned columns that fit its width, long cells on several lines. */
import { widthOf, wrapped } from './wrap.ts'

/** Markdown tables in a text become aligned ones; everything else stays. */
export function alignedTables(lines: string[], width: number): string[] {
  const out: string[] = []
  for (let at = 0; at < lines.length; ) {
    const isTable = isRow(lines[at]) && /^\|[-:| ]+\|$/.test(lines[at + 1] ?? '')
    if (!isTable) {
      out.push(lines[at] ?? '')
      at += 1
      continue
    }
    let end = at + 2
    while (isRow(lines[end])) end += 1
    const [head = [], ...rows] = [lines[at] ?? '', ...lines.slice(at + 2, end)].map(cellsOf)
    out.push(...tableLines(head, rows, width))
    at = end
  }
  return out
}

const isRow = (line: string | undefined): boolean => line !== undefined && /^\|.*\|$/.test(line)
const cellsOf = (row: string): string[] =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const gap = 2
const least = 6

function tableLines(head: string[], rows: string[][], width: number): string[] {
  const widths = head.map((_, column) => Math.max(1, ...[head, ...rows].map((cells) => widthOf(cells[column] ?? ''))))
  const total = (): number => widths.reduce((sum, each) => sum + each + gap, 0)
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths))
    const now = widths[widest] ?? 0
    if (now <= least) break
    widths[widest] = now - 1
  }
  const rule = widths.map((each) => '─'.repeat(each)).join(' '.repeat(gap))
  return [...rowLines(head, widths), rule, ...rows.flatMap((cells) => rowLines(cells, widths))]
}

function rowLines(cells: string[], widths: number[]): string[] {
  const parts = widths.map((width, column) => piecesOf(cells[column] ?? '', width))
  const height = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: height }, (_, row) =>
    parts
      .map((pieces, column) => padded(pieces[row] ?? '', widths[column] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  )
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** In a cell, a word that is too long is broken: it would push the other columns away. */
const piecesOf = (text: string, width: number): string[] =>
  wrapped(text, Math.max(width, 1), 0).flatMap((row) =>
    widthOf(row) <= width ? [row] : (row.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [row]),
  )
