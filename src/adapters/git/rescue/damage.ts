/** Repairs a repository after a power cut: moves broken files away, and resets branches to the newest intact commit. The work tree stays. */
import { closeSync, existsSync, mkdirSync, readdirSync, readSync, renameSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../../files/files.ts'
import { openRegular, readRegular } from '../../files/open.ts'
import { gitIn, type RunGit } from '../run.ts'
import { commonDirOf, objectsDirOf } from '../worktree-folders.ts'

/** `did`: what was repaired; `head`: the commit of the branch now, if it was reset. `problem`: no commit is intact. */
export type Repaired = { did: string[]; head: string | null } | { problem: string }

/** Known from elsewhere: the branch of the run (null: none), and its commits, newest first. */
export type KnownCommits = { branch: string | null; heads: string[] }

type DamagedAt = { top: string; dir: string; env: NodeJS.ProcessEnv }

/** null: nothing is wrong. Safe to repeat. */
export async function repairRepository({ top, dir, env }: DamagedAt, known: KnownCommits): Promise<Repaired | null> {
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
    ...(objects.length === 0 ? [] : [`${counted(objects.length, 'object')} in .git could not be read`]),
    ...(refs.length === 0 ? [] : [`empty: ${refs.map((path) => relative(common, path)).join(', ')}`]),
    ...(worktrees.length === 0 ? [] : [`${counted(worktrees.length, 'worktree')} in ${common} cannot be read`]),
  ]
  await dropLostRefs(run)
  const stories = (await run(['for-each-ref', '--format=%(refname)', 'refs/heads/wip/ralph-work-*'])).out
    .toString()
    .split('\n')
    .filter(Boolean)
  for (const ref of stories) await repairRef(run, common, ref, [])
  const ref = known.branch === null ? 'HEAD' : `refs/heads/${known.branch}`
  const repaired = await repairRef(run, common, ref, known.heads)
  if (repaired === null) return { problem: damageWords(top, said.words) }
  if (repaired.was !== repaired.is)
    did.push(`${known.branch ?? 'HEAD'} is at ${repaired.is.slice(0, 10)} again, the newest intact commit`)
  const isIndexBroken = (await run(['ls-files', '--stage'])).code !== 0
  if (isIndexBroken || repaired.was !== repaired.is) {
    if (isIndexBroken && existsSync(join(dir, 'index'))) aside(join(dir, 'index'))
    await run(['read-tree', 'HEAD'], { kind: 'write' }) // files stay as they are: changes of lost commits are uncommitted now
    if (isIndexBroken) did.push('the index was rebuilt')
  }
  const after = await run(['status', '--porcelain', '--untracked-files=no'])
  if (after.code !== 0) return { problem: damageWords(top, after.words) }
  return { did, head: repaired.was === repaired.is ? null : repaired.is }
}

/** With an empty HEAD, git says that there is no repository; with half of one, that there is no commit. Returns whether it was either. */
export function reviveHead(dir: string, branch: string): boolean {
  const head = join(dir, 'HEAD')
  const whole = `ref: refs/heads/${branch}\n`
  const text = (readIfThere(head) ?? '').replaceAll('\0', '')
  const isTorn = text.trim() === '' || (whole.startsWith(text) && text !== whole)
  if (!isTorn || text === whole.trim() || !existsSync(join(dir, 'objects'))) return false
  replaceFile(head, whole)
  return true
}

const damageWords = (top: string, words: string): string =>
  `The git repository in ${top} is damaged, as after a power cut (git: ${words.split('\n')[0]}), and its branch has no intact commit. Your files are still there. Restore .git from a backup, or put the .git of a fresh clone there, then run again.`

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function moveTo(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  let free = to
  for (let number = 1; existsSync(free); number++) free = `${to}.${number}`
  renameSync(path, free)
}

/** Loose objects that are empty or full of zeros: git compresses, so valid ones start with an x. */
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

/** Ralph's refs whose commit is gone: they are useless, and git fails on them when it packs. */
async function dropLostRefs(run: RunGit): Promise<void> {
  const { out } = await run(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/ralph'])
  for (const line of out.toString().split('\n').filter(Boolean)) {
    const [id, ref] = line.split(' ') as [string, string]
    if ((await run(['cat-file', '-e', id])).code !== 0) await run(['update-ref', '-d', ref], { kind: 'write' })
  }
}

/** Resets an unreadable branch to the newest intact commit, by its reflog and the known commits. null: there is none. */
async function repairRef(run: RunGit, common: string, ref: string, heads: string[]): Promise<{ was: string; is: string } | null> {
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

/** Checks that all its files and folders exist, and all commits before it. */
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
  return before.code === 0 || /did not end in/.test(before.words) // a long history: the newest part was read
}
