/** Turns a terminal's screen, from tmux with colours, into a page that a browser can draw. */

export function terminalPage(screen: string, columns: number): string {
  const lines = htmlOf(screen.trimEnd())
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 14px 16px; background: #14171b; width: max-content; }
pre { margin: 0; width: ${columns}ch; font: 14px/1.3 "DejaVu Sans Mono", monospace; color: #d5d9df; }
</style><pre>${lines}</pre>`
}

type Look = { bold: boolean; dim: boolean; inverse: boolean; colour: string }
const plain: Look = { bold: false, dim: false, inverse: false, colour: '' }
const names = ['#4b5360', '#e8776f', '#4cb581', '#d9a04a', '#6aa2e6', '#b49ae4', '#56b6c2', '#d5d9df']

/** Colours continue over the ends of lines. */
function htmlOf(screen: string): string {
  let look = plain
  return screen
    .split(/\x1b\[([\d;]*)m/)
    .map((part, index) => {
      if (index % 2 === 0) return part === '' ? '' : `<span style="${styleOf(look)}">${escaped(part)}</span>`
      look = part.split(';').map(Number).reduce(looking, look)
      return ''
    })
    .join('')
}

function looking(look: Look, code: number): Look {
  if (code === 0) return plain
  if (code === 1) return { ...look, bold: true }
  if (code === 2) return { ...look, dim: true }
  if (code === 22) return { ...look, bold: false, dim: false }
  if (code === 7) return { ...look, inverse: true }
  if (code === 27) return { ...look, inverse: false }
  if (code === 39) return { ...look, colour: '' }
  const colour = names[code >= 90 ? code - 90 : code - 30]
  return colour === undefined ? look : { ...look, colour }
}

function styleOf({ bold, dim, inverse, colour }: Look): string {
  const shown = colour || '#d5d9df'
  return [
    inverse ? `background:${shown};color:#14171b` : `color:${shown}`,
    bold ? 'font-weight:bold' : '',
    dim ? 'opacity:.65' : '',
  ].join(';')
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
