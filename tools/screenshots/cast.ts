/** A recording of a terminal in the form of asciinema (asciicast 2): whole rows, each written where it stands when it changes. */
import { isText, jsonIn, numberOf, recordOf } from '../../src/core/text/json.ts'

/** What the screen shows from `at` (milliseconds) on. */
export type Frame = { at: number; rows: string[] }
export type Cast = { columns: number; title: string; frames: Frame[] /** when it begins again */; endMs: number }

export function castText({ columns, title, frames, endMs }: Cast): string {
  const height = Math.max(...frames.map(({ rows }) => rows.length))
  const header = { version: 2, width: columns, height, title, env: { TERM: 'xterm-256color' } }
  let before: string[] = []
  const events = frames.map(({ at, rows }) => {
    const all = Array.from({ length: height }, (_, row) => rows[row] ?? '')
    const changed = all.flatMap((text, row) => (text === (before[row] ?? '') ? [] : [`\x1b[${row + 1};1H\x1b[2K${text}\x1b[0m`]))
    before = all
    return [at / 1000, 'o', changed.join('')]
  })
  return [header, ...events, [endMs / 1000, 'o', '']].map((line) => `${JSON.stringify(line)}\n`).join('')
}

export function readCast(text: string): Cast {
  const [header, ...events] = text.trimEnd().split('\n').map(jsonIn)
  const { width, title } = recordOf(header)
  let rows: string[] = []
  const frames = events.map((event) => {
    const [at, , data] = Array.isArray(event) ? event : []
    const changed = [...(isText(data) ? data : '').matchAll(/\x1b\[(\d+);1H\x1b\[2K(.*?)\x1b\[0m(?=\x1b\[\d+;1H|$)/g)]
    rows = changed.reduce((now, [, row, line = '']) => put(now, Number(row) - 1, line), rows)
    return { at: Math.round((numberOf(at) ?? 0) * 1000), rows }
  })
  return {
    columns: numberOf(width) ?? 80,
    title: isText(title) ? title : '',
    frames: frames.slice(0, -1),
    endMs: frames.at(-1)?.at ?? 0,
  }
}

function put(rows: string[], row: number, text: string): string[] {
  const now = Array.from({ length: Math.max(rows.length, row + 1) }, (_, index) => rows[index] ?? '')
  now[row] = text
  return now
}
