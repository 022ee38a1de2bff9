/** Flaky gates: they fail and pass on the same content. Known from the log alone, which no agent can write. */
import type { EndedFlight, State } from '../../state.ts'
import type { GateResult, Instant, StoryId } from '../../types.ts'
import { failingTests, isOnlyMissing } from '../failing-tests.ts'
import type { Flake, GateRun } from './gate-run.ts'

type Known = Pick<State, 'ran' | 'flakes'>
type RanGate = Pick<GateResult, 'name' | 'story' | 'command'>

/** Whose code is new in what an iteration shows: '' for work without a story. */
export function ownWork(flight: EndedFlight | undefined): StoryId[] {
  if (flight === undefined) return []
  const { story, ended } = flight
  return story !== null ? [story] : ended.flips.length > 0 ? ended.flips : ['']
}

/** How many runs are remembered: far more than a story needs. */
const maxRuns = 300

export const isSameGate = (one: Pick<RanGate, 'name' | 'story'>, other: Pick<RanGate, 'name' | 'story'>): boolean =>
  one.name === other.name && one.story === other.story

const isRunOf = (run: GateRun, content: string, gate: RanGate): boolean =>
  run.content === content && isSameGate(run, gate) && run.command === gate.command

/** It has passed on this content in this run. */
export const hasPassedOn = ({ ran }: Known, content: string | undefined, gate: RanGate): boolean =>
  content !== undefined && ran.some((run) => run.hasPassed && isRunOf(run, content, gate))

/**
 * Every test that failed is known to be flaky, and not by the work that is judged: what its own code does at random is a plain failure. A runner that says
 * how many failed must have named them all.
 */
export function isKnownFlaky({ flakes }: Known, { name, output, census }: GateResult, own: StoryId[]): boolean {
  const failing = failingTests(output)
  if (failing.length === 0 || failing.length < (census?.failed ?? 0)) return false
  const isKnown = (test: string): boolean =>
    flakes.some((flake) => flake.gate === name && flake.test === test && (flake.by === null || !own.includes(flake.by)))
  return failing.every(isKnown)
}

/** The results of a check whose failed gates ran once more. What passes then is flaky; a run on other content counts for nothing. */
export function withRerun(first: GateResult[], again: GateResult[], isSameContent: boolean): GateResult[] {
  // The held-out check runs only once the gates pass.
  const more = again.filter((result) => !first.some((before) => isSameGate(result, before)))
  const merged = first.map((before) => {
    const after = again.find((result) => isSameGate(result, before))
    if (after === undefined || before.passed) return before
    if (after.ended === 'stopped') return after
    const durationMs = before.durationMs + after.durationMs
    if (!after.passed || !isSameContent) return { ...before, durationMs }
    return { ...after, durationMs, flaky: failingTests(before.output) }
  })
  return [...merged, ...more]
}

/** What passes now and failed before on the same content is flaky too. */
export function withEarlier({ ran }: Known, content: string | undefined, results: GateResult[]): GateResult[] {
  if (content === undefined) return results
  return results.map((result) => {
    const { failed } = ran.find((run) => isRunOf(run, content, result)) ?? {}
    return result.passed && result.flaky === undefined && failed !== undefined ? { ...result, flaky: failed } : result
  })
}

type Checked = {
  content: string | undefined
  by: StoryId | null
  iteration: number
  at: Instant
  /** As they ended now, and what they mean together with earlier runs. */
  ended: GateResult[]
  results: GateResult[]
}

/** Remembers how gates ended on a content, and what was found to be flaky by that. */
export function withRuns(known: Known, { content, by, iteration, at, ended, results }: Checked): Known {
  const counted = ended.filter(isTelling)
  const ran = content === undefined ? known.ran : counted.reduce((runs, result) => withRun(runs, content, result, by), known.ran)
  const found = results.flatMap((result): Flake[] => {
    if (result.flaky === undefined || !counted.some((now) => isSameGate(now, result))) return []
    const before = content === undefined ? undefined : known.ran.find((run) => isRunOf(run, content, result))
    if (before?.isRed === false) return [] // known since an earlier run
    const tests = result.flaky.length === 0 ? [''] : result.flaky
    return tests.map((test) => ({ gate: result.name, test, by: before === undefined ? by : before.by, times: 1, iteration, at }))
  })
  return { ran: ran.slice(-maxRuns), flakes: found.reduce(withFlake, known.flakes) }
}

/** It ran to an end that says something about the content: not if what it needs was missing, which is installed beside it. */
const isTelling = (result: GateResult): boolean =>
  result.soft !== true && (result.passed || (couldPass(result) && !isOnlyMissing(result.output))) && result.kind === 'command'

/** It failed, and could have passed. */
export const couldPass = ({ kind, ended, exitCode }: GateResult): boolean =>
  kind === 'command' && (ended === 'timeout' || (ended === 'exited' && exitCode !== 126 && exitCode !== 127))

function withRun(ran: GateRun[], content: string, result: GateResult, by: StoryId | null): GateRun[] {
  const { name, story, command, passed } = result
  const known = ran.find((run) => isRunOf(run, content, result))
  const before = known ?? {
    content,
    name,
    ...(story === undefined ? {} : { story }),
    command,
    by,
    hasPassed: false,
    isRed: false,
  }
  const after = passed
    ? { ...before, hasPassed: true, isRed: false }
    : { ...before, isRed: true, failed: [...new Set([...(before.failed ?? []), ...failingTests(result.output)])] }
  return [...ran.filter((run) => run !== known), after]
}

/** Once seen without the work of a story, it is nobody's. */
function withFlake(flakes: Flake[], flake: Flake): Flake[] {
  const known = flakes.find(({ gate, test }) => gate === flake.gate && test === flake.test)
  if (known === undefined) return [...flakes, flake].slice(-maxRuns)
  const by = known.by === flake.by ? known.by : null
  return flakes.map((each) => (each === known ? { ...flake, by, times: known.times + 1 } : each))
}
