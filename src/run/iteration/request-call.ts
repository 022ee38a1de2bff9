/** Before a call of an agent: takes over what people changed, and checks and waits for limits. */
import { askForCall } from '../../adapters/project/rate-limit.ts'
import { envelopesNow, limitsIn } from '../../adapters/project/spending.ts'
import { isAnybodyAtWork } from '../../core/plan/questions.ts'
import type { State } from '../../core/state.ts'
import { longestTimerMs, msBetween } from '../../core/text/time.ts'
import { scopeOf } from '../../core/types/words.ts'
import type { Decision, Reporter } from '../../core/types.ts'
import { localTime } from '../../views/local-time.ts'
import { noticed } from '../noticed.ts'
import type { Deed, Told } from '../parts.ts'
import type { KeyQuestion } from '../people/ask-on-terminal.ts'
import { otherBranch } from '../people/find-branch.ts'
import { writeRequests } from '../people/write-requests.ts'
import { renewUsersSettings } from '../preflight/users-settings.ts'
import { mustBeHome } from './own-branch.ts'
import { type OwnWorld, restoreOwn } from './restore-ralph-files.ts'

type Decided<K extends Decision['kind']> = Extract<Decision, { kind: K }>

/**
 * The user's edits to the plan and to decide.txt are taken over before the next story is chosen: while nothing runs they are the user's, otherwise
 * they could be anybody's. Then rate and usage limits are checked.
 */
export async function requestCall(world: OwnWorld, decision: Decided<'call.requested'>, { state, report }: Told): Promise<void> {
  if (isAnybodyAtWork(state)) await restoreOwn(world, scopeOf(state.iteration), report)
  else await takeEdits(world, state, report)
  const { home, settings, now } = world
  const envelopes = envelopesNow(home, decision.agent, limitsIn(settings), now())
  const told = envelopes.length === 0 ? {} : { envelopes }
  const spent = envelopes.find(({ usedUsd, limitUsd }) => usedUsd >= limitUsd)
  if (spent !== undefined) return report({ kind: 'call.refused', call: decision.call, until: spent.until, by: 'budget', ...told })
  const answer = world.leash
    ? await world.leash.ask(decision.agent, world.now)
    : askForCall(world.home, {
        limitPerHour: world.settings['defaults.rate_limit_per_hour'],
        agent: decision.agent,
        now: world.now,
      })
  if (answer === null) return // its worker has lost the lease: the run is ending
  if (answer.granted && answer.note !== undefined) report(noticed('calls-restarted', answer.note))
  if (answer.granted) report({ kind: 'call.granted', call: decision.call, ...told })
  else report({ kind: 'call.refused', call: decision.call, until: answer.until, by: answer.by, ...told })
}

async function takeEdits(world: OwnWorld, state: State, report: Reporter): Promise<void> {
  // The plan file of another branch is another one: nobody has edited it.
  if (otherBranch(world, state) !== null) await mustBeHome(world)
  const isDue = state.unwritten !== undefined
  if (isDue) await writeRequests(world.plan, state)
  const edits = await world.plan.userEdits()
  const written = isDue ? world.plan.current() : null
  if (edits !== null && 'plan' in edits) report({ kind: 'plan.changed', plan: edits.plan })
  else if (written !== null) report({ kind: 'plan.changed', plan: written.plan })
  if (edits !== null && 'problem' in edits) report(noticed('plan-unreadable', edits.problem))
  for (const typed of world.own.decide.typed(state)) report(typed)
  renewUsersSettings(world, report)
}

/** Half a minute to answer: somebody who is not there should not delay the run. */
const atLimit = { keys: { w: 'wait', e: 'end' }, timeoutMs: 30_000 }

export async function askAtLimit(
  ask: KeyQuestion,
  decision: Decided<'limit.asked'>,
  { state, report, stop }: Deed,
): Promise<void> {
  const until = decision.until === undefined ? 'for an hour' : `until ${localTime(decision.until, state.at)}`
  const answer = await ask(`${decision.because}. Wait ${until}, or end here?`, atLimit, stop)
  if (stop.aborted) return
  if (answer === null) report({ kind: 'limit.answered', choice: 'exit', by: 'silence' })
  else report({ kind: 'limit.answered', choice: answer === 'w' ? 'wait' : 'exit', by: 'user' })
}

export function waitUntil(
  screen: Pick<OwnWorld['screen'], 'waiting'>,
  decision: Decided<'wait.started'>,
  { state, report, stop }: Deed,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  screen.waiting(decision.until, decision.because)
  const over = (): void => {
    clearTimeout(timer)
    stop.removeEventListener('abort', over)
    screen.waiting(null, '')
    if (!stop.aborted) report({ kind: 'wait.ended' })
    resolve()
  }
  // If that is too short, the call is refused and waited for again.
  const timer = setTimeout(over, Math.min(longestTimerMs, Math.max(0, msBetween(state.at, decision.until))))
  stop.addEventListener('abort', over)
  return promise
}
