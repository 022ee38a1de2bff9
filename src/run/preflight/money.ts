/** Money before a run starts: whether the budget of the day or month is already spent, what it will take, and on a terminal, whether it is worth that. */
import { envelopesNow, limitsIn } from '../../adapters/project/spending.ts'
import type { Settings } from '../../config/table.ts'
import { envelopeWords } from '../../core/decide/budget.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { type Estimate, estimateOf } from '../../core/figures/estimate.ts'
import { unpassedStories } from '../../core/plan/stories.ts'
import type { Instant, Plan, Policy } from '../../core/types.ts'
import { localTime } from '../../views/local-time.ts'
import { estimateWords } from '../../views/report/costs.ts'
import { finishedIn } from '../../views/status/account.ts'
import type { Book } from '../history/folded-log.ts'
import { finishedBeside } from '../history/other-features.ts'
import type { Setup } from '../parts.ts'
import { askForCost } from '../people/ask-before-run.ts'

/** null: nothing is open, there is no plan, or only a guess of what models take, for an agent without one. */
export async function estimateFor(
  setup: Setup,
  { state, account }: Book,
  { plan, policy }: { plan: Plan | null; policy: Policy },
): Promise<Estimate | null> {
  if (plan === null) return null
  const open = unpassedStories(plan, policy).filter(({ failed }) => failed === undefined)
  const { name, tells } = setup.agents.agentFor(initialState, null)
  const isPriced = tells === 'cost' || (tells === 'tokens' && Object.hasOwn(setup.settings['prices'], setup.settings['model']))
  const history = [...finishedIn(account, state.plan), ...(await finishedBeside(setup))]
  const estimate = estimateOf(history, open.length, isPriced)
  return name === 'scripted' && estimate?.isGuess ? null : estimate
}

/** false: a person at the terminal does not want it. Nobody is asked where nobody sits. */
export async function isWorthIt(setup: Setup, estimate: Estimate | null, isAttended: boolean): Promise<boolean> {
  const most = setup.settings['budget.ask_above_usd']
  if (estimate === null || !isAbove(estimate, most)) return true
  if (isAttended) return askForCost(setup, estimateWords(estimate), `$${most}`)
  setup.screen.say('warn', `! This run may cost more than budget.ask_above_usd ($${most}): ${estimateWords(estimate)}`)
  return true
}

const isAbove = ({ costUsd }: Estimate, most: Settings['budget.ask_above_usd']): boolean =>
  most !== null && costUsd !== null && costUsd.p90 > most

/** What people are told; null: there is something left. */
export function spentEnvelope(
  { home, settings }: Pick<Setup, 'home' | 'settings'>,
  agent: string,
  now: Instant,
): string[] | null {
  const spent = envelopesNow(home, agent, limitsIn(settings), now).find(({ usedUsd, limitUsd }) => usedUsd >= limitUsd)
  if (spent === undefined) return null
  const when = localTime(spent.until, now)
  return [`Budget spent: ${envelopeWords(spent)}.`, `It resets at ${when}. Run again then, or raise budget.${spent.which}_usd.`]
}

/** Which cheaper models review and learn unasked, in words; null: none. */
export function cheaperModels({ agents }: Pick<Setup, 'agents'>, { review, learn }: Policy): string | null {
  const reviewer = review.spec ?? review.quality
  const roles = [
    ...(reviewer === undefined
      ? []
      : [{ role: 'reviewer', called: agents.reviewer(reviewer), usual: agents.reviewer(reviewer, true) }]),
    ...(learn === undefined
      ? []
      : [{ role: 'learner', called: agents.learner(learn.agent), usual: agents.learner(learn.agent, true) }]),
  ].filter(({ called, usual }) => called.model !== usual.model)
  if (roles.length === 0) return null
  const words = roles.map(({ role, called }) => `${role} ${called.model}`).join(', ')
  const keys = roles.map(({ role }) => `roles.${role}.model`).join(', ')
  return `cheaper models of ${roles[0]?.called.agent.name}: ${words} (to change: ${keys})`
}
