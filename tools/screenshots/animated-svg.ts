/**
 * Draws a recording as an animated SVG: all frames beside each other on one strip, which moves by a frame at a time behind a window. Rows that look
 * alike are drawn once. It needs no script, so that it also moves inside an <img>; who wants less motion sees the last frame.
 */
import { background, escaped, foreground, type Look, type Span, spansOf } from './ansi.ts'
import type { Cast } from './cast.ts'

const cell = { width: 8.4, height: 18 }
const edge = { side: 16, top: 54, bottom: 14 }

export function animatedSvg({ columns, title, frames, endMs }: Cast): string {
  const rowCount = Math.max(...frames.map(({ rows }) => rows.length))
  const width = round(columns * cell.width + 2 * edge.side)
  const height = round(rowCount * cell.height + edge.top + edge.bottom)
  const [drawn, uses] = drawnOnce(
    frames.map(({ rows }) => rows),
    width,
  )
  const moves = frames.map(({ at }, index) => `${round((100 * at) / endMs)}%{transform:translateX(${-index * width}px)}`)
  const last = -(frames.length - 1) * width
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:${foreground};white-space:pre}
.b{font-weight:bold}.d{opacity:.65}
@keyframes play{${moves.join('')}100%{transform:translateX(${last}px)}}
#strip{animation:play ${endMs}ms step-end infinite}
@media (prefers-reduced-motion:reduce){#strip{animation:none;transform:translateX(${last}px)}}
</style>
<rect width="${width}" height="${height}" rx="9" fill="${background}"/>
<path d="M0 9a9 9 0 0 1 9-9h${width - 18}a9 9 0 0 1 9 9v23H0z" fill="#1f242a"/>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8.5" fill="none" stroke="#30363d"/>
<g fill="#3a414a"><circle cx="20" cy="16" r="5.5"/><circle cx="38" cy="16" r="5.5"/><circle cx="56" cy="16" r="5.5"/></g>
<text x="${width / 2}" y="21" text-anchor="middle" style="font:12px system-ui,sans-serif;fill:#949ca6">${escaped(title)}</text>
<defs>
${drawn.join('\n')}
</defs>
<svg width="${width}" height="${height}"><g id="strip">
${uses.join('\n')}
</g></svg>
</svg>
`
}

/** Each different row as a definition, and each frame as the rows that it shows. */
function drawnOnce(frames: string[][], width: number): [drawn: string[], uses: string[]] {
  const known = new Map<string, number>()
  const idOf = (row: string): number => {
    if (!known.has(row)) known.set(row, known.size)
    return known.get(row) ?? 0
  }
  const uses = frames.map((rows, frame) => {
    const shown = rows.flatMap((row, index) => (row === '' ? [] : [`<use href="#r${idOf(row)}" y="${index * cell.height}"/>`]))
    return `<g transform="translate(${frame * width})">${shown.join('')}</g>`
  })
  return [[...known.keys()].map((row, id) => `<g id="r${id}">${drawnRow(row)}</g>`), uses]
}

/** Every piece says how wide it is: fonts differ, columns must not. */
function drawnRow(row: string): string {
  let column = 0
  return (spansOf(row)[0] ?? [])
    .map((span) => {
      const [start, length] = [column, [...span.text].length]
      column += length
      return drawnSpan(span, round(edge.side + start * cell.width), round(length * cell.width))
    })
    .join('')
}

function drawnSpan({ text, look }: Span, x: number, length: number): string {
  if (text.trim() === '' && !look.inverse) return ''
  const box = look.inverse
    ? `<rect x="${x}" y="${edge.top - 13.5}" width="${length}" height="${cell.height}" fill="${look.colour || foreground}"/>`
    : ''
  return `${box}<text x="${x}" y="${edge.top}" textLength="${length}"${attributes(look)}>${escaped(text)}</text>`
}

function attributes({ bold, dim, inverse, colour }: Look): string {
  const classes = [bold ? 'b' : '', dim ? 'd' : ''].filter(Boolean).join(' ')
  const fill = inverse ? background : colour
  return `${classes === '' ? '' : ` class="${classes}"`}${fill === '' ? '' : ` style="fill:${fill}"`}`
}

const round = (value: number): number => Math.round(value * 100) / 100
