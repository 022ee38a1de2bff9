/** The first run of a rehearsal: the gates as they are, then one mistake after the other until the gates notice one. */
import { isRed } from '../core/decide/gates.ts'
import { keyLine } from '../core/proof/key-lines.ts'
import type { Event, GateResult } from '../core/types.ts'
import type { RehearsedGate } from '../views/rehearsal.ts'
import { innerRun, type Stops } from './inner-run.ts'
import type { Scene } from './play.ts'
import type { Stage } from './stage.ts'
import { candidates, isGood, type ProbeResult, probed, probing, type Subject, subjectOf } from './subject.ts'
import { settingVariables } from './surroundings.ts'

/** `problem`: why nothing about the gates can be tried. `gatesMs`: how long all gates take. */
export type KnownGates = { subject: Subject | null; gates: RehearsedGate[]; gatesMs: number; problem: string | null }

export async function probe(
  stage: Stage,
  { gates, files }: Pick<Scene, 'gates' | 'files'>,
  stops: Stops,
  onBaseline: (known: KnownGates) => void,
): Promise<KnownGates> {
  const tried = candidates(files)
  let known: KnownGates | null = null
  let best: { subject: Subject; isGood: boolean } | null = null

  const baseline = (results: GateResult[]): boolean => {
    known = knownBy(results)
    onBaseline(known)
    return known.problem !== null || tried.length === 0
  }
  const take = (result: ProbeResult): boolean => {
    const subject = subjectOf(result, files)
    if (subject === null) return false
    const good = isGood(subject, result)
    if (best === null || (good && !best.isGood)) best = { subject, isGood: good }
    return good
  }
  const ended = await innerRun(
    stage,
    {
      iterations: tried.length === 0 ? [[{ say: 'There is nothing to try.' }]] : probing(tried, files),
      limit: Math.max(1, tried.length),
      env: settingVariables(settings),
      through: [],
    },
    {
      ...stops,
      limitMs: () => (known === null ? hourMs : 60_000 + (tried.length + 1) * (5 * known.gatesMs + 5000)),
      onEvent: (event: Event) =>
        event.kind === 'gates.ended' && event.iteration === 'whole' ? baseline(event.results) : probed(tried, event).some(take),
    },
  )
  const found = best as { subject: Subject } | null
  if (known !== null) return { ...(known as KnownGates), subject: found?.subject ?? null }
  const words = ended.words
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^ralph: /, '')
  const unknown = gates.map(({ name, command }) => ({ name, command, durationMs: null, tests: null }))
  const failed: KnownGates = { subject: null, gates: unknown, gatesMs: 0, problem: `The gates could not be tried. ${words}` }
  onBaseline(failed)
  return failed
}

const hourMs = 3_600_000

/** Mistakes that nobody repairs are many failures alike. */
const settings = {
  'circuit_breaker.no_progress_threshold': 0,
  'circuit_breaker.same_error_threshold': 0,
  'defaults.max_attempts': 100,
}

function knownBy(results: GateResult[]): KnownGates {
  const red = results.find(isRed)
  return {
    subject: null,
    gates: results.map(({ name, command, durationMs, census = null }) => ({ name, command, durationMs, tests: census })),
    gatesMs: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    problem: red === undefined ? null : problemOf(red),
  }
}

function problemOf({ name, output, exitCode }: GateResult): string {
  const told = keyLine(output)
  return `Gate "${name}" fails before any change (exit ${exitCode})${told === null ? '' : `: ${told}`}. Fix it, then rehearse again: plays about gates cannot be tried.`
}
