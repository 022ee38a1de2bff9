/** Runs the gates where new tests expect other values: one that passes there too is not run, or nobody heeds it. */
import { failingTests } from '../../core/proof/failing-tests.ts'
import { isQuick, ranIn } from '../../core/proof/findings-of.ts'
import { type Accepting, type Expecting, mayExpect, passingStill, withOtherValues } from '../../core/proof/reach/other-values.ts'
import type { EndedFlight } from '../../core/state.ts'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { isTestFile } from '../../core/tamper/code/languages.ts'
import type { Gate, GateResult } from '../../core/types.ts'
import type { Deed } from '../parts.ts'
import { changedSources } from './changed-sources.ts'
import { gateFilesOf } from './gate-files-of.ts'
import { longestMs } from './longest-gate.ts'
import { type AskedOfWork, type ExaminedWorld, replaceTexts, runChanged } from './run-changed.ts'

/** An event names only some of them. */
const mostNamed = 5

type Accepted = { accepting: Accepting[]; durationMs: number }

/**
 * `gates`: all that may run tests, whether they count them or not. `known`: tests that run and are heeded, since they fail with other code; by the names
 * that the runner prints, or the gate's.
 */
export async function acceptingIn(world: ExaminedWorld, asked: AskedOfWork & { known: string[] }, deed: Deed): Promise<Accepted> {
  const { from, now, flight, known } = asked
  const gates = gatesToAsk(asked, flight)
  const files = await changedSources(world.git, from, now, mayExpect)
  const withOther = (those: FileChange[], all = false) => withOtherValues(withoutRunners(world, those, deed), all)
  const { tests, texts } = withOther(files)
  const isCounted = gates.some((gate) => countOf(flight, gate) > 0)
  const left = known.length === 0 ? tests : isCounted ? passingStill(tests, known) : []
  if (gates.length === 0 || left.length === 0) return { accepting: [], durationMs: 0 }
  let durationMs = 0
  const runWith = async (those: Gate[], texts: ReadonlyMap<string, string>, [at, about]: [at: string, about: string]) => {
    const change = (folder: string): Gate[] => {
      replaceTexts(folder, texts)
      return those
    }
    const ran = await runChanged(world, { now: at, flight }, { about, longest: longestMs(flight.gates ?? []), change }, deed)
    durationMs += ran.durationMs
    return ran.results
  }
  const newTests: [string, string] = [now, 'the new tests, where they expect other values']
  const results = await runWith(gates, texts, newTests)
  const accepted = acceptedBy(results, left, flight).slice(0, mostNamed)
  if (accepted.length === 0 || deed.stop.aborted) return { accepting: [], durationMs }
  if (!isCounted) {
    // Nobody knows whether these gates run tests at all.
    const older = withOther(await testsOf(world, files), true).texts
    const then = await runWith(gates, older, [from, 'the old tests, where they expect other values'])
    return { accepting: then.some(isHeeding) ? accepted : [], durationMs }
  }
  // Another gate may run them.
  const others = asked.gates.filter((gate) => !gates.includes(gate))
  const isOpen = others.some((gate) => !isQuickIn(flight, gate))
  if (isOpen || (others.length > 0 && (await runWith(others, texts, newTests)).some(({ passed }) => !passed)))
    return { accepting: [], durationMs }
  return { accepting: accepted, durationMs }
}

const isHeeding = ({ passed, ended }: GateResult): boolean => !passed && ended === 'exited'

function acceptedBy(results: GateResult[], tests: Expecting[], flight: EndedFlight): Accepting[] {
  if (results.length === 0 || results.some(({ ended }) => ended !== 'exited')) return []
  if (results.every(({ passed }) => passed)) return tests.map((one): Accepting => ({ ...one, isWhole: true }))
  // One that is skipped does not pass.
  const isKnown = results.every((result) => isWhole(result, flight) && result.census?.skipped === 0)
  return isKnown
    ? passingStill(
        tests,
        results.flatMap(({ output }) => failingTests(output)),
      )
    : []
}

/** What a gate starts compares numbers of tests, which is another thing. */
function withoutRunners(world: ExaminedWorld, files: FileChange[], { state }: Deed): FileChange[] {
  const paths = files.map(({ path }) => path)
  const started = gateFilesOf(world, world.git.top, paths, state).flatMap(({ path, entry }) =>
    entry === undefined ? [path] : [],
  )
  return files.filter(({ path }) => isTestFile(path) || !started.includes(path))
}

/** Those that count their tests, or else all that are quick. */
function gatesToAsk({ gates }: AskedOfWork, flight: EndedFlight): Gate[] {
  const quick = gates.filter((gate) => isQuickIn(flight, gate))
  const counted = quick.filter((gate) => countOf(flight, gate) > 0)
  return counted.length > 0 ? counted : quick
}

function isQuickIn(flight: EndedFlight, gate: Gate): boolean {
  const result = resultOf(flight, gate)
  return result !== undefined && isQuick(result)
}

const resultOf = ({ gates = [] }: EndedFlight, { name, story }: Gate): GateResult | undefined =>
  gates.find((result) => result.name === name && result.story === story)

function countOf(flight: EndedFlight, gate: Gate): number {
  const census = resultOf(flight, gate)?.census
  return census === undefined ? 0 : ranIn(census)
}

/** As they were when the story began. */
async function testsOf({ git }: ExaminedWorld, changed: FileChange[]): Promise<FileChange[]> {
  const same = await git.committedFiles((path) => mayExpect(path) && !changed.some((file) => file.path === path))
  return [
    ...changed.flatMap(({ path, before }) => (before === '' ? [] : [added(path, before)])),
    ...same.map(({ path, text }) => added(path, text)),
  ]
}

const added = (path: string, after: string): FileChange => ({ path, kind: 'added', before: '', after })

/** As many tests ran as without the change, and each that failed is named. */
export function isWhole({ name, story, passed, census, output }: GateResult, { gates = [] }: EndedFlight): boolean {
  const real = gates.find((gate) => gate.name === name && gate.story === story)?.census
  if (census === undefined || real === undefined || ranIn(census) !== ranIn(real)) return false
  return passed || failingTests(output).length >= census.failed
}
