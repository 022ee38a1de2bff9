/** The prompt of one iteration, in named parts: small however long the run, and never a signal that an echo could send back. */
import { maxShifts } from '../decide/escalation.ts'
import { errorLines } from '../decide/gates.ts'
import { doneMark } from '../plan/stories.ts'
import { withoutSignals } from '../reading/reading.ts'
import type { Refusal } from '../state.ts'
import type { Gate, GateResult, Mode, StoryId } from '../types.ts'
import { fenced } from './fenced.ts'

export type PromptInput = {
  feature: string
  iteration: number
  mode: Mode
  /** The story named to the agent; null: the agent picks, mends a gate, or there is no plan. */
  story: { id: StoryId; title: string; description: string; acceptanceCriteria: string[]; notes: string; attempt: number } | null
  /** Finished stories shrink to id and title; the open ones are named so that the agent knows what is not its business now. */
  done: { id: StoryId; title: string }[]
  open: { id: StoryId; title: string }[]
  /** Paths from the project root. Agents that expand `@path` get the files themselves. */
  paths: { plan: string | null; specs: string | null; progress: string }
  /** In a worktree of its own: its branch, and the one that the work is for. */
  apart?: { branch: string; onto: string | null }
  expandsPaths: boolean
  /** Soft ones only warn. */
  gates: Pick<Gate, 'name' | 'command' | 'soft'>[]
  refusals: Refusal[]
  /** Gates that are red now. */
  red: GateResult[]
  /** Another way is needed: why, the how-manieth call for one on this story (0: it is the breaker's), what failed, what may be missing. */
  shift: { because: string; number: number; failed: Refusal[]; context: string } | null
  tell: string[]
  answers: { question: string; text: string }[]
  progressTail: string
  /** What was learned from earlier stories and fits this one. */
  learned: string[]
  instructions: string
  promise: string
  /** The agent is offered the tool `report_status`. */
  hasStatusTool: boolean
  /** Given to agents whose words cannot be told from the rest of their output. */
  code: string | null
}

export type PromptPart = { name: string; text: string }

export function promptParts(input: PromptInput): PromptPart[] {
  const quoted = (text: string): string => withoutSignals(text, input.promise)
  const parts: PromptPart[] = [
    { name: 'story', text: quoted(storyPart(input)) },
    { name: 'failures', text: quoted(failuresPart(input)) },
    { name: 'shift', text: quoted(shiftPart(input)) },
    { name: 'refused', text: quoted(notesPart('## What you must know from earlier iterations', input.tell)) },
    { name: 'answer', text: quoted(answerPart(input)) },
    { name: 'progress', text: quoted(progressPart(input)) },
    {
      name: 'learned',
      text: quoted(notesPart('## Learned from earlier stories of this repository (advice, not orders)', input.learned)),
    },
    { name: 'instructions', text: quoted(input.instructions.trim()) },
    { name: 'signals', text: signalsPart(input) },
  ]
  return parts.filter((part) => part.text !== '')
}

export const promptText = (parts: PromptPart[]): string => `${parts.map((part) => part.text).join('\n\n')}\n`

function storyPart(input: PromptInput): string {
  const { story, paths, done, open } = input
  const lines = [`# Feature ${input.feature}, iteration ${input.iteration}`, '']
  if (story !== null) {
    lines.push(`## Your story: ${story.id} - ${story.title} (attempt ${story.attempt})`)
    if (story.description !== '') lines.push('', story.description)
    if (story.acceptanceCriteria.length > 0)
      lines.push('', 'Acceptance criteria:', ...story.acceptanceCriteria.map((criterion) => `- [ ] ${criterion}`))
    if (story.notes !== '') lines.push('', `Notes: ${story.notes}`)
    lines.push('', 'Work on this story alone; marking any other one as done has no effect.')
    if (input.apart !== undefined) lines.push('', apartWords(input.apart))
  } else if (input.mode === 'fix') {
    lines.push(
      '## Your task: fix what the gates refuse',
      '',
      `Every story passes, but these gates are red: ${input.red.map((gate) => gate.name).join(', ')}.`,
    )
  } else if (paths.plan !== null) {
    lines.push(
      '## Your task',
      '',
      'Choose the one open story that comes first (lowest priority number, dependencies done), and work on it alone.',
    )
  } else {
    lines.push('## Your task', '', 'Do what the instructions below ask for.')
  }
  const at = input.expandsPaths ? '@' : ''
  const files = [
    ...(paths.plan === null ? [] : [`- plan: ${at}${paths.plan}`]),
    ...(paths.specs === null ? [] : [`- specifications: ${at}${paths.specs}`]),
    `- progress of earlier iterations: ${paths.progress}`,
  ]
  lines.push('', 'Files:', ...files)
  if (done.length > 0) lines.push('', `Done: ${capped(done.map((item) => `${item.id} (${item.title})`))}`)
  const others = open.filter((item) => item.id !== story?.id)
  if (others.length > 0)
    lines.push('', `Open, for later iterations: ${capped(others.map((item) => `${item.id} (${item.title})`))}`)
  const hard = input.gates.filter(({ soft }) => soft !== true)
  const soft = input.gates.filter((gate) => gate.soft === true)
  if (hard.length > 0)
    lines.push('', 'After you end, these gates are run, and a story passes only if they do:', ...hard.map(gateLine))
  if (soft.length > 0) lines.push('', 'These are run too, and only warn:', ...soft.map(gateLine))
  return lines.join('\n')
}

const gateLine = ({ name, command }: PromptInput['gates'][number]): string => `- ${name}: \`${command}\``

const apartWords = ({ branch, onto }: NonNullable<PromptInput['apart']>): string =>
  `Other stories are worked on at the same time. This is a git worktree of your own, on branch ${branch}: stay in it and on that branch. When the story passes, its work is merged into ${onto ?? 'the working branch'} for you.`

/** Names of finished and waiting stories must not make the prompt grow with the plan. */
function capped(items: string[]): string {
  const shown = items.slice(-40)
  return items.length > shown.length ? `${items.length - shown.length} more, ${shown.join(', ')}` : shown.join(', ')
}

function failuresPart({ refusals, red, story }: PromptInput): string {
  const blocks: string[] = []
  for (const refusal of refusals) {
    blocks.push(`### Iteration ${refusal.iteration}: ${refusal.because}`)
    for (const gate of refusal.gates) blocks.push(gateBlock(gate))
  }
  const shown = new Set(refusals.at(-1)?.gates.map((gate) => gate.outputHash) ?? [])
  const stillRed = red.filter((gate) => !gate.passed && !shown.has(gate.outputHash))
  if (stillRed.length > 0) blocks.push('### Red now', ...stillRed.map(gateBlock))
  if (blocks.length === 0) return ''
  return [`## What failed before${story === null ? '' : ` on ${story.id}`} (verbatim)`, ...blocks].join('\n\n')
}

function gateBlock(gate: GateResult): string {
  const how = gate.ended === 'timeout' ? 'ran into its time limit' : gate.exitCode === null ? 'failed' : `exit ${gate.exitCode}`
  return [`Gate ${gate.name}: \`${gate.command}\` (${how})`, fenced(gate.output, 'text')].join('\n')
}

/** The failed ways are named one by one: what is forbidden must be plain. */
function shiftPart({ shift }: PromptInput): string {
  if (shift === null) return ''
  const { because, number, failed, context } = shift
  const last = failed.at(-1)?.gates[0]
  return [
    `## Another way is needed${number === 0 ? '' : ` (strategy shift ${number} of ${maxShifts})`}`,
    `${capitalised(because)}. What was tried does not work, and more of the same will not either. Find out why it led nowhere, and take a fundamentally different approach.`,
    ...(failed.length === 0
      ? []
      : [
          ['Do NOT try again:', ...failed.map(forbidden)].join('\n'),
          ...(last === undefined
            ? []
            : [
                ['The error that came back each time:', fenced(errorLines(last.output).slice(0, 30).join('\n'), 'text')].join(
                  '\n',
                ),
              ]),
        ]),
    ...(context === '' ? [] : [context]),
  ].join('\n\n')
}

function forbidden({ iteration, files, summary, because }: Refusal): string {
  const touched = files.length > 0 ? ` (it changed ${files.slice(0, 8).join(', ')})` : ''
  return `- what iteration ${iteration} did${touched}: ${(summary === '' ? because : summary).replace(/\s+/g, ' ').slice(0, 200)}`
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const notesPart = (title: string, notes: string[]): string =>
  notes.length === 0 ? '' : [title, ...notes.map((note) => `- ${note}`)].join('\n')

function answerPart({ answers }: PromptInput): string {
  return answers
    .map(({ question, text }) =>
      ['## A decision by the user', `Question: ${question}`, `Answer: ${text}`, 'Act on this answer; do not ask again.'].join(
        '\n',
      ),
    )
    .join('\n\n')
}

function progressPart({ progressTail, paths }: PromptInput): string {
  if (progressTail.trim() === '') return ''
  return [`## The end of ${paths.progress}`, fenced(progressTail, 'text')].join('\n')
}

/** Describes the signals in pieces: nothing in here is a signal itself. The code is not in its last line, where it would sign an echo. */
function signalsPart({ code, promise, paths, hasStatusTool }: PromptInput): string {
  const open = code === null ? 'an opening tag named promise' : `an opening tag named promise with the attribute code="${code}"`
  const isTag = /^<promise>([\s\S]*)<\/promise>$/.exec(promise)
  const complete =
    promise === ''
      ? []
      : isTag
        ? [
            `- Everything is done${paths.plan === null ? '' : ' (every story of the plan passes)'}: the word ${JSON.stringify(isTag[1])}.`,
          ]
        : [
            `- Everything is done: this text on a line of its own instead of the tags, without the spaces between its letters${code === null ? '' : ', and the code after it'}: ${promise.split('').join(' ')}`,
          ]
  return [
    '## How to signal',
    ...(paths.plan === null
      ? ['Saying in plain words that the work is done does not end it: only the signal does.']
      : [
          `A story counts as done when the plan says so: ${doneMark(paths.plan)}. The gates then check it. If the story was already done when you came, do just that: nothing else has to change.`,
        ]),
    'End your last message in the ordinary way; Ralph sees what you committed and what the plan says. Only where one of these holds, put it on the last line of that message,',
    `between ${open} and its closing tag (ordinary angle brackets, nothing else on the line${code === null ? '' : '; without the code it does not count'}):`,
    ...complete,
    '- You cannot go on without a person (credentials missing, a service down) and have tried every alternative: the word BLOCKED, a colon, and the reason.',
    '- Only a person can decide between alternatives: the word DECIDE, a colon, and the question with the alternatives.',
    ...(hasStatusTool
      ? ['If you have the tool report_status (of the server ralph), you may call it at the end to say the same.']
      : []),
  ].join('\n')
}
