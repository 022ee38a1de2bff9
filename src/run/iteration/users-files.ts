/** The user's uncommitted files while agents run: saved before each iteration, restored if one discards them. */

import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { identityOf, type KnownFiles } from '../../adapters/files/tree-hash.ts'
import type { Brought, Hands } from '../../adapters/git/rescue/bring-back.ts'
import type { TakenOut } from '../../adapters/git/rescue/without-users.ts'
import { turns } from '../../adapters/process/one-at-a-time.ts'
import { usersPatchName } from '../../adapters/project/layout.ts'
import { usersEvidence } from '../../core/decide/verdict.ts'
import { foundAmong, usersFound } from '../../core/evolve/users-files.ts'
import { listed } from '../../core/plan/stories.ts'
import { shownPaths } from '../../core/prompt/users-files.ts'
import type { State } from '../../core/state.ts'
import { inShell } from '../../core/text/escape.ts'
import { msBetween } from '../../core/text/time.ts'
import { scopeNumber } from '../../core/types/words.ts'
import type { Scope, Signal, StoryId } from '../../core/types.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import { noticed } from '../noticed.ts'
import type { Told, Work } from '../parts.ts'
import type { IterationStarted } from './gather-prompt.ts'
import { type GitTrace, isUsersCommit } from './git-trace.ts'
import { fileIdentity, isLeftByGate } from './measure.ts'
import { sayWhen } from './own-branch.ts'

/** The user's uncommitted files as last saved, and those already reported as changed. */
export const noUsersFiles = () => ({
  kept: '',
  files: [] as string[],
  known: new Map() as KnownFiles,
  told: new Set<string>(),
  /** What gates have written more than once. */
  artifacts: new Set<string>(),
  /** Each as the last agent left it. */
  after: new Map<string, string>(),
  inTurn: turns(),
})
export type UsersFiles = ReturnType<typeof noUsersFiles>

export type UsersWorld = Pick<Work, 'root' | 'feature' | 'git' | 'settings' | 'leftByGates' | 'logs' | 'mask'> & {
  users: UsersFiles
}

/** An older run's copy is not this one's. */
export const forgetUsers = async (world: UsersWorld): Promise<void> => world.git?.forget(keyOf(world))

const keyOf = ({ feature }: Pick<Work, 'feature'>): string => `${feature}/.users`

/**
 * Before its agent starts: dirty files that no iteration left are the user's, whenever they were made. `dirty`: what is uncommitted, if already
 * known. Returns the new state.
 */
export async function findUsers(
  world: UsersWorld,
  { iteration, story, saves, dirty }: Pick<IterationStarted, 'iteration' | 'story' | 'saves'> & { dirty?: string[] | null },
  { state, report }: Told,
): Promise<State> {
  const { git, settings } = world
  if (git === null) return state
  const uncommitted = (state.last?.ended.uncommitted ?? []).filter((path) => !settings['git.auto_commit'] || path.endsWith('/'))
  const found = foundAmong(state, dirty ?? (isJustSeen(state) ? [] : await git.uncommitted()), uncommitted)
  const files = found.filter((path) => !isLeftByGate(world, path))
  const newer = state.users.filter(
    (path) => (world.users.after.get(path) ?? fileIdentity(world, path)) !== fileIdentity(world, path),
  )
  // The state that is restored if it fails is older than these files.
  if (saves !== true && story !== null && files.length + newer.length > 0)
    await git.saveMore(beginningOf(world, story), [...files, ...newer])
  if (files.length === 0) return state
  const event = { kind: 'users.found', iteration, files } as const
  report(event)
  return usersFound(state, { at: state.at, run: state.run, ...event })
}

/** Seen a moment ago, when the last iteration ended: to look again would take as long. */
const isJustSeen = ({ last, at }: State): boolean => last?.seenAt !== undefined && msBetween(last.seenAt, at) < momentMs

const momentMs = 100

/** As an agent leaves them: differences when the next one starts are the user's newer version. */
export function noteUsers(world: UsersWorld, { users }: State): void {
  world.users.after = new Map(users.map((path) => [path, fileIdentity(world, path)]))
}

/** Saved once per content, because the user may continue writing. If that fails, an older copy is not mistaken for it. */
export const keepUsers = (world: UsersWorld, { state: { users, left }, report }: Told): Promise<void> =>
  world.users.inTurn(async () => {
    const { git } = world
    const files = [...users, ...perhapsUsers(world).filter((path) => !users.includes(path))]
    world.users.files = files
    if (git === null || files.length === 0) return
    const { identity, known } = identityOf(git.top, files, world.users.known)
    world.users.known = known
    const whole = `${identity} ${await git.head()} ${indexIdentity(git.dir)}`
    if (whole === world.users.kept) return
    world.users.kept = whole
    try {
      await git.save(keyOf(world), left)
    } catch (error) {
      await git.forget(keyOf(world))
      const detail = `could not save your uncommitted files before the iteration: ${(error as Error).message}. If the agent discards them, they are lost.`
      report(noticed('users-unsaved', detail))
    }
  })

/** What is staged is the user's too. */
function indexIdentity(dir: string): string {
  const stat = statSync(join(dir, 'index'), { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`
}

/** What is new since gates ran is theirs, or the user made it meanwhile: it is saved too. What gates write each time is not the user's. */
const perhapsUsers = (world: UsersWorld): string[] =>
  [...world.leftByGates.keys()].filter((path) => !world.users.artifacts.has(path) && isLeftByGate(world, path))

/**
 * Before a story is put aside: what is new since gates ran may be the user's, so it stays in place and is reported. What the story itself changed
 * moves with it.
 */
export async function keepPerhapsUsers(world: UsersWorld, story: StoryId, { state: { users }, report }: Told): Promise<void> {
  const { git } = world
  const key = beginningOf(world, story)
  const perhaps = perhapsUsers(world)
  if (git === null || perhaps.length === 0 || !(await git.isSaved(key))) return
  const ofStory = new Set(await git.diffFiles(`${git.refOf(key)}^`, 'HEAD'))
  // The user's earlier files are saved as the user had them.
  const files = perhaps.filter((path) => !ofStory.has(path) && !users.includes(path))
  if (files.length === 0) return
  await git.saveMore(key, files)
  const detail = `${listed(files.slice(0, 10))} changed while gates or reviewers checked ${story}, and may be yours: it stays in place, uncommitted.`
  report(noticed('users-kept', detail))
}

/** What is known of the agent that ran: HEAD before it, and its git commands. */
export type AgentRan = { from: string | null; trace: GitTrace | null }

/** After an agent, before its commits are merged with anything: the user's files in them are taken out. */
export async function takeOutUsers(
  { git, feature }: Pick<Work, 'git' | 'feature'>,
  users: string[],
  { from, trace }: AgentRan,
): Promise<TakenOut | undefined> {
  const key = keyOf({ feature })
  if (git === null || from === null || users.length === 0 || !(await git.isSaved(key))) return undefined
  const began = trace === null ? 0 : Math.floor(trace.startedMs / 1000) * 1000
  return git.takeOut(key, users, {
    from,
    // An older one came from elsewhere, as with a merge.
    isOthers: (commit, committedMs) => committedMs < began || (trace !== null && isUsersCommit(trace, git.madeAt(commit))),
  })
}

/** Whether a git of the agent may have changed the index. Nobody knows: it may. */
export const hasStaged = (trace: GitTrace | null): boolean => trace === null || trace.names.some((name) => !onlyReads.has(name))

const onlyReads = new Set(
  'status diff log show blame rev-parse rev-list ls-files ls-tree cat-file grep branch tag config remote describe shortlog reflog fetch for-each-ref merge-base diff-tree diff-index diff-files check-ignore version help'.split(
    ' ',
  ),
)

/**
 * After an iteration, even a lost one, and after its gates. One in a worktree had no access to them: any change may be the user's. Returns what to ask
 * the user, where the agent changed their files.
 */
export const bringBackUsers = (
  world: UsersWorld,
  iteration: Scope,
  { state: { users }, report }: Told,
  hands: Hands = {},
): Promise<Signal[]> =>
  world.users.inTurn(async () => {
    const { git } = world
    const files = [...new Set([...users, ...world.users.files])]
    if (git === null || files.length === 0 || !(await git.isSaved(keyOf(world)))) return []
    const brought = await git.bringBack(keyOf(world), files, hands)
    const { back, overwritten, patch } = brought
    for (const path of back) if (world.leftByGates.has(path)) world.leftByGates.set(path, fileIdentity(world, path))
    // A user who continues writing is told once; what gates left may change.
    const changed = brought.changed.filter((path) => users.includes(path) && !world.users.told.has(path))
    const committed = hands.out?.paths ?? []
    if ([...back, ...overwritten, ...committed, ...changed].length === 0) return []
    const copy = `${world.feature}/users/${scopeNumber(iteration)}`
    await git.keepAs(keyOf(world), copy)
    for (const path of changed) world.users.told.add(path)
    const path = patch === '' ? '' : keepPatch(world, iteration, patch)
    const restored = back.filter((each) => !committed.includes(each))
    const notices = noticesOf({ back: restored, overwritten, committed, changed, patch: path }, iteration, git.refOf(copy))
    for (const notice of notices) report({ kind: 'noticed', ...notice })
    return overwritten.length === 0 ? [] : [usersQuestion(overwritten, path)]
  })

/** Returns its path from the project's root. */
function keepPatch({ root, logs, mask }: UsersWorld, iteration: Scope, patch: string): string {
  const path = join(logs, usersPatchName(iteration))
  replaceFile(path, mask.text(patch))
  return relative(root, path)
}

function usersQuestion(files: string[], patch: string): Signal {
  const [has, them] = files.length === 1 ? ['has', 'it'] : ['have', 'them']
  const text = `The agent changed ${listed(files.slice(0, 10))}, which ${has} your uncommitted changes. Both versions are kept: yours is in place and in no commit; the agent's is in ${patch} (to take it: git apply ${inShell(patch)}). If the story must change ${them}: commit or stash your changes, then: ralph answer yes. If not: ralph answer "<how to do it without ${them}>".`
  return { kind: 'question', text, evidence: usersEvidence }
}

const mostNamed = 20
/** Read by the person in the summary, and by the next agent in its prompt. */
const notTheirs = "Uncommitted changes that are not the agent's"

function noticesOf(
  { back, overwritten, committed, changed, patch }: Brought & { committed: string[] },
  iteration: Scope,
  ref: string,
) {
  const some = (paths: string[]): string => shownPaths(paths, mostNamed)
  const restore = (paths: string[]): string => `git restore --source=${ref} -- ${paths.slice(0, 20).map(inShell).join(' ')}`
  return [
    {
      what: 'users-restored',
      paths: back,
      detail: `${notTheirs} were discarded ${sayWhen(iteration)}, and restored: ${some(back)}. A copy is in ${ref}.`,
      tell: true,
    },
    {
      what: 'users-overwritten',
      paths: overwritten,
      detail: `${notTheirs} were overwritten ${sayWhen(iteration)}, and restored: ${some(overwritten)}. The agent's version is in ${patch}.`,
      tell: true,
    },
    {
      what: 'users-changed',
      paths: changed,
      detail: `${some(changed)} had your uncommitted changes and was changed ${sayWhen(iteration)}, by you or the agent. Ralph left it unchanged and does not commit it. To get the earlier version back: ${restore(changed)}`,
      tell: false,
    },
    {
      what: 'users-committed',
      paths: committed,
      detail: `${notTheirs} were committed ${sayWhen(iteration)}, and removed from the commits: ${some(committed)}.`,
      tell: true,
    },
  ].flatMap(({ paths, ...notice }) => (paths.length === 0 ? [] : [notice]))
}
