/** pi, headless: the prompt on standard input, its JSON events out. */
import type { Entry } from '../../core/reading/transcript.ts'
import { type Json, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import type { Reader } from '../../ports.ts'
import { providerVariables } from './shared/choice.ts'
import { headless } from './shared/headless.ts'
import { jsonLinesReader, plainEntry, sayValue, toolResult } from './shared/json-lines.ts'
import { entryOfError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { toolEntry } from './shared/tool-input.ts'
import { type RequestUsage, usageSum } from './shared/usage-sum.ts'

/**
 * Recognised by their first characters and never parsed: each piece of an answer repeats everything so far, twice, and the end
 * repeats the whole session.
 */
const repetitions = ['message_update', 'message_start', 'tool_execution_update', 'turn_end'].map((type) => `{"type":"${type}"`)

export const pi = headless('pi', {
  needs: { home: ['.pi'], variables: ['PI_', ...providerVariables], folders: ['PI_CODING_AGENT_DIR'] },
  homeSettings: [
    '.pi/agent/AGENTS.md',
    '.pi/agent/SYSTEM.md',
    '.pi/agent/APPEND_SYSTEM.md',
    '.pi/agent/models.json',
    '.pi/agent/skills/',
    '.pi/agent/prompts/',
    '.pi/agent/extensions/',
  ],
  homeKeys: {
    '.pi/agent/settings.json': ['extensions', 'packages', 'skills', 'prompts', 'shellPath', 'shellCommandPrefix', 'npmCommand'],
  },
  skillsIn: '.pi/skills',
  ordersIn: ['AGENTS.md', 'CLAUDE.md', '.pi/'],
  tells: 'cost',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  tested: '0.87.1',
  oldest: '0.73.1', // under its earlier name, @mariozechner/pi-coding-agent
  args: (task) => [
    ...['-p', '--mode', 'json'],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.isReadOnly ? ['--tools', 'read,grep,find,ls'] : []),
  ],
  repeats: repetitions,
  reader: piReader,
})

function piReader(): Reader {
  const memory: Memory = { words: '', failure: undefined, used: usageSum() }
  const read = jsonLinesReader(
    (event) => entriesOf(event, memory),
    (line) => [plainEntry(line, /^(?:Error: )?No (?:API key found|models available)/)],
  )
  return (line, stream) => {
    if (stream === 'out' && isRepetition(line)) return []
    return stream === 'out' && isEnd(line) ? endEntries(memory) : read(line, stream)
  }
}

/** The agent's last message, as text or as a failure, and the usage of all messages. */
type Memory = { words: string; failure: string | undefined; used: ReturnType<typeof usageSum> }

const isRepetition = (line: string): boolean => repetitions.some((start) => line.startsWith(start))
const isEnd = (line: string): boolean => line.startsWith('{"type":"agent_end"')

function entriesOf(event: Json, memory: Memory): Entry[] {
  switch (event['type']) {
    case 'session':
      return [{ kind: 'session', id: textOf(event['id']), model: '' }]
    case 'message_end':
      return messageEntries(recordOf(event['message']), memory)
    case 'tool_execution_start':
      return [toolEntry(textOf(event['toolName']), event['args'])]
    case 'tool_execution_end':
      return [toolResult(event['isError'] === true, textIn(recordOf(event['result'])['content']))]
    case 'auto_retry_start': {
      const message = `retry ${sayValue(event['attempt'])} of ${sayValue(event['maxAttempts'])}: ${textOf(event['errorMessage'])}`
      return [{ kind: 'retrying', message }]
    }
    case 'auto_retry_end':
      return event['success'] === false ? [{ kind: 'end', isError: true, text: textOf(event['finalError']) }] : []
    case 'agent_end':
      return endEntries(memory)
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

function messageEntries(message: Json, memory: Memory): Entry[] {
  if (message['role'] !== 'assistant') return []
  const isFailed = message['stopReason'] === 'error' || message['stopReason'] === 'aborted'
  const words = textIn(message['content'])
  memory.failure = isFailed ? textOf(message['errorMessage']) : undefined
  if (!isFailed && words.trim() !== '') memory.words = words
  const usage = recordOf(message['usage'])
  return [
    ...(isFailed || words === '' ? [] : [{ kind: 'said', text: words, isSub: false } as const]),
    ...(usage['totalTokens'] ? [memory.used(requestUsage(usage))] : []), // none for a rejected request
  ]
}

function requestUsage(usage: Json): RequestUsage {
  const count = (value: unknown) => numberOf(value) ?? 0
  return {
    input: count(usage['input']),
    output: count(usage['output']),
    cacheRead: count(usage['cacheRead']),
    cacheWrite: count(usage['cacheWrite']),
    costUsd: count(recordOf(usage['cost'])['total']),
  }
}

/** After a failure it may continue (a retry, a shorter context): only the program's exit, or its last retry, makes the failure final. */
function endEntries({ words, failure }: Memory): Entry[] {
  if (failure !== undefined) return [entryOfError(sdkErrorOf(failure))]
  return [{ kind: 'end', isError: false, ...(words === '' ? {} : { text: words }) }]
}

const textIn = (content: unknown): string =>
  recordsIn(content)
    .flatMap((part) => (part['type'] === 'text' ? [textOf(part['text'])] : []))
    .join('\n')
