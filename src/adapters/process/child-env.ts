/** The environment of the processes that Ralph starts. */
import { childMarks } from '../agents/list.ts'

/** The variable of `proof.held_out`. */
export const heldOutVariable = 'RALPH_PROOF_HELD_OUT'

/** Not passed on: marks of running inside an agent, handles that only work in our own process, and what agents must not know. */
export function childEnv(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(setVariables(env)).filter(([name]) => !notPassedOn.has(name)))
}

export const setVariables = (env: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined))

const notPassedOn = new Set([
  ...childMarks,
  ...['RALPH_LAUNCHER', 'RALPH_FLEET_SOCKET', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', heldOutVariable],
])
