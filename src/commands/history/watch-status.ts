/** `ralph status --watch`: the status again whenever it changes, until the run ends. */
import { setTimeout as pause } from 'node:timers/promises'
import { instantOf } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { statusNow } from '../../run/history/status-now.ts'
import type { Project } from '../../run/project.ts'
import { statusLines } from '../../views/status/lines.ts'

const lookMs = 500

export async function watchStatus(project: Project, { json }: { json?: boolean }, io: Io): Promise<number> {
  let last = ''
  for (;;) {
    const status = await statusNow(project, json ? io.env : null)
    const data = JSON.stringify(status)
    if (data !== last) {
      last = data
      // One line per change for programs; for people a new block below the last one, which stays readable.
      if (json) io.raw(`${data}\n`)
      else io.out(`${statusLines(status, instantOf(Date.now())).join('\n')}\n\n`)
    }
    if (['ended', 'idle', 'killed'].includes(status.state)) return 0
    await pause(lookMs)
  }
}
