/** Real repositories in a temporary folder, for tests; the folder goes when the tests of a file are over. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { type Git, openGit } from '../git.ts'

export const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-git-')))
export const home = join(folder, 'home')
mkdirSync(home)
const opened: Git[] = []
after(() => {
  for (const git of opened) git.close()
  rmSync(folder, { recursive: true })
})
export const env = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' }

export type Place = { top: string; git: Git; sh: (...args: string[]) => string; write: (files: Record<string, string>) => void }

let places = 0
export const newFolder = (): string => join(folder, String(++places))
export async function repository({ root = '', init = [] as string[] } = {}): Promise<Place> {
  const top = newFolder()
  mkdirSync(join(top, root), { recursive: true })
  shIn(top)('init', '-q', '-b', 'main', ...init)
  return placeAt(top, root)
}

export async function placeAt(top: string, root = ''): Promise<Place> {
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
export async function committed(files: Record<string, string> = { 'a.txt': 'a\n' }, options = {}): Promise<Place> {
  const place = await repository(options)
  place.write(files)
  commitAll(place, 'first')
  return place
}

export function commitAll({ sh }: Place, message: string): string {
  sh('add', '-A')
  sh('commit', '-q', '--allow-empty', '-m', message)
  return sh('rev-parse', 'HEAD')
}
