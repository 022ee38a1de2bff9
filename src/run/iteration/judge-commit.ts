/** A pass needs passing gates on the branch: if the commit is not exactly what they saw in the work tree, they run again on the commit alone. */
import { join, relative } from 'node:path'
import { linkInto } from '../../adapters/files/link-into.ts'
import { identityOf } from '../../adapters/files/tree-hash.ts'
import type { What } from '../../adapters/git/checkout.ts'
import type { Git } from '../../adapters/git/git.ts'
import { submodulesIn } from '../../adapters/git/hidden-by-index.ts'
import { gatesFor, isRed, withTolerance } from '../../core/decide/gates.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { isAccepted } from '../../core/plan/questions.ts'
import { isAllPassed, listed, storyNamed } from '../../core/plan/stories.ts'
import { hiddenSince, isCut } from '../../core/proof/hidden-files.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import type { Ended, Gate, GateResult, Reporter, Scope, StoryId } from '../../core/types.ts'
import { noticed } from '../noticed.ts'
import type { Deed, Told, Work } from '../parts.ts'
import { runGates } from './gates.ts'
import { checkoutFor, type JudgeFolders } from './guard-judge.ts'
import type { OwnFiles } from './restore-ralph-files.ts'

/** What gates have seen: by iteration, its uncommitted work when they started. `toldHooks`: what was reported about changed hooks. */
export const nothingSeen = () => ({ work: new Map<number, string>(), toldHooks: new Set<string>() })
export type SeenByGates = ReturnType<typeof nothingSeen>

type InGit = { git: Git }
type JudgedWorld = Work & { seen: SeenByGates; judges: JudgeFolders; own: OwnFiles }

/** Before the gates: which work is uncommitted, as they see it. After a kill nobody knows, and they run again. */
export function noteSeen(world: JudgedWorld, { iteration, ended }: EndedFlight): void {
  world.seen.work.set(iteration, workOf(world, ended))
}

const workOf = ({ git }: Pick<Work, 'git'>, { uncommitted }: Ended): string =>
  git === null ? '' : identityOf(git.top, uncommitted, new Map()).identity

export type Committed = { work: Awaited<ReturnType<Git['commitPaths']>>; unseen: string | null }

/** Commits the work. `unseen`: why the commit is not what the gates saw; null: it is, or no gate ran. */
export async function commitSeen(world: JudgedWorld, flight: EndedFlight, passed: StoryId[], deed: Told): Promise<Committed> {
  const { ended, gates = [] } = flight
  const { git, seen } = world
  const hasGates = gates.some(({ soft }) => soft !== true)
  const head = (await git?.head()) ?? null
  const isMoved = git !== null && head !== null && head !== ended.repo.head && (await git.contentOf(head)) !== ended.repo.tree
  const isChanged = ended.uncommitted.length > 0 && seen.work.get(flight.iteration) !== workOf(world, ended)
  const work = await commitWork(world, passed, ended.uncommitted, deed)
  seen.work.delete(flight.iteration)
  if (git === null || !hasGates || (work !== null && 'error' in work)) return { work, unseen: null }
  if (work?.isOther) return { work, unseen: 'a commit hook changed what was committed' }
  if (isMoved) return { work, unseen: 'the branch changed after the gates had run' }
  return { work, unseen: work !== null && isChanged ? 'files changed after the gates had run' : null }
}

/** What the agent left uncommitted for a story that passes; never the user's files, nor a gate's. */
async function commitWork(
  world: JudgedWorld,
  passed: StoryId[],
  left: string[],
  { state, report }: Told,
): ReturnType<Git['commitPaths']> {
  if (world.git === null || !world.settings['git.auto_commit'] || left.length === 0) return null
  const titles = passed.map((id) => `${id} - ${storyNamed(state.plan, id)?.title ?? ''}`)
  const message = `feat: ${passed.length === 0 ? world.feature : titles.join(', ')}`
  const made = await world.git.commitPaths(message, left, { hooks: hooksFor(world, world.git, report) })
  const leftOut = made !== null && 'commit' in made ? (made.leftOut ?? []) : []
  if (leftOut.length > 0) {
    const detail = `a commit hook added ${listed(leftOut.slice(0, 10))} to Ralph's commit. It is not part of the work, so Ralph removed it from the commit. It is uncommitted, as before.`
    report(noticed('users-left-out', detail))
  }
  return made
}

/** The project's hooks run as they were when the run began: a story's changes to them are work, and not part of checking it. */
function hooksFor({ own, seen }: JudgedWorld, git: Git, report: Reporter): true | { from: string } {
  const begun = own.hooks?.asBegun(git) ?? null
  if (begun === null) return true
  const detail = `${listed(begun.changed)} changed since the run began. Ralph's commits still use the original hooks; changed hooks are used from the next run on.`
  if (!seen.toldHooks.has(detail)) report(noticed('hooks-changed', detail))
  seen.toldHooks.add(detail)
  return { from: begun.from }
}

/** Runs the gates on the commit. */
export async function checkCommitted(world: JudgedWorld & InGit, flight: EndedFlight, deed: Deed): Promise<GateResult[]> {
  const { iteration } = flight
  const gates = gatesFor(deed.state, flight.ended).filter(({ soft }) => soft !== true)
  const more = await uncommittedNow(world, deed.state)
  const inTree = (): Promise<GateResult[]> => runGates(world, iteration, gates, deed)
  return isNothing(more) ? inTree() : withoutMore(world, { iteration, gates, isWanted: () => false, inTree }, more, deed)
}

/** Passing gates in a work tree with more than the commit prove nothing yet: they must pass without the rest. */
export async function judgedWithout(
  world: JudgedWorld,
  { iteration, gates }: { iteration: Scope; gates: Gate[] },
  results: GateResult[],
  deed: Deed,
): Promise<GateResult[]> {
  const { git, place } = world
  const { state } = deed
  const flight = endedFlight(state, iteration)
  const ended = flight?.ended
  const isProof = flight === undefined ? isOfWhole(state) : flight.story === null || (ended?.flips.length ?? 0) > 0
  const hard = gates.filter(({ soft }) => soft !== true)
  if (git === null || !isProof || hard.length === 0 || withTolerance(results, state).some(isRed)) return results
  const here = { ...world, git }
  const files = ended?.uncommitted ?? []
  const left = new Set(files)
  const isOff = !world.settings['git.auto_commit']
  const more =
    ended === undefined
      ? await uncommittedNow(here, state)
      : { users: place === undefined ? state.users : [], hidden: await allHidden(here, state, ended), off: isOff ? files : [] }
  if (isNothing(more)) return results
  // After a check without an iteration nothing is committed.
  const isWanted = (path: string): boolean => ended !== undefined && !isOff && left.has(path)
  const judged = await withoutMore(here, { iteration, gates: hard, isWanted, inTree: async () => [] }, more, deed)
  const byGate = (result: GateResult): GateResult | undefined =>
    judged.find(({ name, story, passed }) => !passed && name === result.name && story === result.story)
  return results.map((result) => byGate(result) ?? result)
}

/** The final check of a run, which may be its first one if everything already passes. */
const isOfWhole = (state: State): boolean =>
  state.baseline !== undefined || isAllPassed(state.plan, state.policy) || isAccepted(state)

/**
 * What the work tree has and the commit lacks: uncommitted files of the user; other new uncommitted files since the run began; and work that Ralph
 * must not commit (`off`).
 */
type More = { users: string[]; hidden: string[]; off: string[] }

const isNothing = ({ users, hidden, off }: More): boolean => users.length + hidden.length + off.length === 0

/** An event names only some of them. */
async function allHidden(world: Work & InGit, state: State, { hidden = [] }: Ended): Promise<string[]> {
  if (!isCut(hidden)) return hidden
  const { ignored } = await world.git.snapshotWithIgnored()
  return [...new Set([...hidden, ...hiddenSince(knownIgnored(world, state), ignored)])]
}

async function uncommittedNow(world: Work & InGit, state: State): Promise<More> {
  const { uncommitted, ignored } = await world.git.snapshotWithIgnored()
  const users = uncommitted.filter((path) => state.users.includes(path))
  const others = uncommitted.filter((path) => !users.includes(path))
  const isOff = !world.settings['git.auto_commit']
  const hidden = hiddenSince(knownIgnored(world, state), ignored)
  return { users, hidden: isOff ? hidden : [...hidden, ...others], off: isOff ? others : [] }
}

const knownIgnored = ({ place }: Pick<Work, 'place'>, { ignored }: State): string[] | undefined =>
  place === undefined ? ignored : place.ignored

/** `isWanted`: which part of the work tree will be committed. `inTree`: what counts if there can be no checkout. */
type Checked = {
  iteration: Scope
  gates: Gate[]
  isWanted: (path: string) => boolean
  inTree: () => Promise<GateResult[]>
}

/**
 * In a checkout of the committed state. If gates fail even in a complete checkout, and did so when the run began, they cannot run in one: their
 * results in the work tree count, which is reported.
 */
async function withoutMore(
  world: JudgedWorld & InGit,
  { iteration, gates, isWanted, inTree }: Checked,
  more: More,
  deed: Deed,
): Promise<GateResult[]> {
  const { state, report, stop } = deed
  const results = await inCheckout(world, { iteration, gates }, { what: isWanted, without: [...more.hidden, ...more.off] }, deed)
  if (results === null) return inTree()
  const reds = withTolerance(results, state).filter(isRed)
  if (reds.length === 0 || stop.aborted) return results
  const isAsked = ({ name, story }: Gate): boolean => reds.some((red) => red.name === name && red.story === story)
  const asked = gates.filter(isAsked)
  const isGreenIn = async (what: What): Promise<boolean> => {
    const again = await inCheckout(world, { iteration, gates: asked }, { what, without: [] }, deed)
    return again !== null && !withTolerance(again, state).some(isRed)
  }
  const wasGreen = asked.every(({ name }) => state.baseline?.some((result) => result.name === name && result.passed) === true)
  const begun = wasGreen ? (state.home?.from ?? null) : null
  const isFit = (await isGreenIn(() => true)) || (begun !== null && !stop.aborted && (await isGreenIn(begun)))
  const ofReds = (change: (result: GateResult) => GateResult): GateResult[] =>
    results.map((result) => (reds.some(({ name }) => name === result.name) ? change(result) : result))
  if (stop.aborted) return ofReds((result) => ({ ...result, ended: 'stopped' })) // its meaning is not known yet
  if (isFit) return ofReds((result) => withWords(result, more))
  const detail = `${reds.map(({ name }) => name).join(', ')} cannot run in a clean checkout, so the work tree is checked as it is, including uncommitted files: ${namesOf(more)}.`
  report(noticed('tree-judged', detail))
  return inTree()
}

const namesOf = ({ users, hidden, off }: More): string => listed([...users, ...hidden, ...off].slice(0, 10))

/** What the next attempt, and the user, can do about it. */
function withWords(result: GateResult, { users, hidden, off }: More): GateResult {
  const words = [
    result.ended === 'timeout'
      ? `This passes in the work tree, but timed out on the committed state, although it had ${fromScratch} times its limit there.`
      : 'This passes in the work tree, but fails on the committed state.',
    ...(users.length === 0
      ? []
      : [
          `Not committed, because these files have uncommitted changes of the user: ${listed(users.slice(0, 10))}. If the work is in there, the user must commit or stash them, then run again.`,
        ]),
    ...(hidden.length === 0
      ? []
      : [
          `Not committed (ignored by git, a nested repository, or created by a gate or a hook): ${listed(hidden.slice(0, 10))}. Commit what the work needs, or let the gate create it each time.`,
        ]),
    ...(off.length === 0
      ? []
      : [`Not committed, because git.auto_commit is off: ${listed(off.slice(0, 10))}. Commit what belongs to the story.`]),
  ]
  return result.passed ? result : { ...result, output: `${words.join('\n')}\n${result.output}` }
}

/** A build from scratch takes longer than one with a cache: gates get this multiple of their limit. */
const fromScratch = 3
const unit = 'defaults.timeout_multiplier'

/** With ignored files, except `without`. null: no checkout possible, which is reported. */
async function inCheckout(
  world: JudgedWorld & InGit,
  { iteration, gates }: Pick<Checked, 'iteration' | 'gates'>,
  { what, without }: { what: What; without: string[] },
  deed: Deed,
): Promise<GateResult[] | null> {
  const known = knownIgnored(world, deed.state) ?? []
  const { ignored, uncommitted } = await world.git.snapshotWithIgnored()
  const look = await checkoutFor(world, 'the gates', deed.report, { what })
  if (look.isShared) return null
  const { top } = world.git
  const folder = join(look.cwd, relative(world.root, top))
  const ofPlace = [...ignored, ...uncommitted.filter((path) => known.includes(path)), ...submodulesIn(top)]
  const links = linkInto(
    top,
    folder,
    ofPlace.filter((path) => !without.includes(path)),
  )
  try {
    const settings = { ...world.settings, [unit]: fromScratch * world.settings[unit] }
    const here = { ...world, root: look.cwd, sandbox: look.sandbox, env: look.env, settings }
    return await runGates(here, iteration, gates, deed)
  } finally {
    links.remove()
    await look.over()
  }
}
