/** A long history without waiting for it: the core decides, and a world without agents answers at once. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decide } from '../src/core/decide.ts'
import { evolve } from '../src/core/evolve.ts'
import { initialState } from '../src/core/initial.ts'
import type { State } from '../src/core/state.ts'
import { instantOf } from '../src/core/time.ts'
import type { Decision, Ended, Event, Plan, Policy, Report } from '../src/core/types.ts'
import { statusOf } from '../src/views/status.ts'

/** The log of so many iterations on disk, and the status that a run would have left beside it. */
export function writeHistory(folder: string, iterations: number): { log: string; status: string; events: number } {
  const lines: string[] = []
  let state: State = initialState
  const record = (fact: Report | Decision): void => {
    const event: Event = { at: instantOf(begin + lines.length * 1000), run: '20260109-120000-0000', ...fact }
    state = evolve(state, event)
    lines.push(JSON.stringify(event))
  }
  const waiting: Report[] = [runStarted(iterations)]
  for (let report = waiting.shift(); report !== undefined; report = waiting.shift()) {
    record(report)
    for (let decisions = decide(state); decisions.length > 0; decisions = decide(state)) {
      for (const decision of decisions) {
        record(decision)
        const answer = answerTo(decision)
        if (answer !== null) waiting.push(answer)
      }
    }
  }
  if (state.iteration !== iterations) throw new Error(`the history ended after ${state.iteration} of ${iterations} iterations`)
  const log = join(folder, `history-${iterations}.jsonl`)
  writeFileSync(log, `${lines.join('\n')}\n`)
  return { log, status: `${JSON.stringify(statusOf(state, 'run.ended'), null, 2)}\n`, events: lines.length }
}

const begin = Date.UTC(2026, 0, 9, 12)
/** As long as git's. */
const idOf = (number: number): string => number.toString(16).padStart(40, '0')
const repoAfter = (iteration: number) => ({ head: idOf(iteration), tree: idOf(iteration + 1_000_000), dirt: '' })

const policyFor = (iterations: number): Policy => ({
  maxIterations: iterations,
  maxAttempts: 5,
  maxRetries: 5,
  maxStuck: 3,
  sameError: 5,
  declinePercent: 70,
  maxDenied: 2,
  cooldownMinutes: 0,
  doneSignals: 2,
  testLoops: 3,
  pick: 'ralph',
  onLimit: 'exit',
  session: 'fresh',
  budget: { costUsd: null, tokens: null, durationMs: null },
  decide: 'stop',
  storyMs: { soft: 0, hard: 0 },
  gates: [],
  baseline: 'strict',
  tamper: 'warn',
  review: { final: [] },
  agent: 'fake',
  workers: 1,
})

const plan: Plan = {
  file: 'prd.json',
  branch: '',
  marks: 'file',
  stories: ['S-1', 'S-2', 'S-3'].map((id, index) => ({
    id,
    title: `The story ${id}`,
    priority: index + 1,
    passes: false,
    dependsOn: [],
    skip: false,
    exitSignal: false,
    gates: {},
  })),
}

function runStarted(iterations: number): Report {
  return {
    kind: 'run.started',
    log: 1,
    feature: 'bench',
    plan,
    policy: policyFor(iterations),
    repo: repoAfter(0),
    dirty: [],
    pid: 1,
  }
}

function answerTo(decision: Decision): Report | null {
  if (decision.kind === 'call.requested') return { kind: 'call.granted', call: decision.call }
  if (decision.kind === 'iteration.started') return { kind: 'iteration.ended', ...worked(decision.iteration) }
  if (decision.kind === 'iteration.judged')
    return { kind: 'iteration.settled', iteration: decision.iteration, repo: repoAfter(decision.iteration), commits: [] }
  return null
}

function worked(iteration: number): Ended {
  const repo = repoAfter(iteration)
  return {
    iteration,
    exit: 'ok',
    exitCode: 0,
    reading: { status: 'in-progress', exitSignal: false, confidence: 20, workType: '', tests: '', evidence: [], signals: [] },
    signals: [],
    repo,
    commits: [repo.head],
    trees: [repo.tree],
    files: ['src/one.ts', 'src/two.ts'],
    uncommitted: [],
    flips: [],
    repairs: [],
    usage: { inputTokens: 1000, outputTokens: 100, costUsd: 0.01 },
    durationMs: 60_000,
    outputChars: 2000,
    summary: 'The next part of the story is there, with its tests.',
  }
}
