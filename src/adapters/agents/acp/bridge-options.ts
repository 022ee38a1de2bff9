/** What the adapter passes to its bridge besides the agent's command line and the prompt. */
import { hasTexts, isListOf, isText, jsonIn, recordOf, textOf } from '../../../core/text/json.ts'
import type { Task } from '../../../ports.ts'

export type Order = {
  /** Empty: the agent's default. */
  model: string
  allowedTools: string
  skipPermissions: boolean
  statusTool?: Task['statusTool']
  isReadOnly: boolean
}

/** The environment variable that carries it: an argument would show up in every process list. */
export const orderVariable = 'RALPH_ACP'

/** If the order is missing or broken, only reading is allowed. */
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
