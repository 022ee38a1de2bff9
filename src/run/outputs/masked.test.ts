import assert from 'node:assert/strict'
import { test } from 'node:test'
import { masker } from '../../adapters/mask/mask.ts'
import { masked } from './masked.ts'

const event = {
  kind: 'iteration.ended',
  run: '20260109-120000-ab12',
  iteration: 3,
  passed: ['iteration'],
  repairs: ['said "iteration"'],
  reading: { status: 'unknown', evidence: ['an iteration'] },
}

test('words are masked; what we wrote ourselves stays, whatever the password happens to be [R-FILE-3]', () => {
  assert.deepEqual(masked(event, masker({ DB_PASSWORD: 'iteration' })), {
    ...event,
    repairs: ['said "[RALPH masked DB_PASSWORD]"'],
    reading: { status: 'unknown', evidence: ['an [RALPH masked DB_PASSWORD]'] },
  })
})

test('a password that looks like a piece of JSON breaks nothing [R-FILE-3]', () => {
  assert.deepEqual(masked(event, masker({ API_KEY: '.ended","run":"', MY_TOKEN: '"iteration":3' })), event)
})

test('an event without credentials is the event itself', () => {
  assert.equal(masked(event, masker({})), event)
})
