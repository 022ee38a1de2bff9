/** The environment of what Ralph starts. */
import { childMarks } from '../agents/list.ts'

/** Not passed on: marks of being inside an agent already, and handles that are only good in our own process. */
export function childEnv(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined && !notPassedOn.has(pair[0])),
  )
}

const notPassedOn = new Set([
  ...childMarks,
  ...['RALPH_LAUNCHER', 'RALPH_FLEET_SOCKET', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'],
])
