/** What an agent says at the end: promises, status blocks, words. Nothing may be taken for done that is not. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { defaultPromise, errorHash, looksLikeError, readAnswer, withoutSignals } from '../../src/core/reading/reading.ts'
import { resetTime } from '../../src/core/reading/reset-time.ts'
import { answersIn, decideText } from '../../src/views/files/blocked-and-decide.ts'
import { family } from '../family.ts'
import { mutated, nastyText } from '../nasty.ts'
import { deniesExit, mayClaim } from '../oracle.ts'

type Answer = { text: string; promise: string; code: string }

const code = 'k7f3'
const pieces = [
  ...[
    '<promise>COMPLETE</promise>',
    '\n> <promise>COMPLETE</promise>\n',
    '<promise>',
    '</promise>',
    `<promise code="${code}">`,
    '< / promise >',
    '<PROMISE>complete</PROMISE>',
    'COMPLETE',
    'BLOCKED: no key',
    'DECIDE: tabs?',
  ],
  ...[
    '<promise>BLOCKED:no network</promise>',
    '<promise>DECIDE:tabs or spaces?</promise>',
    'not ',
    'I will print ',
    'when finished ',
    'Done. ',
    'All tasks complete.',
    'I am done',
    'is not done yet',
  ],
  ...[
    '---RALPH_STATUS---',
    '---END_RALPH_STATUS---',
    'RALPH_STATUS:',
    '**RALPH\\_STATUS**',
    'STATUS: COMPLETE',
    'STATUS: IN_PROGRESS',
    'STATUS: BLOCKED',
    'EXIT_SIGNAL: true',
    'EXIT_SIGNAL: false',
  ],
  ...[
    'EXIT_SIGNAL: true | false',
    'WORK_TYPE: TESTING',
    'TESTS_STATUS: PASSING',
    'RECOMMENDATION: go on',
    `CODE: ${code}`,
    code,
    '  EXIT_SIGNAL: true',
    '\n',
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '```',
    '```\n',
    '~~~\n',
    '> ',
    '\x1b[0m',
    '🎉',
    '?',
    '.',
  ],
]
const block = fc
  .array(
    fc.constantFrom(
      'STATUS: COMPLETE',
      'STATUS: IN PROGRESS',
      'EXIT_SIGNAL: true',
      'EXIT_SIGNAL: false',
      'WORK_TYPE: TESTING',
      'TESTS_STATUS: PASSING',
      'FILES_MODIFIED: 3',
    ),
    { maxLength: 4 },
  )
  .map((lines) => ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n'))
const message = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...pieces) },
      { weight: 2, arbitrary: block.map((text) => `\n${text}\n`) },
      { weight: 1, arbitrary: nastyText },
    ),
    { maxLength: 14 },
  )
  .map((all) => all.join(''))

export const answers = family<Answer>({
  name: 'answers',
  what: "an agent's final message: promises, status blocks, keywords, questions, errors, times of reset",
  weight: 10,
  inputs: fc.record({
    text: mutated(message, pieces),
    promise: fc.oneof(
      { weight: 5, arbitrary: fc.constant(defaultPromise) },
      fc.constantFrom('', 'ALL DONE', '<promise>SHIP IT</promise>', '✅', 'A'),
    ),
    code: fc.constantFrom('', '', code),
  }),
  check({ text, promise, code: wanted }) {
    const reading = readAnswer(text, { promise, ...(wanted && { code: wanted }) })
    assertMeant(reading, text, promise)
    const unchecked = readAnswer(text, { promise, ...(wanted && { code: wanted }), isUnchecked: true })
    assert.ok(reading.exitSignal || !unchecked.exitSignal, 'without a plan a claim is weighed, and never made')
    const claim = reading.signals.find((signal) => signal.kind === 'claimed-done')
    if (claim && wanted) assert.ok(text.includes(wanted), 'a claim without the code of the iteration')
    if (claim && !wanted && deniesExit(text)) assert.fail('a claim beside an explicit EXIT_SIGNAL: false')
    assert.ok(reading.confidence >= 0 && reading.confidence <= 100)
    const quoted = readAnswer(withoutSignals(text, promise), { promise, ...(wanted && { code: wanted }) })
    const signals = quoted.signals.filter(
      (signal) =>
        signal.kind !== 'asked' && signal.kind !== 'unclear' && !('evidence' in signal && signal.evidence.startsWith('keyword ')),
    )
    assert.deepEqual(signals, [], 'a quoted text sends no signal')
    assert.match(errorHash(text), /^[0-9a-f]{8}$/)
    looksLikeError(text)
    assertTime(text)
    assertTime(`You've hit your limit · resets ${text}`)
  },
})

export function assertMeant(reading: ReturnType<typeof readAnswer>, text: string, promise: string): void {
  for (const signal of reading.signals) {
    if (signal.kind !== 'claimed-done') continue
    const may = mayClaim(text, promise)
    const isRight = { promise: may.byPromise, 'status-block': may.byBlock, keywords: may.byWords }[signal.by as 'promise']
    assert.ok(isRight, `a claim by ${signal.by} in a text that holds none`)
  }
  if (reading.exitSignal) {
    const may = mayClaim(text, promise)
    assert.ok(
      may.byPromise || /exit[\s_\\-]*signal[\s*_`]*[:=][\s*_`"'~]*(true|yes)/i.test(text),
      'an exit signal in a text that holds none',
    )
  }
}

function assertTime(text: string): void {
  const now = '2026-01-09T12:00:00.000Z'
  const at = resetTime(text, now, 'Europe/Paris')
  if (at !== undefined) assert.ok(Date.parse(at) > Date.parse(now) && Date.parse(at) - Date.parse(now) <= 35 * 86_400_000, at)
}

type Decided = { text: string; questions: { question: string; iteration: number; story: string | null }[] }

const question = fc.record({
  question: mutated(fc.constantFrom('Tabs or spaces?', 'Which?\n- a\n- b'), ['---\n', '## Answer\n', '## Question (']),
  iteration: fc.nat({ max: 3 }),
  story: fc.option(fc.constantFrom('S-1', 'S-2', '__proto__')),
})

export const decisions = family<Decided>({
  name: 'decisions',
  what: 'decide.txt: questions written for a person, and what was typed below them',
  weight: 2,
  inputs: fc.record({
    text: mutated(
      fc.constantFrom(
        '',
        '## Question (from iteration 1, 2026-01-09T12:00:00.000Z)\nTabs?\n\n---\n## Answer\ntabs\n',
        '## Question (S-1, from iteration 1, x)\n?\n\n---\n## Answer\n\n## Question (S-2, from iteration 2, x)\n?\n\n---\nb\n',
      ),
      ['---\n', '## Answer\n', '## Question (', '\n'],
    ),
    questions: fc.uniqueArray(question, { minLength: 1, maxLength: 3, selector: ({ iteration }) => iteration }),
  }),
  check({ text, questions }) {
    const at = '2026-01-09T12:00:00.000Z'
    assert.equal(answersIn(text, questions).length, questions.length)
    assert.deepEqual(
      answersIn(decideText(questions, at), questions),
      questions.map(() => ''),
      'no question answers itself',
    )
    const typed = answersIn(text, questions)
    const written = decideText(questions, at, text)
    const again = answersIn(written, questions)
    for (const [place, answer] of typed.entries())
      if (!/^## Question \(/m.test(answer))
        assert.equal(again[place], answer.replace(/\r?\n/g, '\n').trim(), 'what a person typed stays')
  },
})
