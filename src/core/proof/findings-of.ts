/** Everything that was found about the checks of an iteration: in what changed, in the number of tests that ran, in the cross-examination. */
import { storyNamed } from '../plan/stories.ts'
import type { Beginning, EndedFlight, State } from '../state.ts'
import { isCode } from '../tamper/code/files.ts'
import type { Census, GateResult, StoryId } from '../types.ts'
import { asksForBehaviour } from './asked-for.ts'
import { isCheckFile, isManifest, isOwnTest } from './check-files.ts'
import type { Finding } from './finding.ts'
import { fromAccepting } from './reach/other-values.ts'
import { fromDifferences } from './reach/outside-tests/differences.ts'
import { fromNear } from './reach/outside-tests/near-inputs.ts'
import { fromUnheeded } from './reach/unheeded.ts'
import { fromUnreached } from './reach/unreached.ts'

/** Known before a reviewer is called: it is asked about each suspicion. */
export function foundByRules(state: State, flight: EndedFlight): Finding[] {
  const { ended, gates = [] } = flight
  const counted = ended.flips.length === 0 ? [] : gates.flatMap((result) => fromCensus(state, ended.flips, result))
  return [
    ...(ended.findings ?? []),
    ...counted.map((finding) => asDeclared(state, flight, finding)),
    ...notRun(state, flight),
    ...fromWritten(state, flight),
    ...flakyIn(flight),
  ]
}

/** More tests are there than gates run more: the others are where no runner finds them. */
function notRun(state: State, { ended: { flips, moreTests = 0 }, gates = [] }: EndedFlight): Finding[] {
  const before = beginningOfStory(state, flips)?.census
  if (moreTests === 0 || before === undefined) return []
  const counted = gates.flatMap(({ name, census: now }) => {
    const was = before[name]
    return now === undefined || was === undefined || ranIn(was) === 0 ? [] : [allIn(now) - allIn(was)]
  })
  const more = counted.reduce((sum, each) => sum + each, 0)
  if (counted.length === 0 || more < 0 || more >= moreTests) return []
  const words = `adds ${tests(moreTests)}, and its gates run ${more === 0 ? 'none' : `only ${more}`} more than when the story began`
  return [{ rule: 'test-weak', words, isBeyondChecks: true }]
}

const allIn = (census: Census): number => ranIn(census) + census.skipped

/** A flip whose gates failed on the same content: one more green run is a pass, and whoever reads it must know. */
function flakyIn({ ended, gates = [], landing = [] }: EndedFlight): Finding[] {
  if (ended.flips.length === 0) return []
  return [...gates, ...landing].flatMap(({ name, flaky }): Finding[] => {
    if (flaky === undefined) return []
    const tests = flaky.length === 0 ? '' : `: ${namesOf(flaky)}`
    return [
      {
        rule: 'flaky-tests',
        words: `passed gate ${name} only in a second run on the same content${tests}`,
        isBeyondChecks: true,
      },
    ]
  })
}

/** A flaky gate is told, and costs no attempt: it never refuses. Neither does what a review should have said earlier: reviews must come to an end. */
const mayRefuse = ({ rule, isCertain }: Finding): boolean =>
  isCertain !== true && rule !== 'flaky-tests' && rule !== 'review-finding'

/**
 * Committed files that were written while the gates ran, in folders in which they wrote nothing before the first iteration. Gates of some projects format
 * or generate code; none of them has a reason to write what was there before, unless a changed test does.
 */
function fromWritten(state: State, { ended, written = [] }: EndedFlight): Finding[] {
  const known = new Set((state.written ?? []).map(({ file }) => folderOf(file)))
  const isQuiet = (ended.checks ?? []).length === 0
  return written
    .filter(({ file }) => !known.has(folderOf(file)))
    .map(({ file, isBack }) => ({
      rule: 'written-while-checked',
      file,
      words: isBack ? `had ${file} replaced and restored while the gates ran` : `had ${file} changed while the gates ran`,
      ...(isBack && isQuiet && (isCode(file) || isCheckFile(file)) ? { isCertain: true } : { isBeyondChecks: true }),
    }))
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/**
 * The checks as they were pass over the new code: nothing that was done to them hides anything. What was found in a file that was not among them stays. If
 * they fail, that is one more suspicion, unless they only miss something that the story moved or removed.
 */
export function findingsOf(state: State, flight: EndedFlight): Finding[] {
  const { examination } = flight
  const known = [...foundByRules(state, flight), ...notShown(state, flight), ...foundLate(flight)]
  const unreached = examination === undefined || examination === 'running' ? [] : (examination.unreached ?? [])
  const {
    outside = [],
    unheeded = [],
    accepting = [],
    near = [],
  } = examination === undefined || examination === 'running' ? {} : examination
  const settings = fromSettings(flight).map((finding) => asDeclared(state, flight, finding))
  const found = [
    ...known,
    ...fromUnreached(unreached, known),
    ...fromDifferences(outside),
    ...fromNear(near),
    ...fromUnheeded(unheeded),
    ...fromAccepting(accepting),
    ...settings,
  ]
  const oldChecks = examination === undefined || examination === 'running' ? undefined : examination.oldChecks
  if (oldChecks === undefined || oldChecks.isMissing === true) return found
  if (oldChecks.failing.length === 0) return found.filter((finding) => !isCleared(finding, flight) || isLeftOut(finding, flight))
  const { checks = [] } = flight.ended
  const since = checks.length === 0 ? '' : ` (changed since: ${namesOf(checks)})`
  const words = `fails the checks as they were when the story began: ${namesOf(oldChecks.failing)}${since}`
  const finding: Finding = { rule: 'old-checks-fail', words }
  return [...found, mayHide(state, flight) ? finding : asDeclared(state, flight, finding)]
}

/** What the story changed about the settings of its checks makes its own tests pass. */
function fromSettings({ examination }: EndedFlight): Finding[] {
  const { oldSettings } = examination === undefined || examination === 'running' ? {} : examination
  if (oldSettings === undefined) return []
  const { failing, files } = oldSettings
  const words = `fails its own tests with the settings of the checks as they were when the story began: ${namesOf(failing)} (changed since: ${namesOf(files)})`
  return [{ rule: 'old-checks-fail', ...(files[0] === undefined ? {} : { file: files[0] }), words, isBeyondChecks: true }]
}

/** New tests that ran, and pass over the old code too. */
function notShown(state: State, { ended: { flips }, examination }: EndedFlight): Finding[] {
  const passing = examination === undefined || examination === 'running' ? undefined : examination.newChecks?.passing
  if (passing === undefined || !asksForNew(state.plan, flips)) return []
  const words = `has new tests that also pass on the old code, so they do not show its effect: ${namesOf(passing)}`
  return [{ rule: 'not-shown', ...(passing[0] === undefined ? {} : { file: passing[0] }), words, isBeyondChecks: true }]
}

/** By a reviewer who would have refused the story for it, and no longer may. */
const foundLate = ({ reviews }: EndedFlight): Finding[] =>
  reviews
    .filter(({ name, passed }) => name === 'spec' && passed)
    .flatMap(({ findings = [] }) => findings)
    .filter(({ standing }) => standing === 'late')
    .map(({ id, words, file, line }) => ({
      rule: 'review-finding',
      words: `a finding of a later review, about unchanged code: ${words} [${id}]`,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
      id,
      isBeyondChecks: true,
    }))

const asksForNew = (plan: State['plan'], flips: StoryId[]): boolean =>
  flips.every((id) => asksForBehaviour(storyNamed(plan, id) ?? {}))

const isCleared = ({ isCertain, isBeyondChecks, file }: Finding, { ended: { checks = [] } }: EndedFlight): boolean =>
  isCertain !== true && isBeyondChecks !== true && (file === undefined || checks.includes(file))

/** Fewer tests run, no test is gone, and the settings of what runs them changed: new tests may be among those that are left out. */
const isLeftOut = ({ rule }: Finding, { ended: { checks = [], findings = [] } }: EndedFlight): boolean =>
  rule === 'fewer-tests' && checks.some((path) => !isOwnTest(path)) && !findings.some((other) => other.rule === 'test-deleted')

/** Settings and hooks of runners changed, and nothing that the story names is about them: old checks may fail because of them. */
function mayHide({ plan }: State, { ended: { flips, checks = [], findings = [] } }: EndedFlight): boolean {
  const declared = new Set(findings.flatMap(({ isDeclared, file }) => (isDeclared === true && file !== undefined ? [file] : [])))
  return (
    !flips.every((id) => storyNamed(plan, id)?.changesTests === true) &&
    checks.some((path) => !isOwnTest(path) && !isManifest(path) && !declared.has(path))
  )
}

/** A story that says that it changes tests, or names everything that was found in them, has other results on purpose: its reviewer alone is told. */
function asDeclared({ plan }: State, { ended: { flips, findings = [] } }: EndedFlight, finding: Finding): Finding {
  const suspicions = findings.filter(({ isCertain }) => isCertain !== true)
  const isNamed = suspicions.length > 0 && suspicions.every(({ isDeclared }) => isDeclared === true)
  const isSaid = flips.every((id) => storyNamed(plan, id)?.changesTests === true)
  return finding.isCertain !== true && (isNamed || isSaid) ? { ...finding, isDeclared: true } : finding
}

/** It has a flip with changed checks, and a place where they can be cross-examined. */
export function isExaminable({ policy, plan, judgedIn }: State, { ended, gates }: EndedFlight): boolean {
  const when = policy.proof?.crossExamine ?? 'off'
  if (when === 'off' || gates === undefined || ended.flips.length === 0) return false
  if (judgedIn === undefined || judgedIn === 'tree') return false
  return when === 'always' || (ended.checks ?? []).length > 0 || (asksForNew(plan, ended.flips) && gates.some(isQuickCount))
}

/** It passed, says how many tests ran, and takes so little time that one more run may look closer. */
export const isQuickCount = (result: GateResult): boolean =>
  isQuick(result) && result.census !== undefined && ranIn(result.census) > 0
export const isQuick = ({ passed, durationMs }: GateResult): boolean => passed && durationMs <= quickMs
const quickMs = 10_000

/**
 * Those that refuse a flip: evidence against, always; suspicions if the settings say so: with gates.tamper whatever the cross-examination shows, with
 * proof.suspicion once it has not cleared them.
 */
export function refusing(state: State, flight: EndedFlight): Finding[] {
  const { tamper, proof } = state.policy
  const isRefused = tamper === 'refuse' || (proof?.suspicion === 'refuse' && !isPending(state, flight))
  const found =
    tamper === 'refuse' ? [...new Set([...foundByRules(state, flight), ...findingsOf(state, flight)])] : findingsOf(state, flight)
  return found.filter((finding) => finding.isCertain === true || (isRefused && mayRefuse(finding) && finding.isDeclared !== true))
}

/** Suspicions refuse, and the cross-examination may still clear them: a reviewer waits for it. */
export const isUndecided = (state: State, flight: EndedFlight): boolean =>
  state.policy.proof?.suspicion === 'refuse' && isPending(state, flight) && foundByRules(state, flight).some(mayRefuse)

const isPending = (state: State, flight: EndedFlight): boolean =>
  isExaminable(state, flight) && (flight.examination === undefined || flight.examination === 'running')

const namesOf = (names: string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`

export const beginningOfStory = ({ stories, begun }: State, flips: StoryId[]): Beginning | undefined =>
  flips.map((id) => stories[id]?.begun).find((beginning) => beginning !== undefined) ?? begun

/** A gate that passes with other tests than when the story began. */
function fromCensus(state: State, flips: StoryId[], { name, kind, story, soft, passed, census: now }: GateResult): Finding[] {
  const before = beginningOfStory(state, flips)?.census[name]
  if (kind !== 'command' || story !== undefined || soft === true || !passed) return []
  const wasHidden = state.baseline?.some((result) => result.name === name && result.passed && (result.census?.failed ?? 0) > 0)
  if (now !== undefined && now.failed > 0 && wasHidden !== true)
    return [against('failures-hidden', `gate ${name} passed, but its output reports ${tests(now.failed)} that failed`)]
  if (before === undefined || ranIn(before) === 0) return []
  if (now === undefined)
    return [
      against(
        'tests-uncounted',
        `gate ${name} no longer reports which tests ran; there were ${ranIn(before)} when the story began`,
      ),
    ]
  if (ranIn(now) === 0)
    return [against('no-tests', `gate ${name} passed without running a test; there were ${ranIn(before)} when the story began`)]
  return [
    ...(ranIn(now) < ranIn(before)
      ? [
          {
            rule: 'fewer-tests' as const,
            words: `runs fewer tests in gate ${name}: ${ranIn(before)} when the story began, ${ranIn(now)} now`,
          },
        ]
      : []),
    ...(now.skipped > before.skipped
      ? [
          {
            rule: 'more-skipped' as const,
            words: `skips more tests in gate ${name}: ${before.skipped} when the story began, ${now.skipped} now`,
          },
        ]
      : []),
  ]
}

export const ranIn = ({ passed, failed }: Census): number => passed + failed
const tests = (count: number): string => (count === 1 ? '1 test' : `${count} tests`)
const against = (rule: Finding['rule'], words: string): Finding => ({ rule, words, isCertain: true })
