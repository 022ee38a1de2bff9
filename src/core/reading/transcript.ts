/** Folds the entries of one call, one by one, into the little that the loop needs. */
import { unknownUsage } from '../figures/price.ts'
import { withoutHeredocs } from '../tamper/shell.ts'
import type { Instant, Usage } from '../types.ts'
import { namesUnknownOption } from './errors.ts'

/** One thing that an agent said or did, in the same form for all agents. Texts are cut to what a reader needs. */
export type Entry =
  | { kind: 'session'; id: string; model: string }
  | { kind: 'said'; text: string /** a subagent's words are not the agent's */; isSub: boolean }
  | {
      kind: 'tool'
      name: string
      /** The file, command or pattern it is about. */
      target: string
      isSub: boolean
      /** For a shell command: all of it, or as much as can be kept. */
      command?: string
      /** For an edit: the removed text, if only part of the file changes, and the new text. */
      edit?: { path: string; from?: string; to: string }
    }
  | { kind: 'tool-result'; failed: boolean; text: string }
  | { kind: 'denied'; tool: string }
  | Throttled
  | { kind: 'retrying'; message: string }
  | { kind: 'error'; message: string }
  /** For the whole call so far: the last one counts. */
  | {
      kind: 'usage'
      usage: Usage
      /** The size of the last request to the model, and of what the model takes, if it says so. */
      contextTokens?: number
      contextWindow?: number
    }
  | { kind: 'noise'; text: string }
  /** The agent says that it is finished. `text` is its final message, if it gives one. */
  | { kind: 'end'; isError: boolean; text?: string }

export type Throttled = {
  kind: 'throttled'
  by: 'usage-limit' | 'rate' | 'overload' | 'unreachable' | 'login'
  until?: Instant
  message: string
  /** Printed outside the agent's own format, where anyone's words may be. */
  isHearsay?: true
}

export type Transcript = {
  /** The main agent's last message, or its end if it is very long. */
  finalMessage: string
  /** Whether the agent itself said that it was finished, and whether with an error. */
  isStructuredEnd: boolean
  isError: boolean
  usage: Usage
  session: string
  model: string
  /** Length of everything that the main agent said. */
  outputChars: number
  /** Only while nothing shows that the agent got through after all. */
  throttled?: Throttled
  isHearsay?: true
  /** The last five, each cut. */
  errors: string[]
  /** The error of the last tool call, or of the agent's program after it; empty: none. */
  lastFailure: string
  /** Denied tools, each once. */
  denied: string[]
  /** What it is doing now, for people. */
  tool: string
  tools: number
  edits: number
  /** Shell commands about commits and hooks: the last 50 different ones, each cut. */
  commands: string[]
  noise: number
  /** The last line that the reader did not understand: what a program prints when it dies. */
  lastNoise: string
  /** Entries other than noise: 0, if nothing that the agent printed was understood. */
  understood: number
  /** The line in which its program says that it does not know an option. */
  unknownOption?: string
}

export const emptyTranscript = (): Transcript => ({
  finalMessage: '',
  isStructuredEnd: false,
  isError: false,
  usage: unknownUsage,
  session: '',
  model: '',
  outputChars: 0,
  errors: [],
  lastFailure: '',
  denied: [],
  tool: '',
  tools: 0,
  edits: 0,
  commands: [],
  noise: 0,
  lastNoise: '',
  understood: 0,
})

export function withEntry(before: Transcript, entry: Entry): Transcript {
  const transcript = entry.kind === 'noise' ? before : { ...before, understood: before.understood + 1 }
  switch (entry.kind) {
    case 'session':
      return { ...transcript, session: entry.id, model: entry.model || transcript.model }
    case 'said':
      return entry.isSub ? transcript : withWords(transcript, entry.text)
    case 'tool':
      return withTool(transcript, entry)
    case 'denied':
      return transcript.denied.includes(entry.tool)
        ? transcript
        : { ...transcript, denied: [...transcript.denied, entry.tool].slice(-20) }
    case 'throttled':
      return withThrottle(transcript, entry)
    case 'error':
      // A real error outranks earlier messages about the provider.
      return {
        ...(transcript.isHearsay ? withoutThrottle(transcript) : transcript),
        errors: withError(transcript.errors, entry.message),
        lastFailure: entry.message.slice(0, longestFailure),
      }
    case 'usage':
      return { ...transcript, usage: entry.usage }
    case 'noise':
      return withNoise(transcript, entry.text.trim())
    case 'end':
      return withEnd(transcript, entry)
    case 'tool-result':
      return { ...transcript, lastFailure: entry.failed ? entry.text.slice(-longestFailure) : '' }
    case 'retrying':
      return transcript
  }
}

const longestMessage = 256 * 1024
const longestError = 1000
const longestFailure = 8000
const longestCommand = 8000
const mostCommands = 500
const shellTool = /bash|shell|terminal|exec|command/i
const aboutCommits = /git\b.*\bcommit|core\.hooksPath|--no-verify/is
const editingTool =
  /^(multi_?edit|notebook_?edit|edit(_?file)?|write(_?file)?|create(_?file)?|apply_?patch|patch|replace|str_replace\w*|file_?change)$/i

function withNoise(transcript: Transcript, text: string): Transcript {
  const unknownOption = transcript.unknownOption ?? (namesUnknownOption(text) ? text.slice(0, 300) : undefined)
  return {
    ...transcript,
    noise: transcript.noise + 1,
    lastNoise: text.slice(0, 300) || transcript.lastNoise,
    ...(unknownOption === undefined ? {} : { unknownOption }),
  }
}

function withThrottle(transcript: Transcript, { isHearsay, ...throttled }: Throttled): Transcript {
  return { ...withoutThrottle(transcript), throttled, ...(isHearsay ? { isHearsay } : {}) }
}

const withoutThrottle = ({ throttled: _throttled, isHearsay: _isHearsay, ...rest }: Transcript): Transcript => rest

/** A message with only a tool call has no words, and leaves the last ones in place. */
function withWords(transcript: Transcript, text: string): Transcript {
  if (text.trim() === '') return transcript
  const before = transcript.isHearsay ? withoutThrottle(transcript) : transcript
  return { ...before, finalMessage: tail(text), outputChars: transcript.outputChars + text.length }
}

/** Only a model that answers calls tools: earlier problems have passed. */
function withTool(transcript: Transcript, entry: Extract<Entry, { kind: 'tool' }>): Transcript {
  const { name, target, isSub } = entry
  return {
    ...(isSub ? transcript : withoutThrottle(transcript)),
    tool: `${name} ${target}`.trim().slice(0, 200),
    tools: transcript.tools + 1,
    edits: transcript.edits + (editingTool.test(name) ? 1 : 0),
    commands: withCommand(transcript.commands, entry),
  }
}

/** Commit messages, often long and in a here-document, are removed before the cut: options may follow them. */
function withCommand(commands: string[], { name, target, command }: Extract<Entry, { kind: 'tool' }>): string[] {
  const text = command ?? (shellTool.test(name) ? target : '')
  if (!aboutCommits.test(text)) return commands
  const kept = withoutHeredocs(text).slice(0, longestCommand)
  return [...commands.filter((other) => other !== kept), kept].slice(-mostCommands)
}

function withEnd(transcript: Transcript, { isError, text = '' }: Extract<Entry, { kind: 'end' }>): Transcript {
  const { throttled, isHearsay } = transcript
  const hasText = text.trim() !== ''
  // A usage limit or a rejected login may come as an ordinary answer with every sign of success.
  const mayBeAnswer = !isHearsay && (throttled?.by === 'usage-limit' || throttled?.by === 'login')
  return {
    ...(isError || mayBeAnswer ? transcript : withoutThrottle(transcript)),
    isStructuredEnd: true,
    isError,
    // The text of a failed call is the program's or the provider's, and sends no signal.
    finalMessage: hasText && !isError ? tail(text) : transcript.finalMessage,
    outputChars: transcript.outputChars || text.length,
    errors: isError && hasText && !throttled ? withError(transcript.errors, text) : transcript.errors,
  }
}

/** The same one reported twice, on the way and at the end, counts once. */
function withError(errors: string[], message: string): string[] {
  const error = message.slice(0, longestError)
  return errors.at(-1) === error ? errors : [...errors, error].slice(-5)
}

const tail = (text: string): string => (text.length > longestMessage ? text.slice(-longestMessage) : text)
