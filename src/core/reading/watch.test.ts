import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from './transcript.ts'
import { circling, emptyWatch, watchAfter } from './watch.ts'

const call = (target: string): Entry => ({ kind: 'tool', name: 'Bash', target, isSub: false })
const fails = (text: string): Entry => ({ kind: 'tool-result', failed: true, text })
const works: Entry = { kind: 'tool-result', failed: false, text: 'ok' }
const edit = (path: string, to: string, from?: string): Entry => ({
  kind: 'tool',
  name: 'Edit',
  target: path,
  isSub: false,
  edit: { path, to, ...(from === undefined ? {} : { from }) },
})
const after = (entries: Entry[]) => entries.reduce(watchAfter, emptyWatch)
const times = <T>(n: number, items: T[]): T[] => Array.from({ length: n }, () => items).flat()

test('the same call that fails in the same way five times is a circle, whatever else is read in between [R-LIM-6]', () => {
  const round = [call('npm test'), fails('1 failed in 0.31s'), call('cat a.ts'), works]
  assert.equal(circling(after(times(4, round)), 5), null)
  assert.equal(circling(after(times(5, round)), 5), 'the same tool call failed the same way 5 times: Bash npm test')
})

test('times and line numbers do not make two failures different', () => {
  const rounds = [1, 2, 3, 4, 5].flatMap((n) => [call('npm test'), fails(`failed in 0.${n}s at a.ts:${n}`)])
  assert.notEqual(circling(after(rounds), 5), null)
})

test('an edit starts the count again, and another failure has a count of its own', () => {
  const round = [call('npm test'), fails('1 failed')]
  assert.equal(circling(after([...times(4, round), edit('a.ts', 'new'), ...times(4, round)]), 5), null)
  assert.equal(circling(after([...times(3, round), ...times(3, [call('npm test'), fails('cannot find module')])]), 5), null)
})

test('a file that is edited back and forth is a circle; one that moves on is none [R-LIM-6]', () => {
  assert.equal(
    circling(after(times(3, [edit('a.ts', 'A', 'B'), edit('a.ts', 'B', 'A')])), 5),
    'a.ts was edited back and forth 5 times',
  )
  const onward = Array.from({ length: 30 }, (_, n) => edit('a.ts', `v${n + 1}`, `v${n}`))
  assert.equal(circling(after(onward), 5), null)
})

test('zero turns it off', () => {
  assert.equal(circling(after(times(50, [call('x'), fails('no')])), 0), null)
})
