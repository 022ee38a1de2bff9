/** Whether anything will come back to a run: an agent, a check, a person, a clock. Where nothing will, it must have ended. */
import type { Flight, State } from '../state.ts'
import { isAskingBranch } from './branch.ts'

export const isUnderWay = (state: State): boolean =>
  state.flights.some(isMoving) ||
  state.call.phase === 'requested' ||
  state.check.phase === 'running' ||
  state.final.isReviewing ||
  state.learning.running !== 'none' ||
  state.failing !== undefined ||
  isAskingBranch(state) ||
  state.waiting !== undefined ||
  state.pause === 'paused' ||
  state.limit?.choice === 'asked'

/** Its agent, its gates, its reviewer or its landing is at work, or its files are being settled. */
export const isMoving = ({ ended, gates, isReviewing, landing, judged }: Flight): boolean =>
  ended === undefined || gates === 'running' || isReviewing || landing === 'running' || judged !== undefined
