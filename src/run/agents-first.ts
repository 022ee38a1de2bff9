/** With several workers: whatever brings the next agent to work goes before what can wait. */
import type { StoryId } from '../core/types.ts'

export type AgentsFirst = {
  /** An agent is about to begin until this is over. */
  hurry(until: Promise<void>): void
  /** Resolves when no agent is about to begin, or after a while: with very many of them there is always one. */
  letThemGo(): Promise<void>
}

/** Rounds of those that are on their way at the same time. */
const mostRounds = 10
/** Agents that began together end together: one that ends in this time after another goes first, too. */
const flurryMs = 50

export function agentsFirst(spares: ReadonlyMap<StoryId, unknown>): AgentsFirst {
  const hurried = new Set<Promise<void>>()
  let times = 0
  return {
    hurry(until) {
      times += 1
      hurried.add(until)
      until.catch(() => {}).finally(() => hurried.delete(until)) // whoever waits for it is told
    },
    async letThemGo() {
      let timesBefore = -1
      for (let round = 0; round < mostRounds; round++) {
        const isQuiet = hurried.size === 0
        // Where no worktree waits for its story, no worker that becomes free has anything to begin.
        if (isQuiet && (times === timesBefore || spares.size === 0)) return
        timesBefore = isQuiet ? times : -1
        await (isQuiet ? new Promise((over) => setTimeout(over, flurryMs)) : Promise.allSettled(hurried))
      }
    },
  }
}
