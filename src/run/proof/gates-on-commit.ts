/** Runs gates where they prove something: in a clean checkout of what will be committed, never among files that no commit has. */
import { delimiter, dirname, join, relative } from 'node:path'
import { linkInto } from '../../adapters/files/link-into.ts'
import { watchFiles } from '../../adapters/files/watched-files.ts'
import type { Older, What } from '../../adapters/git/checkout.ts'
import type { Git } from '../../adapters/git/git.ts'
import { editablePaths, hasPython } from '../../adapters/installed/python.ts'
import { isNewSource, strayDependencies } from '../../adapters/installed/strays.ts'
import { isBaselineCheck, isRed, withTolerance } from '../../core/decide/gates.ts'
import { dirtKey } from '../../core/decide/verdict.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { isAccepted } from '../../core/plan/questions.ts'
import { gatesAre, isAllPassed, listed } from '../../core/plan/stories.ts'
import { withRerun } from '../../core/proof/flaky/flaky.ts'
import { hiddenSince, isCache, isCut, isDependency } from '../../core/proof/hidden-files.ts'
import { onlyWith } from '../../core/proof/key-lines.ts'
import { errorHash } from '../../core/reading/reading.ts'
import type { State } from '../../core/state.ts'
import type { Written } from '../../core/types/results.ts'
import type { Ended, Gate, GateResult, JudgedIn, Scope } from '../../core/types.ts'
import { type GatesWorld, runGates } from '../iteration/gates.ts'
import { checkoutFor, type JudgeFolders } from '../iteration/guard-judge.ts'
import { noticed } from '../noticed.ts'
import type { Deed, Work } from '../parts.ts'

type InGit = { git: Git }
export type GateFolders = Work & { judges: JudgeFolders }
type Asked = { iteration: Scope; gates: Gate[]; again?: true }
export type CheckedGates = { results: GateResult[]; content?: string; judgedIn?: JudgedIn; written?: Written[] }

export async function checkGates(world: GateFolders, asked: Asked, deed: Deed): Promise<CheckedGates> {
  const { git } = world
  const { state } = deed
  const { ended } = endedFlight(state, asked.iteration) ?? {}
  const seen = isProof(state, asked.iteration) ? { content: dirtKey(ended?.repo ?? state.repo) } : {}
  const ranInTree = (): Promise<GateResult[]> => runGates(world, asked.iteration, asked.gates, deed)
  const inTree = async (): Promise<CheckedGates> => ({ results: await ranInTree(), ...seen })
  const head = (await git?.head()) ?? null
  if (git === null || !asked.gates.some(({ soft }) => soft !== true) || head === null) return inTree()
  const here = { ...world, git }
  if (isBaselineCheck(state, asked.iteration)) {
    const first = await firstCheck(here, asked, deed)
    return first.judgedIn === 'clean' ? { ...first, content: await git.contentOf(head) } : first
  }
  if (!isProof(state, asked.iteration) || state.judgedIn === undefined || state.judgedIn === 'tree') return inTree()
  const isOff = !world.settings['git.auto_commit']
  const left = new Set(isOff ? [] : (ended?.uncommitted ?? [])) // after a check without an iteration nothing is committed
  let made: string | undefined
  const written: Written[] = []
  const place = { wanted: (path: string) => left.has(path), onMade: (commit: string) => (made = commit), written }
  const results = await onCommit(here, { ...asked, ...place }, await moreThan(here, state, ended), deed)
  return {
    results,
    ...(made === undefined ? {} : { content: await git.contentOf(made) }),
    ...withWritten(written, state.written),
  }
}

/** An event names only some of them. */
const mostWritten = 50
/** First those in folders that the gates did not write to before the first iteration: these alone are suspicious. */
function withWritten(written: Written[], known: Written[] = []): Pick<CheckedGates, 'written'> {
  const folders = new Set(known.map(({ file }) => dirname(file)))
  const isNew = ({ file }: Written): boolean => !folders.has(dirname(file))
  const sorted = [...written.filter(isNew), ...written.filter((each) => !isNew(each))]
  return written.length === 0 ? {} : { written: sorted.slice(0, mostWritten) }
}

/** A flip, work without a story, or the final check of a run, which may be its first one if everything already passes. */
function isProof(state: State, iteration: Scope): boolean {
  const flight = endedFlight(state, iteration)
  if (flight !== undefined) return flight.story === null || flight.ended.flips.length > 0
  return state.baseline !== undefined || isAllPassed(state.plan, state.policy) || isAccepted(state)
}

/**
 * What the work tree has and the commit lacks: uncommitted files of the user; files that git ignores, or that gates left; and work that Ralph must not
 * commit (`off`).
 */
export type NotCommitted = { users: string[]; hidden: string[]; off: string[] }

async function moreThan(world: GateFolders & InGit, state: State, ended: Ended | undefined): Promise<NotCommitted> {
  if (ended === undefined) return uncommittedNow(world, state)
  const users = world.place === undefined ? state.users : []
  return { users, hidden: await allHidden(world, state, ended), off: world.settings['git.auto_commit'] ? [] : ended.uncommitted }
}

/** An event names only some of them. */
async function allHidden(world: GateFolders & InGit, state: State, { hidden = [] }: Ended): Promise<string[]> {
  if (!isCut(hidden)) return hidden
  const { ignored } = await world.git.snapshotWithIgnored()
  return [...new Set([...hidden, ...hiddenSince(knownIgnored(world, state), ignored)])]
}

export async function uncommittedNow(world: GateFolders & InGit, state: State): Promise<NotCommitted> {
  const { uncommitted, ignored } = await world.git.snapshotWithIgnored()
  const users = uncommitted.filter((path) => state.users.includes(path))
  const others = uncommitted.filter((path) => !users.includes(path))
  const isOff = !world.settings['git.auto_commit']
  const hidden = hiddenSince(knownIgnored(world, state), ignored)
  return { users, hidden: isOff ? hidden : [...hidden, ...others], off: isOff ? others : [] }
}

const knownIgnored = ({ place }: Pick<Work, 'place'>, { ignored }: State): string[] | undefined =>
  place === undefined ? ignored : place.ignored

/** On HEAD, with the uncommitted files that are `wanted` (absent: none). What fails runs once more in the work tree, to say what the commit lacks. */
export async function onCommit(
  world: GateFolders & InGit,
  asked: Asked & Pick<GatePlace, 'onMade' | 'written'> & { wanted?: (path: string) => boolean },
  more: NotCommitted,
  deed: Deed,
): Promise<GateResult[]> {
  const { state, stop } = deed
  const { wanted = () => false, onMade = () => {}, written = [] } = asked
  const isClean = state.judgedIn === 'clean'
  const leftOut: string[] = []
  const place = { what: wanted, isClean, without: [...more.hidden, ...more.off], leftOut, onMade, written }
  const results = await inCheckout(world, asked, place, deed)
  if (results === null) return runGates(world, asked.iteration, asked.gates, deed)
  const reds = withTolerance(results, state).filter(isRed)
  const missing = { ...more, hidden: [...more.hidden, ...leftOut, ...(isClean ? extras(world, state) : [])] }
  if (reds.length === 0 || asked.again || stop.aborted || isNothing(missing)) return results
  const again = await runGates(world, asked.iteration, asked.gates.filter(sameIn(reds)), deed)
  const isGreenInTree = (result: GateResult): boolean =>
    reds.includes(result) && again.some((other) => isSame(other, result) && other.passed)
  if (stop.aborted) return results.map((result) => (reds.includes(result) ? { ...result, ended: 'stopped' } : result))
  return results.map((result) => (isGreenInTree(result) ? withWords(result, missing) : result))
}

const isNothing = ({ users, hidden, off }: NotCommitted): boolean => users.length + hidden.length + off.length === 0

const isSame = (one: Pick<Gate, 'name' | 'story'>, other: Pick<Gate, 'name' | 'story'>): boolean =>
  one.name === other.name && one.story === other.story
const sameIn =
  (results: GateResult[]) =>
  (gate: Gate): boolean =>
    results.some((result) => isSame(result, gate))

/** What was ignored when the run began takes no part in a clean checkout, unless it is a dependency. */
const extras = (world: GateFolders, state: State): string[] =>
  (knownIgnored(world, state) ?? []).filter((path) => !isDependency(path))

/**
 * Before the first iteration: in a clean checkout of HEAD. Gates that fail there and pass in the work tree need more: files that git ignores, which may be
 * given to them; files that no commit has, which may not; or the work tree itself.
 */
async function firstCheck(world: GateFolders & InGit, asked: Asked, deed: Deed): Promise<CheckedGates> {
  const { state, report, stop } = deed
  const runIn = (place: Omit<GatePlace, 'what'>, gates: Gate[], what: What = () => false) =>
    inCheckout(world, { ...asked, gates }, { ...place, what }, deed)
  const written: Written[] = []
  const clean = await runIn({ isClean: true, without: [], written }, asked.gates)
  const reds = clean?.filter(isRed) ?? []
  const own = withWritten(written)
  if (clean !== null && (reds.length === 0 || stop.aborted)) return { results: clean, judgedIn: 'clean', ...own }
  const tree = await runGates(world, asked.iteration, asked.gates, deed)
  if (clean === null || stop.aborted) return { results: tree, judgedIn: 'tree' }
  const isOther = (red: GateResult): boolean => !tree.some((result) => isSame(result, red) && failsAlike(result, red))
  const chance = asked.gates.filter(sameIn(reds.filter((red) => isOther(red) && isMostlyGreen(red))))
  const again = chance.length === 0 ? null : await runIn({ isClean: true, without: [] }, chance)
  const results = again === null ? clean : withRerun(clean, again, true)
  const others = results.filter((result) => isRed(result) && isOther(result))
  if (others.length === 0 || stop.aborted) return { results, judgedIn: 'clean', ...own }
  const more = await uncommittedNow(world, state)
  const given = extras(world, state)
  const isGreen = async (place: Omit<GatePlace, 'what'>, what?: What): Promise<boolean> =>
    (await runIn(place, asked.gates.filter(sameIn(others)), what))?.some(isRed) === false
  const words = `${gatesAre(others.map(({ name }) => name))} red in a clean checkout of the last commit`
  if (given.length > 0 && (await isGreen({ isClean: false, without: more.hidden }))) {
    const detail = `${words}, and green with files that git ignores (${listed(given.slice(0, 5))}). Stories are judged with those files, so the proof is weaker: an agent could change them unseen. List what the gates need in worktree.copy, or let the gate create it.${tooLittle(state)}`
    report(noticed('tree-judged', detail))
    return { results: tree, judgedIn: 'ignored', ...own }
  }
  if (!isNothing(more) && (await isGreen({ isClean: false, without: [] }, () => true)))
    return {
      results: results.map((result) => (others.includes(result) ? withWords(result, more) : result)),
      judgedIn: 'clean',
      ...own,
    }
  const detail = `${words}, but not in your work tree. Stories are judged in the work tree, so the proof is weaker: it includes files that no commit has. Let the gates run in any folder.${tooLittle(state)}`
  report(noticed('tree-judged', detail))
  return { results: tree, judgedIn: 'tree' }
}

const tooLittle = ({ policy: { proof } }: State): string =>
  proof?.minimum === 'reviewed' || proof?.minimum === 'demonstrated'
    ? ` No story can pass like this, because proof.minimum is ${proof.minimum}.`
    : ''

/** It fails for the same reason, as far as can be told. */
function failsAlike(one: GateResult, other: GateResult): boolean {
  if (one.passed || one.exitCode !== other.exitCode || one.ended !== other.ended) return false
  if (one.census !== undefined && other.census !== undefined) return one.census.failed === other.census.failed
  return errorHash(one.output) === errorHash(other.output)
}

/** Most of its tests ran and passed there: what failed may be flaky. */
const isMostlyGreen = ({ census }: GateResult): boolean => census !== undefined && census.failed < census.passed

/** What the next attempt, and the user, can do about it. */
function withWords(result: GateResult, { users, hidden, off }: NotCommitted): GateResult {
  const names = [...new Set([...users, ...hidden, ...off])]
  const words = [
    `${onlyWith(names)} This passes in the work tree, but ${result.ended === 'timeout' ? 'timed out' : 'fails'} on the committed state.`,
    ...(users.length === 0
      ? []
      : [
          `Not committed, because these files have uncommitted changes of the user: ${listed(users.slice(0, 10))}. If the work is in there, the user must commit or stash them, then run again.`,
        ]),
    ...(hidden.length === 0
      ? []
      : [
          `Not in the commit (ignored by git, outside the repository or in another one, created by a gate or a hook, or a package that no file of the project asks for): ${listed(hidden.slice(0, 10))}. Commit what the work needs, or let the gate create it each time.`,
        ]),
    ...(off.length === 0
      ? []
      : [`Not committed, because git.auto_commit is off: ${listed(off.slice(0, 10))}. Commit what belongs to the story.`]),
  ]
  return { ...result, output: `${words.join('\n')}\n${result.output}` }
}

/** git names a folder with a slash at its end. */
const isUnder = (path: string, folder: string): boolean =>
  `${path.replace(/\/$/, '')}/`.startsWith(`${folder.replace(/\/$/, '')}/`)

/**
 * `isClean`: with dependencies only; otherwise with all ignored files, except `without`. `older`: files of other commits; `prepare`: a last change to the
 * folder. `onMade` is told which commit is checked out.
 */
export type GatePlace = Pick<GatesWorld, 'beside' | 'about' | 'longest'> & {
  what: What
  older?: Older[]
  isClean: boolean
  without: string[]
  prepare?: (folder: string) => Promise<void>
  onMade?: (commit: string) => void
  /** Nothing of the checkout may be left afterwards. */
  isDiscarded?: boolean
  /** Gets what the work tree has, and the checkout does not: dependencies that nobody asked for, other content of submodules. */
  leftOut?: string[]
  /** Gets the committed files that were written while the gates ran. */
  written?: Written[]
}

/** What is in dependency folders and no clone could install. `asked`: where the project's files are as they will be committed. */
function straysOf({ git, place }: GateFolders & InGit, asked: string, paths: string[], { programs }: State): string[] {
  const since = sinceOf({ place }, { programs })
  const older = place === undefined ? {} : { older: place.main }
  return strayDependencies(paths.filter(isDependency), { top: git.top, asked, since, ...older })
}

/** An older log does not say it: then nothing is new. */
const sinceOf = ({ place }: Pick<Work, 'place'>, { programs }: Pick<State, 'programs'>): number =>
  place?.since ?? programs?.since ?? Number.POSITIVE_INFINITY

/** A project that is installed from its own folder must not be judged by the code there: the checkout's comes first. */
function codeOf({ root, env }: Work, cwd: string, { programs }: State): Record<string, string> {
  const paths = hasPython(programs?.installed ?? {}) ? editablePaths({ root, env }) : []
  const here = paths.map((path) => join(cwd, relative(root, path)))
  return here.length === 0 ? {} : { PYTHONPATH: [...here, ...(env['PYTHONPATH'] ? [env['PYTHONPATH']] : [])].join(delimiter) }
}

/** null: no checkout possible, which is reported. */
export const inCheckout = (
  world: GateFolders & InGit,
  { iteration, gates }: Asked,
  place: GatePlace,
  deed: Deed,
): Promise<GateResult[] | null> =>
  withCheckout(world, place, deed, async (here) => {
    const own = { ...(place.about && { about: place.about }), ...(place.longest && { longest: place.longest }) }
    const results = await runGates({ ...here, ...own }, iteration, gates, deed)
    return results.map((result) => ({ ...result, output: result.output.replaceAll(here.root, world.root) }))
  })

/** Does something in a checkout as gates get it. null: no checkout possible, which is reported. */
export async function withCheckout<T>(
  world: GateFolders & InGit,
  {
    what,
    older = [],
    isClean,
    without,
    prepare = async () => {},
    onMade,
    beside,
    isDiscarded = false,
    leftOut = [],
    written = [],
  }: GatePlace,
  deed: Deed,
  act: (here: GateFolders & { beside?: string }) => Promise<T>,
): Promise<T | null> {
  const known = knownIgnored(world, deed.state) ?? []
  const { ignored, uncommitted } = await world.git.snapshotWithIgnored()
  const look = await checkoutFor(world, 'the gates', deed.report, { what, older, isWatched: false, isDiscarded })
  if (look.isShared) return null
  if (look.commit !== undefined) onMade?.(look.commit)
  const { top } = world.git
  const folder = join(look.cwd, relative(world.root, top))
  const all = [...ignored, ...uncommitted.filter((path) => known.includes(path))].filter((path) => !without.includes(path))
  const copied = world.settings['worktree.copy']
  const isNeeded = (path: string): boolean =>
    isDependency(path) || copied.some((name) => isUnder(path, name) || isUnder(name, path))
  const strays = straysOf(world, folder, all, deed.state)
  const submodules = await world.git.fillSubmodules(folder, (path) => isNewSource(path, sinceOf(world, deed.state)))
  const ofPlace = [...all.filter(isClean ? isNeeded : (path) => !isCache(path)), ...submodules.same].filter(
    (path) => !strays.includes(path),
  )
  leftOut.push(...strays, ...submodules.others, ...(await world.git.cutLinks(folder, deed.state.home?.from ?? null)))
  const links = linkInto(top, folder, ofPlace, strays)
  try {
    await prepare(folder)
    const env = { ...look.env, ...codeOf(world, look.cwd, deed.state) }
    const own = { root: look.cwd, sandbox: look.sandbox, env }
    const watched = watchFiles(folder)
    const done = await act({ ...world, ...own, ...(beside === undefined ? {} : { beside }) })
    const files = watched().filter((path) => !isDependency(path) && !submodules.others.some((other) => isUnder(path, other)))
    const changed = files.length === 0 ? [] : await look.changed()
    written.push(...files.map((file) => ({ file, ...(changed.includes(file) ? {} : { isBack: true as const }) })))
    return done
  } finally {
    links.remove()
    await look.over()
  }
}
