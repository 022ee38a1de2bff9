/** OpenAI Chat Completions, which many other agents and providers use. */
import { type Answer, idOf, type Json, type Protocol, piecesOf, recordOf, recordsIn } from './protocol.ts'

export const openaiChat: Protocol = {
  path: /\/chat\/completions$/,
  tools: (body) =>
    recordsIn(body['tools'])
      .map((tool) => recordOf(tool['function']))
      .map((tool) => ({ name: String(tool['name']), schema: recordOf(tool['parameters']) })),
  isStreamed: (_path, body) => body['stream'] === true,
  whole: (answer) => ({
    ...headOf(answer, 'chat.completion'),
    choices: [{ index: 0, message: { role: 'assistant', ...contentOf(answer) }, finish_reason: reasonOf(answer) }],
    usage: usageOf(answer),
  }),
  streamed: (answer) => [...chunksOf(answer).map((data) => ({ data })), { data: '[DONE]' }],
}

const headOf = (answer: Answer, object: string): Json => ({
  id: idOf('chatcmpl', answer),
  object,
  created: 1_767_960_000,
  model: answer.model,
})

const reasonOf = (answer: Answer): string => ('call' in answer ? 'tool_calls' : 'stop')

function contentOf(answer: Answer): Json {
  if ('text' in answer) return { content: answer.text }
  const { name, args } = answer.call
  return {
    content: null,
    tool_calls: [{ id: idOf('call', answer), type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  }
}

function usageOf({ tokens: { input, cached, output } }: Answer): Json {
  const details = { prompt_tokens_details: { cached_tokens: cached } }
  return { prompt_tokens: input + cached, completion_tokens: output, total_tokens: input + cached + output, ...details }
}

function chunksOf(answer: Answer): Json[] {
  const head = headOf(answer, 'chat.completion.chunk')
  const chunk = (delta: Json, reason: string | null = null): Json => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  const { tool_calls: calls } = contentOf(answer)
  const deltas =
    'text' in answer
      ? piecesOf(answer.text).map((content): Json => ({ content }))
      : [{ tool_calls: recordsIn(calls).map((call, index) => ({ index, ...call })) }]
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, reasonOf(answer)),
    { ...head, choices: [], usage: usageOf(answer) },
  ]
}
