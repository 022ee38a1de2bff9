/** Lessons from a finished story. A failure here is only a warning. */

import { relative } from 'node:path'
import { writeLearning } from '../../adapters/learning/learnings.ts'
import { readLearningText } from '../../adapters/learning/text.ts'
import { noUsage } from '../../core/figures/price.ts'
import { lessonsOf } from '../../core/learning/lessons.ts'
import { learnerPrompt, learningSchema } from '../../core/learning/prompt.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import type { LearningEnded } from '../../core/types/results.ts'
import type { Decision } from '../../core/types.ts'
import { exitOf, logPath } from '../iteration/call-result.ts'
import type { Deed } from '../parts.ts'
import type { World } from '../world.ts'
import { learnerCall, usedBy, whyLost } from './learner-call.ts'
import { loggedLines } from './session-lines.ts'

type LearningStarted = Extract<Decision, { kind: 'learning.started' }>

/** Whatever goes wrong, a full disk or a locked repository, costs only a lesson. */
export async function runLearning(world: World, started: LearningStarted, deed: Deed): Promise<LearningEnded> {
  try {
    return await learned(world, started, deed)
  } catch (error) {
    const { story, agent } = started
    return {
      story,
      agent,
      lessons: 0,
      flagged: 0,
      problem: (error as Error).message,
      isLost: true,
      usage: noUsage,
      durationMs: 0,
    }
  }
}

async function learned(world: World, started: LearningStarted, deed: Deed): Promise<LearningEnded> {
  const { state } = deed
  const { story: id, outcome, again } = started
  const story = storyNamed(state.plan, id)
  const aboutStory = { RALPH_STORY: id, RALPH_TRY: again === undefined ? '1' : '2' }
  const text = world.plan.current()?.texts[id]
  const call = await learnerCall(
    world,
    { name: started.agent, schema: learningSchema(), about: aboutStory, isAgain: again !== undefined },
    deed,
    (hasSchema) =>
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
        failures:
          state.stories[id]?.refusals.flatMap(({ gates }) => gates.map(({ name, output }) => `${name}:\n${output}`)) ?? [],
        instructions: world.agents.orders.learner,
        problem: again,
        hasSchema,
        promise: world.settings['completion.promise'],
      }),
  )
  const common = { story: id, agent: started.agent, lessons: 0, flagged: 0, ...usedBy(world, call) }
  const lost = whyLost(call)
  // A cheaper model that this provider does not have is not the end: the implementer's is asked instead.
  const isOfModel =
    again === undefined &&
    exitOf(call) === 'failed' &&
    call.transcript.throttled === undefined &&
    call.model !== world.agents.learner(started.agent, true).model
  if (lost !== null) return { ...common, problem: lost, ...(isOfModel ? {} : { isLost: true }) }
  // The same for a call that is made again after a kill: what the first one may have written is replaced.
  const at = state.last?.judged.at ?? world.now()
  const reading = await readLearningText(world.mask.text(call.transcript.finalMessage), { story: id, outcome, at })
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
