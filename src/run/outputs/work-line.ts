/** A live line for work outside a run, an agent that plans or a gate of `ralph doctor`: how long, at what, at what cost. Not on a terminal: nothing. */
import type { Io } from '../../io.ts'
import { liveText } from '../../views/screen/live-text.ts'
import { openLiveLine } from './live-line.ts'
import { screenOptions } from './screen.ts'

export type WorkLine = {
  doing(text: string): void
  spent(costUsd: number): void
  end(): void
}

/** `limitMs`: null: unknown. The cost is shown once there is one. */
export function openWorkLine(name: string, limitMs: number | null, io: Io): WorkLine {
  const { look, write, now, shortened } = screenOptions({}, io)
  const work = { story: name, since: now(), limitMs, doing: '', costUsd: 0 }
  let spentUsd: number | undefined
  let turn = 0
  const line = openLiveLine(look, write, (width) =>
    liveText(
      { stories: { complete: 0, total: 0 }, atWork: [work], spentUsd, waiting: null, askingUntil: null, turn: turn++ },
      now(),
      width,
    ),
  )
  if (look().hasCursor) line.tick()
  return {
    doing(text) {
      work.doing = shortened(text)
    },
    spent(costUsd) {
      spentUsd = 0
      work.costUsd = costUsd
    },
    end: line.rest,
  }
}
