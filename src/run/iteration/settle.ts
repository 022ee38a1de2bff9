/** After the verdict: updates the plan, commits the work of a passed story, and writes the memory. Safe to repeat. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { appendLines, readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { readTail } from '../../adapters/files/tail.ts'
import type { Git } from '../../adapters/git/git.ts'
import { ensureIgnored } from '../../adapters/project/gitignore.ts'
import { progressPath, reservedNames, stateFolder, stateMdPath } from '../../adapters/project/layout.ts'
import { isRed, withTolerance } from '../../core/decide/gates.ts'
import { hasEnded, hasLanding, placeOfFlight } from '../../core/evolve/flights.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { gatesAre, isAllPassed, isWhole, listed } from '../../core/plan/stories.ts'
import { madeByGates } from '../../core/proof/hidden-files.ts'
import type { JudgedFlight, State } from '../../core/state.ts'
import type { IterationSettled } from '../../core/types/results.ts'
import { scopeOf } from '../../core/types/words.ts'
import type { GateResult, Repo, Reporter, StoryId } from '../../core/types.ts'
import { hasOwnEntry, progressEntry, progressHeader } from '../../views/files/progress.ts'
import { isStateOf, stateMarkdown } from '../../views/files/state-md.ts'
import { keepPicked } from '../failure/checkpoint.ts'
import { noticed, toldNext } from '../noticed.ts'
import type { Deed } from '../parts.ts'
import { repoNow, repoOf } from '../repo-now.ts'
import type { World } from '../world.ts'
import { checkCommitted, commitSeen } from './judge-commit.ts'
import { fileIdentity } from './measure.ts'
import { keepPassed, mustBeHome, whyElsewhere, whyGone } from './own-branch.ts'
import { type OwnWorld, restoreOwn } from './restore-ralph-files.ts'
import type { UsersWorld } from './users-files.ts'

/** Lines of a progress entry with the maximum of listed files, and some more. */
const longestEntry = 120

type Settled = Omit<IterationSettled, 'iteration'>
type Rechecked = { results: GateResult[]; problem?: string }
type WorldInGit = World & { git: Git }

export async function settle(world: World, flight: JudgedFlight, deed: Deed & { isAgain: boolean }): Promise<Settled> {
  const { state, report, isAgain } = deed
  const { ended, judged, gates = [] } = flight
  const isApart = flight.worker !== undefined
  if (!isApart) await mustBeHome(world)
  await world.plan.setPasses([
    ...[...judged.refused, ...(judged.parked ?? [])].map((id) => ({ id, passes: false })),
    ...judged.passed.map((id) => ({ id, passes: true })),
  ])
  const remember = (commits: string[] = [], problem?: string, isCommitted = false): void =>
    writeMemory(world, flight, state, { commits: [...ended.commits, ...commits], problem, isCommitted })
  writeStateMarkdown(world, flight, state)
  await keepPicked(world, flight, state)
  // What a gate leaves behind (reports, caches) is not the next agent's work.
  const repo = isApart ? state.repo : gates.length > 0 ? await lookAgain(world, ended.uncommitted) : ended.repo
  const { git } = world
  if (judged.aside !== undefined && flight.story !== null) {
    const place = placeOfFlight({ ...flight, story: flight.story })
    const { leaveAside } = await import('../parallel/worktrees.ts')
    const kept = await leaveAside(
      world,
      place,
      judged.aside,
      `Attempt on ${flight.story} that was not taken\n\n${judged.because}\n`,
    )
    if (kept !== null)
      report(noticed('worktree-kept', `could not move the work of iteration ${flight.iteration} to ${judged.aside}: ${kept}`))
  }
  if (git === null || judged.passed.length === 0) {
    const isRest = !isApart && isWhole(judged, state)
    const { commits: rest, ...checked } =
      git !== null && isRest ? await commitRest({ ...world, git }, flight, deed) : { commits: [] }
    remember(rest)
    return { repo: rest.length > 0 ? await lookAgain(world) : repo, commits: rest, ...checked }
  }
  const commitState = (): Promise<string | null> =>
    commitOwnFiles(world, `chore(ralph): ${judged.passed.join(', ')} ${judged.passed.length === 1 ? 'passes' : 'pass'}`, report)
  if (isApart) {
    remember()
    // The landing has brought the work; if the next landing or the end is near, one commit covers all passes.
    const own = isAnotherNear(state, flight) || isLast(state) ? null : await commitState()
    if (own !== null) await keepPassed(world, own, report)
    return { repo: { ...state.repo, head: own ?? state.repo.head }, commits: [] }
  }
  const made = isAgain ? await commitsBefore(world, ended.repo) : []
  const gone = await whyGone(world, ended.repo.head)
  const { work, unseen } =
    gone === null ? await commitSeen(world, flight, judged.passed, deed) : { work: { error: gone }, unseen: null }
  if (work !== null && 'error' in work) {
    if ('isPassing' in work) throw gitFailed(work.error)
    await world.plan.setPasses(judged.passed.map((id) => ({ id, passes: false })))
    remember(made, work.error)
    return { repo: await lookAgain(world), commits: made, problem: work.error }
  }
  tellOfRepositories(ended.uncommitted, judged.passed, report)
  tellOfOff(world, ended.uncommitted, judged.passed, report)
  const commits = [...made, ...(work === null ? [] : [work.commit])]
  const again = unseen === null ? null : await seenAgain({ ...world, git }, flight, unseen, deed)
  if (again?.problem !== undefined) {
    await world.plan.setPasses(judged.passed.map((id) => ({ id, passes: false })))
    remember(commits, again.problem, true)
    return { repo: await lookAgain(world), commits, ...again }
  }
  remember(commits) // with the commit that was just made, and before the memory itself is committed
  const own = await commitState()
  const settled = isAgain || commits.length > 0 ? await lookAgain(world) : { ...repo, head: own ?? repo.head }
  await keepPassed(world, settled.head, report)
  return { repo: settled, commits, ...again }
}

/** Not the agent's fault, and the same for every attempt: the run stops, and the next one settles this again. */
export const gitFailed = (why: string): Failure =>
  new Failure(EXIT.data, `git failed: ${why} Fix that, then run again to continue.`)

const isAnotherNear = ({ flights }: State, flight: JudgedFlight): boolean =>
  flights.some(
    (other) =>
      other.phase === 'returned' || (other !== flight && hasEnded(other) && !hasLanding(other) && other.ended.flips.length > 0),
  )

/** The end of the run always commits. */
const isLast = ({ plan, policy, flights }: State): boolean => flights.length === 1 && isAllPassed(plan, policy)

/** `before` the gates: what is new since is theirs. */
export async function lookAgain(world: UsersWorld, before?: string[]): Promise<Repo> {
  if (world.git === null) return repoNow(world)
  const snapshot = await world.git.snapshot()
  if (before !== undefined) noteLeft(world, snapshot.uncommitted, before)
  return repoOf(snapshot)
}

/** Only gates have run: what they made belongs to their environment. */
export async function lookAtBaseline(world: UsersWorld, state: State): Promise<{ repo: Repo; ignored?: string[] }> {
  if (world.git === null) return { repo: await repoNow(world) }
  const { ignored, ...snapshot } = await world.git.snapshotWithIgnored()
  const before = [...state.users, ...state.left]
  noteLeft(world, snapshot.uncommitted, before)
  const left = snapshot.uncommitted.filter((file) => !before.includes(file))
  const made = madeByGates(state, [...ignored, ...left])
  return { repo: repoOf(snapshot), ...(made.length === 0 ? {} : { ignored: [...(state.ignored ?? []), ...made] }) }
}

function noteLeft(world: UsersWorld, uncommitted: string[], before: string[]): void {
  const known = new Set(before)
  for (const file of uncommitted) {
    if (known.has(file)) continue
    const identity = fileIdentity(world, file)
    if ((world.leftByGates.get(file) ?? identity) !== identity) world.users.artifacts.add(file)
    world.leftByGates.set(file, identity)
  }
}

/** What was committed of the work before the kill; commits of Ralph's own files do not change the content. */
async function commitsBefore(world: Pick<World, 'git'>, since: Repo): Promise<string[]> {
  const { commits, trees } = (await world.git?.commitsSince(since.head)) ?? { commits: [], trees: [] }
  return commits.filter((_, index) => trees[index] !== (trees[index - 1] ?? since.tree))
}

/**
 * What an iteration without a story left uncommitted, a fix or all the work of a run without a plan, was seen by the gates: it must be on the branch
 * too before the run is complete.
 */
async function commitRest(world: WorldInGit, flight: JudgedFlight, deed: Deed): Promise<Pick<Settled, 'commits' | 'results'>> {
  const { work, unseen } = await commitSeen(world, flight, [], deed)
  if (work !== null && 'error' in work) throw gitFailed(work.error)
  const results = unseen === null ? {} : { results: await checkCommitted(world, flight, deed) }
  return { commits: work === null ? [] : [work.commit], ...results }
}

/** `problem`: the gates fail on the commit, or were stopped before they checked it. */
async function seenAgain(world: WorldInGit, flight: JudgedFlight, unseen: string, deed: Deed): Promise<Rechecked> {
  const results = await checkCommitted(world, flight, deed)
  const reds = withTolerance(results, deed.state).filter(isRed)
  if (reds.length === 0) return { results }
  if (reds.some(({ ended }) => ended === 'stopped'))
    return { results, problem: `${unseen}, and Ralph was stopped before the gates checked it` }
  return { results, problem: `${unseen}, and ${gatesAre(reds.map(({ name }) => name))} red on the result.` }
}

/** Project generators create a repository: git adds none of its files to the outer one. */
function tellOfRepositories(left: string[], passed: StoryId[], report: Reporter): void {
  const inside = left.filter((path) => path.endsWith('/'))
  if (inside.length === 0) return
  const [it, was] = inside.length === 1 ? ['is a nested repository', 'it'] : ['are nested repositories', 'them']
  report(
    toldNext(
      'not-committed',
      `${inside.join(', ')} ${it}: nothing in ${was} is committed with ${passed.join(', ')}. Remove the inner .git, or make it a submodule.`,
    ),
  )
}

/** Gates pass without it, and nobody has committed it. */
function tellOfOff(world: Pick<World, 'settings'>, left: string[], passed: StoryId[], report: Reporter): void {
  const files = left.filter((path) => !path.endsWith('/'))
  if (world.settings['git.auto_commit'] || files.length === 0) return
  const detail = `git.auto_commit is off: ${listed(files.slice(0, 10))} ${files.length === 1 ? 'is' : 'are'} not committed with ${passed.join(', ')}. Commit what belongs to the work.`
  report(toldNext('not-committed', detail))
}

/** Drafts of other features are for the user, or another run, to commit. */
const otherFeatures = ({ root, feature }: Pick<World, 'root' | 'feature'>): string[] =>
  readdirSync(stateFolder(root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== feature && !reservedNames.includes(entry.name))
    .map(({ name }) => name)

/** Only Ralph's own files. */
export async function commitOwnFiles(world: OwnWorld, message: string, report: Reporter): Promise<string | null> {
  if (world.git === null || !world.settings['git.commit_state']) return null
  ensureIgnored(world.root)
  // Does not commit what a hook of the previous commit has written into them.
  if (world.place === undefined) await restoreOwn(world, scopeOf(world.state().iteration), report)
  const elsewhere = await whyElsewhere(world)
  const result = elsewhere === null ? await world.git.commitState(message, otherFeatures(world)) : { error: elsewhere }
  if (result === null) return null
  if ('commit' in result) return result.commit
  report(noticed('commit-failed', `git did not commit Ralph's own files: ${result.error}`))
  return null
}

function writeMemory(
  world: Pick<World, 'dir' | 'feature' | 'mask'>,
  flight: JudgedFlight,
  state: State,
  settled: { commits: string[]; problem: string | undefined; isCommitted: boolean },
): void {
  const path = progressPath(world.dir)
  if (!existsSync(path)) replaceFile(path, progressHeader(world.feature, state.runStartedAt))
  const { ended } = flight
  // Settling again after a kill must not write the same entry twice.
  if (ended.wroteProgress || hasOwnEntry(readTail(path, longestEntry), flight.iteration, null)) return
  const files = [...(ended.files ?? []), ...ended.uncommitted].filter((file) => !file.startsWith('.ralph/'))
  appendLines(path, world.mask.text(progressEntry(state, flight, { files, ...settled })))
}

/** Verbatim failures of the current story, for the agent and for people: kept until it passes, or another one fails. */
function writeStateMarkdown(world: Pick<World, 'dir' | 'mask'>, { story, iteration, judged }: JudgedFlight, state: State): void {
  const path = stateMdPath(world.dir)
  const id = story ?? judged.refused.at(-1)
  const hasFailed = id !== undefined && state.stories[id]?.refusals.at(-1)?.iteration === iteration
  const text = hasFailed ? stateMarkdown(state, id) : null
  if (text !== null) return replaceFile(path, world.mask.text(text))
  const kept = readIfThere(path)
  if (kept !== null && judged.passed.some((passed) => isStateOf(kept, passed))) rmSync(path, { force: true })
}
