/** A story's own worktree: created and prepared once, updated, and the world as seen from there. */
import { constants, cpSync, existsSync, mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { errorCode, readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { isCopyable } from '../../adapters/files/open.ts'
import type { Git } from '../../adapters/git/git.ts'
import { keepLinked } from '../../adapters/git/rescue/hooks-and-config.ts'
import { isLinkedTo } from '../../adapters/git/rescue/worktree-files.ts'
import { mergesOwn, ownDriver, withSettings } from '../../adapters/git/settings.ts'
import { commonDirOf } from '../../adapters/git/worktree-folders.ts'
import { keepPlan, snapshotPath } from '../../adapters/plan/live-plan.ts'
import { type PlanFile, parsePlan } from '../../adapters/plan/parse-plan.ts'
import { runGate } from '../../adapters/process/gate.ts'
import { ensureIgnored } from '../../adapters/project/gitignore.ts'
import { featureFolder, progressPath, stateFolder } from '../../adapters/project/layout.ts'
import { flightOf, placeOfFlight } from '../../core/evolve/flights.ts'
import type { State } from '../../core/state.ts'
import type { Scope, StoryId } from '../../core/types.ts'
import { doorsOf } from '../iteration/call-result.ts'
import { type GatesWorld, limitsOf } from '../iteration/gates.ts'
import type { IterationStarted } from '../iteration/gather-prompt.ts'
import { noticed } from '../noticed.ts'
import type { Deed, Work } from '../parts.ts'
import { repoOf } from '../repo-now.ts'
import type { Apart, World } from '../world.ts'
import { clearLocks, gitOf, makePlace, takeAhead, tipOf } from './make-worktree.ts'
import { placeOf } from './worktree-paths.ts'

/** A range of ports for each worker. */
const portsEach = 20

/** Safe to repeat: continues what an earlier attempt left. */
export async function enterPlace(
  world: World,
  started: IterationStarted & { story: StoryId },
  deed: Deed,
): Promise<Apart | { problem: string }> {
  const name = placeOfFlight(started)
  const made = (started.ready && (await takeAhead(world, name, started.ready, deed.report))) || (await makePlace(world, name))
  if ('problem' in made) return made
  const isThere = !made.isNew
  const here = await openPlace(world, name, made.tip)
  if (here === null) return { problem: `the worktree of ${started.story} was removed while it was being created` }
  const apart = {
    ...here,
    env: withSettings({ ...world.env, ...workerEnv(world, started.worker ?? 1) }, mergesOwn),
    screen: world.screen.beside(started.story),
  }
  if (isThere) await clearLocks(apart, deed.report)
  const problem = await prepare(world, apart, started.iteration, deed)
  if (problem !== null) return { problem }
  const ignored = apart.place.ignored ?? readyWith(apart.git)
  const { fork, isBehind } = isThere ? await bringUpToDate(world, apart) : { fork: apart.place.fork, isBehind: false }
  await giveFiles(world, apart)
  if (isBehind) await apart.git.commitState('chore(ralph): files of the run')
  const before = isThere ? repoOf(await apart.git.snapshot()) : apart.place.before
  const entered = {
    ...apart,
    plan: keepPlan(apart.dir, world.plan.current(), false),
    place: {
      ...apart.place,
      fork,
      before,
      ignored,
      kept: keepLinked(apart.git, world.env),
      ...(isThere ? {} : { since: Date.now() }),
    },
  }
  entered.plan.remember()
  world.worktrees.open.set(name, entered)
  return entered
}

/** As it was left; null: none. `begun`: where its branch starts if it is new. */
export async function openPlace(world: World, story: StoryId, begun?: string): Promise<Apart | null> {
  const { path, branch } = placeOf(world, story)
  if (!existsSync(join(path, '.git'))) return null
  const known = world.worktrees.open.get(story)
  if (known !== undefined) return known
  if (!isLinkedTo(commonDirOf(gitOf(world).dir), path)) return null
  const root = join(path, relative(gitOf(world).top, world.root))
  mkdirSync(root, { recursive: true })
  const git = gitOf(world).worktreeAt(path, root)
  const dir = featureFolder(root, world.feature)
  const onto = world.branch
  const tip = begun ?? (await tipOf(world))
  const isNew = (await gitOf(world).branchTip(branch)) === tip
  const fork = isNew ? tip : await git.forkOf('HEAD', tip)
  const before = { head: fork, tree: fork === null ? '' : await gitOf(world).contentOf(fork), dirt: '' }
  const plan = keepPlan(dir, await lastPlan(world, dir), false)
  const sandbox = world.sandboxFor(root, dir)
  const apart: Apart = {
    ...world,
    root,
    dir,
    git,
    plan,
    sandbox,
    leftByGates: new Map(),
    place: { path, branch, onto, fork, before, ignored: readyWith(git), main: gitOf(world).top },
  }
  world.worktrees.open.set(story, apart)
  return apart
}

/** Where its branch left the run's branch, if it still descends straight from there; after an agent's merge git must be asked. */
export async function knownFork({ git, place: { fork } }: Pick<Apart, 'git' | 'place'>): Promise<string | null> {
  return fork !== null && (await git.isStraight(fork)) ? fork : null
}

/** The world of an iteration; if its worktree was removed, its gates must not run in the repository itself. */
export async function worldOf(world: World, iteration: Scope, state: State): Promise<World> {
  const flight = flightOf(state, iteration)
  if (flight?.worker === undefined || flight.story === null) return world
  const name = placeOfFlight({ ...flight, story: flight.story })
  return (await openPlace(world, name)) ?? { ...world, root: placeOf(world, name).path, git: null }
}

function workerEnv({ settings }: Pick<Work, 'settings'>, worker: number): Record<string, string> {
  const base = settings['worktree.port_base']
  return {
    RALPH_WORKER: String(worker),
    ...(base === 0 ? {} : { RALPH_PORT_BASE: String(base + (worker - 1) * portsEach) }),
  }
}

/** Once per worktree: files that git does not bring, and the user's own command. Repeated after a kill. */
async function prepare(
  world: Pick<Work, 'root' | 'settings'>,
  apart: Apart,
  iteration: number,
  { report, stop }: Deed,
): Promise<string | null> {
  const ready = readyPath(apart.git)
  if (existsSync(ready)) return null
  for (const path of world.settings['worktree.copy']) {
    const problem = copied(world.root, apart.root, path)
    if (problem !== null) report(noticed('worktree-copy', problem))
  }
  const problem = await setUp(apart, iteration, stop)
  const isBare = world.settings['worktree.copy'].length === 0 && world.settings['worktree.setup'] === ''
  const ignored = isBare || problem !== null ? [] : (await apart.git.snapshotWithIgnored()).ignored
  if (problem === null) replaceFile(ready, ignored.map((path) => `${path}\0`).join(''))
  return problem
}

const readyPath = ({ dir }: Pick<Git, 'dir'>): string => join(dir, 'ralph-ready')

/** What git ignored in a worktree when it was prepared. */
const readyWith = (git: Pick<Git, 'dir'>): string[] | undefined => readIfThere(readyPath(git))?.split('\0').filter(Boolean)

/** The user's command that prepares a new worktree or copy. null: done. */
export async function setUp(world: Omit<GatesWorld, 'screen'>, iteration: Scope, stop: AbortSignal): Promise<string | null> {
  const command = world.settings['worktree.setup']
  if (command === '') return null
  const [, timeoutMs] = limitsOf(world, 'gates.tests_minutes')
  const doors = doorsOf(world, iteration)
  const result = await runGate(
    { name: 'worktree.setup', command },
    { cwd: world.root, env: world.env, ...doors, timeoutMs, stop },
  )
  return result.passed ? null : `worktree.setup failed (${command}): ${result.output.split('\n').slice(-20).join('\n')}`
}

function copied(from: string, to: string, path: string): string | null {
  const way = relative(from, join(from, path))
  if (way === '' || way.startsWith('..')) return `worktree.copy: ${path} is not inside the project and was not copied`
  try {
    const mode = constants.COPYFILE_FICLONE
    cpSync(join(from, way), join(to, way), {
      recursive: true,
      force: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      filter: isCopyable,
      mode,
    })
    return null
  } catch (error) {
    return errorCode(error) === 'ENOENT'
      ? `worktree.copy: ${path} does not exist`
      : `worktree.copy: ${path} could not be copied: ${(error as Error).message}`
  }
}

/**
 * Merges what landed meanwhile, if nothing is uncommitted and it fits; if it conflicts, the worktree stays behind, and the agent is told. Returns
 * where it left the run's branch; null: must be asked.
 */
async function bringUpToDate(
  world: Pick<Work, 'git' | 'branch'>,
  { git, place }: Apart,
): Promise<{ fork: string | null; isBehind: boolean }> {
  const [own, tip] = [await git.head(), await tipOf(world)]
  if (own === null || own === tip || !(await git.isClean())) return { fork: null, isBehind: false }
  const joined = await git.joined(own, tip, {
    own: 'theirs',
    message: `Merge ${place.onto ?? tip.slice(0, 10)} into ${place.branch}\n`,
  })
  if (joined !== null && 'conflict' in joined) await git.takeOwn(tip)
  if (joined === null || 'conflict' in joined) return { fork: null, isBehind: joined !== null }
  return { fork: (await git.resetTo(joined.commit)) === null ? tip : null, isBehind: false }
}

/** Plan and notes from the run: committed versions may be older, or missing. */
async function giveFiles(world: Pick<Work, 'dir' | 'plan'>, apart: Apart): Promise<void> {
  ensureIgnored(apart.root)
  const attributes = join(stateFolder(apart.root), '.gitattributes')
  if (!existsSync(attributes))
    replaceFile(attributes, `# In this worktree alone: git merge leaves Ralph's own files as they are.\n* merge=${ownDriver}\n`)
  const plan = world.plan.current()
  if (plan !== null) replaceFile(join(apart.dir, plan.file), plan.text)
  const progress = readIfThere(progressPath(world.dir))
  if (progress !== null) replaceFile(progressPath(apart.dir), progress)
  const specs = join(world.dir, 'specs')
  if (existsSync(specs) && !existsSync(join(apart.dir, 'specs')))
    cpSync(specs, join(apart.dir, 'specs'), { recursive: true, filter: isCopyable })
}

/** The plan given to the worktree: differences are the agent's. */
async function lastPlan({ plan }: Pick<Work, 'plan'>, dir: string): Promise<PlanFile | null> {
  const now = plan.current()
  const text = now === null ? null : readIfThere(snapshotPath(dir, now.file))
  return now === null || text === null ? now : { ...(await parsePlan(now.file, text)), file: now.file }
}
