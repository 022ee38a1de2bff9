/** Tries mutants of a story's code against its gates, one at a time, in a clean checkout. No agent is called. */
import { lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../../adapters/git/git.ts'
import { runGate } from '../../adapters/process/gate.ts'
import { gatesFor } from '../../core/decide/gates.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { type CodeMutant, mutantsOf } from '../../core/proof/mutants/make.ts'
import { type Mutation, type Survivor, seenBy } from '../../core/proof/mutants/mutation.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import type { Decision, Gate } from '../../core/types.ts'
import { doorsOf } from '../iteration/call-result.ts'
import { limitsOf } from '../iteration/gates.ts'
import type { Deed } from '../parts.ts'
import { beginningOfWork } from './changed-checks.ts'
import { changedSources } from './changed-sources.ts'
import { type GateFolders, withCheckout } from './gates-on-commit.ts'

type MutantsStarted = Extract<Decision, { kind: 'mutants.started' }>
type MutatedWorld = GateFolders & { git: Git }
/** A gate that passed on the story as it is, and how long it took. */
type PassedGate = { gate: Gate; durationMs: number }

export async function tryMutants(world: GateFolders, { iteration, most }: MutantsStarted, deed: Deed): Promise<Mutation> {
  const begunMs = performance.now()
  const { git } = world
  const flight = endedFlight(deed.state, iteration)
  const found = { tried: 0, killed: 0, survivors: [] as Survivor[] }
  const over = (problem?: string): Mutation => ({
    ...found,
    ...(problem === undefined ? {} : { problem }),
    durationMs: Math.round(performance.now() - begunMs),
  })
  if (git === null || flight === undefined) return over('the story has no starting commit')
  const here = { ...world, git }
  const { now, mutants } = await mutantsIn(here, flight, most, deed.state)
  if (mutants.length === 0) return over('no changed line could be mutated')
  const gates = testsOf(deed.state, flight)
  if (gates.length === 0) return over('no passing gate could notice one')
  const [, limitMs] = limitsOf(world, 'gates.quality_minutes')
  for (const [index, mutant] of mutants.entries()) {
    const leftMs = limitMs - (performance.now() - begunMs)
    if (leftMs <= 0) return over(`gates.quality_minutes reached after ${index} of ${mutants.length}`)
    world.screen.gate({ name: 'mutants', command: `${index + 1} of ${mutants.length}, ${mutant.file}:${mutant.line}` })
    const seen = await tried(here, { now, mutant, gates, leftMs }, flight, deed)
    if (deed.stop.aborted) return over('stopped')
    if (seen === null) return over('no checkout could be created')
    found.tried += 1
    if (seen === 'killed') found.killed += 1
    const { text: _text, ...survivor } = mutant
    if (seen === 'survived') found.survivors.push(survivor)
  }
  return over()
}

/** Of what the story changed since it began, as it will be committed. */
async function mutantsIn(
  world: MutatedWorld,
  flight: EndedFlight,
  most: number,
  state: State,
): Promise<{ now: string; mutants: CodeMutant[] }> {
  const { git, settings } = world
  const { ended } = flight
  const [now, from] = [
    await git.commitWith(settings['git.auto_commit'] ? ended.uncommitted : []),
    await beginningOfWork(world, flight.story ?? ended.flips[0] ?? null, state),
  ]
  return { now, mutants: mutantsOf(await changedSources(git, from, now), now, most) }
}

/** Hard gates that passed; only those that count their tests, if there are any: a linter notices other things than bugs. The quickest first. */
function testsOf(state: State, { ended, gates: results = [] }: EndedFlight): PassedGate[] {
  const passed = gatesFor(state, ended)
    .filter(({ soft }) => soft !== true)
    .flatMap((gate) => {
      const result = results.find(({ name, story, passed }) => name === gate.name && story === gate.story && passed)
      return result === undefined ? [] : [{ gate, durationMs: result.durationMs, isCounted: result.census !== undefined }]
    })
  const counted = passed.filter(({ isCounted }) => isCounted)
  return (counted.length > 0 ? counted : passed).toSorted((one, other) => one.durationMs - other.durationMs)
}

type Trial = { now: string; mutant: CodeMutant; gates: PassedGate[]; leftMs: number }

/** A bug may let a gate run forever: then it is ended after a multiple of its usual time. */
const longestMs = (durationMs: number, leftMs: number): number => Math.min(3 * durationMs + 5000, leftMs)

/** null: there is no checkout for it. */
async function tried(
  world: MutatedWorld,
  { now, mutant, gates, leftMs }: Trial,
  { iteration, ended }: EndedFlight,
  deed: Deed,
): Promise<ReturnType<typeof seenBy> | null> {
  const place = {
    what: now,
    isClean: deed.state.judgedIn === 'clean',
    without: ended.hidden ?? [],
    async prepare(folder: string) {
      const path = join(folder, mutant.file)
      if (lstatSync(path).isFile()) writeFileSync(path, mutant.text) // never through a link
    },
  }
  return withCheckout(world, place, deed, async (here) => {
    const untilMs = performance.now() + leftMs
    for (const { gate, durationMs } of gates) {
      const name = `${gate.name} (mutant ${mutant.file}:${mutant.line})`
      const result = await runGate(
        { ...gate, name },
        {
          cwd: here.root,
          env: here.env,
          ...doorsOf(here, iteration),
          timeoutMs: longestMs(durationMs, untilMs - performance.now()),
          stop: deed.stop,
        },
      )
      const seen = seenBy(result)
      if (seen !== 'survived') return seen
    }
    return 'survived'
  })
}
