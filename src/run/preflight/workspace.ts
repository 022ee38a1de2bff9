/** A worktree of a feature, where the ordinary loop runs while the user's checkout stays as it is: made once, found by every command. */
import { constants, cpSync, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { isCopyable } from '../../adapters/files/open.ts'
import { type Git, openGit } from '../../adapters/git/git.ts'
import { gitIn } from '../../adapters/git/run.ts'
import { commonDirOf, gitDirsFor } from '../../adapters/git/worktree-folders.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { openLog } from '../../adapters/project/event-log.ts'
import { lockPath } from '../../adapters/project/find.ts'
import { ensureIgnored } from '../../adapters/project/gitignore.ts'
import { archiveFolder, eventLogPath, inboxFolder, projectLogsFolder, stateFolder } from '../../adapters/project/layout.ts'
import { readLock } from '../../adapters/project/lock.ts'
import { copiesFolder } from '../../adapters/project/log/second-copy.ts'
import { lookInto } from '../../adapters/test-command/look.ts'
import type { Settings } from '../../config/table.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { shownPaths } from '../../core/prompt/users-files.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { openScreen } from '../outputs/screen.ts'
import { inWorkspace, workspaceFolder } from '../parallel/workspace-place.ts'
import { setUp } from '../parallel/worktree.ts'
import { tooFull } from '../parallel/worktree-paths.ts'
import { askOnTerminal } from '../people/ask-on-terminal.ts'
import type { Project } from '../project.ts'
import type { World } from '../world.ts'

/** Made, or found as an earlier run left it. Returns the project in it. */
export async function enterWorkspace(project: Project, settings: Settings, io: Io): Promise<Project> {
  const git = await openGit(project.root, io.env)
  if (git === null)
    throw new Failure(
      EXIT.config,
      `workspace: worktree needs a git repository. Run "git init" and commit, or set workspace: checkout.`,
    )
  try {
    const from = await git.head()
    if (from === null)
      throw new Failure(
        EXIT.data,
        `The repository in ${git.top} has no commit yet. Create the first one (git commit), then run again.`,
      )
    const path = workspaceFolder(project, project.feature)
    const { plan } = await readPlan(project.dir, project.label)
    const branch = plan?.plan.branch || `${settings['branch.prefix']}${project.feature}`
    await checkFree(git, branch, path)
    checkIdle(project)
    const crowded = tooFull({ settings }, path)
    if (crowded !== null) throw new Failure(EXIT.data, crowded)
    const isNew = (await git.branchTip(branch)) === null
    const log = lostLog(git, path, project.feature)
    // A folder that was deleted by hand is still in git's list.
    const cleared = await git.removeWorktrees([path])
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const refused = cleared ?? (await git.addWorktree(path, branch, from))
    if (refused !== null) throw new Failure(EXIT.data, `git did not create the worktree ${path}: ${refused.error.trimEnd()}`)
    const there = inWorkspace(project, path, relative(git.top, realpathSync(project.root)))
    giveState(project, there, { isNew, log })
    if (isNew) noteOrigin(there, branch, await git.currentBranch())
    return there
  } finally {
    git.close()
  }
}

/** For its pull request. */
function noteOrigin({ dir }: Project, branch: string, base: string | null): void {
  const log = openLog(eventLogPath(dir))
  log.append([{ at: instantOf(Date.now()), run: '', kind: 'branch.created', branch, base }])
  log.close()
}

/** git checks a branch out in one worktree only. */
async function checkFree(git: Git, branch: string, path: string): Promise<void> {
  const other = (await git.listWorktrees()).find((each) => each.branch === branch && each.path !== path && existsSync(each.path))
  if (other !== undefined)
    throw new Failure(
      EXIT.data,
      `The branch ${branch} is checked out in ${other.path}, and git checks out a branch in one worktree only. Switch there to another branch (git -C ${other.path} switch <branch>), then run again.`,
    )
}

/** A run in the checkout would write to the same feature. */
function checkIdle({ root, feature }: Project): void {
  const held = readLock(lockPath(root))
  if (held?.purpose === 'run' && held.feature === feature)
    throw new Failure(EXIT.busy, `A run of ${feature} is live in ${root}. Stop it first (ralph stop), then run again.`)
}

/** The log of a worktree that somebody deleted: git still has its folder, with the copy. */
function lostLog(git: Git, path: string, feature: string): string | null {
  const copies = gitDirsFor(commonDirOf(git.dir), [path])
    .map((dir) => join(dir, copiesFolder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.startsWith(`${feature}-`))
        .map((name) => join(folder, name)),
    )
  const [newest] = copies.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
  return newest === undefined ? null : readIfThere(newest)
}

/** Plan, settings and history that are not committed come along; what an existing branch has of them is newer. */
function giveState(from: Project, to: Project, { isNew, log }: { isNew: boolean; log: string | null }): void {
  const own = stateFolder(from.root)
  for (const name of existsSync(own) ? readdirSync(own) : []) {
    const path = join(own, name)
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
    if ((isFile && name !== 'lock') || name === 'templates') copy(path, join(stateFolder(to.root), name), isNew)
  }
  if (log === null) copy(from.dir, to.dir, isNew)
  else replaceFile(eventLogPath(to.dir), log)
  mkdirSync(to.dir, { recursive: true })
  ensureIgnored(to.root)
}

const copy = (from: string, to: string, force = true): void =>
  cpSync(from, to, {
    recursive: true,
    force,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => isCopyable(path) && path !== inboxFolder(dirname(path)),
  })

/** Once per worktree: the user's own command, or dependencies from the checkout, or the command that the lock file asks for. false: nothing was put there. */
export async function prepareWorkspace(world: World): Promise<boolean> {
  const { git, main, settings } = world
  if (git === null || main === undefined) return false
  const ready = join(git.dir, 'ralph-ready')
  if (existsSync(ready)) return false
  for (const path of settings['worktree.copy']) if (existsSync(join(main, path))) copy(join(main, path), join(world.root, path))
  const given = settings['worktree.setup']
  const folder = given === '' ? dependenciesIn(main, world.root) : null
  if (folder !== null) {
    world.screen.say('plain', `Copying ${folder} into the worktree`)
    copy(join(main, folder), join(world.root, folder))
  }
  const command = given !== '' || folder !== null ? given : (setupCommand(world.root) ?? '')
  if (command !== '') world.screen.say('plain', `Preparing the worktree: ${command}`)
  const problem = await setUp(
    { ...world, settings: { ...settings, 'worktree.setup': command } },
    'whole',
    new AbortController().signal,
  )
  if (problem !== null && given !== '') throw new Failure(EXIT.data, problem)
  if (problem !== null) world.screen.say('warn', `! ${problem}\n  Set worktree.setup to the command that prepares a checkout.`)
  replaceFile(ready, '')
  return folder !== null || command !== '' || settings['worktree.copy'].length > 0
}

/** A virtual environment of Python names its own place: it is made again. */
const dependenciesIn = (main: string, root: string): string | null =>
  existsSync(join(main, 'node_modules')) && !existsSync(join(root, 'node_modules')) ? 'node_modules' : null

/** The command that installs exactly what a lock file says; undefined: there is none. */
function setupCommand(root: string): string | undefined {
  const look = lookInto(root)
  const found = Object.entries(installs).find(([file]) => look.has(file))
  return found?.[1]
}

const installs: Record<string, string> = {
  'package-lock.json': 'npm ci',
  'npm-shrinkwrap.json': 'npm ci',
  'pnpm-lock.yaml': 'pnpm install --frozen-lockfile',
  'yarn.lock': 'yarn install --frozen-lockfile',
  'bun.lock': 'bun install --frozen-lockfile',
  'bun.lockb': 'bun install --frozen-lockfile',
  'uv.lock': 'uv sync',
  'poetry.lock': 'poetry install',
  'Pipfile.lock': 'pipenv sync --dev',
  'Gemfile.lock': 'bundle install',
  'composer.lock': 'composer install',
}

/** After `ralph archive`: what git ignores of the archive goes to the checkout, where a merge brings the rest; then the worktree goes. null: done. */
export async function leaveWorkspace({ root, main }: { root: string; main: string }, io: Io): Promise<string | null> {
  const git = await openGit(root, io.env)
  const outer = await openGit(main, io.env)
  try {
    if (git === null || outer === null) return 'it is no longer in a repository'
    const open = await git.uncommitted()
    if (open.length > 0)
      return `it has uncommitted changes (${shownPaths(open, 5)}). Commit them there or discard them, then: git worktree remove --force ${git.top}`
    const folders = [archiveFolder(''), projectLogsFolder('')]
    const { out } = await gitIn(root, io.env)(['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...folders])
    for (const path of out.toString().split('\0').filter(Boolean)) copy(join(root, path), join(main, path))
    return (await outer.removeWorktrees([git.top]))?.error ?? null
  } finally {
    git?.close()
    outer?.close()
  }
}

const silenceMs = 60_000

/** On a terminal, before the first run of a feature beside uncommitted files, unless the settings say what to do. */
export async function wantsWorkspace(
  project: Project,
  { settings, sources }: { settings: Settings; sources: Partial<Record<string, string>> },
  options: Parameters<typeof openScreen>[0],
  io: Io,
): Promise<boolean> {
  const isOpen = sources['git.dirty'] === 'default' && sources['workspace'] === 'default' && settings['parallel.workers'] === 1
  if (!io.isAttended || !isOpen || existsSync(eventLogPath(project.dir))) return false
  const git = await openGit(project.root, io.env)
  const files = (await git?.uncommitted()) ?? []
  git?.close()
  if (files.length === 0) return false
  const screen = openScreen(options)
  const count = `${files.length.toLocaleString('en')} uncommitted ${files.length === 1 ? 'file' : 'files'} (${shownPaths(files, 3)})`
  const question = `${count}. Continue here (${files.length === 1 ? 'it stays' : 'they stay'} yours, and out of every commit), or work in a worktree of its own?`
  const answers = { keys: { c: 'continue here', w: 'worktree', q: 'quit' }, timeoutMs: silenceMs, silence: 'continues here' }
  const key = await askOnTerminal(screen, io.isAttended)(question, answers, new AbortController().signal)
  screen.close()
  if (key === 'q') throw new Failure(EXIT.data, 'Nothing was started. Commit or stash your files, or use --dirty or --worktree.')
  return key === 'w'
}
