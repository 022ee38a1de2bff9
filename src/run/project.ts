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

export async function findProject(io: Io, asked?: string): Promise<Project> {
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  const feature = await chooseFeature(root, { asked, currentBranch: currentBranch(root) })
  return { root, home, feature, dir: join(root, '.ralph', feature), label: `.ralph/${feature}` }
}

export async function settingsOf(io: Io, project: { root: string; home: string }, flags: Record<string, unknown> = {}) {
  const { loadSettings } = await import('../config/sources.ts') // not on the path of commands that only look
  return loadSettings({ root: project.root, home: project.home, env: io.env, flags })
}

export function policyOf(settings: Settings, only: string | undefined, isAttended: boolean): Policy {
  const agent = settings['agent']
  return {
    maxIterations: settings['defaults.max_iterations'],
    maxAttempts: settings['defaults.max_attempts'],
    maxRetries: settings['defaults.max_retries'],
    maxStuck: settings['circuit_breaker.no_progress_threshold'],
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
    gates: gatesOf(settings),
    agent: typeof agent === 'string' ? agent : agent.name,
    workers: settings['parallel.workers'],
  }
}

/** Hard command gates in their order: the tests, then each quality check. */
function gatesOf(settings: Settings): Gate[] {
  const tests = settings['gates.tests']
  const checks = Object.entries(settings['quality_checks']).map(([name, command]) => ({ name, command }))
  return [...(tests === '' ? [] : [{ name: 'tests', command: tests }]), ...checks]
}
