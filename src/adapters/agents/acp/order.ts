/** What the adapter tells its bridge besides the agent's command line and the prompt. */
import type { Task } from '../../../ports.ts'
import { isRecord } from '../shared/json-lines.ts'

export type Order = {
  /** Empty: whichever the agent takes by itself. */
  model: string
  allowedTools: string
  skipPermissions: boolean
  statusTool?: Task['statusTool']
  isReadOnly: boolean
}

/** The environment variable that carries it: an argument would be in every list of processes. */
export const orderVariable = 'RALPH_ACP'

/** An order that is missing or broken allows nothing but looking. */
export function orderIn(text: string | undefined): Order {
  const nothing: Order = { model: '', allowedTools: '', skipPermissions: false, isReadOnly: true }
  try {
    const order: unknown = JSON.parse(text ?? '')
    return isRecord(order) ? { ...nothing, ...order } : nothing
  } catch {
    return nothing
  }
}
