/** The text of a terminal's screen with its colours, as tmux prints it, in pieces that look alike. */

export type Look = { bold: boolean; dim: boolean; inverse: boolean; colour: string }
export type Span = { text: string; look: Look }

export const background = '#14171b'
export const foreground = '#d5d9df'
const colours = ['#4b5360', '#e8776f', '#4cb581', '#d9a04a', '#6aa2e6', '#b49ae4', '#56b6c2', '#d5d9df']
const plain: Look = { bold: false, dim: false, inverse: false, colour: '' }

/** Line by line. Colours continue over the ends of lines. */
export function spansOf(screen: string): Span[][] {
  let look = plain
  return screen.split('\n').map((line) =>
    line.split(/\x1b\[([\d;]*)m/).flatMap((part, index) => {
      if (index % 2 === 0) return part === '' ? [] : [{ text: part, look }]
      look = part.split(';').map(Number).reduce(looking, look)
      return []
    }),
  )
}

function looking(look: Look, code: number): Look {
  if (code === 0) return plain
  if (code === 1) return { ...look, bold: true }
  if (code === 2) return { ...look, dim: true }
  if (code === 22) return { ...look, bold: false, dim: false }
  if (code === 7) return { ...look, inverse: true }
  if (code === 27) return { ...look, inverse: false }
  if (code === 39) return { ...look, colour: '' }
  const colour = colours[code >= 90 ? code - 90 : code - 30]
  return colour === undefined ? look : { ...look, colour }
}

/** The rows of a screen, each with the colours that it begins with. */
export function rowsOf(screen: string): string[] {
  let open = ''
  return screen
    .trimEnd()
    .split('\n')
    .map((line) => {
      const row = `${open}${line}`.trimEnd()
      for (const [code] of line.matchAll(/\x1b\[[\d;]*m/g)) open = /^\x1b\[0?m$/.test(code) ? '' : `${open}${code}`
      return row.replace(/(?:\x1b\[[\d;]*m)+$/, '')
    })
}

export const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
