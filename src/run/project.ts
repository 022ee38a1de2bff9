/** What a command works on: the project, its settings, the feature and its plan. Read, not changed. */
import { join } from 'node:path'
import { chooseFeature, currentBranch, findRoot, ralphHome } from '../adapters/project.ts'
import type { Settings } from '../config.ts'
import type { Gate, Policy } from '../core/types.ts'
import type { Io } from '../io.ts'

export type Project = {
  root: string
  home: string
  feature: string
  /** The feature's folder, and the same as people read it. */
  dir: string
  label: string
}

/** The project without a feature. */
export function projectRoot(io: Io): { root: string; home: string } {
  const home = ralphHome(io.env)
  return { root: findRoot(io.cwd, home), home }
}

export async function findProject(io: Io, asked?: string): Promise<Project> {
  const { root, home } = projectRoot(io)
  const feature = await chooseFeature(root, { asked, currentBranch: currentBranch(root) })
  return { root, home, feature, dir: join(root, '.ralph', feature), label: `.ralph/${feature}` }
}

export async function settingsOf(io: Io, project: { root: string; home: string }, flags: Record<string, unknown> = {}) {
  const { loadSettings } = await import('../config/sources.ts') // not on the path of commands that only look
  return loadSettings({ root: project.root, home: project.home, env: io.env, flags })
}

export function policyOf(settings: Settings, only: string | undefined, isAttended: boolean, review: Policy['review']): Policy {
  const agent = settings['agent']
  const [soft, hard] = settings['gates.story_minutes'].map(
    (minutes) => minutes * settings['defaults.timeout_multiplier'] * 60_000,
  ) as [number, number]
  return {
    maxIterations: settings['defaults.max_iterations'],
    maxAttempts: settings['defaults.max_attempts'],
    maxRetries: settings['defaults.max_retries'],
    maxStuck: settings['circuit_breaker.no_progress_threshold'],
    sameError: settings['circuit_breaker.same_error_threshold'],
    declinePercent: settings['circuit_breaker.output_decline_percent'],
    maxDenied: settings['circuit_breaker.permission_denied_threshold'],
    cooldownMinutes: settings['circuit_breaker.cooldown_minutes'],
    doneSignals: settings['completion.consecutive_done_signals'],
    testLoops: settings['completion.consecutive_test_loops'],
    pick: settings['defaults.pick'],
    // Unattended, nobody is there to answer.
    onLimit: settings['defaults.on_limit'] === 'auto' ? (isAttended ? 'ask' : 'wait') : settings['defaults.on_limit'],
    session: settings['defaults.session'],
    budget: {
      costUsd: settings['budget.cost_usd'],
      tokens: settings['budget.tokens'],
      durationMs: settings['budget.duration_minutes'] === null ? null : settings['budget.duration_minutes'] * 60_000,
    },
    ...(only === undefined ? {} : { only }),
    decide: settings['defaults.decide'],
    storyMs: { soft, hard },
    gates: gatesOf(settings),
    baseline: settings['gates.baseline'],
    tamper: settings['gates.tamper'],
    review,
    agent: typeof agent === 'string' ? agent : agent.name,
    workers: settings['parallel.workers'],
  }
}

/** Command gates in their order: the tests, then each quality check, both hard; then the soft ones. */
function gatesOf(settings: Settings): Gate[] {
  const tests = settings['gates.tests']
  const checks = Object.entries(settings['quality_checks']).map(([name, command]) => ({ name, command }))
  const soft = Object.entries(settings['quality.commands']).map(([name, command]) => ({ name, command, soft: true as const }))
  return [...(tests === '' ? [] : [{ name: 'tests', command: tests }]), ...checks, ...soft]
}
