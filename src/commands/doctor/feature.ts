/** What `ralph doctor` looks at in the feature that would run: its plan, agents and limits, what a person must answer first, and its branch. */

import type { Git } from '../../adapters/git/git.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import type { PlanFile } from '../../adapters/plan/parse-plan.ts'
import { setVariables } from '../../adapters/process/child-env.ts'
import { policyOf } from '../../config/policy.ts'
import type { LoadedSettings } from '../../config/sources.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { adoptPlan } from '../../core/evolve/run.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { Failure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { openAgents } from '../../run/agents.ts'
import { bookOf } from '../../run/history/folded-log.ts'
import { isOnlyEmpty } from '../../run/history/plan-error.ts'
import { mustHavePlan } from '../../run/people/find-branch.ts'
import { checkAgents, checkBudget, checkParallel, checkSession } from '../../run/preflight/begin.ts'
import { isUnfinished } from '../../run/preflight/left-by-kill.ts'
import { worstOfPlan } from '../../run/preflight/lint-plan.ts'
import { spentEnvelope } from '../../run/preflight/money.ts'
import { handWritten, refusal } from '../../run/preflight/refusal.ts'
import { reviewersOf } from '../../run/preflight/roles.ts'
import type { Project } from '../../run/project.ts'
import { breakerName, plural } from '../../views/status/status.ts'
import { attempt, type DoctorFinding } from './finding.ts'

type Checked = { project: Project; loaded: LoadedSettings; git: Git | null; io: Io; isAgentThere: boolean }

export async function featureFindings(checked: Checked): Promise<DoctorFinding[]> {
  const { project } = checked
  const read = await attempt(() => readPlan(project.dir, project.label))
  const plan = read instanceof Failure ? null : read.plan
  const state = await attempt(() => bookOf(project).state)
  return [
    ...(read instanceof Failure ? [brokenPlan(read, project)] : await planFindings(read, checked, state)),
    ...(state instanceof Failure
      ? [{ mark: '✗', what: 'log', found: state.message } as const]
      : [...(await settingFindings(checked, plan)), ...waitingFindings(checked, state, plan)]),
    ...(await repositoryFindings(checked, plan, state instanceof Failure ? initialState : state)),
  ]
}

/** In the words of a run. */
function brokenPlan({ message }: Failure, { feature }: Project): DoctorFinding {
  const next = `${isOnlyEmpty(message) ? 'ralph plan' : 'ralph lint'} -f ${feature}`
  return { mark: '✗', what: 'plan', found: message, advice: next, next }
}

async function planFindings(
  { plan, warnings }: { plan: PlanFile | null; warnings: string[] },
  { project, loaded, git }: Checked,
  state: State | Failure,
): Promise<DoctorFinding[]> {
  const { label, feature } = project
  const elsewhere = state instanceof Failure ? null : await attempt(() => mustHavePlan(project, git, state, plan !== null))
  if (elsewhere instanceof Failure) return [{ mark: '✗', what: 'plan', found: elsewhere.message }]
  if (plan === null)
    return [
      {
        mark: '!',
        what: 'plan',
        found: `no plan file in ${label}: the agent works from ${label}/prompt.md alone, and its own word ends the run`,
        advice: `ralph plan -f ${feature}`,
      },
    ]
  const { stories } = plan.plan
  const policy = policyOf(loaded.settings, undefined, false, { final: [] })
  const worst = await worstOfPlan({ label }, plan, { state: state instanceof Failure ? initialState : state, policy })
  const open = stories.filter(({ passes, skip }) => !passes && !skip).length
  const found = `${label}/${plan.file}: ${plural(stories.length, 'story', 'stories')}, ${open} open`
  return [
    { mark: '✓', what: 'plan', found },
    ...[...warnings, ...worst].map((text): DoctorFinding => ({ mark: '!', what: 'plan', found: text })),
  ]
}

/** What a run refuses before it starts. */
async function settingFindings({ project, loaded, git, io, isAgentThere }: Checked, plan: PlanFile | null) {
  const { settings } = loaded
  const env = setVariables(io.env)
  const agents = await attempt(() => openAgents(project, settings))
  if (agents instanceof Failure || !isAgentThere) return [] // told above
  const agentOf = (name: string | undefined) =>
    name === undefined ? agents.agentFor(initialState, null) : agents.reviewer(name).agent
  const review = await attempt(() => reviewersOf(loaded, agentOf))
  if (review instanceof Failure) return [{ mark: '✗', what: 'reviewers', found: review.message } as const]
  const isImage = settings['sandbox.kind'] === 'docker'
  const checks: [what: string, check: () => unknown][] = [
    ['agents', () => (isImage ? undefined : checkAgents({ agents, root: project.root, env }, null, plan, review))],
    ['budget', () => checkBudget({ agents, settings }, plan, review)],
    ['session', () => checkSession({ agents, settings }, initialState)],
    ['parallel', () => checkParallel({ git, settings }, plan)],
  ]
  const findings: DoctorFinding[] = []
  for (const [what, check] of checks) {
    const failed = await attempt(check)
    if (failed instanceof Failure) findings.push({ mark: '✗', what, found: failed.message })
  }
  return findings
}

/** The breaker, and what a person must answer or unblock first. */
function waitingFindings({ project, loaded }: Checked, state: State, file: PlanFile | null): DoctorFinding[] {
  const plan = file?.plan ?? null
  const policy = policyOf(loaded.settings, undefined, false, { final: [] })
  const files = handWritten(project.dir, state)
  const isGoingOn = isUnfinished(state) && files.blocked === null && files.asked.length === 0
  const at = instantOf(Date.now())
  const about = {
    at,
    label: project.label,
    files,
    spent: spentEnvelope({ ...project, settings: loaded.settings }, policy.agent, at),
  }
  const refused = isGoingOn ? null : refusal(adoptPlan(state, plan, 'given'), policy, about)
  const breaker = breakerName(state.breaker.state)
  const closed: DoctorFinding[] = state.run === '' ? [] : [{ mark: '✓', what: 'breaker', found: breaker }]
  if (refused === null) return closed
  const isBreaker = refused.exit === 4
  const [what, next] = isBreaker
    ? ['breaker', 'ralph breaker reset']
    : refused.exit === 3
      ? ['question', 'ralph answer "<your decision>"']
      : refused.exit === exitCode('budget')
        ? ['budget', 'ralph config set budget.day_usd <usd>']
        : ['blocked', 'ralph unblock "<note>"']
  return [...(isBreaker ? [] : closed), { mark: '✗', what, found: refused.lines.join('\n'), next }]
}

async function repositoryFindings({ git, loaded }: Checked, file: PlanFile | null, state: State): Promise<DoctorFinding[]> {
  if (git === null) return []
  const no = (found: string, advice: string): DoctorFinding[] => [{ mark: '✗', what: 'repository', found, advice }]
  if ((await git.head()) === null) return no(`${git.top} has no commit yet`, 'create the first one: git commit')
  const open = isUnfinished(state) ? null : git.inProgress()
  if (open !== null)
    return no(`a ${open} is open in ${git.top}`, `finish or abort it: git ${open} --${open === 'bisect' ? 'reset' : 'abort'}`)
  const locked = await git.whyLocked()
  if (locked !== null) return no(locked, 'then run again')
  const branch = file?.plan.branch ?? ''
  const current = await git.currentBranch()
  if (branch === '' || !loaded.settings['branch.auto_create'] || branch === current)
    return [{ mark: '✓', what: 'branch', found: current ?? 'a detached HEAD' }]
  const isThere = await git.branchExists(branch)
  if (isThere && !(await git.isClean()))
    return no(
      `the plan's branch ${branch} exists, and the work tree (on ${current ?? 'a detached HEAD'}) has uncommitted changes`,
      `commit them, or: git switch ${branch}`,
    )
  return [
    {
      mark: '✓',
      what: 'branch',
      found: `${current ?? 'a detached HEAD'}; a run ${isThere ? 'switches to' : 'creates'} ${branch}`,
    },
  ]
}
