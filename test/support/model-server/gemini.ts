/** Gemini's generateContent and streamGenerateContent. */
import { type Answer, idOf, type Json, type Protocol, piecesOf, recordOf, recordsIn } from './protocol.ts'

export const gemini: Protocol = {
  path: /:(?:stream)?[gG]enerateContent$/,
  tools: (body) =>
    recordsIn(body['tools'])
      .flatMap((tool) => recordsIn(tool['functionDeclarations']))
      .map((tool) => ({ name: String(tool['name']), schema: recordOf(tool['parametersJsonSchema'] ?? tool['parameters']) })),
  isStreamed: (path) => path.endsWith(':streamGenerateContent'),
  whole: (answer) => pageOf(answer, 'text' in answer ? { text: answer.text } : callOf(answer), 'STOP'),
  streamed: (answer) => {
    const parts = 'text' in answer ? piecesOf(answer.text).map((text) => ({ text })) : [callOf(answer)]
    return [...parts.map((part) => ({ data: pageOf(answer, part) })), { data: pageOf(answer, { text: '' }, 'STOP') }]
  },
  errand: (path) => (path.endsWith(':countTokens') ? { totalTokens: 1000 } : undefined),
}

const callOf = (answer: Answer & { call: unknown }): Json => ({ functionCall: answer.call })

function pageOf(answer: Answer, part: Json, reason?: string): Json {
  const { input, cached, output } = answer.tokens
  const usageMetadata = {
    promptTokenCount: input + cached,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output,
    totalTokenCount: input + cached + output,
  }
  const candidate = { index: 0, content: { role: 'model', parts: [part] }, ...(reason ? { finishReason: reason } : {}) }
  const head = { modelVersion: answer.model, responseId: idOf('gemini', answer) }
  return { candidates: [candidate], ...head, ...(reason ? { usageMetadata } : {}) }
}
