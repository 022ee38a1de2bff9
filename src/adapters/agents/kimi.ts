/** Kimi Code, headless: the prompt as an argument, or in a file if it is long; chat messages as JSON lines out, and its usage in the session's file. */
import type { Entry } from '../../core/reading/transcript.ts'
import { type Json, jsonIn, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import type { Reader } from '../../ports.ts'
import { providerVariables } from './shared/choice.ts'
import { headless } from './shared/headless.ts'
import { jsonLinesReader, noise, plainEntry, toolResult } from './shared/json-lines.ts'
import { filesFolder } from './shared/launch-files.ts'
import { entriesOfRetry, entryOfError, type ProviderError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { toolEntry } from './shared/tool-input.ts'
import { shellLimits, shellRules, toolRules } from './shared/tool-rules.ts'
import { kimiUsage } from './shared/usage-files.ts'

export const kimi = headless('kimi', {
  needs: { home: ['.kimi-code'], variables: ['KIMI_', 'MOONSHOT_', ...providerVariables], folders: ['KIMI_CODE_HOME'] },
  homeSettings: [
    ...['AGENTS.md', 'mcp.json'].map((name) => `.kimi-code/${name}`),
    ...['agents', 'skills', 'plugins', 'hooks'].map((name) => `.kimi-code/${name}/`),
    ...['.agents/agents/', '.agents/skills/'],
  ],
  ordersIn: ['AGENTS.md', '.kimi-code/', '.kimi/', '.agents/'],
  tells: 'tokens',
  install: 'npm install -g @moonshot-ai/kimi-code',
  tested: '2.1.0',
  args: (task, { allowedTools, skipPermissions }) => [
    ...['--output-format', 'stream-json'],
    ...(task.model ? ['--model', task.model] : []),
    ...(profileFor(task.isReadOnly === true, { allowedTools, skipPermissions }) === null
      ? []
      : ['--agent-file', `${filesFolder}/profile.md`]),
    '--prompt',
    isLong(task.prompt) ? `Read the file ${filesFolder}/prompt.md to its end, and do what it says.` : task.prompt,
  ],
  files(task, options) {
    const profile = profileFor(task.isReadOnly === true, options)
    const files = {
      ...(profile === null ? {} : { 'profile.md': profile }),
      ...(isLong(task.prompt) ? { 'prompt.md': task.prompt } : {}),
    }
    return Object.keys(files).length === 0 ? undefined : files
  },
  env: (given) => ({ KIMI_CODE_NO_AUTO_UPDATE: '1', ...given }),
  takesInput: false,
  limits: (allowedTools) => shellLimits(shellRules(allowedTools).isOpen ? 'Bash' : ''),
  usageLeft: kimiUsage,
  reader: kimiReader,
})

/** Linux takes arguments of up to 128 KiB. */
const isLong = (prompt: string): boolean => Buffer.byteLength(prompt) > 120_000

/**
 * Headless it approves everything itself, so it can only be held to whole tools, and gets those that may be used without asking. null: all.
 */
function profileFor(isReadOnly: boolean, options: { allowedTools: string; skipPermissions: boolean }): string | null {
  if (!isReadOnly && options.skipPermissions) return null
  const allowed = new Set(isReadOnly ? [] : toolRules(options.allowedTools).map(({ name }) => name))
  const tools = [
    ...['Read', 'Glob', 'Grep', 'TodoList'],
    ...(allowed.has('Edit') || allowed.has('Write') ? ['Edit', 'Write'] : []),
    ...(!isReadOnly && shellRules(options.allowedTools).isOpen ? ['Bash'] : []),
    ...(allowed.has('WebFetch') ? ['FetchURL'] : []),
  ]
  return [
    '---',
    'name: ralph',
    'description: Works with these tools alone.',
    `tools: [${tools.join(', ')}]`,
    'subagents: []',
    '---',
    isReadOnly ? 'You look at a project and answer what you are asked. You change nothing.' : `\${base_prompt}`,
    '',
  ].join('\n')
}

function kimiReader(): Reader {
  const memory: Memory = { words: '' }
  const read = jsonLinesReader(
    (event) => entriesOf(event, memory),
    (line) => [plainLine(line)],
  )
  // Its lines are told apart by a role. Without a type they are no events for the shared reader.
  return (line, stream) => {
    const message = stream === 'out' ? recordOf(jsonIn(line)) : {}
    return typeof message['role'] === 'string' ? entriesOf(message, memory) : read(line, stream)
  }
}

/** The last words: the end does not repeat them. */
type Memory = { words: string }

function entriesOf(event: Json, memory: Memory): Entry[] {
  switch (event['role']) {
    case 'assistant': {
      const text = contentOf(event['content'])
      if (text.trim() !== '') memory.words = text
      const calls = recordsIn(event['tool_calls']).map((call) => recordOf(call['function']))
      return [
        ...(text.trim() === '' ? [] : [{ kind: 'said', text, isSub: false } as const]),
        ...calls.map((call) => toolEntry(textOf(call['name']), jsonIn(textOf(call['arguments'])))),
      ]
    }
    case 'tool': {
      const text = contentOf(event['content'])
      return [toolResult(/(?:^|\n)Command failed with exit code: \d+\.$|^Invalid args for tool "/.test(text.trimEnd()), text)]
    }
    case 'meta':
      return metaEntries(event, memory)
    default:
      return [] // new kinds of lines appear with every version of the agent
  }
}

const contentOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : recordsIn(content)
        .map((part) => textOf(part['text']))
        .join('')

function metaEntries(event: Json, { words }: Memory): Entry[] {
  switch (event['type']) {
    case 'turn.step.retrying': {
      const message = textOf(event['error_message'])
      return entriesOfRetry(message || 'unknown error', errorOf(message, numberOf(event['status_code'])))
    }
    case 'session.resume_hint':
      return [
        { kind: 'session', id: textOf(event['session_id']), model: '' },
        { kind: 'end', isError: false, ...(words === '' ? {} : { text: words }) },
      ]
    default:
      return []
  }
}

/** Failures are printed beside its lines, and end it. */
function plainLine(line: string): Entry {
  const text = line.trim()
  const failure = /^error: failed to run prompt: (?:[\w.]+: )?(.*)$/.exec(text)?.[1]
  if (failure !== undefined) return entryOfError(errorOf(failure, undefined))
  if (/^See log: /.test(text)) return noise(line)
  return plainEntry(line, /^(?:error: )?(?:No (?:model|provider) (?:is )?configured|Not logged in)\b|\bLLM (?:is )?not set\b/i)
}

function errorOf(message: string, status: number | undefined): ProviderError {
  return { ...(status === undefined ? {} : { status }), ...sdkErrorOf(message) }
}
