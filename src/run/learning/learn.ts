/** The learner's calls: lessons from a finished story, and skills from lessons. A failure here is only a warning. */
import { join, relative } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { writeLearning } from '../../adapters/learning/learnings.ts'
import { writeSkill } from '../../adapters/learning/skills.ts'
import { readLearningText } from '../../adapters/learning/text.ts'
import { callAgent } from '../../adapters/process/agent-call.ts'
import { lessonsOf } from '../../core/learning/lessons.ts'
import { learnerPrompt, learningSchema } from '../../core/learning/prompt.ts'
import { readSkillBody } from '../../core/learning/skills/body.ts'
import { skillPrompt } from '../../core/learning/skills/prompt.ts'
import { skillText } from '../../core/learning/skills/skill-file.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { LearningEnded, SkillEnded } from '../../core/results.ts'
import type { State } from '../../core/state.ts'
import type { Decision, Usage } from '../../core/types.ts'
import { type CallResult, doorsOf, errorOf, exitOf, logPath, throttledIn } from '../iteration/call-result.ts'
import { limitsOf } from '../iteration/gates.ts'
import { emptyFolderFor, fromProject, undone } from '../iteration/guard-judge.ts'
import { withPrice } from '../iteration/watch-call.ts'
import type { Deed } from '../parts.ts'
import type { World } from '../world.ts'
import { groupsOf } from './gather.ts'
import { loggedLines } from './session-lines.ts'

type LearningStarted = Extract<Decision, { kind: 'learning.started' }>
type Skill = Extract<Decision, { kind: 'skill.started' }>

export const noUse: Usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }

/** Whatever goes wrong, a full disk or a locked repository, costs only a lesson. */
export async function runLearning(world: World, started: LearningStarted, deed: Deed): Promise<LearningEnded> {
  try {
    return await learned(world, started, deed)
  } catch (error) {
    const { story, agent } = started
    return { story, agent, lessons: 0, flagged: 0, problem: (error as Error).message, isLost: true, usage: noUse, durationMs: 0 }
  }
}

async function learned(world: World, started: LearningStarted, deed: Deed): Promise<LearningEnded> {
  const { state } = deed
  const { story: id, outcome, again } = started
  const story = storyNamed(state.plan, id)
  const aboutStory = { RALPH_STORY: id, RALPH_TRY: again === undefined ? '1' : '2' }
  const text = world.plan.current()?.texts[id]
  const call = await learnerCall(world, { name: started.agent, schema: learningSchema(), about: aboutStory }, deed, (hasSchema) =>
    learnerPrompt({
      feature: world.feature,
      story: {
        id,
        title: story?.title ?? '',
        description: text?.description ?? '',
        acceptanceCriteria: text?.acceptanceCriteria ?? [],
      },
      outcome,
      excerpt: excerptOf(world, started.iteration, id, state),
      failures: state.stories[id]?.refusals.flatMap(({ gates }) => gates.map(({ name, output }) => `${name}:\n${output}`)) ?? [],
      instructions: world.agents.orders.learner,
      isRetry: again !== undefined,
      ...(again === undefined ? {} : { problem: again }),
      hasSchema,
      promise: world.settings['completion.promise'],
    }),
  )
  const common = { story: id, agent: started.agent, lessons: 0, flagged: 0, ...usedBy(world, call) }
  const lost = whyLost(call)
  if (lost !== null) return { ...common, problem: lost, isLost: true }
  const reading = await readLearningText(world.mask.text(call.transcript.finalMessage), { story: id, outcome, at: world.now() })
  if (!reading.ok) return { ...common, problem: reading.problem }
  const path = writeLearning(world.dir, reading.learning, (words) => world.mask.text(words))
  world.lessons.known = null // there are new ones
  const file = relative(world.root, path)
  const lessons = lessonsOf(reading.learning, { feature: world.feature, file }).length
  return { ...common, file, lessons, flagged: reading.flagged.length }
}

/** From this run's agent as it was read; for one before a kill from its log. */
function excerptOf(world: Pick<World, 'sessions' | 'logs' | 'agents'>, iteration: number, story: string, state: State): string {
  const lines =
    world.sessions.get(iteration)?.lines() ?? loggedLines(logPath(world, iteration), [world.agents.agentFor(state, story)])
  return lines.join('\n')
}

/** Written by the agent from the lessons; if its answer is unusable, built from the lessons alone. */
export async function runSkill(world: World, started: Skill, deed: Deed): Promise<SkillEnded> {
  try {
    return await written(world, started, deed)
  } catch (error) {
    const { category, agent } = started
    return { category, agent, path: '', isNew: false, problem: (error as Error).message, usage: noUse, durationMs: 0 }
  }
}

async function written(world: World, { category, agent }: Skill, deed: Deed): Promise<SkillEnded> {
  const { groups } = await groupsOf(world.root, world.settings['learn.skill_threshold'])
  const own = groups.find((candidate) => candidate.category === category)
  if (own === undefined)
    return { category, agent, path: '', isNew: false, problem: 'its lessons are missing', usage: noUse, durationMs: 0 }
  const promise = world.settings['completion.promise']
  const call = await learnerCall(world, { name: agent, schema: null, about: { RALPH_SKILL: category } }, deed, () =>
    skillPrompt(category, own.groups, world.agents.orders.skill, promise),
  )
  const body = whyLost(call) === null ? readSkillBody(world.mask.text(call.transcript.finalMessage), promise) : null
  const skill = writeSkill(world.root, category, skillText(category, own.groups, body))
  return { category, agent: body === null ? '' : agent, ...skill, ...usedBy(world, call) }
}

/** All that it needs is in its prompt. */
async function learnerCall(
  world: World,
  { name, schema, about }: { name: string; schema: object | null; about: Record<string, string> },
  { report, stop }: Deed,
  promptFor: (hasSchema: boolean) => string,
): Promise<CallResult & { changed: string | null }> {
  const { agent, model } = world.agents.learner(name)
  const [, hardMs] = limitsOf(world, 'gates.review_minutes')
  const path = join(world.logs, 'learning.json')
  if (schema !== null) replaceFile(path, `${JSON.stringify(schema, null, 2)}\n`)
  const look = emptyFolderFor(world)
  const call = await callAgent({
    agent: fromProject(agent, world),
    task: {
      prompt: world.mask.text(promptFor(schema !== null && agent.answersInSchema === true)),
      cwd: look.cwd,
      model,
      env: { ...look.env, RALPH_ROLE: 'learner', ...about },
      isReadOnly: true,
      ...(schema === null ? {} : { schema: { name: 'learning', path, schema } }),
    },
    ...doorsOf(world, 'whole'),
    sandbox: look.sandbox,
    timeoutMs: hardMs,
    stop,
    onEntry: (entry, transcript) => world.screen.entry(entry, transcript),
  })
  throttledIn(world, call, agent) // its limit applies to everyone
  return { ...call, changed: await undone(world, look, { iteration: 'whole', who: 'the learner' }, report) }
}

/** Not the answer's fault: asking again would not help. null: it answered. */
function whyLost(call: CallResult & { changed: string | null }): string | null {
  const exit = exitOf(call)
  if (exit === 'stopped') return 'stopped'
  if (exit === 'timeout') return 'timed out'
  if (call.changed !== null) return call.changed
  if (call.transcript.throttled) return call.transcript.throttled.message
  return exit === 'failed' ? errorOf(call) || 'the agent failed' : null
}

const usedBy = (world: Pick<World, 'settings'>, { transcript, end }: CallResult): { usage: Usage; durationMs: number } => ({
  usage: withPrice(transcript.usage, transcript.model, world),
  durationMs: end.durationMs,
})
