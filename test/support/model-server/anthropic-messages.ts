/** Anthropic Messages, as Claude Code uses it. */
import { type Answer, idOf, type Json, type Protocol, piecesOf, recordOf, recordsIn } from './protocol.ts'

/** The body of an error, in the provider's wording. */
export const errorBody = (type: string, message: string) => ({ type: 'error', error: { type, message } })

export const anthropicMessages: Protocol = {
  path: /\/messages$/,
  tools: (body) =>
    recordsIn(body['tools']).map((tool) => ({ name: String(tool['name']), schema: recordOf(tool['input_schema']) })),
  isStreamed: (_path, body) => body['stream'] === true,
  whole: (answer) => messageOf(answer),
  streamed: (answer) => eventsOf(answer).map((data) => ({ event: data.type, data })),
  errand: (path) => (path.endsWith('/messages/count_tokens') ? { input_tokens: 1000 } : undefined),
}

function messageOf(answer: Answer) {
  return {
    id: idOf('msg', answer),
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: [contentOf(answer)],
    stop_reason: 'call' in answer ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: answer.tokens.input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: answer.tokens.cached,
      output_tokens: answer.tokens.output,
    },
  }
}

function contentOf(answer: Answer): Json {
  if ('text' in answer) return { type: 'text', text: answer.text }
  return { type: 'tool_use', id: idOf('toolu', answer), name: answer.call.name, input: answer.call.args }
}

function eventsOf(answer: Answer): (Json & { type: string })[] {
  const message = messageOf(answer)
  const [empty, deltas] =
    'text' in answer
      ? [{ text: '' }, piecesOf(answer.text).map((text) => ({ type: 'text_delta', text }))]
      : [
          { input: {} },
          piecesOf(JSON.stringify(answer.call.args)).map((json) => ({ type: 'input_json_delta', partial_json: json })),
        ]
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { ...contentOf(answer), ...empty } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage },
    { type: 'message_stop' },
  ]
}
