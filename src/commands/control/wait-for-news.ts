/** Waits until a run needs somebody, for those who watch it without a screen. */
import { setTimeout as pause } from 'node:timers/promises'
import { liveRun } from '../../run/history/live-run.ts'
import { keptStatus } from '../../run/history/status-now.ts'
import type { Project } from '../../run/project.ts'

/** In seconds: clients give up on a call after some minutes. */
export const longestWait = 300
const lookMs = 250
/** A question often ends the run: what is told then is its end, and the next one can start. */
const settleMs = 2000

/** Returns when no run is live, or it pauses, asks, is blocked or stops; at the latest when the time is over. */
export async function waitForNews(project: Project, seconds: number, cancelled: AbortSignal): Promise<void> {
  const before = needOf(project)
  let end = Date.now() + seconds * 1000
  let isNews = false
  while (Date.now() < end && !cancelled.aborted && liveRun(project) !== null) {
    if (!isNews && needOf(project) !== before) {
      isNews = true
      end = Math.min(end, Date.now() + settleMs)
    }
    await pause(Math.max(1, Math.min(lookMs, end - Date.now())), undefined, { signal: cancelled }).catch(() => {}) // the loop ends
  }
}

/** What a person might act on. A run that starts writes its status a moment later. */
function needOf(project: Project): string {
  const status = keptStatus(project.dir)
  if (status === null) return ''
  const { state, soon, questions, stories } = status
  const failed = stories.list.filter((story) => story.state === 'failed').length
  return JSON.stringify([state === 'paused', soon ?? '', questions.length, failed])
}
