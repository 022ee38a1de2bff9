/** What each step of a script does, and what the scripted agent prints about it. */
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parseDuration } from '../../../core/text/time.ts'
import { editedPlan, type PlanEdit } from './plan.ts'

/** The first key says what to do. `ignore` next to it names a signal that the agent ignores from its start. */
export type Step = Record<string, unknown>

/** Plays one call's steps and ends the process. */
export async function play(steps: Step[], prompt: string): Promise<never> {
  process.stdout.on('error', () => process.exit(1)) // nobody reads any more
  const call: PlayedCall = {
    prompt,
    session: `scripted-${env('RALPH_RUN')}`,
    said: '',
    usage: { input: 1200, output: 300, cost: 0.01 },
    tools: 0,
    denials: [],
  }
  for (const { ignore } of steps) if (ignore) process.on(String(ignore), () => {})
  const [first = ''] = Object.keys(steps[0] ?? {})
  if (!wordless.includes(first)) await emit(call, { type: 'system', subtype: 'init', cwd: process.cwd(), model: 'scripted' })
  for (const step of steps) {
    const [[name, value] = ['', null]] = Object.entries(step)
    await players[name]?.(withVariables(value), call)
  }
  return end(call, { code: 0, isError: false, text: call.result ?? call.said })
}

/** Steps of an agent that Ralph does not know: it prints nothing in its own format. */
const wordless = ['unreadable', 'unknown-option']

/** Why a step cannot be played; undefined: it can. */
export function wrongIn(step: Step): string | undefined {
  const [name] = Object.keys(step ?? {})
  if (name === undefined) return 'an empty step'
  return Object.hasOwn(players, name) ? undefined : `unknown step "${name}"; use one of ${Object.keys(players).join(', ')}`
}

type PlayedCall = {
  prompt: string
  session: string
  said: string
  result?: string
  usage: { input: number; output: number; cost: number }
  tools: number
  denials: object[]
}
// biome-ignore lint/suspicious/noExplicitAny: what a step takes is as its name says; a script is written by its tester
type Player = (value: any, call: PlayedCall) => unknown

const players: Record<string, Player> = {
  write: ({ path, text }, call) => tool(call, 'Write', { file_path: path }, () => written(path, text, writeFileSync)),
  append: ({ path, text }, call) => tool(call, 'Edit', { file_path: path }, () => written(path, text, appendFileSync)),
  read: (path, call) => tool(call, 'Read', { file_path: path }, () => readFileSync(path, 'utf8')),
  delete: (path, call) => tool(call, 'Bash', { command: `rm ${path}` }, () => unlinkSync(path)),
  // Ralph may write to the folder at the same time, which can make the first try stop halfway.
  remove: (path, call) =>
    tool(call, 'Bash', { command: `rm -rf ${path}` }, () => rmSync(path, { recursive: true, force: true, maxRetries: 10 })),
  run: (command, call) => tool(call, 'Bash', { command }, () => shell('sh', ['-c', command])),
  commit: (message, call) =>
    tool(call, 'Bash', { command: `git add -A && git commit -m "${message}"` }, () => committed(message)),
  flip: (ids, call) => edited(call, ids, { passes: true }),
  unflip: (ids, call) => edited(call, ids, { passes: false }),
  notes: ({ id, text }, call) => edited(call, id, { notes: text }),
  tool: ({ name, target, text = 'ok', failed = false }, call) =>
    tool(call, name, { command: target }, () => (failed ? refuse(text) : text)),
  deny: async (name, call) => {
    const denial = { tool_name: name, tool_use_id: await toolUse(call, name, { command: 'scripted' }) }
    call.denials.push({ ...denial, tool_input: { command: 'scripted' } })
    await emit(call, { type: 'system', subtype: 'permission_denied', ...denial, message: `${name} needs approval.` })
    await toolResult(call, denial.tool_use_id, `${name} needs approval.`, true)
  },

  say: (text, call) => {
    call.said = text
    return emit(call, assistant([{ type: 'text', text }]))
  },
  sub: (text, call) => emit(call, { ...assistant([{ type: 'text', text }]), parent_tool_use_id: 'toolu_sub' }),
  result: (text, call) => void (call.result = text),
  usage: (usage, call) => void Object.assign(call.usage, usage),
  print: (text) => printed(text),
  stderr: (text) => void process.stderr.write(`${text}\n`),
  flood: async (bytes: number, call) => {
    for (let left = bytes; left > 0; left -= 65_536)
      await emit(call, assistant([{ type: 'text', text: 'x'.repeat(Math.min(left, 65_536)) }]))
  },

  sleep: (duration) => new Promise((resolve) => setTimeout(resolve, durationMs(duration))),
  hang: () => new Promise(() => setInterval(() => {}, 60_000)),
  child: ({ command, detached = false }, call) =>
    tool(call, 'Bash', { command: `${command} &` }, () => {
      // Keeps the agent's output open, as servers started in the background do.
      const child = spawn('sh', ['-c', command], { detached, stdio: ['ignore', 'inherit', 'inherit'] })
      child.unref()
      return `started ${child.pid}`
    }),

  exit: (code) => process.exit(code),
  crash: () => {
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  },
  fail: (value, call) => {
    const { code = 1, text = 'The scripted agent failed.' } =
      typeof value === 'object' ? value : { code: value === true ? 1 : value }
    return end(call, { code, isError: true, text })
  },
  limit: async ({ until, text = "You've hit your session limit" }, call) => {
    const info = {
      status: 'rejected',
      resetsAt: until === undefined ? undefined : epochSeconds(until),
      rateLimitType: 'five_hour',
    }
    if (until !== undefined) await emit(call, { type: 'rate_limit_event', rate_limit_info: info })
    return refused(call, text, { error: 'rate_limit', api_error_status: 429 })
  },
  overload: (_, call) => refused(call, 'API Error: 529 Overloaded.', { error: 'server_error', api_error_status: 529 }),
  login: (_, call) =>
    refused(call, 'Invalid API key · Fix external API key', { error: 'authentication_failed', api_error_status: 401 }),
  unreadable: async (text) => {
    await printed(text === true ? '{"kind":"of another version"}' : text)
    process.exit(0)
  },
  'unknown-option': (option) => {
    process.stderr.write(`error: unknown option '${option === true ? '--new' : option}'\n`)
    process.exit(1)
  },
  expect: ({ prompt }, call) => {
    if (new RegExp(prompt).test(call.prompt)) return
    process.stderr.write(`the prompt does not match /${prompt}/:\n${call.prompt}\n`)
    process.exit(99)
  },
}

/** Ralph's variables work in a step as in a shell, so that one list of steps can serve every story. */
function withVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$(RALPH_[A-Z_]+)/g, (_, name: string) => env(name))
  if (Array.isArray(value)) return value.map(withVariables)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withVariables(inner)]))
}

/** A tool call as the transcript shows it. A failure becomes the tool's result, and the agent continues. */
async function tool(call: PlayedCall, name: string, input: object, work: () => unknown): Promise<void> {
  const id = await toolUse(call, name, input)
  try {
    await toolResult(call, id, String(work() ?? 'ok'), false)
  } catch (error) {
    await toolResult(call, id, (error as Error).message, true)
  }
}

async function toolUse(call: PlayedCall, name: string, input: object): Promise<string> {
  const id = `toolu_${++call.tools}`
  await emit(call, assistant([{ type: 'tool_use', id, name, input }]))
  return id
}

const toolResult = (call: PlayedCall, id: string, text: string, isError: boolean) =>
  emit(call, {
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text, is_error: isError }] },
  })

function written(path: string, text: string, write: (path: string, text: string) => void): void {
  mkdirSync(dirname(path), { recursive: true })
  write(path, text)
}

function committed(message: string): string {
  shell('git', ['add', '-A'])
  const knowsMe = spawnSync('git', ['config', 'user.email']).status === 0
  const identity = knowsMe ? [] : ['-c', 'user.name=scripted', '-c', 'user.email=scripted@localhost']
  return shell('git', [...identity, 'commit', '-q', '-m', message])
}

function shell(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  })
  return status === 0 ? stdout : refuse(`Exit code ${status}\n${stdout}${stderr}`)
}

const refuse = (message: string): never => {
  throw new Error(message)
}

async function edited(call: PlayedCall, ids: string | string[], edit: PlanEdit): Promise<void> {
  const file = env('RALPH_PLAN')
  for (const id of [ids].flat()) {
    await tool(call, 'Edit', { file_path: file }, () => {
      const plan = editedPlan(basename(file), readFileSync(file, 'utf8'), String(id), edit)
      if (plan === undefined) return refuse(`no story ${id} in ${file}`)
      return writeFileSync(file, plan)
    })
  }
}

/** How Claude Code ends when the provider rejected the call: the message as its own text, a result that claims success, exit 1. */
async function refused(call: PlayedCall, text: string, error: { error: string; api_error_status: number }): Promise<never> {
  await emit(call, { ...assistant([{ type: 'text', text }]), ...error, is_api_error_message: true })
  call.usage = { input: 0, output: 0, cost: 0 }
  return end(call, { code: 1, isError: true, text, status: error.api_error_status })
}

async function end(call: PlayedCall, how: { code: number; isError: boolean; text: string; status?: number }): Promise<never> {
  await emit(call, {
    type: 'result',
    subtype: 'success',
    is_error: how.isError,
    api_error_status: how.status ?? null,
    result: how.text,
    total_cost_usd: call.usage.cost,
    usage: {
      input_tokens: call.usage.input,
      output_tokens: call.usage.output,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
    permission_denials: call.denials,
  })
  process.exit(how.code)
}

const assistant = (content: object[]) => ({
  type: 'assistant',
  message: { role: 'assistant', model: 'scripted', content },
  parent_tool_use_id: null,
})

/** Claude Code writes the time on what was said and done. */
const emit = (call: PlayedCall, event: { type: string } & Record<string, unknown>): Promise<void> => {
  const timed = event.type === 'assistant' || event.type === 'user' ? { timestamp: new Date().toISOString() } : {}
  return printed(JSON.stringify({ ...event, session_id: call.session, ...timed }))
}

/** Waits until the line is written: a flood must not pile up in memory. */
const printed = (text: string): Promise<void> => new Promise((resolve) => process.stdout.write(`${text}\n`, () => resolve()))

function durationMs(text: unknown): number {
  const ms = typeof text === 'string' ? parseDuration(text) : undefined
  if (ms !== undefined) return ms
  process.stderr.write(`not a duration such as 200ms or 2s: ${text}\n`)
  process.exit(64)
}

const epochSeconds = (until: unknown): number =>
  typeof until === 'number' ? until : Math.ceil((Date.now() + durationMs(String(until).replace(/^in /, ''))) / 1000)

const env = (name: string): string => process.env[name] ?? ''
