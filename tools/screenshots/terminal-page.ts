/** Turns a terminal's screen, from tmux with colours, into a page with a window around it, which a browser can draw. */
import { background, escaped, foreground, type Look, spansOf } from './ansi.ts'

export function terminalPage(screen: string, columns: number, title: string): string {
  const lines = spansOf(screen.trimEnd()).map((spans) =>
    spans.map(({ text, look }) => `<span style="${styleOf(look)}">${escaped(text)}</span>`).join(''),
  )
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; width: max-content; background: transparent; }
main { border-radius: 9px; background: ${background}; overflow: hidden; }
header { display: flex; gap: 7px; align-items: center; padding: 10px 14px; background: #1f242a; font: 12px "DejaVu Sans", sans-serif; color: #949ca6; }
i { width: 11px; height: 11px; border-radius: 50%; background: #3a414a; }
b { flex: 1; text-align: center; font-weight: normal; padding-right: 47px; }
pre { margin: 0; padding: 12px 16px 14px; width: ${columns}ch; font: 14px/18px "DejaVu Sans Mono", monospace; color: ${foreground}; }
</style><main><header><i></i><i></i><i></i><b>${escaped(title)}</b></header><pre>${lines.join('\n')}</pre></main>`
}

function styleOf({ bold, dim, inverse, colour }: Look): string {
  const shown = colour || foreground
  return [
    inverse ? `background:${shown};color:${background}` : `color:${shown}`,
    bold ? 'font-weight:bold' : '',
    dim ? 'opacity:.65' : '',
  ].join(';')
}
