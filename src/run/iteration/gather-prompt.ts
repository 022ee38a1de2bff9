/** The parts of an iteration's prompt, from the state and the project's files. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readTail } from '../../adapters/files/tail.ts'
import { NAMES, progressPath } from '../../adapters/project/layout.ts'
import { gatesFor, isRed } from '../../core/decide/gates.ts'
import { answersFor } from '../../core/plan/questions.ts'
import { countingStories, storyNamed } from '../../core/plan/stories.ts'
import { type PromptPart, promptParts } from '../../core/prompt/prompt.ts'
import type { State } from '../../core/state.ts'
import type { EventOf, StoryId } from '../../core/types.ts'
import type { Agent, Task } from '../../ports.ts'
import type { Work } from '../parts.ts'

export type IterationStarted = Omit<EventOf<'iteration.started'>, 'at' | 'run'>

/** What a prompt is made from. */
export type PromptWorld = Pick<Work, 'root' | 'dir' | 'feature' | 'plan' | 'settings' | 'mask' | 'agents' | 'sandbox' | 'place'>

/** `context`: for an error that says that something is missing; `learned`: fitting lessons. */
export function partsFor(
  world: PromptWorld,
  started: IterationStarted,
  state: State,
  { context = '', learned = [] }: { context?: string; learned?: string[] } = {},
): PromptPart[] {
  const file = world.plan.current()
  const id = started.story
  const story = storyNamed(state.plan, id)
  const text = id === null ? undefined : file?.texts[id]
  const counting = state.plan === null ? [] : countingStories(state.plan, state.policy)
  const agent = world.agents.agentFor(state, id, started.agent)
  const relativePath = (name: string): string => relative(world.root, join(world.dir, name))
  return promptParts({
    feature: world.feature,
    iteration: started.iteration,
    mode: started.mode,
    story:
      story && text
        ? { id: story.id, title: story.title, ...text, attempt: started.attempt, commits: commitsSoFar(state, story.id) }
        : null,
    done: counting.filter((candidate) => candidate.passes),
    open: counting.filter((candidate) => !candidate.passes && !candidate.failed),
    paths: {
      plan: file === null ? null : relativePath(file.file),
      specs: existsSync(join(world.dir, 'specs')) ? `${relativePath('specs')}/` : null,
      progress: relativePath(NAMES.progress),
    },
    ...(world.place === undefined ? {} : { apart: world.place }),
    hasStatusTool: statusToolFor(world, agent).statusTool !== undefined,
    limits: agent.limits ?? '',
    users: world.place === undefined ? state.users : [],
    protectedFiles: world.settings['gates.protected'],
    gates: gatesFor(state, { flips: id === null ? [] : [id] }),
    isReviewed: state.policy.review.spec !== undefined && state.plan !== null,
    refusals: id === null ? [] : (state.stories[id]?.refusals ?? []),
    dismissed: id === null ? [] : (state.stories[id]?.dismissed ?? []),
    red: state.check.phase === 'red' ? state.check.results.filter(isRed) : [],
    isGreen: state.check.phase === 'green',
    shift: shiftFor(started, state, context),
    tell: state.tell.map((note) => note.text),
    answers: answersFor(state, id),
    progressTail: readTail(progressPath(world.dir), world.settings['prompt.progress_lines']),
    learned,
    instructions: world.agents.instructions(),
    promise: world.settings['completion.promise'],
    code: agent.tellsWordsApart ? null : started.code,
  }).map((part) => ({ ...part, text: world.mask.text(part.text) }))
}

/** The tool for reports; nothing if it could not be started. */
export const statusToolFor = ({ sandbox, agents }: PromptWorld, { takesStatusTool }: Agent): Pick<Task, 'statusTool'> =>
  takesStatusTool && sandbox?.hasPrograms !== false ? { statusTool: agents.statusTool } : {}

/** The newest of them; none if they are on a branch of their own, because another story had to go first. */
function commitsSoFar({ stories }: State, id: StoryId): string[] {
  const { commits, shelf } = stories[id] ?? { commits: [] }
  return shelf === undefined ? commits.slice(-5).map((commit) => commit.slice(0, 12)) : []
}

/** Of the story's own failures only equal ones are forbidden; the breaker refers to everything done last. */
function shiftFor(started: IterationStarted, state: State, context: string): Parameters<typeof promptParts>[0]['shift'] {
  if (started.shift === '') return null
  const story = started.story === null ? undefined : state.stories[started.story]
  const isOwn = started.shifts > (story?.shifts ?? 0)
  const last = story?.refusals.at(-1)
  const alike = isOwn ? (story?.refusals.filter(({ hash }) => hash === last?.hash) ?? []) : []
  return { because: started.shift, number: isOwn ? started.shifts : 0, failed: alike, context }
}
