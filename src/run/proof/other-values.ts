/** Runs the gates where new tests expect other values: one that passes there too is not run, or nobody heeds it. */
import { failingTests } from '../../core/proof/failing-tests.ts'
import { isQuick, ranIn } from '../../core/proof/findings-of.ts'
import { type Accepting, mayExpect, passingStill, withOtherValues } from '../../core/proof/reach/other-values.ts'
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
  const runWith = (at: string, those: ReadonlyMap<string, string>, about: string) => {
    const change = (folder: string): Gate[] => {
      replaceTexts(folder, those)
      return gates
    }
    return runChanged(world, { now: at, flight }, { about, longest: longestMs(flight.gates ?? []), change }, deed)
  }
  const { results, durationMs } = await runWith(now, texts, 'the new tests, where they expect other values')
  const failing = results.flatMap(({ output }) => failingTests(output))
  const took = (accepting: Accepting[], more = 0): Accepted => ({ accepting, durationMs: durationMs + more })
  if (results.length === 0 || results.some(({ ended }) => ended !== 'exited')) return took([])
  if (results.some(({ passed }) => !passed)) {
    // One that is skipped does not pass.
    const isKnown = results.every((result) => isWhole(result, flight) && result.census?.skipped === 0)
    return took(isKnown ? passingStill(left, failing).slice(0, mostNamed) : [])
  }
  const whole = left.slice(0, mostNamed).map((one): Accepting => ({ ...one, isWhole: true }))
  if (isCounted || deed.stop.aborted) return took(isCounted ? whole : [])
  // Nobody knows whether these gates run tests at all.
  const older = await testsOf(world, files)
  const then = await runWith(from, withOther(older, true).texts, 'the old tests, where they expect other values')
  const isHeededThen = then.results.some(({ passed, ended }) => !passed && ended === 'exited')
  return took(isHeededThen ? whole : [], then.durationMs)
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
  const ran = (gate: Gate): GateResult | undefined => resultOf(flight, gate)
  const quick = gates.filter((gate) => {
    const result = ran(gate)
    return result !== undefined && isQuick(result)
  })
  const counted = quick.filter((gate) => countOf(flight, gate) > 0)
  return counted.length > 0 ? counted : quick
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
