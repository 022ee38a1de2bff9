/** Every exit code: how a run ended, why a command could not start, and which signal stopped it. */
import type { Outcome } from './types/words.ts'

/** Of commands that fail. */
export const EXIT = { usage: 64, data: 65, missing: 69, fault: 70, busy: 75, login: 77, config: 78 } as const

/** As shells have it: 128 and the number of the signal. */
export const signalExit = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
export type StopSignal = keyof typeof signalExit
export const stopSignals = Object.keys(signalExit) as StopSignal[]

const outcomeExit: Record<Outcome, number> = {
  complete: 0,
  incomplete: 1,
  'stories-failed': 1,
  blocked: 2,
  question: 3,
  stuck: 4,
  'testing-only': 4,
  limited: 5,
  budget: 6,
  'gate-missing': EXIT.missing,
  'agent-unusable': EXIT.missing,
  login: EXIT.login,
  interrupted: signalExit.SIGINT,
}

/** Every way that a run can end. */
export const outcomes = Object.keys(outcomeExit) as Outcome[]

export function exitCode(outcome: Outcome, stop?: { by: 'user' | StopSignal }): number {
  return outcome === 'interrupted' && stop !== undefined && stop.by !== 'user' ? signalExit[stop.by] : outcomeExit[outcome]
}
