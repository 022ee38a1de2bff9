/** Whether anything will still report to a run: an agent, a check, a person, a timer. If nothing will, it must have ended. */
import type { State } from '../state.ts'
import { isAskingBranch } from './branch.ts'

export const isUnderWay = (state: State): boolean =>
  state.flights.some((flight) => flight.phase !== 'waiting' || flight.examination === 'running') ||
  state.call.phase === 'requested' ||
  state.worktrees.asked !== undefined ||
  state.check.phase === 'running' ||
  state.final.isReviewing ||
  state.learning.running !== 'none' ||
  state.failing !== undefined ||
  isAskingBranch(state) ||
  state.hooks?.running !== undefined ||
  state.waiting !== undefined ||
  state.pause === 'paused' ||
  state.limit?.choice === 'asked'
