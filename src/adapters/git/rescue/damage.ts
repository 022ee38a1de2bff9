/** A repository after a power cut: what is empty or broken goes aside, and branches go back to the newest commit that can be read. No file of the work tree is touched. */
import { closeSync, existsSync, mkdirSync, readdirSync, readSync, renameSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../../files/files.ts'
import { openRegular, readRegular } from '../../files/open.ts'
import { gitIn, type RunGit } from '../run.ts'
import { commonDirOf, objectsDirOf } from '../worktree-folders.ts'

/** `did`: in words; `head`: where the branch is now, if it had to go back. `problem`: nothing can be read that a run could go on from. */
export type Mended = { did: string[]; head: string | null } | { problem: string }

/** What is known from elsewhere: the branch that is worked on (null: none), and commits that it had, the newest first. */
export type KnownCommits = { branch: string | null; heads: string[] }

type DamagedAt = { top: string; dir: string; env: NodeJS.ProcessEnv }

/** null: nothing is wrong. Safe to do again. */
export async function mendRepository({ top, dir, env }: DamagedAt, known: KnownCommits): Promise<Mended | null> {
  const common = commonDirOf(dir)
  const run = gitIn(top, env)
  const aside = (path: string): void => moveTo(path, join(common, 'ralph-damaged', relative(common, path)))
  const objects = brokenObjects(objectsDirOf(dir, env))
  const refs = brokenRefs(join(common, 'refs'))
  const worktrees = brokenWorktrees(join(common, 'worktrees'))
  const said = await run(['status', '--porcelain', '--untracked-files=no'])
  if (objects.length + refs.length + worktrees.length === 0 && said.code === 0) return null
  for (const path of [...objects, ...refs, ...worktrees]) aside(path)
  const did = [
    ...(objects.length === 0 ? [] : [`${counted(objects.length, 'object')} of git could not be read`]),
    ...(refs.length === 0 ? [] : [`empty: ${refs.map((path) => relative(common, path)).join(', ')}`]),
    ...(worktrees.length === 0 ? [] : [`${counted(worktrees.length, 'worktree')} lost its files in ${common}`]),
  ]
  await dropLostRefs(run)
  const stories = (await run(['for-each-ref', '--format=%(refname)', 'refs/heads/wip/ralph-work-*'])).out
    .toString()
    .split('\n')
    .filter(Boolean)
  for (const ref of stories) await mendRef(run, common, ref, [])
  const ref = known.branch === null ? 'HEAD' : `refs/heads/${known.branch}`
  const mended = await mendRef(run, common, ref, known.heads)
  if (mended === null) return { problem: damageWords(top, said.words) }
  if (mended.was !== mended.is)
    did.push(`${known.branch ?? 'HEAD'} is at ${mended.is.slice(0, 10)} again, the newest commit that can be read`)
  const isIndexBroken = (await run(['ls-files', '--stage'])).code !== 0
  if (isIndexBroken || mended.was !== mended.is) {
    if (isIndexBroken && existsSync(join(dir, 'index'))) aside(join(dir, 'index'))
    await run(['read-tree', 'HEAD'], { kind: 'write' }) // files stay as they are: what the lost commits had is uncommitted now
    if (isIndexBroken) did.push('the index was made anew')
  }
  const after = await run(['status', '--porcelain', '--untracked-files=no'])
  if (after.code !== 0) return { problem: damageWords(top, after.words) }
  return { did, head: mended.was === mended.is ? null : mended.is }
}

/** An empty HEAD makes git say that there is no repository. Whether it was that. */
export function reviveHead(dir: string, branch: string): boolean {
  const head = join(dir, 'HEAD')
  if (!existsSync(join(dir, 'objects')) || (readIfThere(head)?.trim() ?? '') !== '') return false
  replaceFile(head, `ref: refs/heads/${branch}\n`)
  return true
}

const damageWords = (top: string, words: string): string =>
  `The git repository in ${top} is damaged, as after a power cut (git: ${words.split('\n')[0]}), and no commit of its branch can be read as a whole. Your files are still there. Restore .git from a backup, or put the .git of a fresh clone there, then run again.`

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function moveTo(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  let free = to
  for (let number = 1; existsSync(free); number++) free = `${to}.${number}`
  renameSync(path, free)
}

/** Loose ones that are empty, or full of zeros: git compresses, and what it writes begins with an x. */
function brokenObjects(folder: string): string[] {
  const folders = entriesOf(folder).filter((name) => /^[0-9a-f]{2}$/.test(name))
  return folders.flatMap((name) =>
    entriesOf(join(folder, name))
      .filter((id) => /^[0-9a-f]{38,62}$/.test(id))
      .map((id) => join(folder, name, id))
      .filter((path) => firstByte(path) !== 0x78),
  )
}

function firstByte(path: string): number | null {
  const file = openRegular(path)
  try {
    const byte = Buffer.alloc(1)
    return readSync(file, byte, 0, 1, 0) === 0 ? null : byte.readUInt8()
  } finally {
    closeSync(file)
  }
}

function brokenRefs(folder: string): string[] {
  return entriesOf(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return brokenRefs(path)
    return name.endsWith('.lock') || /^(?:[0-9a-f]{40,64}|ref: .+)$/.test(readRegular(path).toString('latin1').trim())
      ? []
      : [path]
  })
}

const brokenWorktrees = (folder: string): string[] =>
  entriesOf(folder)
    .map((name) => join(folder, name))
    .filter((path) => ['HEAD', 'gitdir', 'commondir'].some((name) => (readIfThere(join(path, name)) ?? '').trim() === ''))

const entriesOf = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** Of our own, those whose commit is gone: nothing can be done with them, and git stumbles over them when it packs. */
async function dropLostRefs(run: RunGit): Promise<void> {
  const { out } = await run(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/ralph'])
  for (const line of out.toString().split('\n').filter(Boolean)) {
    const [id, ref] = line.split(' ') as [string, string]
    if ((await run(['cat-file', '-e', id])).code !== 0) await run(['update-ref', '-d', ref], { kind: 'write' })
  }
}

/** A branch that cannot be read goes back to the newest commit that can: by its own history, and what else is known. null: there is none. */
async function mendRef(run: RunGit, common: string, ref: string, heads: string[]): Promise<{ was: string; is: string } | null> {
  const now = (await run(['rev-parse', '--verify', '--quiet', ref])).out.toString().trim()
  const earlier = [...historyIn(common, ref), ...heads, ...(heads.length > 0 ? historyIn(common, 'HEAD') : [])]
  for (const commit of new Set([now, ...earlier].filter((id) => id !== ''))) {
    if (!(await isWhole(run, commit))) continue
    if (commit !== now) await run(['update-ref', '-m', 'ralph: the newest that can be read', ref, commit], { kind: 'write' })
    return { was: now, is: commit }
  }
  return null
}

/** Where it was, the newest first. */
const historyIn = (common: string, ref: string): string[] =>
  (readIfThere(join(common, 'logs', ref)) ?? '')
    .split('\n')
    .flatMap((line) => /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? [])
    .reverse()
    .slice(0, 100)

/** Its files and folders are all there, and so are the commits before it. */
async function isWhole(run: RunGit, commit: string): Promise<boolean> {
  const files = await run(['ls-tree', '-r', '-t', '-z', '--full-tree', commit])
  if (files.code !== 0) return false
  const ids = files.out
    .toString('latin1')
    .split('\0')
    .flatMap((line) => /^\d+ (?:blob|tree) (\w+)\t/.exec(line)?.[1] ?? [])
  const checked = await run(['cat-file', '--batch-check'], { input: `${[commit, ...new Set(ids)].join('\n')}\n` })
  if (checked.code !== 0 || / missing\n/.test(checked.out.toString('latin1'))) return false
  const before = await run(['rev-list', '--objects', '--quiet', commit])
  return before.code === 0 || /did not end in/.test(before.words) // a long history: what is newest was read
}
