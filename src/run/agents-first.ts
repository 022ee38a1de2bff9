/** With several workers: whatever brings the next agent to work goes before what can wait. */
import type { World } from './world.ts'

export type AgentsFirst = {
  /** An agent is about to begin until this is over. */
  hurry(until: Promise<void>): void
  /** Resolves when no agent is about to begin, or after a while: with very many of them there is always one. */
  letThemGo(): Promise<void>
}

/** Rounds of those that are on their way at the same time. */
const mostRounds = 10
/** Agents that began together end together: whoever ends in this time after another one goes before a landing, too. */
const flurryMs = 50

export function agentsFirst({ spares, common }: World): AgentsFirst {
  const hurried = new Set<Promise<void>>()
  return {
    hurry(until) {
      hurried.add(until)
      until.catch(() => {}).finally(() => hurried.delete(until)) // whoever waits for it is told
    },
    async letThemGo() {
      // Where no worktree waits for its story, no worker that becomes free has anything to begin.
      let isQuiet = false
      for (let round = 0; round < mostRounds && spares.size > 0; round++) {
        const first = [...hurried, ...[...common.returned.values()].map(({ promise }) => promise)]
        if (first.length === 0 && isQuiet) return
        isQuiet = first.length === 0
        await (isQuiet ? new Promise((over) => setTimeout(over, flurryMs)) : Promise.allSettled(first))
      }
    },
  }
}
