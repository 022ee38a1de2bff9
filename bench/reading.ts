/** Reads 100 MB of stream-json as a call does, only parses the same lines, and masks them; prints the times. A separate program. */
import { streamJsonReader } from '../src/adapters/agents/shared/stream-json.ts'
import { lineSplitter } from '../src/adapters/files/lines.ts'
import { masker } from '../src/adapters/mask/mask.ts'
import { emptyTranscript, withEntry } from '../src/core/reading/transcript.ts'

const bytes = 100_000_000
const chunkBytes = 65_536
const words = 'The quick brown fox jumps over the lazy dog, and \\"quotes\\" it.\\n'.repeat(20)
const usage = { input_tokens: 1200, output_tokens: 50 }
const session = [
  { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: words }], usage } },
  {
    type: 'assistant',
    message: { id: 'm2', content: [{ type: 'tool_use', name: 'Bash', input: { command: 'npm test' } }], usage },
  },
  { type: 'user', message: { content: [{ type: 'tool_result', content: words.repeat(4), is_error: false }] } },
]
const block = Buffer.from(`${session.map((event) => JSON.stringify(event)).join('\n')}\n`)
const rounds = Math.ceil(bytes / block.length)

const parseMs = timed((line) => void JSON.parse(line))
const read = streamJsonReader()
let transcript = emptyTranscript()
const readMs = timed((line) => {
  for (const entry of read(line, 'out')) transcript = withEntry(transcript, entry)
})
process.stdout.write(`${JSON.stringify({ parseMs, readMs, maskMs: masked() })}\n`)

/** In chunks, as a pipe delivers them. */
function timed(onLine: (line: string) => void): number {
  const splitter = lineSplitter(onLine)
  const stream = Buffer.concat(Array.from({ length: rounds }, () => block))
  const before = performance.now()
  for (let at = 0; at < stream.length; at += chunkBytes) splitter.push(stream.subarray(at, at + chunkBytes))
  splitter.end()
  return performance.now() - before
}

function masked(): number {
  const key = Buffer.from(block.toString('latin1').replace('lazy dog', `sk-${'a1B2c3D4'.repeat(6)}`), 'latin1')
  const stream = Buffer.concat(Array.from({ length: rounds }, (_, index) => (index % 10 === 0 ? key : block)))
  const mask = masker({ SOME_TOKEN: 'a value of a variable' }).stream(() => {})
  const before = performance.now()
  for (let at = 0; at < stream.length; at += chunkBytes) mask.push(stream.subarray(at, at + chunkBytes))
  mask.end()
  return performance.now() - before
}
