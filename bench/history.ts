/** Builds a long history at once: the core decides, and a world without agents answers immediately. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decide } from '../src/core/decide/decide.ts'
import { instantOf } from '../src/core/text/time.ts'
import type { Decision, Ended, Event, Gate, GateResult, Plan, Policy, Report } from '../src/core/types.ts'
import { emptyBook, withEvent } from '../src/run/history/folded-log.ts'
import { statusFile } from '../src/views/status/account.ts'

/** The log of this many iterations on disk, with the status file of a run. */
export function writeHistory(folder: string, iterations: number): { log: string; status: string; events: number } {
  const { lines, status } = historyOf(iterations, { stories: 3, gates: [] })
  const log = join(folder, `history-${iterations}.jsonl`)
  writeFileSync(log, lines)
  return { log, status, events: lines.split('\n').length - 1 }
}

/** A feature with this many iterations, as a run leaves it: every fifth finishes a story, and a gate runs each time. */
export function writeFeature(dir: string, iterations: number): void {
  const { lines, status } = historyOf(iterations, { stories: Math.ceil(iterations / 5) + 2, gates: [gate] })
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'events.jsonl'), lines)
  writeFileSync(join(dir, 'status.json'), status)
}

type Kind = { stories: number; gates: Gate[] }

function historyOf(iterations: number, kind: Kind): { lines: string; status: string } {
  const lines: string[] = []
  const book = emptyBook()
  const record = (fact: Report | Decision): void => {
    const event: Event = { at: instantOf(begin + lines.length * 1000), run: '20260109-120000-0000', ...fact }
    withEvent(book, event)
    lines.push(JSON.stringify(event))
  }
  const waiting: Report[] = [runStarted(iterations, kind)]
  for (let report = waiting.shift(); report !== undefined; report = waiting.shift()) {
    record(report)
    for (let decisions = decide(book.state); decisions.length > 0; decisions = decide(book.state)) {
      for (const decision of decisions) {
        record(decision)
        const answer = answerTo(decision, kind)
        if (answer !== null) waiting.push(answer)
      }
    }
  }
  if (book.state.iteration !== iterations)
    throw new Error(`the history ended after ${book.state.iteration} of ${iterations} iterations`)
  const status = statusFile(book, 'run.ended', [], 100)
  return { lines: `${lines.join('\n')}\n`, status: `${JSON.stringify(status, null, 2)}\n` }
}

const gate: Gate = { name: 'tests', command: 'npm test' }

const begin = Date.UTC(2026, 0, 9, 12)
/** As long as a git id. */
const idOf = (number: number): string => number.toString(16).padStart(40, '0')
const repoAfter = (iteration: number) => ({ head: idOf(iteration), tree: idOf(iteration + 1_000_000), dirt: '' })

const policyFor = (iterations: number, gates: Gate[]): Policy => ({
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
  gates,
  baseline: 'strict',
  tamper: 'warn',
  review: { final: [] },
  agent: 'fake',
  workers: 1,
})

const planOf = (stories: number): Plan => ({
  file: 'prd.json',
  branch: '',
  marks: 'file',
  stories: Array.from({ length: stories }, (_, index) => ({
    id: `S-${index + 1}`,
    title: `The story S-${index + 1}`,
    priority: index + 1,
    passes: false,
    dependsOn: [],
    skip: false,
    exitSignal: false,
    gates: {},
  })),
})

function runStarted(iterations: number, { stories, gates }: Kind): Report {
  return {
    kind: 'run.started',
    log: 1,
    feature: 'bench',
    plan: planOf(stories),
    policy: policyFor(iterations, gates),
    repo: repoAfter(0),
    dirty: [],
    pid: 1,
  }
}

function answerTo(decision: Decision, { gates }: Kind): Report | null {
  switch (decision.kind) {
    case 'call.requested':
      return { kind: 'call.granted', call: decision.call }
    case 'iteration.started': {
      const { iteration, story } = decision
      const flips = gates.length > 0 && story !== null && iteration % 5 === 0 ? [story] : []
      return { kind: 'iteration.ended', ...worked(iteration), flips }
    }
    case 'gates.started':
      return { kind: 'gates.ended', iteration: decision.iteration, results: decision.gates.map(passed) }
    case 'iteration.judged':
      return { kind: 'iteration.settled', iteration: decision.iteration, repo: repoAfter(decision.iteration), commits: [] }
    default:
      return null
  }
}

const passed = ({ name, command }: Gate): GateResult => ({
  name,
  kind: 'command',
  command,
  passed: true,
  exitCode: 0,
  ended: 'exited',
  durationMs: 2000,
  output: 'tests 120, pass 120, fail 0',
  outputHash: '0'.repeat(40),
})

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
