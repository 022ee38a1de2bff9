/** Tables on a terminal: aligned columns that fit its width, long cells on several lines. */
import { widthOf, wrapped } from './wrap.ts'

/** Markdown tables in a text become aligned ones, tables below a head in capitals fit the width; everything else stays. */
export function alignedTables(lines: string[], width: number): string[] {
  const out: string[] = []
  for (let at = 0; at < lines.length; ) {
    const isTable = isRow(lines[at]) && /^\|[-:| ]+\|$/.test(lines[at + 1] ?? '')
    if (!isTable) {
      const headed = linesBelowHead(lines, at)
      out.push(...(headed.length > 1 && headed.some((line) => widthOf(line) > width) ? narrower(headed, width) : headed))
      at += headed.length
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

/** The head of an aligned table: words in capitals, two blanks apart. */
export const isTableHead = (line: string): boolean => /^[A-Z]+(?: [A-Z]+)*(?: {2,}[A-Z]+(?: [A-Z]+)*)+$/.test(line)

/** The line itself, and its rows if it is a head: they have blanks where its columns end. */
function linesBelowHead(lines: string[], at: number): string[] {
  const head = lines[at] ?? ''
  if (!isTableHead(head)) return [head]
  const starts = startsIn(head).slice(1)
  const isBelow = (line: string): boolean => line !== '' && starts.every((start) => line.slice(start - gap, start).trim() === '')
  const end = lines.findIndex((line, index) => index > at && !isBelow(line))
  return lines.slice(at, end < 0 ? lines.length : end)
}

const startsIn = (head: string): number[] => [...head.matchAll(/(?<=^| {2})[A-Z]/g)].map(({ index }) => index)

function narrower(lines: string[], width: number): string[] {
  const starts = startsIn(lines[0] ?? '')
  const [head = [], ...rows] = lines.map((line) => starts.map((start, column) => line.slice(start, starts[column + 1]).trim()))
  const widths = fittingWidths([head, ...rows], width)
  return [head, ...rows].flatMap((cells) => rowLines(cells, widths))
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
  const widths = fittingWidths([head, ...rows], width)
  const rule = widths.map((each) => '─'.repeat(each)).join(' '.repeat(gap))
  return [...rowLines(head, widths), rule, ...rows.flatMap((cells) => rowLines(cells, widths))]
}

/** The widest columns become narrower: first down to their longest word, then through words. */
function fittingWidths(rows: string[][], width: number): number[] {
  const inColumn = (column: number, measure: (cell: string) => number): number =>
    Math.max(1, ...rows.map((cells) => measure(cells[column] ?? '')))
  const longestPiece = (cell: string): number => Math.max(...cell.split(betweenPieces).map((piece) => widthOf(piece.trim())))
  const widths = (rows[0] ?? []).map((_, column) => inColumn(column, widthOf))
  const total = (): number => widths.reduce((sum, each) => sum + each + gap, -gap)
  for (const floors of [widths.map((_, column) => inColumn(column, longestPiece)), widths.map(() => least)])
    while (total() > width) {
      const spare = widths.map((each, column) => (each > (floors[column] ?? 0) ? each : 0))
      const widest = spare.indexOf(Math.max(...spare))
      if (spare[widest] === 0) break
      widths[widest] = (widths[widest] ?? 0) - 1
    }
  return withoutGaps(rows, widths, width)
}

/** What breaking has left free goes to a column that needs fewer lines with it. */
function withoutGaps(rows: string[][], given: number[], width: number): number[] {
  const piecesIn = (column: number, wide: number): string[][] => rows.map((cells) => piecesOf(cells[column] ?? '', wide))
  const usedIn = (column: number, wide: number): number => Math.max(1, ...piecesIn(column, wide).flat().map(widthOf))
  const heightOf = (column: number, wide: number): number => Math.max(...piecesIn(column, wide).map(({ length }) => length))
  const widths = given.map((wide, column) => usedIn(column, wide))
  const free = width - widths.reduce((sum, each) => sum + each + gap, -gap)
  for (const [column, wide] of widths.entries()) {
    if (free <= 0 || heightOf(column, wide + free) >= heightOf(column, wide)) continue
    widths[column] = usedIn(column, wide + free)
    return widths
  }
  return widths
}

/** Between words, and after the hyphens of a name. */
const betweenPieces = /(?<=\S)(?= )|(?<=\w-)(?=\w)/

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
function piecesOf(text: string, width: number): string[] {
  const broken = (word: string): string[] => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [word]
  return wrapped(text, width, 0).flatMap((row) =>
    widthOf(row) <= width
      ? [row]
      : joined(row.split(betweenPieces), width).flatMap((piece) => (widthOf(piece) <= width ? [piece] : broken(piece))),
  )
}

/** As many pieces to a line as fit. */
function joined(pieces: string[], width: number): string[] {
  const lines: string[] = []
  for (const piece of pieces) {
    const line = lines.at(-1)
    if (line !== undefined && widthOf(line + piece) <= width) lines.splice(-1, 1, line + piece)
    else lines.push(piece.trimStart())
  }
  return lines
}
