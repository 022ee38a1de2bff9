/** What a run will take, before it starts: from finished stories of the project, otherwise a guess from the number of open ones. */
import { type Forecast, forecastOf, type StoryTook } from './forecast.ts'

/** `from`: the finished stories of the project; too few for an estimate: it is a guess. */
export type Estimate = Forecast & { isGuess?: true }

/** null: nothing is open. `tellsCost`: of an agent that never reports it, the cost stays unknown. */
export function estimateOf(history: StoryTook[], open: number, tellsCost: boolean): Estimate | null {
  if (open === 0) return null
  const told = forecastOf(history, open)
  if (told !== null) return told
  const guess = forecastOf(usualStories, open)
  return guess && { ...guess, from: history.length, isGuess: true, ...(tellsCost ? {} : { costUsd: null }) }
}

/** What stories take where nothing is known: an assumption, not a measurement, with a long tail as real ones have. */
const usualStories: StoryTook[] = [
  [1, 4, 0.4],
  [1, 5, 0.5],
  [1, 6, 0.6],
  [1, 8, 0.8],
  [1, 10, 1],
  [2, 14, 1.4],
  [2, 20, 2],
  [3, 35, 3.5],
].map(([iterations = 1, minutes = 1, costUsd = 0]) => ({ iterations, ms: minutes * 60_000, costUsd }))
