/** Cross-examines a flip: its changed checks as they were, over the new code; and the new ones, over the code as it was. No agent is called. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Git } from '../../adapters/git/git.ts'
import { gatesFor } from '../../core/decide/gates.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { isManifest, isOwnTest, withChecksOf } from '../../core/proof/check-files.ts'
import { failingTests, hasCompared, isOnlyMissing, passingUnexpectedly } from '../../core/proof/failing-tests.ts'
import { beginningOfStory, isQuick, isQuickCount, ranIn } from '../../core/proof/findings-of.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import { isSource } from '../../core/tamper/code/files.ts'
import { isTestFile } from '../../core/tamper/code/languages.ts'
import type { Examination, Examined } from '../../core/types/results.ts'
import type { Census, Gate, GateResult } from '../../core/types.ts'
import type { Deed } from '../parts.ts'
import { callOutside } from './callers/call-outside.ts'
import { beginningOfWork, checksBetween, checksOfOthers } from './changed-checks.ts'
import { changedSources } from './changed-sources.ts'
import { type GateFolders, type GatePlace, inCheckout } from './gates-on-commit.ts'
import { longestMs } from './longest-gate.ts'
import { acceptingIn } from './other-values.ts'
import { unreachedIn } from './reach.ts'
import type { ExaminedWorld } from './run-changed.ts'
import { suspectedScripts } from './suspected-scripts.ts'
import { unheededIn } from './unheeded.ts'

type Counts = Readonly<Record<string, Census>>

export async function examine(world: GateFolders, iteration: number, deed: Deed): Promise<Examination> {
  const { state, stop } = deed
  const { git } = world
  const flight = endedFlight(state, iteration)
  const from =
    git === null ? null : await beginningOfWork({ ...world, git }, flight?.story ?? flight?.ended.flips[0] ?? null, state)
  if (git === null || flight === undefined || from === null) return { problem: 'the story has no starting commit', durationMs: 0 }
  const here = { ...world, git }
  const now = await git.commitWith(world.settings['git.auto_commit'] ? flight.ended.uncommitted : [])
  const checks = await checksBetween(here, { from, to: now }, state)
  const older = await checksOfOthers(here, flight.ended.flips, now, state)
  const run = runIn(here, flight, deed)
  const hasOlder = older.length > 0
  const isNeeded = await isOldNeeded(here, { from, checks, hasOlder }, flight)
  const oldChecks = isNeeded
    ? await run({ ...(await withOldChecks(git, { now, from, checks, older })), about: 'old tests on the new code' })
    : null
  const before = beginningOfStory(state, flight.ended.flips)?.census ?? {}
  // What other stories changed on purpose already failed when this one began, and the tests that they added are not in the older files.
  const isDoubtful =
    isAnyRed(oldChecks) || (isAnyFewer(oldChecks, before) && (checks.length > 0 || isAnyFewer(flight.gates, before)))
  const isAsked = hasOlder && isDoubtful && !stop.aborted
  const atStart = isAsked
    ? await run({ ...(await withOldChecks(git, { now: from, from, checks, older })), about: 'old tests on the old code' })
    : null
  const suspects = await suspectedScripts(here, { now, from, checks, flight }, state)
  const oldSettings =
    isAnyRed(oldChecks) || stop.aborted ? {} : await ofOldSettings(git, { now, from, checks, state, suspects }, run)
  const hasTests = checks.some(isOwnTest)
  const newChecks =
    hasTests && !stop.aborted
      ? await run({
          what: from,
          older: [{ at: now, isOlder: (path) => checks.includes(path) }],
          about: 'new tests on the old code',
        })
      : null
  const counted = countedGates(state, flight)
  // A test may be one of those that only a slow gate runs.
  const gates = hasSlowTests(flight) ? [] : counted
  const asked = { from, now, gates, flight }
  const reach = stop.aborted || gates.length === 0 ? { durationMs: 0 } : await unreachedIn(here, asked, deed)
  const outside = stop.aborted
    ? { differences: [], near: [], durationMs: 0 }
    : await callOutside(
        here,
        { ...asked, isCounted: counted.length > 0, gates: counted.length > 0 ? counted : hardGates(state, flight) },
        deed,
      )
  const results = [...(oldChecks ?? []), ...(atStart ?? []), ...(newChecks ?? [])]
  const moved = isAnyRed(results) ? await movedBetween(git, from, now) : []
  const ofNew = examined(newChecks ?? [], moved)
  const heeds =
    stop.aborted || !isAnyRed(newChecks) ? { unheeded: [], noticing: [], durationMs: 0 } : await unheededIn(here, asked, deed)
  const known = [...(ofNew.isMissing === true ? [] : ofNew.failing), ...heeds.noticing]
  const accepts = stop.aborted
    ? { accepting: [], durationMs: 0 }
    : await acceptingIn(here, { ...asked, gates: hardGates(state, flight), known }, deed)
  const durationMs = results.reduce(
    (sum, result) => sum + result.durationMs,
    reach.durationMs + outside.durationMs + accepts.durationMs + heeds.durationMs,
  )
  const problem = stop.aborted ? 'stopped' : problemIn(results)
  const isOfOld = stop.aborted || problemIn([...(oldChecks ?? []), ...(atStart ?? [])]) !== undefined
  if (problem !== undefined && isOfOld) return { problem, durationMs }
  return {
    ...(problem === undefined ? {} : { problem }),
    ...(oldChecks === null
      ? {}
      : {
          oldChecks: without(
            examined(oldChecks, moved, { state, before: hasOlder ? countsOf(atStart) : before }),
            examined(atStart ?? [], moved),
          ),
        }),
    ...oldSettings,
    ...(newChecks === null || problem !== undefined
      ? {}
      : {
          newChecks: await ofNewTests(git, { from, now, checks, hasMore: hasMoreTests(state, flight) }, ofNew),
        }),
    ...(reach.unreached === undefined ? {} : { unreached: reach.unreached }),
    ...(outside.differences.length === 0 ? {} : { outside: outside.differences }),
    ...(outside.near.length === 0 ? {} : { near: outside.near }),
    ...(accepts.accepting.length === 0 ? {} : { accepting: accepts.accepting }),
    ...(heeds.unheeded.length === 0 ? {} : { unheeded: heeds.unheeded }),
    durationMs,
  }
}

/** Its own tests may be right, and what runs them led elsewhere or told to overlook what they say. */
async function ofOldSettings(
  git: Git,
  { now, from, checks, state, suspects }: { now: string; from: string; checks: string[]; state: State; suspects: string[] },
  run: Run,
): Promise<Pick<Examination, 'oldSettings'>> {
  const files = checks.filter((path) => !isOwnTest(path) || suspects.includes(path))
  if (files.length === 0 || files.length === checks.length) return {}
  const about = 'its tests with the settings as they were'
  const results =
    (await run({ ...(await withOldChecks(git, { now, from, checks: files, older: [], keepsNew: true })), about })) ?? []
  const moved = isAnyRed(results) ? await movedBetween(git, from, now) : []
  const mayCount = (output: string): boolean => (suspects.length > 0 || hasCompared(output)) && !isOnlyMissing(output, moved)
  const reds = results.filter(({ passed, output }) => !passed && mayCount(output))
  const { failing } = examined(reds, moved, { state, before: {} })
  return problemIn(results) !== undefined || failing.length === 0
    ? {}
    : { oldSettings: { failing: failing.slice(0, mostFailing), files: files.slice(0, mostNamed) } }
}

const hardGates = (state: State, { ended }: EndedFlight): Gate[] => gatesFor(state, ended).filter(({ soft }) => soft !== true)
/** Those that count their tests: a linter runs no code. */
const countedGates = (state: State, flight: EndedFlight): Gate[] =>
  hardGates(state, flight).filter(({ name, story }) =>
    (flight.gates ?? []).some((result) => result.name === name && result.story === story && isQuickCount(result)),
  )

const hasSlowTests = ({ gates = [] }: EndedFlight): boolean =>
  gates.some((result) => result.soft !== true && result.census !== undefined && ranIn(result.census) > 0 && !isQuick(result))

const isAnyRed = (results: GateResult[] | null): boolean => (results ?? []).some(({ passed }) => !passed)
const isAnyFewer = (results: GateResult[] | null | undefined, before: Counts): boolean =>
  (results ?? []).some((result) => fewerTests(result, before).length > 0)

/** How many tests each gate ran. */
const countsOf = (results: GateResult[] | null): Counts =>
  Object.fromEntries((results ?? []).flatMap(({ name, census }) => (census === undefined ? [] : [[name, census] as const])))

/** An event names only some of them. */
const mostFailing = 50

function without({ failing, ...rest }: Examined, { failing: others }: Examined): Examined {
  const left = failing.filter((name) => !others.includes(name))
  return left.length === 0 && failing.length > 0 ? { failing: [] } : { failing: left.slice(0, mostFailing), ...rest }
}

/** Which tests ran, and show nothing of a change of the code. */
async function ofNewTests(git: Git, { from, now, checks, hasMore }: NewTests, found: Examined): Promise<Examined> {
  if (found.failing.length > 0 || !hasMore) return { ...found, failing: found.failing.slice(0, mostFailing) }
  const files = (await git.diffFiles(from, now)).filter((path) => !checks.includes(path))
  const passing = files.some(isSource) ? checks.filter(isTestFile).slice(0, mostNamed) : []
  return passing.length === 0 ? found : { ...found, passing }
}

type NewTests = { from: string; now: string; checks: string[]; hasMore: boolean }

/** More tests than when the story began: its own are among them. */
function hasMoreTests(state: State, { gates = [], ended: { flips } }: EndedFlight): boolean {
  const before = beginningOfStory(state, flips)?.census ?? {}
  return gates.some(({ name, census }) => census !== undefined && ranIn(census) > ranIn(before[name] ?? census))
}

const mostNamed = 5

type ExaminedPlace = Pick<GatePlace, 'what' | 'older' | 'prepare' | 'about'>
type Run = (place: ExaminedPlace) => Promise<GateResult[] | null>

const runIn =
  (world: ExaminedWorld, { iteration, ended, gates: ran = [] }: EndedFlight, deed: Deed): Run =>
  (place) => {
    const gates = gatesFor(deed.state, ended).filter(({ soft }) => soft !== true)
    const isClean = deed.state.judgedIn === 'clean'
    return inCheckout(
      world,
      { iteration, gates },
      { ...place, isClean, without: ended.hidden ?? [], beside: 'examination', longest: longestMs(ran) },
      deed,
    )
  }

/** Tests that were only added, and about which nothing was found, leave the old ones as they are: those have just passed. */
async function isOldNeeded(
  { git }: ExaminedWorld,
  { from, checks, hasOlder }: { from: string; checks: string[]; hasOlder: boolean },
  { ended }: EndedFlight,
): Promise<boolean> {
  if (hasOlder || (ended.findings ?? []).length > 0) return checks.length > 0 || hasOlder
  const isAdded = await Promise.all(checks.map(async (path) => isOwnTest(path) && (await git.textAt(from, path)) === null))
  return isAdded.includes(false)
}

type OldChecks = {
  now: string
  from: string
  checks: string[]
  older: { path: string; from: string }[]
  /** Of package.json what was not there before stays. */
  keepsNew?: true
}

/** The new code with the checks as they were; of a package.json only the parts that decide what is checked. */
async function withOldChecks(git: Git, { now, from, checks, older, keepsNew }: OldChecks): Promise<ExaminedPlace> {
  const fromOlder = new Map(older.map((each) => [each.path, each.from]))
  const beginnings = [...new Set([from, ...fromOlder.values()])]
  const beginningOf = (path: string): string => fromOlder.get(path) ?? from
  const all = [...new Set([...checks, ...fromOlder.keys()])]
  const manifests = all.filter(isManifest)
  return {
    what: now,
    older: beginnings.map((at) => ({
      at,
      isOlder: (path) => !isManifest(path) && all.includes(path) && beginningOf(path) === at,
    })),
    async prepare(folder) {
      for (const path of manifests) {
        const [own, theirs] = await Promise.all([git.textAt(now, path), git.textAt(beginningOf(path), path)])
        // A package that is gone: its tests, which are there again, say so themselves.
        const merged = own === null ? theirs : theirs === null ? null : withChecksOf(own, theirs, keepsNew)
        if (merged !== null) {
          mkdirSync(dirname(join(folder, path)), { recursive: true })
          writeFileSync(join(folder, path), merged)
        }
      }
    },
  }
}

/** Files that are in one of the two commits alone. */
const movedBetween = async (git: Git, from: string, now: string): Promise<string[]> =>
  (await changedSources(git, from, now, () => true)).flatMap(({ path, kind }) => (kind === 'modified' ? [] : [path]))

/** What a gate says that could not do its work. */
function problemIn(results: GateResult[]): string | undefined {
  const { name, ended, exitCode } = results.find((result) => !result.passed && isUnable(result)) ?? {}
  if (name === undefined) return undefined
  return ended === 'timeout'
    ? `gate ${name} timed out`
    : `gate ${name} could not run${exitCode === null ? '' : ` (exit ${exitCode})`}`
}

const isUnable = ({ ended, exitCode }: GateResult): boolean =>
  ended === 'timeout' || ended === 'missing' || exitCode === 126 || exitCode === 127

/**
 * `begun`: of old checks; `before`: the tests that these ran over the old code. A gate that already failed before the first iteration counts only by the
 * tests that it names.
 */
function examined(results: GateResult[], moved: string[], begun?: { state: State; before: Counts }): Examined {
  const wasRed = ({ name }: GateResult): boolean =>
    begun?.state.baseline?.some((before) => before.name === name && !before.passed) === true
  const reds = results.filter((result) => !result.passed)
  const failing = reds.flatMap((result) => {
    const tests = failingTests(result.output)
    const unexpected = passingUnexpectedly(result.output)
    if (tests.length > 0) return tests.filter((test) => !unexpected.includes(test))
    return wasRed(result) && !(begun !== undefined && hasCompared(result.output)) ? [] : [`gate ${result.name}`]
  })
  const fewer = begun === undefined ? [] : results.flatMap((result) => fewerTests(result, begun.before))
  // A gate that was red before and still is, and names no test, neither shows nor clears anything.
  const isUnnamed = failing.length === 0 && reds.length > 0
  const isMissing = isUnnamed || (failing.length > 0 && reds.every(({ output }) => isOnlyMissing(output, moved)))
  return { failing: [...new Set([...failing, ...fewer])], ...(isMissing ? { isMissing: true } : {}) }
}

/** The same checks as at the beginning run as many tests: if not, something else tells the runner to find fewer. */
function fewerTests({ name, passed, census }: GateResult, before: Counts): string[] {
  const older = before[name]
  if (!passed || older === undefined || census === undefined || ranIn(census) >= ranIn(older)) return []
  return [`gate ${name} runs ${ranIn(census)} of ${ranIn(older)} tests`]
}
