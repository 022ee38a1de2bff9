/** Real repositories in a temporary folder for tests; removed after the tests of a file. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { type Git, openGit } from '../../src/adapters/git/git.ts'
import { historyOf } from '../../src/adapters/git/history.ts'
import { type Objects, openObjects } from '../../src/adapters/git/objects/read.ts'
import { type Writer, writerIn } from '../../src/adapters/git/objects/write.ts'
import type { Aside } from '../../src/adapters/git/rescue/put-aside-request.ts'
import { type Rescue, rescueOf } from '../../src/adapters/git/rescue/rescue.ts'
import { gitIn, type RunGit } from '../../src/adapters/git/run.ts'
import { readStatus } from '../../src/adapters/git/status.ts'

export const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-git-')))
export const home = join(folder, 'home')
mkdirSync(home)
const opened: Git[] = []
after(() => {
  for (const git of opened) git.close()
  rmSync(folder, { recursive: true })
})
export const env = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' }

export type TestRepository = {
  top: string
  git: Git
  sh: (...args: string[]) => string
  write: (files: Record<string, string>) => void
}

let places = 0
export const newFolder = (): string => join(folder, String(++places))
export async function repository({ root = '', init = [] as string[] } = {}): Promise<TestRepository> {
  const top = newFolder()
  mkdirSync(join(top, root), { recursive: true })
  shIn(top)('init', '-q', '-b', 'main', ...init)
  return placeAt(top, root)
}

export async function placeAt(top: string, root = ''): Promise<TestRepository> {
  const sh = shIn(top)
  sh('config', 'user.name', 'someone')
  sh('config', 'user.email', 'someone@example.org')
  const git = await openGit(join(top, root), env)
  assert(git)
  opened.push(git)
  return { top, git, sh, write: (files) => writeFiles(top, files) }
}

export const shIn =
  (cwd: string) =>
  (...args: string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()

export function writeFiles(top: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true })
    writeFileSync(join(top, name), text)
  }
}

/** A repository with one commit of these files. */
export async function committed(files: Record<string, string> = { 'a.txt': 'a\n' }, options = {}): Promise<TestRepository> {
  const place = await repository(options)
  place.write(files)
  commitAll(place, 'first')
  return place
}

export function commitAll({ sh }: TestRepository, message: string): string {
  sh('add', '-A')
  sh('commit', '-q', '--allow-empty', '-m', message)
  return sh('rev-parse', 'HEAD')
}

export function commitIn(place: TestRepository, path: string, text: string): string {
  place.write({ [path]: text })
  return commitAll(place, path)
}

/** Only the rescue part, with a hook before each git call: throwing there simulates a kill. */
export function rescueAt(top: string, step: () => void): Rescue & { close(): void } {
  const [git, { read, close }] = [gitIn(top, env), openObjects(top, env)]
  async function stepped<T>(ask: () => Promise<T>): Promise<T> {
    step()
    return ask()
  }
  const objects: Objects = { read: (name) => stepped(() => read(name)), close }
  const dir = join(top, '.git')
  const own = writerIn({ top, dir, run: git, algorithm: 'sha1' }, env)
  const writer: Writer = {
    tree: (body) => stepped(() => own.tree(body)),
    commit: (commit, by) => stepped(() => own.commit(commit, by)),
    setRef: (ref, commit, old) => stepped(() => own.setRef(ref, commit, old)),
    close: own.close,
  }
  const run: RunGit = (args, how) => stepped(() => git(args, how))
  return {
    ...rescueOf({
      top,
      dir,
      run,
      objects,
      writer,
      statusNow: () => readStatus(run, { withIgnored: true }),
      isOwn: (path) => path.startsWith('.ralph/'),
      others: [':/', ':(top,exclude,literal).ralph'],
      contentOf: historyOf(git, objects, 'sha1', '.ralph').contentOf,
      inProgress: () => null,
      noId: '0'.repeat(40),
    }),
    close() {
      close()
      own.close()
    },
  }
}

/** Everything a user could miss: HEAD, branch, index, and every file on disk byte for byte, outside `.git` and `.ralph`. */
export function pictureOf({ top, sh }: Pick<TestRepository, 'top' | 'sh'>) {
  return {
    head: sh('rev-parse', 'HEAD'),
    branch: sh('rev-parse', '--symbolic-full-name', 'HEAD'),
    index: sh('ls-files', '--stage')
      .split('\n')
      .filter((line) => !line.includes('\t.ralph/')),
    files: filesOnDisk(top),
  }
}

export function filesOnDisk(top: string, folder = ''): Record<string, string> {
  const files: Record<string, string> = {}
  for (const name of readdirSync(join(top, folder)).sort()) {
    const path = join(folder, name)
    const stat = lstatSync(join(top, path))
    if (name === '.git' || path === '.ralph') continue
    if (stat.isDirectory()) Object.assign(files, filesOnDisk(top, path))
    else if (stat.isSymbolicLink()) files[path] = `-> ${readlinkSync(join(top, path))}`
    else files[path] = `${stat.mode & 0o100 ? 'x ' : ''}${readFileSync(join(top, path), 'latin1')}`
  }
  return files
}

export const KEY = 'login/S-1'
export const FAIL = 'wip/ralph-fail-S-1-20260109-120000'
export const aside = (more: Partial<Aside> = {}): Aside => ({
  key: KEY,
  branch: FAIL,
  message: 'wip: S-1 failed\n',
  ownCommits: [],
  notes: [],
  ...more,
})
export const show = ({ sh }: TestRepository, path: string, branch = FAIL) => sh('show', `${branch}:${path}`)
export const names = ({ sh }: TestRepository, commit: string) => sh('ls-tree', '-r', '--name-only', commit).split('\n')

/** A repository whose user is in the middle of every kind of change. */
export async function busyUser(): Promise<TestRepository> {
  const place = await committed({
    '.gitignore': 'secret.env\nout/\n',
    'a.txt': 'a\n',
    'staged.txt': 'old\n',
    'unstaged.txt': 'old\n',
    'both.txt': 'old\n',
    'deleted.txt': 'x\n',
    'dir/tracked.txt': 't\n',
  })
  place.write({ 'staged.txt': 'staged\n', 'both.txt': 'staged\n', 'added.txt': 'added\n' })
  place.sh('add', 'staged.txt', 'both.txt', 'added.txt')
  place.write({
    'unstaged.txt': 'unstaged\n',
    'both.txt': 'and more\n',
    'untracked.txt': 'mine\n',
    'secret.env': 'KEY=1\n',
    'out/x': 'x',
  })
  rmSync(join(place.top, 'deleted.txt'))
  return place
}
