import assert from 'node:assert/strict'
import { test } from 'node:test'
import { make } from '../html/table.ts'
import { reservationMark, verdictMark } from './marks.ts'
import { chip, gradeChips, icon, type Make } from './parts.ts'

const words = (html: string): string => html.replace(/<[^>]*>/g, '')

test('a piece has the same elements wherever it is made, and words in it stay words', () => {
  const hostile = { word: '<b onclick="x">"&', tone: 'bad' as const, icon: 'cross' as const }
  const { html } = chip(make, hostile, 'a "title"')
  assert.ok(html.startsWith('<span class="chip t-bad" title="a &quot;title&quot;"><svg class="icon i-cross"'), html)
  assert.ok(html.endsWith('&lt;b onclick=&quot;x&quot;&gt;&quot;&amp;</span>'), html)
  const tree: Make<unknown[]> = (tag, attributes, ...inside) => [tag, attributes, ...inside]
  assert.deepEqual(chip(tree, hostile), ['span', { class: 'chip t-bad', title: undefined }, icon(tree, 'cross'), hostile.word])
})

test('a grade has a chip, and one more for reservations that nobody has answered', () => {
  const chips = (reservations: { answer?: string }[]): string[] =>
    gradeChips(make, { grade: 'gated', reservations }).map(({ html }) => words(html))
  assert.deepEqual(chips([{ answer: 'accepted' }]), ['Gated'])
  assert.deepEqual(chips([{}, { answer: 'accepted' }, {}]), ['Gated', reservationMark(2).word])
})

test('what has no verdict runs, is checked, or was lost with its process', () => {
  const [begun, returned] = [
    { verdict: null, endedAt: null },
    { verdict: null, endedAt: '2026-01-09T12:00:00.000Z' },
  ]
  assert.deepEqual(
    [verdictMark(begun, true), verdictMark(returned, true), verdictMark(begun, false), verdictMark(returned, false)].map(
      ({ word }) => word,
    ),
    ['Running', 'Checking', 'Lost', 'Lost'],
  )
})
