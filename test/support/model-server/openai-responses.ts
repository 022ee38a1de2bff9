/** OpenAI Responses, as Codex uses it. */
import { type Answer, idOf, type Json, type Protocol, piecesOf, recordOf, recordsIn } from './protocol.ts'

/** The body of an error, in the provider's wording. */
export const openaiError = (type: string, message: string, more: Json = {}) => ({ error: { type, message, code: type, ...more } })

export const openaiResponses: Protocol = {
  path: /\/responses$/,
  tools: (body) =>
    recordsIn(body['tools'])
      .filter((tool) => tool['type'] === 'function')
      .map((tool) => ({ name: String(tool['name']), schema: recordOf(tool['parameters']) })),
  isStreamed: (_path, body) => body['stream'] === true,
  whole: (answer) => responseOf(answer),
  streamed: (answer) => eventsOf(answer).map((data, index) => ({ event: data.type, data: { ...data, sequence_number: index } })),
}

function responseOf(answer: Answer) {
  const { input, cached, output } = answer.tokens
  return {
    id: idOf('resp', answer),
    object: 'response',
    created_at: 1_767_960_000,
    status: 'completed',
    model: answer.model,
    output: [itemOf(answer)],
    usage: {
      input_tokens: input + cached,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + cached + output,
    },
  }
}

function itemOf(answer: Answer): Json {
  if ('text' in answer)
    return { type: 'message', id: idOf('msg', answer), status: 'completed', role: 'assistant', content: [partOf(answer.text)] }
  const { args, ...named } = answer.call
  const call = { ...named, call_id: idOf('call', answer), arguments: JSON.stringify(args) }
  return { type: 'function_call', id: idOf('fc', answer), status: 'completed', ...call }
}

const partOf = (text: string): Json => ({ type: 'output_text', text, annotations: [] })

function eventsOf(answer: Answer): (Json & { type: string })[] {
  const response = responseOf(answer)
  const item = itemOf(answer)
  const place = { item_id: item['id'], output_index: 0 }
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const inner =
    'text' in answer
      ? [
          { type: 'response.content_part.added', ...place, content_index: 0, part: partOf('') },
          ...piecesOf(answer.text).map((delta) => ({ type: 'response.output_text.delta', ...place, content_index: 0, delta })),
          { type: 'response.output_text.done', ...place, content_index: 0, text: answer.text },
          { type: 'response.content_part.done', ...place, content_index: 0, part: partOf(answer.text) },
        ]
      : [
          { type: 'response.function_call_arguments.delta', ...place, delta: item['arguments'] },
          { type: 'response.function_call_arguments.done', ...place, arguments: item['arguments'] },
        ]
  const empty = 'text' in answer ? { content: [] } : { arguments: '' }
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', ...empty } },
    ...inner,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
}
