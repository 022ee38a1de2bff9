/** What the adapter tells its bridge besides the agent's command line and the prompt. */
import { hasTexts, isListOf, isText, jsonIn, recordOf, textOf } from '../../../core/text/json.ts'
import type { Task } from '../../../ports.ts'

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
  const { model, allowedTools, skipPermissions, statusTool, isReadOnly } = recordOf(jsonIn(text ?? ''))
  return {
    model: textOf(model),
    allowedTools: textOf(allowedTools),
    skipPermissions: skipPermissions === true,
    ...(isTool(statusTool) ? { statusTool } : {}),
    isReadOnly: isReadOnly !== false,
  }
}

const isTool = (value: unknown): value is NonNullable<Order['statusTool']> =>
  hasTexts(value, 'command') && isListOf(value['args'], isText)
