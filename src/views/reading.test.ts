import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aReading, aStart, aStory, committed, eventOf, runStarted } from '../../sim/builders.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { initialState } from '../core/evolve/initial.ts'
import { sure } from '../core/failure.ts'
import type { Decision, Report } from '../core/types.ts'
import { readingWords, shownReading } from './reading.ts'
import { statusOf } from './status/status.ts'
import { whyLines, whyOf } from './why.ts'

const reading = aReading({
  status: 'complete',
  exitSignal: true,
  confidence: 100,
  workType: 'implementation',
  tests: 'passing',
  evidence: ['promise: <promise>\u0000\nCOMPLETE</promise>'],
})
const words = 'complete, exit signal, confidence 100, work implementation, tests passing (promise: <promise> COMPLETE</promise>)'

test('a reading says status, exit signal, confidence, work, tests and evidence in one plain line [R-SIG-4]', () => {
  assert.equal(readingWords(shownReading(reading)), words)
  assert.equal(readingWords(shownReading(aReading({ status: 'unknown', confidence: 0, evidence: [] }))), 'no signal')
})

test('the last reading is in the status of the run and, with its verdict, in why', () => {
  const judged: Decision = {
    ...{ kind: 'iteration.judged', iteration: 1, verdict: 'worked', progress: 'made', passed: [], proven: false, refused: [] },
    ...{ failedGates: [], claim: 'none', openStories: ['A'], because: 'commits' },
  } as Decision
  const facts: (Report | Decision)[] = [
    runStarted(aPlan([aStory('A')])),
    aStart(1, 'A'),
    { kind: 'iteration.ended', ...committed(1, 't1', { reading }) },
    judged,
  ]
  assert.equal(statusOf(after(facts.slice(0, 3)), null).reading, null)
  const state = facts.map((fact) => eventOf(fact)).reduce(evolve, initialState)
  assert.deepEqual(statusOf(state, null).reading, { iteration: 1, story: 'A', ...shownReading(reading) })
  const events = facts.map((fact) => eventOf(fact))
  const why = sure(whyOf(events, { run: undefined, isLive: false, now: state.at }), 'run')
  const lines = whyLines(why, { dir: 'd', log: (iteration) => `log ${iteration}` })
  assert.ok(lines.includes(`      read as: ${words}`), lines.join('\n'))
})
