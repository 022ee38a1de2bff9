/** A call of the learner, which only reads its prompt and answers. */
import { join } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { callAgent } from '../../adapters/process/agent-call.ts'
import { openSpending } from '../../adapters/project/spending.ts'
import { withPrice } from '../../core/figures/price.ts'
import type { Usage } from '../../core/types.ts'
import { type CallResult, doorsOf, errorOf, exitOf, throttledIn } from '../iteration/call-result.ts'
import { limitsOf } from '../iteration/gates.ts'
import { emptyFolderFor, fromProject, undoJudgesChanges } from '../iteration/guard-judge.ts'
import { costLeft } from '../iteration/task.ts'
import type { Deed } from '../parts.ts'
import { watchJudge } from '../preflight/users-settings.ts'
import type { World } from '../world.ts'

/** `model`: which it was started with; `changed`: what it did wrong. */
type LearnersCall = CallResult & { model: string; changed: string | null }

/** All that it needs is in its prompt. */
export async function learnerCall(
  world: World,
  { name, schema, about, isAgain }: { name: string; schema: object | null; about: Record<string, string>; isAgain?: boolean },
  { state, report, stop }: Deed,
  promptFor: (hasSchema: boolean) => string,
): Promise<LearnersCall> {
  const { agent, model } = world.agents.learner(name, isAgain)
  const [, hardMs] = limitsOf(world, 'gates.review_minutes')
  const path = join(world.logs, 'learning.json')
  if (schema !== null) replaceFile(path, `${JSON.stringify(schema, null, 2)}\n`)
  const look = emptyFolderFor(world)
  const spending = openSpending(world.home, agent.name, world.now)
  const writtenMeanwhile = watchJudge(world, 'whole', report)
  const call = await callAgent({
    agent: fromProject(agent, world),
    task: {
      prompt: world.mask.text(promptFor(schema !== null && agent.answersInSchema === true)),
      cwd: look.cwd,
      model,
      env: { ...look.env, RALPH_ROLE: 'learner', ...about },
      isReadOnly: true,
      ...costLeft(state),
      ...(schema === null ? {} : { schema: { name: 'learning', path, schema } }),
    },
    ...doorsOf(world, 'whole'),
    sandbox: look.sandbox,
    timeoutMs: hardMs,
    stop,
    onEntry: (entry, transcript) => {
      if (entry.kind === 'usage')
        spending.soFar(withPrice(entry.usage, transcript.model, { settings: world.settings, asked: model }))
      world.screen.entry(entry, transcript)
    },
  })
  spending.ended(usedBy(world, { ...call, model }).usage)
  throttledIn(world, call, agent) // its limit applies to everyone
  const [written] = writtenMeanwhile()
  const changed = await undoJudgesChanges(world, look, { iteration: 'whole', who: 'the learner' }, report)
  return { ...call, model, changed: written === undefined ? changed : `${written} changed while the learner worked` }
}

/** Not the answer's fault: asking again would not help. null: it answered. */
export function whyLost(call: LearnersCall): string | null {
  const exit = exitOf(call)
  if (exit === 'stopped') return 'stopped'
  if (exit === 'timeout') return 'timed out'
  if (call.changed !== null) return call.changed
  if (call.transcript.throttled) return call.transcript.throttled.message
  return exit === 'failed' ? errorOf(call) || 'the agent failed' : null
}

export const usedBy = (
  world: Pick<World, 'settings'>,
  { transcript, end, model }: Pick<LearnersCall, 'transcript' | 'end' | 'model'>,
): { usage: Usage; durationMs: number } => ({
  usage: withPrice(transcript.usage, transcript.model, { settings: world.settings, asked: model }),
  durationMs: end.durationMs,
})
