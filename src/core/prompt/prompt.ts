/** The prompt of one iteration, in named parts: small however long run and plan, and without a signal that an echo could send back. */

import { maxShifts } from '../decide/escalation.ts'
import { doneMark, listed } from '../plan/stories.ts'
import { proposalForm } from '../reading/proposal.ts'
import type { Dismissed } from '../review/findings.ts'
import type { Refusal } from '../state.ts'
import { capital } from '../text/escape.ts'
import type { Gate, GateResult, Mode, StoryId } from '../types.ts'
import { failuresPart } from './failures-part.ts'
import { fenced } from './fenced.ts'
import { quoting } from './role-prompt.ts'
import { offLimits } from './users-files.ts'

export type PromptInput = {
  feature: string
  iteration: number
  mode: Mode
  /** The agent's story; null: the agent picks, fixes a gate, or there is no plan. */
  story: {
    id: StoryId
    title: string
    description: string
    acceptanceCriteria: string[]
    notes: string
    attempt: number
    /** Of earlier attempts. */
    commits: string[]
  } | null
  /** Finished stories shrink to id and title; open ones are named so that the agent knows what to leave alone. */
  done: { id: StoryId; title: string }[]
  open: { id: StoryId; title: string }[]
  /** Paths from the project root: never the files themselves, which grow with the plan. */
  paths: { plan: string | null; specs: string | null; progress: string }
  /** In its own worktree: its branch, and the target branch. */
  apart?: { branch: string; onto: string | null }
  /** The user's uncommitted files. */
  users: string[]
  /** Patterns of files that nobody may change. */
  protectedFiles: string[]
  /** Soft ones only warn. */
  gates: Pick<Gate, 'name' | 'command' | 'soft'>[]
  /** A reviewer checks the criteria of a story that its gates let pass. */
  isReviewed: boolean
  refusals: Refusal[]
  /** What a person dismissed of what reviewers found. */
  dismissed: Pick<Dismissed, 'id' | 'words'>[]
  /** Gates that fail now, and whether all passed after the last change. */
  red: GateResult[]
  isGreen: boolean
  /** A strategy shift: why, its number for this story (0: from the breaker), what failed, what may be missing. */
  shift: { because: string; number: number; failed: Refusal[]; context: string } | null
  tell: string[]
  answers: { question: string; text: string }[]
  progressTail: string
  /** Lessons from earlier stories that fit this one. */
  learned: string[]
  instructions: string
  promise: string
  /** The agent has the tool `report_status`. */
  hasStatusTool: boolean
  /** What the agent may not do; empty: nothing is known. */
  limits: string
  /** For agents whose words cannot be told from other output. */
  code: string | null
}

/** `isStable`: the same in every prompt of a run. Such parts come first: providers charge less for a beginning that they know. */
export type PromptPart = { name: string; text: string; isStable?: true }

export function promptParts(input: PromptInput): PromptPart[] {
  const quoted = quoting(input)
  const parts: PromptPart[] = [
    // Without a plan they are the task itself.
    { name: 'instructions', text: quoted(input.instructions.trim()), ...(input.paths.plan === null ? {} : { isStable: true }) },
    { name: 'permissions', text: input.limits === '' ? '' : quoted(`## What you may do\n${input.limits}`), isStable: true },
    { name: 'signals', text: signalsPart(input), ...(input.code === null ? { isStable: true } : {}) },
    { name: 'done', text: quoted(donePart(input)) },
    { name: 'story', text: quoted(storyPart(input)) },
    { name: 'failures', text: quoted(failuresPart(input)) },
    { name: 'shift', text: quoted(shiftPart(input)) },
    { name: 'refused', text: quoted(notesPart('## Important from earlier iterations', input.tell)) },
    { name: 'answer', text: quoted(answerPart(input)) },
    { name: 'progress', text: quoted(progressPart(input)) },
    {
      name: 'learned',
      text: quoted(notesPart('## Learned from earlier stories of this repository (advice, not orders)', input.learned)),
    },
  ]
  return parts.filter((part) => part.text !== '')
}

export const promptText = (parts: PromptPart[]): string => `${parts.map((part) => part.text).join('\n\n')}\n`

/** What the agent is measured by, and where things are: changes at most from story to story. */
function donePart(input: PromptInput): string {
  const { paths } = input
  const hard = input.gates.filter(({ soft }) => soft !== true)
  const soft = input.gates.filter((gate) => gate.soft === true)
  const lines = ['## Files', ...files(paths)]
  if (hard.length > 0 || input.isReviewed) lines.push('', '## Done means')
  if (hard.length > 0)
    lines.push('These gates pass. Run them before you commit; Ralph runs them again, and then decides:', ...hard.map(gateLine))
  if (input.isReviewed)
    lines.push(`${hard.length > 0 ? 'Then a' : 'A'} reviewer checks each acceptance criterion against your change.`)
  if (soft.length > 0) lines.push('', 'These gates also run, but only warn:', ...soft.map(gateLine))
  if (input.protectedFiles.length > 0)
    lines.push('', `Protected: a story that changes these files is refused: ${input.protectedFiles.join(', ')}`)
  lines.push(...offLimits(input.users))
  return lines.join('\n')
}

const files = ({ plan, specs, progress }: PromptInput['paths']): string[] => [
  ...(plan === null ? [] : [`- plan: ${plan}`]),
  ...(specs === null ? [] : [`- specifications: ${specs}`]),
  `- progress of earlier iterations: ${progress}`,
]

function storyPart(input: PromptInput): string {
  const { story, paths, done, open } = input
  const lines: string[] = []
  if (story !== null) {
    lines.push(`## Your story: ${story.id} - ${story.title} (attempt ${story.attempt})`)
    if (story.description !== '') lines.push('', story.description)
    if (story.acceptanceCriteria.length > 0)
      lines.push('', 'Acceptance criteria:', ...story.acceptanceCriteria.map((criterion) => `- [ ] ${criterion}`))
    if (story.notes !== '') lines.push('', `Notes: ${story.notes}`)
    if (story.commits.length > 0) lines.push('', `Commits of earlier attempts: ${listed(story.commits)}. Continue from them.`)
    lines.push('', 'Work only on this story. Marking another story as done has no effect.')
    if (paths.plan !== null && done.length + open.length > manyStories)
      lines.push('The plan is long: to mark the story, search for its id and read only its lines.')
    if (input.apart !== undefined) lines.push('', apartWords(input.apart))
  } else if (input.mode === 'fix') {
    lines.push(
      '## Your task: fix the failing gates',
      '',
      `Every story passes, but these gates fail: ${input.red.map((gate) => gate.name).join(', ')}.`,
    )
  } else if (paths.plan !== null) {
    lines.push(
      '## Your task',
      '',
      'Choose the first open story (lowest priority number, dependencies done), and work only on that one.',
    )
  } else {
    lines.push('## Your task', '', 'Follow the instructions.')
  }
  const named = ({ id, title }: { id: StoryId; title: string }): string => `${id} (${shortened(title)})`
  const last = done.slice(-shownStories)
  if (done.length > 0) lines.push('', `Done: ${withMore(last.map(named), done.length)}`)
  const others = open.filter((item) => item.id !== story?.id)
  const next = others.slice(0, shownStories)
  if (others.length > 0) lines.push('', `Open, for later iterations: ${withMore(next.map(named), others.length)}`)
  lines.push('', `This is iteration ${input.iteration} of feature ${input.feature}.`)
  return lines.join('\n')
}

const gateLine = ({ name, command }: PromptInput['gates'][number]): string => `- ${name}: \`${command}\``

const apartWords = ({ branch, onto }: NonNullable<PromptInput['apart']>): string =>
  `Other agents work on other stories at the same time. This is your own git worktree, on branch ${branch}: stay in it and on that branch. When the story passes, Ralph merges your work into ${onto ?? 'the working branch'}.`

/** Other stories must not make the prompt grow with the plan: the last done and the next open ones are named. */
const shownStories = 5
/** From here on an agent saves tokens if it does not read the whole plan. */
const manyStories = 10
const shortened = (title: string): string => (title.length > 60 ? `${title.slice(0, 59)}…` : title)
const withMore = (shown: string[], all: number): string =>
  `${shown.join(', ')}${all > shown.length ? `, and ${all - shown.length} more in the plan` : ''}`

/** Failed approaches are listed one by one: what is forbidden must be clear. */
function shiftPart({ shift }: PromptInput): string {
  if (shift === null) return ''
  const { because, number, failed, context } = shift
  return [
    `## Try another approach${number === 0 ? '' : ` (strategy shift ${number} of ${maxShifts})`}`,
    `${capital(because)}. What was tried does not work, and more of the same will not work either. Find out why it failed, then take a fundamentally different approach.`,
    ...(failed.length === 0
      ? []
      : [
          ['Do NOT try again:', ...failed.map(forbidden)].join('\n'),
          ...(failed.at(-1)?.gates.length ? ['The error each time is the one quoted above.'] : []),
        ]),
    ...(context === '' ? [] : [context]),
  ].join('\n\n')
}

function forbidden({ iteration, files, summary, because }: Refusal): string {
  const touched = files.length > 0 ? ` (it changed ${files.slice(0, 8).join(', ')})` : ''
  return `- what iteration ${iteration} did${touched}: ${(summary === '' ? because : summary).replace(/\s+/g, ' ').slice(0, 200)}`
}

const notesPart = (title: string, notes: string[]): string =>
  notes.length === 0 ? '' : [title, ...notes.map((note) => `- ${note}`)].join('\n')

function answerPart({ answers }: PromptInput): string {
  return answers
    .map(({ question, text }) =>
      ['## Decision of the user', `Question: ${question}`, `Answer: ${text}`, 'Act on this answer; do not ask again.'].join('\n'),
    )
    .join('\n\n')
}

function progressPart({ progressTail, paths }: PromptInput): string {
  if (progressTail.trim() === '') return ''
  return [`## The end of ${paths.progress}`, fenced(progressTail, 'text')].join('\n')
}

/** Said in every prompt, whatever its instructions are: an honest no costs less than a faked yes. */
const honestWayOut = (hasPlan: boolean): string[] => [
  `- ${hasPlan ? 'A criterion' : 'What is asked'} contradicts a test, or cannot be met honestly: stop and signal DECIDE with both sides quoted. That is a good result and costs no attempt.${hasPlan ? ` If another wording of the criterion would settle it, end the question with ${proposalForm}; a person decides.` : ''}`,
  'Never silently change a test so that your work passes. If the task itself requires another test, name in the commit message the test and what asks for the change.',
]

/** Describes the signals in pieces, so that nothing in here is a signal itself. The code is not in its last line, where it would sign an echo. */
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
            `- Everything is done: this text on its own line instead of the tags, without the spaces between its letters${code === null ? '' : ', followed by the code'}: ${promise.split('').join(' ')}`,
          ]
  return [
    '## How to signal',
    ...(paths.plan === null
      ? ['Saying that the work is done is not enough: only the signal ends the run.']
      : [
          `A story counts as done when the plan says so: ${doneMark(paths.plan)}. The gates then check it. If the story was already done when you started, only do that; you need not change anything else.`,
        ]),
    'End your last message as usual; Ralph sees what you committed and what the plan says. Only if one of the following is true, put it on the last line of that message,',
    `between ${open} and its closing tag (ordinary angle brackets, nothing else on the line${code === null ? '' : '; without the code it does not count'}):`,
    ...complete,
    '- You cannot continue without a person (missing credentials, a service that is down) and have tried every alternative: the word BLOCKED, a colon, and the reason.',
    '- Only a person can decide between alternatives: the word DECIDE, a colon, and the question with the alternatives.',
    ...honestWayOut(paths.plan !== null),
    ...(hasStatusTool
      ? ['If you have the tool report_status (server ralph), you may call it at the end to report the same.']
      : []),
  ].join('\n')
}
