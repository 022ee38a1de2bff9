/** Plugins: the user's own files that inspect an iteration, each in its own process and with a time limit. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isListOf, isRecord, isText, jsonIn, recordOf, textOf } from '../../core/text/json.ts'
import { sayDuration } from '../../core/text/time.ts'
import type { Exit } from '../../core/types.ts'
import { lineSplitter } from '../files/lines.ts'
import { type Masker, maskedLog } from '../mask/mask.ts'
import { childEnv } from '../process/child-env.ts'
import { runTree, type TreeEnd, type TreeLimits } from '../process/tree.ts'
import type { HostCall } from './host.ts'

/** A plugin's input: plain, frozen data. */
export type PluginInput = {
  /** The agent's final message. */
  message: string
  feature: string
  iteration: number
  story: string | null
  exit: Exit
  /** Changed in this iteration, committed or not, without `.ralph/`. */
  files: string[]
  transcript: {
    model: string
    session: string
    durationMs: number
    outputChars: number
    edits: number
    inputTokens: number
    outputTokens: number
    costUsd: number | null
    errors: string[]
    /** Denied tools. */
    denied: string[]
  }
}
/** A plugin's answer, cleaned: each text masked, on one line and cut. */
export type PluginAnswer = {
  name: string
  evidence: string[]
  claim?: { name: string; evidence: string }
  stop?: { name: string; reason: string }
}
export type PluginOptions = TreeLimits & {
  root: string
  env: Record<string, string>
  mask: Masker
  /** Where its output is kept. */
  logPath?: string
}

/** A plugin's answer for an iteration, or only whether it loads; `wrong` ends a sentence that starts with its file. null: stopped meanwhile. */
export async function askPlugin(
  file: string,
  input: PluginInput | undefined,
  options: PluginOptions,
): Promise<PluginAnswer | { wrong: string } | null> {
  const path = resolve(options.root, file)
  if (!existsSync(path)) return { wrong: 'does not exist' }
  const { end, line } = await runHost(
    file,
    { path, mark: `=== plugin answer ${randomBytes(6).toString('hex')} `, input },
    options,
  )
  if (end.how === 'stopped') return null
  if (end.how === 'timeout') return { wrong: `timed out after ${sayDuration(options.timeoutMs)}` }
  if (line === undefined) return { wrong: `ended before it answered (${sayEnd(end)})` }
  if (line.isCut) return { wrong: `answered with more than ${longestAnswer / 1024} KiB` }
  const told = recordOf(jsonIn(line.text))
  const clean = (text: string): string => options.mask.text(text).replaceAll(/\s+/g, ' ').trim().slice(0, longestText)
  if (isText(told['wrong'])) return { wrong: clean(told['wrong']) }
  const answer = answerIn(told['answer'], clean(textOf(told['name']) || basename(file, extname(file))), clean)
  return typeof answer === 'string' ? { wrong: answer } : answer
}

const longestAnswer = 256 * 1024
const longestText = 500
const mostEvidence = 20
/** In a build, the host is next to the bundle with this code; from source, next to this file. */
const hostPath = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './host.ts' : './plugin-host.js', import.meta.url))

type HostLine = { text: string; isCut: boolean }

async function runHost(
  file: string,
  call: HostCall,
  options: PluginOptions,
): Promise<{ end: TreeEnd; line: HostLine | undefined }> {
  let line: HostLine | undefined
  const lines = lineSplitter((text, isCut) => {
    if (text.startsWith(call.mark)) line = { text: text.slice(call.mark.length), isCut }
  }, longestAnswer)
  const log = options.logPath === undefined ? null : maskedLog(options.logPath, options.mask)
  try {
    log?.note(`=== plugin ${file}`)
    const end = await runTree({
      ...options,
      command: process.execPath,
      args: [hostPath],
      cwd: options.root,
      env: childEnv(options.env),
      stdin: JSON.stringify(call),
      onOutput(chunk, stream) {
        log?.push(chunk, stream)
        if (stream === 'out') lines.push(chunk)
      },
    })
    lines.end()
    return { end, line }
  } finally {
    log?.end()
    log?.close()
  }
}

const sayEnd = ({ error, signal, code }: TreeEnd): string => error ?? (signal === null ? `exit ${code}` : `ended by ${signal}`)

/** A plugin may return anything. A string: what is wrong with it. */
function answerIn(value: unknown, plugin: string, clean: (text: string) => string): PluginAnswer | string {
  if (isNothing(value)) return { name: plugin, evidence: [] }
  if (!isRecord(value)) return 'answered with something that is not an object'
  const stranger = Object.keys(value).find((key) => !['evidence', 'claim', 'stop'].includes(key))
  if (stranger !== undefined) return `answered with "${clean(stranger)}"; use evidence, claim and stop`
  const evidence = value['evidence'] ?? []
  if (!isListOf(evidence, isText)) return 'answered with evidence that is not a list of strings'
  const claim = namedIn(value['claim'], 'evidence', plugin)
  if (claim === null) return 'answered with a claim that is neither a string nor {name, evidence}'
  const stop = namedIn(value['stop'], 'reason', plugin)
  if (stop === null) return 'answered with a stop that is neither a string nor {name, reason}'
  return {
    name: plugin,
    evidence: evidence.slice(0, mostEvidence).map(clean),
    ...(claim ? { claim: { name: clean(claim.name), evidence: clean(claim.words) } } : {}),
    ...(stop ? { stop: { name: clean(stop.name), reason: clean(stop.words) } } : {}),
  }
}

/** A bare string is the text, under the plugin's own name. undefined: none; null: invalid. */
function namedIn(
  value: unknown,
  words: 'evidence' | 'reason',
  plugin: string,
): { name: string; words: string } | undefined | null {
  if (isNothing(value)) return undefined
  if (typeof value === 'string') return { name: plugin, words: value }
  if (!isRecord(value)) return null
  const { name = plugin, [words]: text = '' } = value
  return typeof name === 'string' && name.trim() !== '' && typeof text === 'string' ? { name, words: text } : null
}

/** `isDone && 'all pages exist'` is false while there is nothing to say. */
const isNothing = (value: unknown): boolean => value === undefined || value === null || value === false || value === ''
