/** Programs of others: agents, gates, hooks. Whoever remembers what the files were like asks whether one has run since. */

let running = 0
let moves = 0

/** One has started (1) or ended (-1). */
export function noteOthers(by: 1 | -1): void {
  running += by
  moves += 1
}

/** Calls back whether none has run since this call; null: one is running. */
export function unlessOthersRun(): (() => boolean) | null {
  const then = moves
  return running > 0 ? null : () => moves === then
}
