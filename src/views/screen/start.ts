/** The first lines of a run: what is open, who works, and what checks it. */
import { countingStories, listed, unpassedStories } from '../../core/plan/stories.ts'
import type { EventOf, Policy } from '../../core/types.ts'
import { estimateWords } from '../report/costs.ts'
import { plural } from '../status/status.ts'
import { line, type ScreenLine } from './line.ts'

export function startLines({ plan, policy, run, feature, estimate }: EventOf<'run.started'>): ScreenLine[] {
  const open =
    plan === null ? 'no plan' : `${unpassedStories(plan, policy).length} of ${countingStories(plan, policy).length} stories open`
  const gates =
    policy.gates.length === 0
      ? 'no gate'
      : `${policy.gates.length === 1 ? 'gate' : 'gates'} ${policy.gates.map((gate) => gate.name).join(', ')}`
  const sessions = policy.session === 'fresh' ? 'a new session each iteration' : 'sessions resumed within a story'
  const reviewers = [
    ...(policy.review.spec === undefined ? [] : [`spec review by ${policy.review.spec}`]),
    ...(policy.review.quality === undefined ? [] : [`quality review by ${policy.review.quality}`]),
    ...(policy.review.final.length === 0 ? [] : [`final review by ${policy.review.final.join(', ')}`]),
  ]
  if (policy.learn !== undefined) reviewers.push(`learner ${policy.learn.agent}`)
  const heldOut = policy.proof?.heldOut
  if (heldOut !== undefined) reviewers.push(`held-out check ${heldOut === 'flip' ? 'of each story' : 'before the end'}`)
  const lines = [
    line('plain', `${feature}: ${open}, at most ${plural(policy.maxIterations, 'iteration')}, run ${run}`),
    line(
      'dim',
      `agent ${agentWords(policy)}, ${sessions}, ${gates}, ${reviewers.length === 0 ? 'no reviewer' : reviewers.join(', ')}`,
    ),
    ...(estimate === undefined ? [] : [line('dim', `estimate: ${estimateWords(estimate)}`)]),
  ]
  const counting = plan === null ? [] : countingStories(plan, policy)
  const bare = counting.filter(({ gates = {} }) => Object.keys(gates).length === 0).map(({ id }) => id)
  const isBare = plan === null || bare.length > 0
  const of = bare.length === counting.length ? 'no gate: stories' : `no gate for ${listed(bare)}: they`
  if (policy.gates.length === 0 && policy.review.spec === undefined && heldOut !== 'flip' && isBare)
    lines.push(line('warn', `! ${of} ${bareWords(policy)}. Set gates.tests in .ralph/config.yaml`))
  return lines
}

/** At the usage limit of one the next continues. */
const agentWords = ({ agent, fallback }: Policy): string =>
  fallback === undefined ? agent : [agent, ...fallback.implementer.filter((name) => name !== agent)].join(', then ')

const bareWords = ({ proof }: EventOf<'run.started'>['policy']): string =>
  proof?.minimum === 'reviewed' || proof?.minimum === 'demonstrated'
    ? `cannot pass, because proof.minimum is ${proof.minimum}`
    : "pass on the agent's word alone"
