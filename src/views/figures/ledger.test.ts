import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aStory, eventOf, runStarted } from '../../../sim/builders.ts'
import type { Decision, Outcome } from '../../core/types.ts'
import { ledgerOf } from './ledger.ts'

test('a run that ends after only testing is a loop that was stopped', () => {
  const ended = (outcome: Outcome): Decision => ({ kind: 'run.ended', outcome, because: '' })
  const start = runStarted(aPlan([aStory('A')]))
  const runaways = (...outcomes: Outcome[]) =>
    ledgerOf(outcomes.flatMap((outcome) => [start, ended(outcome)]).map((fact) => eventOf(fact))).runaways
  assert.deepEqual(runaways('testing-only', 'complete', 'incomplete'), { stopped: 1, unstopped: 0 })
})
