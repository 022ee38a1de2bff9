/** A feature's working copy on this machine: cloned or fetched, reset to where the last worker left it, and pushed from. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../adapters/files/files.ts'
import { openGit } from '../adapters/git/git.ts'
import { gitIn, type RunGit, type Said } from '../adapters/git/run.ts'
import { readPlan } from '../adapters/plan/find-plan.ts'
import { ralphHome } from '../adapters/project/find.ts'
import { archiveFolder, featureFolder, featureLabel, NAMES, STATE_FOLDER } from '../adapters/project/layout.ts'
import { EXIT, Failure, sure } from '../core/failure.ts'
import { jsonIn, recordOf } from '../core/text/json.ts'
import { placeOf } from '../run/parallel/worktree-paths.ts'
import type { TakenLease, TurnResult } from './leases.ts'
import type { Checkpoint } from './write-turn.ts'

export type Copy = {
  folder: string
  /** The feature's folder in it. */
  dir: string
  branch: string
  /** How many lines of the mirrored log belong to the checked-out commit. */
  seq: number
  /** It is complete: a worker died before it could report that. */
  outcome: TurnResult | null
  head(): Promise<string>
  /** Ralph's own files that are in no commit. */
  ownFiles(): Promise<Record<string, string>>
  /** Stores uncommitted work for the next worker; `isDirty`: there is some. */
  keepWork(isDirty: boolean): Promise<void>
  push(to: Checkpoint, seconds: number): Promise<Push>
  /** Whether the branch on the remote has the completed feature. */
  completedThere(): Promise<TurnResult | null>
}
/** `moved`: somebody else pushed to the branch. `refused`: the remote rejected it or was not reachable; a retry may work. */
export type Push = 'done' | { moved: string } | { refused: string }

/** git's own words when it failed: the network or the remote, which may come back. */
export class GitTrouble extends Error {}

const fetchSeconds = 1800
/** The ref name for uncommitted work. */
const workKey = 'fleet'

export async function makeCopy(place: string, taken: TakenLease, env: NodeJS.ProcessEnv): Promise<Copy> {
  const { repository, feature } = taken
  const safe = safeEnv(env)
  removeCopy(place, taken, env) // from a try that the remote interrupted
  const shared = await fetched(place, repository, safe)
  const folder = copyFolder(place, taken)
  mkdirSync(join(place, 'work'), { recursive: true })
  const { base, tips } = shared
  const start = taken.base || base
  const first = tips.get(start)
  if (first === undefined)
    throw new Failure(
      EXIT.data,
      `${repository} has no branch ${start || 'to begin with'}. Push it, or name another with --branch.`,
    )
  await must(gitIn(place, safe), ['clone', '--quiet', '--shared', '--no-checkout', '--no-tags', shared.path, folder])
  const git = gitIn(folder, safe)
  await must(git, ['config', 'remote.origin.url', repository])
  await must(git, ['switch', '--quiet', '--detach', first])
  const dir = featureFolder(folder, feature)
  const branch = taken.branch || (await branchOf(dir, feature, git))
  const tip = tips.get(branch) ?? null
  // A branch that was pushed once and is gone was deleted by somebody; use ours if it is known here, otherwise start over.
  await must(git, ['switch', '--quiet', '-C', branch, tip ?? first])
  const arrived = taken.pushing !== null && taken.pushing.head === tip ? taken.pushing : null
  const kept = tip === null ? null : arrived === null ? taken.outcome : arrived.outcome
  const outcome = kept ?? (existsSync(dir) ? null : await completedOn(git, 'HEAD', branch, feature))
  if (!existsSync(dir) && outcome === null)
    throw new Failure(
      EXIT.data,
      `No feature ${feature} on ${branch} of ${repository}. Commit and push .ralph/${feature}, then submit it again.`,
    )
  const seq = tip === null ? 0 : (arrived?.seq ?? taken.headSeq)
  const files = tip === null ? {} : (arrived?.files ?? taken.files)
  for (const [name, text] of Object.entries(files)) replaceFile(join(folder, name), text)
  let known = await bringRefs(git, feature)
  if (tip !== null) await restoreWork(folder, safe)
  let expected = tip
  return {
    folder,
    dir,
    branch,
    seq,
    outcome,
    head: async () => said(await asked(git, ['rev-parse', 'HEAD'])),
    ownFiles: () => ownFiles(git, folder),
    keepWork: (isDirty) => keepWork(folder, safe, isDirty),
    async completedThere() {
      const { code } = await git(['fetch', '--quiet', '--no-tags', 'origin', `refs/heads/${branch}`], { kind: 'write' })
      return code === 0 ? completedOn(git, 'FETCH_HEAD', branch, feature) : null
    },
    async push(to, seconds) {
      const timed = gitIn(folder, { ...safe, RALPH_GIT_SECONDS: String(seconds) })
      const now = await localRefs(git)
      const specs = [...changedRefs(known, now, feature), ...(await failureBranches(git))]
      const target = `refs/heads/${branch}`
      const lease = `--force-with-lease=${target}:${expected ?? ''}`
      const args = ['push', '--quiet', '--no-verify', '--atomic', lease, 'origin', `${to.head}:${target}`, ...specs]
      const { code, words } = await timed(args, { kind: 'write' })
      if (code === 0) {
        expected = to.head
        known = now
        return 'done'
      }
      const there = await remoteTip(timed, target)
      if (there === undefined || there === expected) return { refused: words }
      if (there === to.head || there === taken.pushing?.head) {
        expected = there // it arrived without an answer; or it is from a turn that has ended
        return there === to.head ? 'done' : { refused: words }
      }
      return { moved: there ?? 'nothing (deleted)' }
    },
  }
}

/**
 * The branch itself says that the feature is done: it is in the archive there, with the report of a complete run. So a completed feature stays
 * completed, even if the database was restored from an older backup.
 */
async function completedOn(git: RunGit, commit: string, branch: string, feature: string): Promise<TurnResult | null> {
  const args = ['ls-tree', '-z', '--name-only', commit, `${archiveFolder('')}/`]
  const folders = said(await asked(git, args), false)
    .split('\0')
    .filter((path) => isArchiveOf(path, feature))
  for (const folder of folders) {
    const { code, out } = await git(['cat-file', 'blob', `${commit}:${folder}/${NAMES.reportJson}`])
    if (code === 0 && isComplete(out.toString(), feature))
      return { state: 'completed', exitCode: 0, reason: `${feature} is complete: see ${folder} on ${branch}` }
  }
  return null
}

/** By name alone, 2026-01-09-login-2 may belong to login or to login-2: its report says which. */
const isArchiveOf = (path: string, feature: string): boolean =>
  /^\.ralph\/archive\/\d{4}-\d\d-\d\d-/.test(path) && path.slice('.ralph/archive/2026-01-09-'.length).startsWith(feature)

function isComplete(report: string, feature: string): boolean {
  const said = recordOf(jsonIn(report))
  return said['feature'] === feature && said['outcome'] === 'complete'
}

/** When a worker no longer needs it. */
export const removeCopy = (place: string, taken: TakenLease, env: NodeJS.ProcessEnv): void =>
  removeAt(copyFolder(place, taken), env)

/** From a worker that died here. */
export function removeCopies(place: string, env: NodeJS.ProcessEnv): void {
  const work = join(place, 'work')
  for (const name of existsSync(work) ? readdirSync(work) : []) removeAt(join(work, name), env)
}

/** With the worktrees of its stories, which are elsewhere. */
function removeAt(root: string, env: NodeJS.ProcessEnv): void {
  const { path } = placeOf({ root, home: ralphHome(env), feature: 'any' }, 'any')
  for (const folder of [root, dirname(dirname(path))]) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** One per turn: the end of one must not touch the start of the next. */
const copyFolder = (place: string, { key, turn, token }: TakenLease): string =>
  join(place, 'work', `${key}-${turn}-${token.slice(0, 8)}`)

/** Only transports for code: other URLs can start programs. */
const safeEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  GIT_SSH_COMMAND: env['GIT_SSH'] ? undefined : 'ssh -o BatchMode=yes',
  ...env,
  GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
})

type Shared = { path: string; base: string; tips: Map<string, string> }
const fetching = new Map<string, Promise<unknown>>()

/** One clone per repository and machine, whose objects all copies share; one fetch at a time. */
async function fetched(place: string, repository: string, env: NodeJS.ProcessEnv): Promise<Shared> {
  const path = join(place, 'repositories', `${createHash('sha256').update(repository).digest('hex').slice(0, 16)}.git`)
  const before = fetching.get(path) ?? Promise.resolve()
  const now = before.catch(() => {}).then(() => fetchInto(path, repository, env))
  fetching.set(path, now)
  return now
}

async function fetchInto(path: string, repository: string, env: NodeJS.ProcessEnv): Promise<Shared> {
  mkdirSync(path, { recursive: true })
  const git = gitIn(path, { ...env, RALPH_GIT_SECONDS: String(fetchSeconds) })
  if (!existsSync(join(path, 'HEAD'))) {
    await must(git, ['init', '--quiet', '--bare'])
    // Copies use these objects: none may be pruned.
    await must(git, ['config', 'gc.auto', '0'])
  }
  await must(git, ['fetch', '--quiet', '--prune', '--no-tags', '--', repository, '+refs/heads/*:refs/heads/*'])
  const head = said(await asked(git, ['ls-remote', '--symref', '--', repository, 'HEAD']))
  const base = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(head)?.[1] ?? ''
  const tips = linesOf(await asked(git, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/']))
  return {
    path,
    base,
    tips: new Map(tips.map((line) => [line.slice(line.indexOf('refs/heads/') + 11), line.slice(0, line.indexOf(' '))])),
  }
}

/** The plan's branch, or one that no other feature has. */
async function branchOf(dir: string, feature: string, git: RunGit): Promise<string> {
  const plan = existsSync(dir) ? (await readPlan(dir, featureLabel(feature))).plan : null
  const branch = plan?.plan.branch || `ralph/${feature}`
  const isName = (await git(['check-ref-format', '--branch', branch])).code === 0 && !branch.startsWith('-')
  if (!isName)
    throw new Failure(
      EXIT.data,
      `The plan of ${feature} names the branch "${branch}", which is not a valid branch name. Use another one.`,
    )
  return branch
}

/** What the next worker needs besides the branch: saved states of stories, and the branches of parallel ones. */
const carried = [
  { local: 'refs/ralph/', remote: 'saved/' },
  { local: 'refs/heads/wip/ralph-work-', remote: 'work/' },
]
const remoteFolder = (feature: string): string => `refs/ralph/fleet/${feature}/`

async function bringRefs(git: RunGit, feature: string): Promise<Map<string, string>> {
  const specs = carried.map(({ local, remote }) => `+${remoteFolder(feature)}${remote}*:${local}*`)
  await must(git, ['fetch', '--quiet', '--no-tags', 'origin', ...specs])
  return localRefs(git)
}

async function localRefs(git: RunGit): Promise<Map<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/ralph/', 'refs/heads/wip/']
  const pairs = linesOf(await asked(git, args)).map((line) => line.split(' '))
  return new Map(pairs.flatMap(([id = '', ref = '']) => (carriedAs(ref) === undefined ? [] : [[ref, id]])))
}

const carriedAs = (ref: string) => carried.find(({ local }) => ref.startsWith(local))

function changedRefs(known: Map<string, string>, now: Map<string, string>, feature: string): string[] {
  const there = (ref: string): string => {
    const { local, remote } = sure(carriedAs(ref), `place for ${ref}`)
    return remoteFolder(feature) + remote + ref.slice(local.length)
  }
  const changed = [...now].filter(([ref, id]) => known.get(ref) !== id).map(([ref, id]) => `+${id}:${there(ref)}`)
  return [...changed, ...[...known.keys()].filter((ref) => !now.has(ref)).map((ref) => `:${there(ref)}`)]
}

/** A failed story leaves its work there for people to look at; this copy will be deleted. */
const failureBranches = async (git: RunGit): Promise<string[]> =>
  linesOf(await asked(git, ['for-each-ref', '--format=%(refname)', 'refs/heads/wip/']))
    .filter((ref) => ref.startsWith('refs/heads/wip/ralph-fail-'))
    .map((ref) => `${ref}:${ref}`)

/** undefined: no answer. */
async function remoteTip(git: RunGit, ref: string): Promise<string | null | undefined> {
  const { code, out } = await git(['ls-remote', 'origin', ref])
  return code === 0 ? out.toString().split('\t')[0] || null : undefined
}

/** Changed, new or ignored files, but no logs and nothing that only a live run needs. */
async function ownFiles(git: RunGit, folder: string): Promise<Record<string, string>> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--ignored=matching', '--untracked-files=all', '--', STATE_FOLDER]
  const paths = said(await asked(git, args), false)
    .split('\0')
    .filter(Boolean)
    .map((line) => line.slice(3))
  const wanted = paths.filter(
    (path) => !/\/(logs|inbox)(\/|$)|events\.jsonl$|status\.json$|\.tmp-|^\.ralph\/lock/.test(path) && !path.endsWith('/'),
  )
  const read = wanted.map((path): [string, string | null] => [
    relative(folder, join(folder, path)),
    readIfThere(join(folder, path)),
  ])
  return Object.fromEntries(
    read.filter(
      (pair): pair is [string, string] => pair[1] !== null && pair[1].length < mostCharacters && !pair[1].includes('\0'),
    ),
  )
}

const mostCharacters = 1_000_000

async function keepWork(folder: string, env: NodeJS.ProcessEnv, isDirty: boolean): Promise<void> {
  const git = sure(await openGit(folder, env), `repository in ${folder}`)
  try {
    if (isDirty) await git.save(workKey)
    else if (await git.isSaved(workKey)) await git.forget(workKey)
  } finally {
    git.close()
  }
}

async function restoreWork(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const git = sure(await openGit(folder, env), `repository in ${folder}`)
  try {
    if (await git.isSaved(workKey)) await git.restore(workKey)
  } finally {
    git.close()
  }
}

/** Takes no lock: the run in this copy may want the index at the same moment. */
const asked = async (git: RunGit, args: string[]): Promise<Buffer> => outOf(await git(args))

const must = async (git: RunGit, args: string[]): Promise<Buffer> => outOf(await git(args, { kind: 'write' }))

function outOf({ code, out, words }: Said): Buffer {
  if (code !== 0) throw new GitTrouble(words)
  return out
}

const linesOf = (out: Buffer): string[] => said(out).split('\n').filter(Boolean)

const said = (out: Buffer, isTrimmed = true): string => (isTrimmed ? out.toString().trim() : out.toString())
