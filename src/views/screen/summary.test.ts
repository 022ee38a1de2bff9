import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aStory, begun } from '../../../sim/builders.ts'
import type { State } from '../../core/state.ts'
import { nextThing } from './summary.ts'

const paths = { dir: '.ralph/shop', log: 'iteration-001.log' }
const state = begun([aStory('A')])
const asks: State = { ...state, questions: [{ question: 'tabs or spaces?', iteration: 1, story: 'A' }] }
const isBlocked: State = { ...state, blocked: { reason: 'no key', iteration: 1 } }
const isOpen: State = { ...state, breaker: { ...state.breaker, state: 'open' } }
const command = (next: string): string => next.split('  # ')[0] ?? ''

test('the next step is what a person has not done yet: an answered question, a resolved blocker and a closed breaker leave the run', () => {
  assert.equal(command(nextThing('question', asks, paths)), 'ralph answer "<your decision>" && ralph run')
  assert.equal(
    nextThing('question', after([{ kind: 'question.answered', text: 'tabs', story: 'A' }], asks), paths),
    'ralph run  # answered; continues where this run stopped',
  )
  assert.equal(command(nextThing('blocked', isBlocked, paths)), 'ralph unblock "<note>" && ralph run')
  assert.equal(
    nextThing('blocked', after([{ kind: 'unblocked', note: '' }], isBlocked), paths),
    'ralph run  # the blocker is resolved; continues where this run stopped',
  )
  assert.equal(command(nextThing('stuck', isOpen, paths)), 'ralph run --reset-circuit')
  assert.equal(command(nextThing('stuck', state, paths)), 'ralph run')
})

test('one failed story is retried by its name, several by one command', () => {
  const failed = { branch: '', reason: 'tests', at: '2026-01-09T12:00:00.000Z' }
  const next = (...ids: string[]): string => nextThing('stories-failed', begun(ids.map((id) => aStory(id, { failed }))), paths)
  assert.equal(next('A'), 'ralph retry A && ralph run  # fix the story or the plan first')
  assert.equal(next('A', 'B'), 'ralph run --fresh  # fix the story or the plan first; tries all 2 again')
})
