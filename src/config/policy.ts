/** Turns settings into the policy that the core uses, for new runs and for replays. */
import { noBudget } from '../core/decide/budget.ts'
import { hookNames } from '../core/types/words.ts'
import type { Gate, Policy } from '../core/types.ts'
import type { Key, Settings } from './table.ts'

/** Before the first run the log is empty: the policy comes from the settings. */
export async function settingsPolicy(
  env: NodeJS.ProcessEnv,
  { root, home }: { root: string; home: string },
): Promise<Policy | undefined> {
  const { loadSettings } = await import('./sources.ts')
  try {
    return policyOf((await loadSettings({ root, home, env, flags: {} })).settings, undefined, false, { final: [] })
  } catch {
    return undefined // unreadable settings must not stop a view; the run reports what is wrong
  }
}

export function policyOf(settings: Settings, only: string | undefined, isAttended: boolean, review: Policy['review']): Policy {
  const agent = settings['agent']
  const multiplier = settings['defaults.timeout_multiplier']
  const fixed: Fixed = {
    pick: settings['defaults.pick'],
    session: settings['defaults.session'],
    ...(multiplier === 1 ? {} : { timeoutMultiplier: multiplier }),
    ...(only === undefined ? {} : { only }),
    review,
    agent: typeof agent === 'string' ? agent : agent.name,
    workers: settings['parallel.workers'],
    // Unattended, nobody is there to answer.
    onLimit: isAttended ? 'ask' : 'wait',
    budget: noBudget,
    gates: [],
  }
  const policy = { ...fixed } as Policy
  for (const key of Object.keys(decisive) as (keyof typeof decisive)[]) Object.assign(policy, patchOf(key, settings[key], policy))
  return policy
}

/** What no setting in the table below provides, and starting values for those that depend on the environment. */
type Fixed = Pick<
  Policy,
  'pick' | 'session' | 'timeoutMultiplier' | 'only' | 'review' | 'agent' | 'workers' | 'onLimit' | 'budget' | 'gates'
>

export type Patches = { [K in Key]?: (value: Settings[K], policy: Policy) => Partial<Policy> }

export const patchOf = (key: keyof typeof decisive, value: unknown, policy: Policy): Partial<Policy> =>
  (decisive[key] as (value: unknown, policy: Policy) => Partial<Policy>)(value, policy)

/** The settings that decisions depend on, and where the policy has them. */
export const decisive = {
  'defaults.max_iterations': (maxIterations) => ({ maxIterations }),
  'defaults.max_attempts': (maxAttempts) => ({ maxAttempts }),
  'defaults.best_of': (bestOf) => ({ ...(bestOf === 1 ? {} : { bestOf }) }),
  'defaults.max_retries': (maxRetries) => ({ maxRetries }),
  // Its value depends on whether a person is there: a record knows.
  'defaults.on_limit': (choice, { onLimit }) => ({ onLimit: choice !== 'auto' ? choice : onLimit === 'exit' ? 'wait' : onLimit }),
  'defaults.decide': (decide) => ({ decide }),
  'budget.cost_usd': (costUsd, { budget }) => ({ budget: { ...budget, costUsd } }),
  'budget.tokens': (tokens, { budget }) => ({ budget: { ...budget, tokens } }),
  'budget.duration_minutes': (minutes, { budget }) => ({
    budget: { ...budget, durationMs: minutes === null ? null : minutes * 60_000 },
  }),
  'circuit_breaker.no_progress_threshold': (maxStuck) => ({ maxStuck }),
  'circuit_breaker.same_error_threshold': (sameError) => ({ sameError }),
  'circuit_breaker.output_decline_percent': (declinePercent) => ({ declinePercent }),
  'circuit_breaker.permission_denied_threshold': (maxDenied) => ({ maxDenied }),
  'circuit_breaker.cooldown_minutes': (cooldownMinutes) => ({ cooldownMinutes }),
  'completion.consecutive_done_signals': (doneSignals) => ({ doneSignals }),
  'completion.consecutive_test_loops': (testLoops) => ({ testLoops }),
  // In order: the tests, then each quality check, both hard; then the soft ones.
  'gates.tests': (command, { gates }) => ({
    gates: [...(command === '' ? [] : [{ name: 'tests', command }]), ...gates.filter((gate) => !isTests(gate))],
  }),
  quality_checks: (commands, { gates }) => ({
    gates: [...gates.filter(isTests), ...gatesNamed(commands), ...gates.filter(({ soft }) => soft)],
  }),
  'quality.commands': (commands, { gates }) => ({
    gates: [...gates.filter(({ soft }) => !soft), ...gatesNamed(commands).map((gate) => ({ ...gate, soft: true as const }))],
  }),
  'gates.baseline': (baseline) => ({ baseline, missingTools: baseline === 'strict' ? 'stop' : undefined }),
  'gates.tamper': (tamper) => ({ tamper }),
  'proof.suspicion': (suspicion, { proof = noProof }) => ({ proof: { ...proof, suspicion } }),
  'proof.minimum': (minimum, { proof = noProof }) => ({ proof: { ...proof, minimum } }),
  'proof.cross_examine': (crossExamine, { proof = noProof }) => ({ proof: { ...proof, crossExamine } }),
  'proof.held_out': (heldOut, { proof = noProof }) => (heldOut === '' ? {} : { proof: { ...proof, heldOut: 'complete' } }),
  'proof.held_out_on': (heldOut, { proof }) => (proof?.heldOut === undefined ? {} : { proof: { ...proof, heldOut } }),
  'proof.mutants': (mutants, { proof = noProof }) => {
    const { mutants: _before, ...rest } = proof
    return { proof: mutants === 0 ? rest : { ...rest, mutants } }
  },
  hooks: (commands) =>
    Object.keys(commands).length === 0 ? {} : { hooks: hookNames.filter((name) => Object.hasOwn(commands, name)) },
  'gates.story_minutes': ([soft, hard], { timeoutMultiplier = 1 }) => {
    const unit = timeoutMultiplier * 60_000
    return { storyMs: { soft: soft * unit, hard: hard * unit } }
  },
} satisfies Patches

const noProof: NonNullable<Policy['proof']> = { suspicion: 'reserve', minimum: 'unproven', crossExamine: 'off' }

const isTests = ({ name, soft }: Gate): boolean => name === 'tests' && !soft

const gatesNamed = (commands: Record<string, string>): Gate[] =>
  Object.entries(commands).map(([name, command]) => ({ name, command }))
