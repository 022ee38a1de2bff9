/** Before the loop: every check that can refuse a run, in an order in which nothing is changed too early. */
import { join, resolve } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { behindLink } from '../../adapters/files/kept-links.ts'
import { type Git, openGit } from '../../adapters/git/git.ts'
import { submodulesIn } from '../../adapters/git/hidden-by-index.ts'
import { type Masker, masker } from '../../adapters/mask/mask.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { snapshotPath } from '../../adapters/plan/live-plan.ts'
import { type PlanFile, planFileNames } from '../../adapters/plan/parse-plan.ts'
import { setVariables } from '../../adapters/process/child-env.ts'
import { findProgram, versionOnDisk, whyNoProgram } from '../../adapters/process/program.ts'
import { removePipes } from '../../adapters/project/gitignore.ts'
import { heldLeash } from '../../adapters/project/leash.ts'
import { openSandbox } from '../../adapters/sandbox/sandbox.ts'
import type { Sandbox } from '../../adapters/sandbox/wrapped.ts'
import type { Settings } from '../../config/table.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { isUnblocked, listed, storyNamed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import { inShell } from '../../core/text/escape.ts'
import { instantOf } from '../../core/text/time.ts'
import { versionWarning } from '../../core/text/version.ts'
import type { Policy, Reporter } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import type { Agent } from '../../ports.ts'
import { type Agents, openAgents } from '../agents.ts'
import type { Screen } from '../outputs/screen.ts'
import type { SandboxFor, Setup, Work } from '../parts.ts'
import { askOnTerminal } from '../people/ask-on-terminal.ts'
import { worktreeOn } from '../people/find-branch.ts'
import type { Project, settingsOf } from '../project.ts'
import { configPaths } from './edits-before-kill.ts'

type LoadedFeature = Awaited<ReturnType<typeof settingsOf>>

export type Opened = { plan: PlanFile | null; git: Git | null; warnings: string[] }

/** The plan and the repository, or the reason why no run is possible. */
export async function openInputs(project: Project, io: Io): Promise<Opened> {
  const restored = restoreTornPlan(project.dir, project.label)
  const { plan, warnings } = await readPlan(project.dir, project.label)
  warnings.unshift(...restored)
  if (plan === null) warnings.push(withoutPlan(project))
  removePipes(project.root) // of an agent whose run was killed
  const git = await openGit(project.root, io.env)
  if (git === null) warnings.push(withoutGit)
  return { plan, git, warnings }
}

/** Not said where an empty HEAD is repaired. */
export const withoutGit = 'not a git repository: running without branches, commits and rollback'

/** Nobody empties a plan, or leaves half of its JSON: a power cut does. What the last run has kept of it comes back. Returns what to say. */
function restoreTornPlan(dir: string, label: string): string[] {
  return planFileNames.flatMap((name) => {
    const path = behindLink(join(dir, name))
    const text = readIfThere(path)?.replaceAll('\0', '')
    const snapshot = readIfThere(snapshotPath(dir, name)) ?? ''
    if (text === undefined || !isTorn(name, text, snapshot)) return []
    replaceFile(path, snapshot)
    return [`${label}/${name} was empty or torn, as after a power cut: it was restored as the last run knew it`]
  })
}

/** Of a list in Markdown somebody may have removed the end. */
function isTorn(name: string, text: string, snapshot: string): boolean {
  const [rest, whole] = [text.trim(), snapshot.replaceAll('\0', '').trim()]
  return whole !== '' && (rest === '' || (name.endsWith('.json') && rest !== whole && whole.startsWith(rest)))
}

/** Said before anything is paid for. */
const withoutPlan = ({ label, feature }: Project): string =>
  `${label} has no plan: the agent works from prompt.md until it signals that everything is done. To plan first: ralph plan -f ${feature}`

/** `--story`: it exists, and does not wait for another one. */
export function checkOnly(plan: PlanFile | null, only: string): void {
  const story = storyNamed(plan?.plan ?? null, only)
  if (plan === null || story === undefined) {
    const ids = plan?.plan.stories.map((candidate) => candidate.id).join(', ') ?? 'none: the feature has no plan'
    throw new Failure(EXIT.usage, `No story "${only}". The plan has: ${ids}`)
  }
  if (!story.passes && !isUnblocked(plan.plan, story)) {
    const open = story.dependsOn.filter((id) => storyNamed(plan.plan, id)?.passes !== true)
    throw new Failure(
      EXIT.data,
      `${only} depends on ${open.join(', ')}, which ${open.length === 1 ? 'is' : 'are'} still open. Run that first.`,
    )
  }
}

/** Input from the command line and the terminal. `promptFile`: the named instructions. */
type Given = { io: Io; screen: Screen; promptFile?: string | undefined }

export function openSetup(project: Project, loaded: LoadedFeature, { io, screen, promptFile }: Given): Setup {
  const { settings } = loaded
  const env = setVariables(io.env)
  return {
    ...project,
    settings,
    configRead: loaded.files,
    env,
    mask: maskerOf(env, settings),
    agents: openAgents(project, settings, promptFile),
    screen,
    ask: askOnTerminal(screen, io.isAttended),
    leash: heldLeash(env),
    now: () => instantOf(Date.now()),
  }
}

/** Keys of notice channels are masked whatever their variables are called. */
export function maskerOf(env: Io['env'], settings: Settings): Masker {
  const keys = Object.entries(settings)
    .filter(([key]) => /^notify\..*_env$/.test(key))
    .map(([key, name]) => [`secret of ${key}`, env[String(name)]])
  const headers = (env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '').split(',').map((pair, index) => {
    const [, value] = pair.split(/=(.*)/s)
    return [`secret of OTEL_EXPORTER_OTLP_HEADERS ${index}`, value?.trim()]
  })
  return masker({ ...env, ...Object.fromEntries([...keys, ...headers]) })
}

/** The project's and the user's, including missing ones: an agent that creates one would configure the next run. */
export const ownConfig = (setup: Setup): Work['configFiles'] =>
  configPaths(setup).map((path) => ({
    path: behindLink(path),
    text: setup.configRead.find((file) => file.path === path)?.text ?? readIfThere(path),
  }))

/** The sandbox of a run. A worktree has its own. */
export function sandboxesOf({ root: own, settings, env }: Setup, run: string): SandboxFor {
  return (root, dir) =>
    openSandbox(settings['sandbox.kind'], {
      root,
      dir,
      ...(root === own ? {} : { project: own }),
      trusted: settings['plugins'].map((file) => resolve(root, file)),
      run,
      env,
      name: settings['sandbox.name'],
      network: settings['sandbox.network'],
      home: settings['sandbox.home'],
      variables: settings['sandbox.env'],
    })
}

/** Checks before the first iteration that every agent in the plan and the settings is installed. Returns what people should know about versions. */
export async function checkAgents(
  { agents, root, env }: Pick<Setup, 'agents' | 'root' | 'env'>,
  sandbox: Sandbox | null,
  plan: PlanFile | null,
  review: Policy['review'],
): Promise<string[]> {
  await sandbox?.check()
  if (sandbox?.hasPrograms === false) return [] // its image has them, or not
  const all = [...agentsOf(agents, plan), ...[...reviewersIn(agents, review), ...agents.listed()].map(({ agent }) => agent)]
  const warnings = new Set<string>()
  for (const { name, program, install, ...known } of all) {
    const path = findProgram(program, root, env)
    const warning = path === null ? null : versionWarning(name, versionOnDisk(path), known)
    if (warning !== null) warnings.add(warning)
    if (path !== null) continue
    const why = whyNoProgram(program, root)
    throw new Failure(EXIT.missing, `The agent "${name}" needs the program ${program}, which ${why}. Fix: ${install}`)
  }
  return [...warnings]
}

function reviewersIn(agents: Agents, { spec, quality, final }: Policy['review']): ReturnType<Agents['reviewer']>[] {
  const names = new Set([spec, quality, ...final].filter((name) => name !== undefined))
  return [...names].map((name) => agents.reviewer(name))
}

/** The run's own, and those of open stories. */
function agentsOf(agents: Agents, file: PlanFile | null): Agent[] {
  const plan = file?.plan ?? null
  const stories = (plan?.stories ?? []).filter((story) => story.agent !== undefined && !story.passes)
  return [null, ...stories.map((story) => story.id)].map((id) => agents.agentFor({ plan }, id))
}

type AgentSettings = Pick<Setup, 'agents' | 'settings'>

/** `session: resume` needs an agent that supports it. */
export function checkSession({ agents, settings }: AgentSettings, state: State): void {
  const all = [agents.agentFor(state, null), ...agents.listed().map(({ agent }) => agent)]
  const agent = all.find(({ resumes }) => resumes === undefined)
  if (settings['defaults.session'] === 'fresh' || agent === undefined) return
  throw new Failure(
    EXIT.config,
    `session: resume is set, but the agent "${agent.name}" cannot resume a session here. Set it to fresh.`,
  )
}

/** Parallel stories and candidates need worktrees, and a git that can merge without one. Returns what people should know. */
export async function checkParallel(
  { git, settings }: Pick<Work, 'git' | 'settings'>,
  file: PlanFile | null = null,
): Promise<string[]> {
  const who = whoNeedsWorktrees(settings, file)
  if (who === null) return []
  if (settings['defaults.pick'] === 'agent' && settings['defaults.best_of'] > 1)
    throw new Failure(EXIT.config, 'best_of needs stories that Ralph picks. Set pick to ralph, or best_of to 1.')
  if (git === null) throw new Failure(EXIT.config, `${who} a git repository. Run "git init" and commit, or set it to 1.`)
  if (!(await git.canMergeAside())) throw new Failure(EXIT.config, `${who} git 2.38 or newer. Update git, or set it to 1.`)
  const submodules = settings['worktree.setup'] === '' ? submodulesIn(git.top) : []
  if (submodules.length === 0) return []
  const names = listed(submodules.slice(0, 10))
  return [
    `the submodules of this project (${names}) are empty in the worktrees of stories. If gates or agents need them, set worktree.setup to "git submodule update --init --recursive".`,
  ]
}

function whoNeedsWorktrees(settings: Work['settings'], file: PlanFile | null): string | null {
  const [workers, bestOf] = [settings['parallel.workers'], settings['defaults.best_of']]
  if (workers > 1) return `parallel: ${workers} workers need`
  if (bestOf > 1) return `best_of: ${bestOf} attempts on one story need`
  const story = file?.plan.stories.find((each) => !each.passes && (each.bestOf ?? 1) > 1)
  return story === undefined ? null : `${story.id}: bestOf ${story.bestOf} needs`
}

const moneyBudgets = [
  ['budget.cost_usd', 'cost'],
  ['budget.day_usd', 'day'],
  ['budget.month_usd', 'month'],
] as const

/** A budget for which an agent reports no figures would never be spent: better to say so now than in the morning. */
export function checkBudget({ agents, settings }: AgentSettings, plan: PlanFile | null, review: Policy['review']): void {
  const implementers = agentsOf(agents, plan).map((agent) => ({ agent, model: settings['model'] }))
  for (const { agent, model } of [...implementers, ...agents.listed(), ...reviewersIn(agents, review)]) {
    const { name, tells } = agent
    const isPriced = Object.hasOwn(settings['prices'], model)
    const budget = moneyBudgets.find(([key]) => settings[key] !== null)?.[1]
    if (budget !== undefined && tells !== 'cost' && !(tells === 'tokens' && isPriced)) {
      const advice = tells === 'tokens' ? 'Set model and prices for it, or use budget.tokens' : 'Use budget.duration_minutes'
      throw new Failure(EXIT.config, `A ${budget} budget is set, but the agent "${name}" does not report its cost. ${advice}.`)
    }
    if (settings['budget.tokens'] !== null && tells === 'nothing') {
      throw new Failure(
        EXIT.config,
        `A token budget is set, but the agent "${name}" does not report its tokens. Use budget.duration_minutes.`,
      )
    }
  }
}

/** Switches to the plan's branch, created from HEAD if needed; never over uncommitted work. True: another branch is checked out now. */
export async function enterBranch(
  { git, settings, screen }: Pick<Work, 'git' | 'settings' | 'screen'>,
  branch: string,
  note: Reporter = () => {},
): Promise<boolean> {
  if (git === null || branch === '' || !settings['branch.auto_create']) return false
  const current = await git.currentBranch()
  if (current === branch) return false
  const exists = await git.branchExists(branch)
  if (exists && !(await git.isClean())) {
    throw new Failure(
      EXIT.data,
      `The plan's branch ${branch} exists, and the work tree (on ${current ?? 'a detached HEAD'}) has uncommitted changes. Commit them, or switch to ${branch} yourself, then run again. Or leave this checkout alone: ralph run --worktree.`,
    )
  }
  const head = await git.head()
  if (!exists) note({ kind: 'branch.created', branch, base: current })
  const refused = exists ? await git.switchTo(branch) : await git.createBranch(branch)
  const other = refused === null ? null : await worktreeOn(git, branch)
  if (other !== null)
    throw new Failure(
      EXIT.data,
      `The plan's branch ${branch} is checked out in ${other}, and git checks out a branch in one worktree only. Free it (git -C ${inShell(other)} switch --detach), then run again.`,
    )
  if (refused !== null)
    throw new Failure(
      EXIT.data,
      `git could not ${exists ? 'switch to' : 'create'} ${branch}: ${refused.error.trimEnd()}. Fix that, or change branchName in the plan (empty: stay on the current branch), then run again.`,
    )
  // Nothing else leads back to commits on a detached HEAD.
  const back = exists && current === null && head !== null ? ` (git switch --detach ${head.slice(0, 10)} leads back)` : ''
  screen.say('plain', exists ? `Switched to ${branch}${back}` : `Created branch ${branch}`)
  return true
}
