import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inert, inertMarkdown } from './inert.ts'

/** What a forge would act on, in words that it has to find unbroken. */
const acts =
  /@\w|#\d|!\d|GH-\d|\b(clos(e|es|ed|ing)|fix(es|ed|ing)?|resolv(e|es|ed|ing)|implement(s|ed|ing)?)\b|\/(issues|pull|merge_requests)\/\d|\[(skip|ci|no)|^\//i

test('words of others notify nobody, close nothing and run no command', () => {
  for (const hostile of [
    'thanks @ann and @org/team',
    'Closes #12',
    'this fixes owner/name#3, resolves GH-4',
    'implements group/project!5',
    'see https://github.com/o/r/issues/7 and https://gitlab.com/g/p/-/merge_requests/9',
    'Fixed: https://github.com/o/r/pull/1',
    '/approve',
    '  \n/merge now',
    'a\n/close\n@bob',
    '[skip ci] [ci skip] [no ci]',
    'closing\u2028#7',
    '\u001b[31mCloses #8\u001b[0m',
  ])
    assert.doesNotMatch(inert(hostile), acts, hostile)
})

test('plain words stay as they are, in one line and not too long', () => {
  for (const words of ['Store wishes', 'a@b is no word alone: @', 'Größe 5 % und mehr', 'price is 5 $'])
    assert.equal(inert(words).replaceAll('\u200b', ''), words)
  assert.equal(inert('Store wishes'), 'Store wishes')
  assert.equal(inert('two\r\n  lines'), 'two lines')
  assert.equal(inert('x'.repeat(300), 10), `${'x'.repeat(9)}…`)
})

test('in Markdown nothing of them is markup: no picture is fetched, no cell or tag ends', () => {
  assert.equal(
    inertMarkdown('![x](https://evil/p.png) | <img src=x> `a` **b**'),
    '!\\[x\\]\\(https://evil/p.png\\) \\| \\<img src=x\\> \\`a\\` \\*\\*b\\*\\*',
  )
})
