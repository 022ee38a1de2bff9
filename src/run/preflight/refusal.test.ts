import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aStory, runStarted, startOfTime } from '../../../sim/builders.ts'
import { newFolder } from '../../../test/support/repository.ts'
import { blockedPath, decidePath } from '../../adapters/project/layout.ts'
import type { State } from '../../core/state.ts'
import { handWritten, refusal } from './refusal.ts'

const begun = after([runStarted(aPlan([aStory('A'), aStory('B')]))])
const nothing = { blocked: null, asked: [] }
const refused = (state: Partial<State>, policy = aPolicy(), files = nothing as { blocked: string | null; asked: string[] }) =>
  refusal({ ...begun, ...state }, policy, { at: startOfTime, label: '.ralph/thing', files, spent: null })
const question = (story: string | null) => ({ question: 'Which one?', iteration: 3, story }) as State['questions'][number]

test('a run that nothing stands in the way of is not refused', () => {
  assert.equal(refused({}), null)
})

test('a blocked feature is refused with its reason and how to go on', () => {
  const { exit, lines = [] } = refused({ blocked: { iteration: 4, reason: 'no account' } as never }) ?? {}
  assert.equal(exit, 2)
  assert.match(
    lines.join('\n'),
    /^Blocked since iteration 4: no account\n.*ralph unblock "<note>" \(or delete \.ralph\/thing\/blocked\.txt\)/,
  )
})

test('a blocked.txt that a person wrote blocks too, empty or not', () => {
  assert.match(refused({}, aPolicy(), { blocked: 'Wait for me.\n', asked: [] })?.lines[0] ?? '', /^Blocked: Wait for me\.$/)
  assert.match(refused({}, aPolicy(), { blocked: '', asked: [] })?.lines[0] ?? '', /blocked\.txt exists, but is empty/)
})

test('an open question is refused with how to answer it', () => {
  const { exit, lines = [] } = refused({ questions: [question(null)] }) ?? {}
  assert.equal(exit, 3)
  assert.match(lines.join('\n'), /^Iteration 3 asks: Which one\?\nAnswer with: ralph answer "<your decision>" \(or/)
})

test('of several questions each says which story it is for', () => {
  const { lines = [] } = refused({ questions: [question('A'), question('B')] }) ?? {}
  assert.deepEqual(lines.slice(0, 2), ['Iteration 3 asks for A: Which one?', 'Iteration 3 asks for B: Which one?'])
  assert.match(lines[2] ?? '', /--story <id>/)
})

test('parked questions let the stories go on that do not need their answers', () => {
  const park = aPolicy({ decide: 'park' })
  assert.equal(refused({ questions: [question('A')] }, park), null)
  assert.equal(refused({ questions: [question(null)] }, park)?.exit, 3)
  assert.equal(refused({ questions: [question('A'), question('B')] }, park)?.exit, 3)
})

test('a question that a person wrote into decide.txt is asked before the run begins', () => {
  const { exit, lines = [] } = refused({}, aPolicy(), { blocked: null, asked: ['Tabs or spaces?'] }) ?? {}
  assert.equal(exit, 3)
  assert.equal(lines[0], '.ralph/thing/decide.txt asks: Tabs or spaces?')
})

test('an open breaker is refused until it is closed, or its time has come', () => {
  const breaker = { ...begun.breaker, state: 'open' as const, because: 'no progress', changedAt: '2026-01-05T07:50:00.000Z' }
  const { exit, lines = [] } = refused({ breaker }, aPolicy({ cooldownMinutes: 30 })) ?? {}
  assert.equal(exit, 4)
  assert.match(lines.join('\n'), /OPEN since .*no progress[\s\S]*ralph breaker reset/)
  assert.equal(refused({ breaker }, aPolicy({ cooldownMinutes: 5 })), null)
})

test('what a run itself wrote into the files is not taken for a person’s', () => {
  const dir = newFolder()
  mkdirSync(dir, { recursive: true })
  assert.deepEqual(handWritten(dir, begun), nothing)
  writeFileSync(blockedPath(dir), 'by hand\n')
  writeFileSync(decidePath(dir), 'Tabs or spaces?\n---\n')
  assert.deepEqual(handWritten(dir, begun), { blocked: 'by hand\n', asked: ['Tabs or spaces?'] })
  assert.equal(handWritten(dir, { ...begun, blocked: { iteration: 1, reason: 'x' } as never }).blocked, null)
})
