import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Question } from '../../core/plan/question.ts'
import { answersIn, decideText } from './blocked-and-decide.ts'

const at = '2026-01-05T08:00:00.000Z'
const later = '2026-01-05T09:00:00.000Z'
const tabs: Question = { question: 'Tabs or spaces?', iteration: 1, story: 'S-1' }
const units: Question = { question: 'Metres or feet?', iteration: 4, story: 'S-2' }

test('one question is asked as people know it; of several, each says whose it is [R-HUM-2]', () => {
  assert.equal(decideText([tabs], at), `## Question (from iteration 1, ${at})\nTabs or spaces?\n\n---\n## Answer\n`)
  assert.equal(
    decideText([tabs, units], at),
    `## Question (S-1, from iteration 1, ${at})\nTabs or spaces?\n\n---\n## Answer\n\n## Question (S-2, from iteration 4, ${at})\nMetres or feet?\n\n---\n## Answer\n`,
  )
})

test('a second question leaves the time of the first and what was typed below it [R-HUM-4]', () => {
  const typed = `${decideText([tabs], at)}Tabs,\n\nalways.\n`
  const text = decideText([tabs, units], later, typed)
  assert.equal(
    text,
    `## Question (S-1, from iteration 1, ${at})\nTabs or spaces?\n\n---\n## Answer\nTabs,\n\nalways.\n\n## Question (S-2, from iteration 4, ${later})\nMetres or feet?\n\n---\n## Answer\n`,
  )
  assert.deepEqual(answersIn(text, [tabs, units]), ['Tabs,\n\nalways.', ''])
  assert.equal(decideText([tabs, units], later, text), text)
})

test('an answer belongs to the question it stands below, whatever was answered and gone meanwhile [R-HUM-4]', () => {
  const text = `${decideText([tabs, units], at)}Metres.\n`
  assert.deepEqual(answersIn(text, [units]), ['Metres.'])
  assert.deepEqual(answersIn(text, [tabs]), [''])
})

test('an answer in a file whose line above it a person took away is an answer, and is not lost [R-HUM-2]', () => {
  const heading = `## Question (from iteration 1, ${at})\nTabs or spaces?\n\n`
  for (const text of ['Tabs', '\nTabs\r\n', '## Answer\nTabs\n', `${heading}## Answer\nTabs\n`])
    assert.deepEqual([answersIn(text, [tabs]), answersIn(decideText([tabs], later, text), [tabs])], [['Tabs'], ['Tabs']], text)
  for (const text of ['Tabs or spaces?\n', heading, `${heading}## Answer\n`])
    assert.deepEqual(answersIn(text, [tabs]), [''], text)
})

test('a heading that a person took away is not needed: with or without "Answer", any line end [R-HUM-2]', () => {
  for (const text of ['---\nTabs\n', 'Tabs or spaces?\r\n---\r\nTabs\r\n', '---\n### answer:\n\n  Tabs'])
    assert.deepEqual(answersIn(text, [tabs]), ['Tabs'], text)
  for (const text of ['', '---\n', '---\n## Answer\n \n']) assert.deepEqual(answersIn(text, [tabs]), [''], text)
})

test('no words of a question are taken for its answer, and each answer comes back as it was typed [R-HUM-2]', () => {
  const line = fc.constantFrom('---', ' --- ', '## Answer', '## Question (from iteration 2, now)', 'A or B?', '', '- A', '\r')
  const words = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'))
  const answer = fc.array(fc.constantFrom('Tabs', '---', '', '- one'), { maxLength: 4 }).map((lines) => lines.join('\n').trim())
  fc.assert(
    fc.property(fc.array(fc.tuple(words, answer), { minLength: 1, maxLength: 4 }), (asked) => {
      const questions = asked.map(([question], index): Question => ({ question, iteration: index + 1, story: `S-${index + 1}` }))
      const blocks = questions.map((question, index) => `${decideText([question], at)}${asked[index]![1]}\n`)
      const answers = asked.map(([, typed]) => typed)
      assert.deepEqual(answersIn(blocks.join('\n'), questions), answers)
      assert.deepEqual(answersIn(decideText(questions, later, blocks.join('\n')), questions), answers)
    }),
  )
})

test('a heading that was broken over lines ends with its line, and what was typed below stays as it is [R-HUM-2]', () => {
  const broken = '## Question (from iteration 1, \n\n---\n## Answer\ntabs)\n'
  assert.deepEqual(answersIn(decideText([tabs], at, broken), [tabs]), ['tabs)'])
})
