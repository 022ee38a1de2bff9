/** The tool calls in one turn of an ACP agent. They arrive in pieces, under an id, and are printed once they are understandable. */
import { isRecord, type Json, numberOf, recordOf, recordsIn, textOf } from '../../../core/text/json.ts'
import { editOf, targetOf } from '../shared/tool-input.ts'

export type AcpTool = {
  id: string
  /** The program's own name for it; empty if it gives none. */
  name: string
  /** A name for people, or the nearest thing to one. */
  label: string
  /** The protocol's name for what it does: read, edit, execute and so on. */
  kind: string
  title: string
  input: Json
  /** An edit as the text before and after, for agents that report no more. */
  diff: Json
  parent: string
}

/** Prints a call and its result as Claude Code would, each once. */
export function toolCalls(print: (event: Json) => void) {
  /** null: the call has ended, and later updates are ignored. */
  const known = new Map<string, { tool: AcpTool; isTold: boolean } | null>()

  const told = (tool: AcpTool): void => {
    const block = { type: 'tool_use', id: tool.id, name: tool.label, input: inputOf(tool) }
    print({ type: 'assistant', ...parentOf(tool), message: { content: [block] } })
  }

  /** `isSure`: it is complete, because it has begun or permission is asked for it. */
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

/** A new file has no text before. */
function diffIn(call: Json): Json | undefined {
  const diff = contentOf(call).find((block) => block['type'] === 'diff')
  return diff && { path: diff['path'], ...(diff['oldText'] ? { oldText: diff['oldText'] } : {}), newText: diff['newText'] }
}

const contentOf = (call: Json): Json[] => recordsIn(call['content'])

/** If an agent sends no arguments, use the title of the call. */
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

/** A tool that ran a failing command still reports success: only the raw output may show the failure. */
function exitCodeIn(output: Json): number | undefined {
  const parts = recordsIn(output['contents'])
  const places = [output, recordOf(output['metadata']), ...parts]
  return places
    .flatMap((place) => [place['exitCode'], place['exit_code'], place['exit']])
    .map(numberOf)
    .find((code) => code !== undefined)
}

/** Prefer raw text: the version for people is wrapped in fences. */
function outputText(output: unknown, content: Json[]): string {
  if (typeof output === 'string') return output
  const shown = content.map((block) => textOf(recordOf(block['content'])['text'])).filter((text) => text !== '')
  const { output: text, message, error } = recordOf(output)
  return shown.join('\n') || textOf(text) || textOf(message) || textOf(error)
}
