/** What an iteration's agent is started with: its prompt, command line and environment. For a run, and for a dry run. */
import { join } from 'node:path'
import { reportVariable } from '../../adapters/project/agent-report-file.ts'
import { padded, reportsFolder } from '../../adapters/project/layout.ts'
import { usdLeft } from '../../core/decide/budget.ts'
import { type PromptPart, promptText } from '../../core/prompt/prompt.ts'
import type { State } from '../../core/state.ts'
import type { Agent, Task } from '../../ports.ts'
import { type KnownLessons, type Learned, learnedFor } from '../learning/notes-for-story.ts'
import type { Work } from '../parts.ts'
import { type IterationStarted, type PromptWorld, partsFor, statusToolFor } from './gather-prompt.ts'
import { traceEnv } from './git-trace.ts'
import { guardFor } from './live-guard.ts'
import { missingFor } from './missing-information.ts'

type TaskWorld = PromptWorld & Pick<Work, 'git' | 'env' | 'home'> & { lessons: KnownLessons }

export async function taskFor(
  world: TaskWorld,
  started: IterationStarted,
  state: State,
): Promise<{ agent: Agent; task: Task; parts: PromptPart[]; learned: Learned }> {
  const agent = world.agents.agentFor(state, started.story, started.agent)
  const model = started.model ?? world.agents.modelFor(state, started.story, started.shifts, started.agent)
  const learned = await learnedFor(world, started, state)
  const parts = partsFor(world, started, state, { context: await missingFor(world, started, state), learned: learned.texts })
  const task: Task = {
    ...promptFor(agent, parts),
    cwd: world.root,
    model,
    env: agentEnv(world, started, model),
    ...(started.resume ? { resume: started.resume } : {}),
    ...statusToolFor(world, agent),
    ...costLeft(state, started),
    ...guardFor(world, started, state),
  }
  return { agent, task, parts, learned }
}

/** What is in the agent's system prompt is not in its prompt. A path with `@` is expanded only in a prompt. */
function promptFor({ takesSystem }: Agent, parts: PromptPart[]): Pick<Task, 'prompt' | 'system'> {
  const isApart = ({ isStable, text }: PromptPart): boolean => isStable === true && !/(^|\s)@[\w.~/]/.test(text)
  const system = takesSystem ? parts.filter(isApart) : []
  if (system.length === 0) return { prompt: promptText(parts) }
  return { system: promptText(system), prompt: promptText(parts.filter((part) => !system.includes(part))) }
}

export const reportPath = (world: Pick<Work, 'dir'>, iteration: number): string =>
  join(reportsFolder(world.dir), `${padded(iteration)}.json`)

function agentEnv(world: TaskWorld, started: IterationStarted, model: string): Record<string, string> {
  const file = world.plan.current()
  return {
    ...world.env,
    RALPH_ITERATION: String(started.iteration),
    RALPH_STORY: started.story ?? '',
    RALPH_ATTEMPT: String(started.attempt),
    RALPH_FEATURE_DIR: world.dir,
    RALPH_PLAN: file === null ? '' : join(world.dir, file.file),
    RALPH_MODEL: model,
    ...traceEnv(world),
    [reportVariable]: reportPath(world, started.iteration),
  }
}

/** Its share, or all that is left of the tightest budget: for agents that can enforce it themselves. */
export function costLeft(state: State, { maxUsd }: { maxUsd?: number } = {}): { maxCostUsd?: number } {
  const left = maxUsd ?? usdLeft(state)
  return left === undefined ? {} : { maxCostUsd: Math.max(0.0001, left) }
}
