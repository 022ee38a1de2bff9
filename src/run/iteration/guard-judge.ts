/** Gives reviewers and gates their own checkout: their changes are discarded, and what others do to the project is not touched. */

import { cpSync, existsSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { givesOrders } from '../../adapters/agents/list.ts'
import { replaceFile } from '../../adapters/files/files.ts'
import { isCopyable } from '../../adapters/files/open.ts'
import { removeFolders } from '../../adapters/files/remove-folders.ts'
import { closeTemporary, openTemporary, temporaryFolder } from '../../adapters/files/temporary-files.ts'
import { hashFiles, identityOf, projectFiles } from '../../adapters/files/tree-hash.ts'
import type { Checkout, Older, What } from '../../adapters/git/checkout.ts'
import { withoutRepository } from '../../adapters/git/checkout.ts'
import { featureFolder, featureLabel, specsFolder } from '../../adapters/project/layout.ts'
import type { Sandbox } from '../../adapters/sandbox/wrapped.ts'
import { tried } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import { capital } from '../../core/text/escape.ts'
import type { Reporter, Scope } from '../../core/types.ts'
import type { Agent } from '../../ports.ts'
import { noticed } from '../noticed.ts'
import { judgesFolder, tooFull } from '../parallel/worktree-paths.ts'
import type { Work } from '../parts.ts'
import { type OwnWorld, restoreConfig, undoGateEdits } from './restore-ralph-files.ts'

/** The checkout folders: free ones, and the mark of the last checkout in each. No reviewer waits for another's. `temporary`: for the files of gates. */
export type JudgeFolders = { folder: string; temporary: string; free: Slot[]; made: number }
type Slot = { folder: string; mark: string; temporary: { folder: string; mark: string } }

export const judgeFolders = (project: Pick<Work, 'root' | 'home' | 'env'>): JudgeFolders => ({
  folder: judgesFolder(project),
  temporary: temporaryFolder(judgesFolder(project), project.env),
  free: [],
  made: 0,
})

type JudgesWorld = Work & { judges: JudgeFolders }

type LookOptions = { what?: What; older?: Older[]; isWatched?: boolean; isDiscarded?: boolean }

export type Look = {
  cwd: string
  sandbox: Sandbox | null
  env: Record<string, string>
  /** What the checkout lacks and may be needed, in words for the prompt; empty: nothing. */
  missing: string
  /** What is checked out; absent: the project itself, or a copy of it. */
  commit?: string
  /** It works in the project itself, not in a checkout. */
  isShared: boolean
  /** Files of a checkout that differ from its commit, from its top. */
  changed(): Promise<string[]>
  /** What was changed there, in words; null: nothing. Ask once: the folder is then free for the next one. */
  over(): Promise<string | null>
}

/**
 * For a reviewer: the current work in this world, committed or not, without ignored files; `what`: something else; `older`: files as they were
 * earlier; `isWatched` false: nobody asks what was changed there; `isDiscarded`: nothing of it is left afterwards. What a reviewer gets or does not get is
 * set up here.
 */
export async function checkoutFor(
  world: JudgesWorld,
  who: string,
  report: Reporter,
  { what, older = [], isWatched = true, isDiscarded = false }: LookOptions = {},
): Promise<Look> {
  if (world.git === null) return copyFor(world, who, report)
  const slot = freeSlot(world)
  const crowded = tooFull(world, slot.folder)
  const made = crowded === null ? await world.git.checkOut(slot.folder, slot.mark, what, older) : { error: crowded }
  if ('error' in made) {
    slot.mark = ''
    world.judges.free.push(slot)
    const detail = `Could not create a checkout for ${who}, so it works in the project itself, ${withOrders}: ${made.error}`
    report(noticed('judge-place', detail))
    return projectItself(world, 'Without its own checkout')
  }
  slot.mark = made.mark
  const root = join(slot.folder, relative(world.git.top, world.root))
  if (isWatched) giveFiles(world, root)
  else mkdirSync(featureFolder(root, world.feature), { recursive: true })
  const given = isWatched ? await changedIn(made) : []
  const identity = (): string => identityOf(slot.folder, given, new Map()).identity
  const asGiven = identity()
  const sandbox = world.sandboxFor(root, featureFolder(root, world.feature))
  const { temporary } = slot
  // A sandbox has its own.
  const hasTemporary = !isWatched && sandbox === null && openTemporary(temporary.folder, temporary.mark)
  return {
    cwd: root,
    sandbox,
    env: { ...withoutRepository(world.env), ...(hasTemporary ? { TMPDIR: temporary.folder } : {}) },
    missing: existsSync(join(world.git.top, '.gitmodules')) ? `Submodules are empty here: read them in ${world.root}.` : '',
    commit: made.commit,
    isShared: false,
    changed: () => changedIn(made),
    async over() {
      if (isDiscarded) {
        await removeFolders([slot.folder, `${slot.folder}.index`, temporary.folder])
        slot.mark = ''
      }
      if (hasTemporary) temporary.mark = closeTemporary(temporary.folder)
      if (!isWatched || isDiscarded) {
        world.judges.free.push(slot)
        return null
      }
      const others = (await changedIn(made)).filter((path) => !given.includes(path))
      const changed = [...others, ...(identity() === asGiven ? [] : [featureLabel(world.feature)])]
      world.judges.free.push(slot)
      if (changed.length === 0) return null
      const shown = `${changed.slice(0, 5).join(', ')}${changed.length > 5 ? ` and ${changed.length - 5} more` : ''}`
      return `changed files in its checkout (${shown}). They are discarded, and its answer does not count.`
    },
  }
}

/**
 * Outside git, a copy of the project's files without dependencies. Nobody knows what instructions for agents were when the run began, so none of
 * them comes along.
 */
async function copyFor(world: JudgesWorld, who: string, report: Reporter): Promise<Look> {
  const slot = freeSlot(world)
  const files = projectFiles(world.root).filter((path) => !givesOrders(path))
  const problem = files.length > mostCopied ? `the project has ${files.length} files` : tooFull(world, slot.folder)
  if (problem !== null) {
    world.judges.free.push(slot)
    report(
      noticed(
        'judge-place',
        `Could not copy the project for ${who}, so it works in the project itself, ${withOrders}: ${problem}`,
      ),
    )
    return projectItself(world, 'Outside a git repository')
  }
  await removeFolders([slot.folder])
  for (const path of files) copyFile(join(world.root, path), join(slot.folder, path))
  giveFiles(world, slot.folder)
  const folders = [slot.folder, featureFolder(slot.folder, world.feature)]
  const identity = (): string => folders.map((folder) => identityOf(folder, projectFiles(folder), new Map()).identity).join(' ')
  const before = identity()
  return {
    cwd: slot.folder,
    sandbox: world.sandboxFor(slot.folder, featureFolder(slot.folder, world.feature)),
    env: world.env,
    missing: 'Dependencies and instructions for agents (CLAUDE.md, AGENTS.md and the like) are left out here.',
    isShared: false,
    changed: async () => [],
    async over() {
      world.judges.free.push(slot)
      return identity() === before
        ? null
        : 'changed files in its copy of the project. They are discarded, and its answer does not count.'
    },
  }
}

/**
 * Where a judge would look at the project itself: files that could give it orders and that changed since the run began. Outside git only the
 * time of a change is known, which no program can set.
 */
export async function changedOrders({ git, root }: Pick<Work, 'git' | 'root'>, state: State): Promise<string[]> {
  const { home, users, runStartedAt } = state
  if (git === null) {
    const since = Date.parse(runStartedAt)
    const isNew = (path: string): boolean => (lstatSync(join(root, path), { throwIfNoEntry: false })?.ctimeMs ?? 0) >= since
    return projectFiles(root).filter((path) => givesOrders(path) && isNew(path))
  }
  const committed = home === undefined || home.from === null ? [] : await git.diffFiles(home.from, 'HEAD')
  return [...new Set([...committed, ...(await git.uncommitted())])].filter((path) => givesOrders(path) && !users.includes(path))
}

const mostCopied = 20_000
const withOrders = 'where instructions for agents that an implementer left (CLAUDE.md, AGENTS.md, …) may reach it'

/** Gone meanwhile, or not ours to read: not in the copy. */
function copyFile(from: string, to: string): void {
  tried(() => {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    if (isCopyable(from)) cpSync(from, to, { verbatimSymlinks: true })
  }, undefined)
}

/** For the learner, which only needs its prompt. */
export function emptyFolderFor(world: JudgesWorld): Look {
  const slot = freeSlot(world)
  const cwd = `${slot.folder}.empty`
  mkdirSync(cwd, { recursive: true, mode: 0o700 })
  return {
    cwd,
    sandbox: world.sandboxFor(cwd, cwd),
    env: withoutRepository(world.env),
    missing: '',
    isShared: false,
    changed: async () => [],
    async over() {
      await removeFolders([cwd])
      world.judges.free.push(slot)
      return null
    },
  }
}

/** Removes what a killed run left, and what is no longer needed at the end of a run. */
export const clearJudges = ({ judges }: { judges: JudgeFolders }): Promise<string | null> =>
  removeFolders([judges.folder, judges.temporary])

/** Plan and settings are restored too, whoever changed them. Returns what the reviewer itself did wrong; null: its answer counts. */
export async function undoJudgesChanges(
  world: OwnWorld,
  look: Look,
  { iteration, who }: { iteration: Scope; who: string },
  report: Reporter,
): Promise<string | null> {
  const isConfig = restoreConfig(world, iteration, report)
  const of = iteration !== 'whole' ? ` of iteration ${iteration}` : who === 'the reviewer' ? ' of the whole' : ''
  const isPlan = await undoGateEdits(world, iteration, report, `${who}${of}`)
  const problem = await look.over()
  if (problem !== null) return look.isShared ? problem : `${capital(who)} ${problem}`
  if (!look.isShared || !(isConfig || isPlan)) return null
  return `${isPlan ? 'The plan was' : 'The settings were'} changed while ${who} worked in the project itself, and restored: its answer does not count.`
}

/** A project file that its command line names and its own folder lacks is taken from the project. */
export function fromProject(agent: Agent, { root }: Pick<Work, 'root'>): Agent {
  const found = (word: string, cwd: string): string =>
    !isAbsolute(word) && !existsSync(resolve(cwd, word)) && isFile(resolve(root, word)) ? resolve(root, word) : word
  return {
    ...agent,
    launch(task) {
      const launch = agent.launch(task)
      return { ...launch, args: launch.args.map((word) => found(word, task.cwd)) }
    },
  }
}

/** A word of a command line may be anything. */
const isFile = (path: string): boolean => existsSync(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true

async function projectItself(world: Work, why: string): Promise<Look> {
  const identity = async (): Promise<string> => {
    const { head, tree, dirt } = world.git === null ? hashFiles(world.root) : await world.git.snapshot()
    return `${head} ${tree} ${dirt}`
  }
  const before = await identity()
  return {
    cwd: world.root,
    sandbox: world.sandbox,
    env: world.env,
    missing: '',
    isShared: true,
    changed: async () => [],
    over: async () =>
      (await identity()) === before
        ? null
        : `Files changed during the review. ${why}, a reviewer works in the project itself, so its answer does not count. Nothing was restored: check what changed.`,
  }
}

/** A link in its place, or in that of the folder around it, would lead to a place with an agent's files around it. */
function freeSlot({ judges }: JudgesWorld): Slot {
  const slot = judges.free.pop() ?? newSlot(judges)
  for (const path of [dirname(judges.folder), judges.folder, slot.folder, `${slot.folder}.index`])
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path)
  return slot
}

function newSlot(judges: JudgeFolders): Slot {
  const name = String(++judges.made)
  return { folder: join(judges.folder, name), mark: '', temporary: { folder: join(judges.temporary, name), mark: '' } }
}

/** A broken repository counts as changed. */
const changedIn = (made: Checkout): Promise<string[]> =>
  made.changed().catch((error: Error) => [`its repository: ${error.message.split('\n')[0]}`])

/** A worktree's specs are its agent's. */
const mainDir = ({ dir, git, place, root, feature }: Work): string =>
  place === undefined || git === null ? dir : featureFolder(join(place.main, relative(git.top, root)), feature)

/** Plan, specs and instructions from the run: committed versions may be older, or missing, or changed by whoever is judged. */
function giveFiles(world: Work, root: string): void {
  const dir = featureFolder(root, world.feature)
  mkdirSync(dir, { recursive: true })
  const specs = specsFolder(mainDir(world))
  if (existsSync(specs)) cpSync(specs, specsFolder(dir), { recursive: true, force: true, filter: isCopyable })
  replaceFile(join(dir, 'prompt.md'), world.agents.asked)
  const plan = world.plan.current()
  if (plan !== null) replaceFile(join(dir, plan.file), plan.text)
}
