/** With several workers: whatever brings the next agent to work goes before what can wait. */
import type { StoryId } from '../../core/types.ts'

export type AgentsFirst = {
  /** An agent is about to begin until this is over. */
  hurry(until: Promise<void>): void
  /** Resolves when no agent is about to begin, or after a while: there may always be one, or one whose worktree takes long. */
  letThemGo(): Promise<void>
}

/** Agents that began together end together: one that ends in this time after another goes first, too. */
const momentMs = 50
const mostMoments = 10

export function agentsFirst(spares: ReadonlyMap<StoryId, unknown>): AgentsFirst {
  const hurried = new Set<Promise<void>>()
  let hurries = 0
  return {
    hurry(until) {
      hurries += 1
      hurried.add(until)
      until.catch(() => {}).finally(() => hurried.delete(until)) // whoever waits for it is told
    },
    async letThemGo() {
      let quietSince = -1
      for (let round = 0; round < mostMoments; round++) {
        const isQuiet = hurried.size === 0
        // Where no worktree waits for its story, no worker that becomes free has anything to begin.
        if (isQuiet && (hurries === quietSince || spares.size === 0)) return
        quietSince = isQuiet ? hurries : -1
        await Promise.race([moment(), ...(isQuiet ? [] : [Promise.allSettled(hurried)])])
      }
    },
  }
}

const moment = (): Promise<void> => new Promise((over) => setTimeout(over, momentMs).unref())
