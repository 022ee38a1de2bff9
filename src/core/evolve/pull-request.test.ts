import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../types.ts'
import { evolve } from './evolve.ts'
import { initialState } from './initial.ts'

const at = '2026-01-09T12:00:00.000Z'
const later = '2026-01-10T12:00:00.000Z'
const event = <K extends Event['kind']>(fields: Omit<Extract<Event, { kind: K }>, 'at' | 'run'>): Event =>
  ({ at: later, run: 'r', ...fields }) as Event
const ended = (number: number) =>
  event<'pull-request.ended'>({
    kind: 'pull-request.ended',
    branch: 'b',
    base: 'main',
    commit: 'c',
    url: `u${number}`,
    number,
    isDraft: true,
  })
const after = (...events: Event[]) => events.reduce(evolve, { ...initialState, at })

test('a pull request comes after the run: the time of its end stays', () => {
  const started = event<'pull-request.started'>({
    kind: 'pull-request.started',
    branch: 'b',
    base: 'main',
    remote: 'origin',
    commit: 'c',
  })
  const { at: now, pull } = after(started, ended(1))
  assert.deepEqual([now, pull], [at, { branch: 'b', base: 'main', commit: 'c', url: 'u1', number: 1, isDraft: true }])
})

test('one that was not updated is still there as it was', () => {
  const failed = event<'pull-request.ended'>({
    kind: 'pull-request.ended',
    branch: 'b',
    base: 'next',
    commit: 'd',
    problem: 'no',
  })
  assert.deepEqual(after(ended(1), failed).pull, after(ended(1)).pull)
})

test('rounds belong to one pull request', () => {
  const round = event<'pull-request.reviewed'>({ kind: 'pull-request.reviewed', number: 1, round: 2, sources: ['s'] })
  const answer = event<'pull-request.answered'>({
    kind: 'pull-request.answered',
    number: 1,
    story: 'PR-1',
    source: 's',
    commits: ['c'],
  })
  assert.deepEqual(after(ended(1), round, answer, ended(1)).pull?.rounds, { times: 2, sources: ['s'], answered: ['s'] })
  assert.equal(after(ended(1), round, ended(2)).pull?.rounds, undefined)
  assert.equal(after(ended(2), round).pull?.rounds, undefined)
})
