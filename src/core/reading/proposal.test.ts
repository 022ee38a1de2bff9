import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAcceptance, withProposal } from './proposal.ts'

test('a question may end with a proposed criterion, in quotes or without', () => {
  const proposal = { before: 'sum(1, 2) is 4', after: 'sum(1, 2) is 3' }
  for (const end of [
    'AMEND: "sum(1, 2) is 4" => "sum(1, 2) is 3"',
    'AMEND: sum(1, 2) is 4 => sum(1, 2) is 3',
    '\nAMEND: “sum(1, 2) is 4” → “sum(1, 2) is 3”.',
    '(AMEND: `sum(1, 2) is 4` -> `sum(1, 2) is 3`',
    'AMEND:\n  "- [ ] sum(1, 2) is 4"\n  => "sum(1, 2)\n  is 3"',
  ])
    assert.deepEqual(withProposal(`The criterion says 4, the test 3. ${end}`).proposal, proposal, end)
  assert.deepEqual(withProposal('4 or 3?\nAMEND: "a 1" => "a 2"'), { text: '4 or 3?', proposal: { before: 'a 1', after: 'a 2' } })
})

test('an arrow or a quote inside a quoted criterion is part of it', () => {
  assert.deepEqual(withProposal('Which? AMEND: "x => x + 1 is "one" more" => "x => x + 2 is "two" more"').proposal, {
    before: 'x => x + 1 is "one" more',
    after: 'x => x + 2 is "two" more',
  })
})

test('the last proposal counts, and nothing hidden comes along', () => {
  assert.deepEqual(withProposal('I first thought AMEND: a => b, but no. AMEND: c => d\u202e\u001b[2J e').proposal, {
    before: 'c',
    after: 'd e',
  })
})

test('what proposes nothing is only a question', () => {
  for (const text of [
    'A or B?',
    'Shall I amend: a => b?',
    'AMEND: the first criterion',
    'AMEND: "a" => "a"',
    'AMEND: … => b',
    'AMEND: a => ',
    `AMEND: a => ${'b'.repeat(1001)}`,
  ])
    assert.deepEqual(withProposal(text), { text }, text)
})

test('only the plain word accepts', () => {
  assert.deepEqual(['accept', ' Accepted. ', 'ACCEPT!'].map(isAcceptance), [true, true, true])
  assert.deepEqual(['yes', 'accept, but round it', 'I accept B', ''].map(isAcceptance), [false, false, false, false])
})
