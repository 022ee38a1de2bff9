/** The calls of tools in one turn of an ACP agent: told piece by piece, under an id, and printed once they can be understood. */
import { isRecord, type Json, numberOf, recordOf, recordsIn, textOf } from '../../../core/text/json.ts'
import { editOf, targetOf } from '../shared/tool-input.ts'

export type AcpTool = {
  id: string
  /** The program's own name for it; empty where it gives none. */
  name: string
  /** For people to see: its name, or the nearest to one. */
  label: string
  /** The protocol's word for what it does: read, edit, execute and so on. */
  kind: string
  title: string
  input: Json
  /** An edit by the text before and after, for agents that tell no more. */
  diff: Json
  parent: string
}

/** Prints a call and its result as Claude Code would, each once. */
export function toolCalls(print: (event: Json) => void) {
  /** null: it has ended, and whatever else is told of it comes too late. */
  const known = new Map<string, { tool: AcpTool; isTold: boolean } | null>()

  const told = (tool: AcpTool): void => {
    const block = { type: 'tool_use', id: tool.id, name: tool.label, input: inputOf(tool) }
    print({ type: 'assistant', ...parentOf(tool), message: { content: [block] } })
  }

  /** `isSure`: it is complete as it is, because it has begun or a permission is asked for it. */
  function take(call: Json, parent: string, isSure: boolean): AcpTool {
    const id = textOf(call['toolCallId'])
    const before = known.get(id)
    const tool = merged(before?.tool, id, call, parent)
    if (before === null) return tool
    const status = textOf(call['status'])
    const hasEnded = status === 'completed' || status === 'failed'
    const isReady = isSure || hasEnded || status === 'in_progress' || targetOf(tool.input) !== ''
    if (isReady && before?.isTold !== true) told(tool)
    if (hasEnded) print(resultOf(tool, call, status === 'failed'))
    known.set(id, hasEnded ? null : { tool, isTold: isReady || before?.isTold === true })
    return tool
  }
  return take
}

export const parentOf = ({ parent }: { parent: string }): Json => (parent === '' ? {} : { parent_tool_use_id: parent })

function merged(before: AcpTool | undefined, id: string, call: Json, parent: string): AcpTool {
  const [meta, raw] = [recordOf(call['_meta']), call['rawInput']]
  const title = textOf(call['title']) || (before?.title ?? '')
  const kind = textOf(call['kind']) || (before?.kind ?? '')
  const given = textOf(call['name']) || textOf(recordOf(meta['claudeCode'])['toolName']) || textOf(meta['toolName'])
  const name = given || (before?.name ?? '')
  return {
    id,
    name,
    label: name || (kind === 'other' ? '' : kind) || before?.label || (/^[\w.-]{1,64}$/.test(title) ? title : 'tool'),
    kind,
    title,
    input: isRecord(raw) && Object.keys(raw).length > 0 ? raw : (before?.input ?? {}),
    diff: diffIn(call) ?? before?.diff ?? {},
    parent: parent || (before?.parent ?? ''),
  }
}

/** A file that was not there has no text before. */
function diffIn(call: Json): Json | undefined {
  const diff = contentOf(call).find((block) => block['type'] === 'diff')
  return diff && { path: diff['path'], ...(diff['oldText'] ? { oldText: diff['oldText'] } : {}), newText: diff['newText'] }
}

const contentOf = (call: Json): Json[] => recordsIn(call['content'])

/** Where an agent gives no arguments, its title for the call has to do. */
function inputOf({ input, diff, title }: AcpTool): Json {
  const all = editOf(input).edit ? input : { ...diff, ...input }
  return targetOf(all) === '' ? { ...all, description: title } : all
}

function resultOf(tool: AcpTool, call: Json, isFailed: boolean): Json {
  const output = call['rawOutput']
  const code = exitCodeIn(recordOf(output))
  const block = {
    type: 'tool_result',
    tool_use_id: tool.id,
    is_error: isFailed || (code !== undefined && code !== 0),
    content: outputText(output, contentOf(call)),
  }
  return { type: 'user', ...parentOf(tool), message: { content: [block] } }
}

/** A command that failed is a success of the tool that ran it: only the raw output may tell. */
function exitCodeIn(output: Json): number | undefined {
  const parts = recordsIn(output['contents'])
  const places = [output, recordOf(output['metadata']), ...parts]
  return places
    .flatMap((place) => [place['exitCode'], place['exit_code'], place['exit']])
    .map(numberOf)
    .find((code) => code !== undefined)
}

/** Raw where it is a text: what is made for people to see has fences around it. */
function outputText(output: unknown, content: Json[]): string {
  if (typeof output === 'string') return output
  const shown = content.map((block) => textOf(recordOf(block['content'])['text'])).filter((text) => text !== '')
  const { output: text, message, error } = recordOf(output)
  return shown.join('\n') || textOf(text) || textOf(message) || textOf(error)
}
