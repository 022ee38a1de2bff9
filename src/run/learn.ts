/** The learner's calls: what a finished story taught, and the skills that lessons come to. Whatever fails here costs a warning. */
import { join, relative } from 'node:path'
import { callAgent } from '../adapters/call.ts'
import { readIfThere, replaceFile } from '../adapters/files.ts'
import { readLearningText } from '../adapters/learning-text.ts'
import { writeLearning } from '../adapters/learnings.ts'
import { writeSkill } from '../adapters/skills.ts'
import { readTail } from '../adapters/tail.ts'
import { ownTemplatePath } from '../adapters/templates.ts'
import type { LearningEnded, SkillEnded } from '../core/answers.ts'
import { lessonsOf } from '../core/learning/lessons.ts'
import { learnerPrompt, learningSchema } from '../core/learning/prompt.ts'
import { readSkillBody } from '../core/skills/body.ts'
import { skillPrompt } from '../core/skills/prompt.ts'
import { skillText } from '../core/skills/text.ts'
import type { State } from '../core/state.ts'
import { storyNamed } from '../core/stories.ts'
import type { Decision, Usage } from '../core/types.ts'
import { type Call, errorOf, exitOf, logPath, throttledIn } from './called.ts'
import { limitsOf } from './gates.ts'
import { groupsOf } from './gather.ts'
import { guarded } from './guarded.ts'
import { withPrice } from './watching.ts'
import { runTag, type World } from './world.ts'

type Learning = Extract<Decision, { kind: 'learning.started' }>
type Skill = Extract<Decision, { kind: 'skill.started' }>

const excerptLines = 100

export async function runLearning(world: World, started: Learning, state: State, stop: AbortSignal): Promise<LearningEnded> {
  const { story: id, outcome, again } = started
  const story = storyNamed(state.plan, id)
  const aboutStory = { RALPH_STORY: id, RALPH_TRY: again === undefined ? '1' : '2' }
  const text = world.plan.current()?.texts[id]
  const call = await learnerCall(world, started.agent, learningSchema(), aboutStory, stop, (hasSchema) =>
    learnerPrompt({
      feature: world.feature,
      story: {
        id,
        title: story?.title ?? '',
        description: text?.description ?? '',
        acceptanceCriteria: text?.acceptanceCriteria ?? [],
      },
      outcome,
      excerpt: readTail(logPath(world, started.iteration), excerptLines),
      failures: state.stories[id]?.refusals.flatMap(({ gates }) => gates.map(({ name, output }) => `${name}:\n${output}`)) ?? [],
      instructions: readIfThere(ownTemplatePath(world.root, world.home, 'learner')) ?? '',
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

/** Written by the agent from the lessons; where its answer cannot be used, from the lessons alone. */
export async function runSkill(world: World, { category, agent }: Skill, stop: AbortSignal): Promise<SkillEnded> {
  const { groups } = await groupsOf(world.root, world.settings['learn.skill_threshold'])
  const own = groups.find((candidate) => candidate.category === category)
  const none: Usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
  if (own === undefined)
    return { category, agent, path: '', isNew: false, problem: 'its lessons are gone', usage: none, durationMs: 0 }
  const promise = world.settings['completion.promise']
  const call = await learnerCall(world, agent, null, { RALPH_SKILL: category }, stop, () =>
    skillPrompt(category, own.groups, readIfThere(ownTemplatePath(world.root, world.home, 'skill')) ?? '', promise),
  )
  const body = whyLost(call) === null ? readSkillBody(world.mask.text(call.transcript.finalMessage), promise) : null
  const written = writeSkill(world.root, category, skillText(category, own.groups, body))
  return { category, agent: body === null ? '' : agent, ...written, ...usedBy(world, call) }
}

/** It looks and answers, as a reviewer does; what it changes is put back. */
async function learnerCall(
  world: World,
  name: string,
  schema: object | null,
  about: Record<string, string>,
  stop: AbortSignal,
  promptFor: (hasSchema: boolean) => string,
): Promise<Call & { isMeddling: boolean }> {
  const { agent, model } = world.learner(name)
  const [, hardMs] = limitsOf(world, 'gates.review_minutes')
  const path = join(world.dir, 'logs', 'learning.json')
  if (schema !== null) replaceFile(path, `${JSON.stringify(schema, null, 2)}\n`)
  const tree = await guarded(world, 'The learner')
  const call = await callAgent({
    agent,
    task: {
      prompt: world.mask.text(promptFor(schema !== null && agent.answersInSchema === true)),
      cwd: world.root,
      model,
      env: { ...world.env, RALPH_ROLE: 'learner', ...about },
      isReadOnly: true,
      ...(schema === null ? {} : { schema: { name: 'learning', path, schema } }),
    },
    tag: runTag(world, 0),
    logPath: logPath(world, 0),
    timeoutMs: hardMs,
    graceMs: world.settings['process.grace_seconds'] * 1000,
    keep: world.settings['process.keep'],
    mask: world.mask,
    stop,
    onEntry: (entry, transcript) => world.screen.entry(entry, transcript),
  })
  throttledIn(world, call, agent) // its limit is everybody's
  return { ...call, isMeddling: (await tree.putBack()) !== null }
}

/** Not the answer's fault: asking again would not help. null: it answered. */
function whyLost(call: Call & { isMeddling: boolean }): string | null {
  const exit = exitOf(call)
  if (exit === 'stopped') return 'it was stopped'
  if (exit === 'timeout') return 'it ran into its time limit'
  if (call.isMeddling) return 'the learner changed files, which were put back'
  if (call.transcript.throttled) return call.transcript.throttled.message
  return exit === 'failed' ? errorOf(call) || 'the agent failed' : null
}

const usedBy = (world: World, { transcript, end }: Call): { usage: Usage; durationMs: number } => ({
  usage: withPrice(transcript.usage, transcript.model, world),
  durationMs: end.durationMs,
})
