/** Draws one line at the bottom of a terminal again and again, and leaves nothing of it behind. */
import { liveLineCodes } from '../../views/for-terminal.ts'
import { painter } from '../../views/terminal/dress.ts'
import type { TerminalLook } from '../../views/terminal/look.ts'

export type LiveLine = {
  draw(): void
  wipe(): void
  /** Draws regularly, until `rest`. */
  tick(): void
  rest(): void
}

const tickMs = 250

/**
 * `text`: for this width; empty: no line. The cursor waits at the start of the line: a terminal that becomes narrower wraps what is there, often
 * before it says so, and everything from the cursor on is ours.
 */
export function openLiveLine(look: () => TerminalLook, write: (text: string) => void, text: (width: number) => string): LiveLine {
  const { clear, before, after } = liveLineCodes
  let isOut = false
  let timer: NodeJS.Timeout | null = null

  const wipe = (): void => {
    if (isOut) write(clear)
    isOut = false
  }
  const draw = (): void => {
    const line = painter(look())({ tone: 'dim', text: text((look().columns ?? 80) - 1) })
    wipe()
    if (line === '') return
    for (const part of [before, line, after]) write(part)
    isOut = true
  }
  return {
    draw,
    wipe,
    tick() {
      if (timer !== null) return
      timer = setInterval(draw, tickMs).unref()
      process.stdout.on('resize', draw)
    },
    rest() {
      if (timer !== null) clearInterval(timer)
      timer = null
      process.stdout.off('resize', draw)
      wipe()
    },
  }
}
