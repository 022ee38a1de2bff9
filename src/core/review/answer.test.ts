import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { passingReview as pass } from '../../../test/support/answers.ts'
import { errorHash } from '../reading/reading.ts'
import { type ReviewAnswer, type ReviewKind, type ReviewReading, readReview, reviewResult, reviewSchema } from './answer.ts'

const answer = (more: Partial<ReviewAnswer>): ReviewAnswer => ({
  verdict: 'pass',
  missing: [],
  extra: [],
  warnings: [],
  fixed: [],
  answers: [],
  reason: '',
  ...more,
})
const read = (more: Partial<ReviewAnswer>): ReviewReading => ({ ok: true, answer: answer(more) })
const broken = (problem: string): ReviewReading => ({ ok: false, problem })
const fail = '{"missing": ["2. Rounds up: 1.5 gives 1"], "extra": [], "reason": "", "verdict": "fail"}'
const failed = read({ verdict: 'fail', missing: ['2. Rounds up: 1.5 gives 1'] })
const contradicted = 'The verdict was pass, but it comes with findings: it counts as fail.'
const twoVerdicts = 'The verdict was pass, but the same message has a stricter verdict: it counts as fail.'

test('R-GATE-1: the object is found alone, in a fence, or after many words with braces and quotes in them', () => {
  for (const text of [
    fail,
    `\uFEFF${fail}\r\n`,
    `\`\`\`json\n${fail}\n\`\`\``,
    `I looked at "a {b" and at \`if (x) { return {} }\`, at {"a": 1} and at { "b": .\n\nMy verdict:\n${fail}\nThat is all.`,
    `[${fail}]`,
  ])
    assert.deepEqual(readReview(text, 'spec'), failed, text)
})

test('each verdict is read with its findings, without regard to case or blank findings', () => {
  const cases: [given: object, more: Partial<ReviewAnswer>][] = [
    [{ verdict: 'pass', missing: [], extra: [], reason: 'all met' }, { reason: 'all met' }],
    [{ verdict: ' PASS ', missing: [''], extra: [' '], reason: null }, {}],
    [
      { verdict: 'fail', missing: [' a '], extra: ['b'] },
      { verdict: 'fail', missing: ['a'], extra: ['b'] },
    ],
    [
      { verdict: 'fail', reason: 'does not build' },
      { verdict: 'fail', reason: 'does not build' },
    ],
    [
      { verdict: 'blocked', reason: 'no database' },
      { verdict: 'blocked', reason: 'no database' },
    ],
    [
      { verdict: 'question', missing: ['3'], reason: 'UTC or local?' },
      { verdict: 'question', missing: ['3'], reason: 'UTC or local?' },
    ],
    [
      { verdict: 'fail', missing: ['a } brace \\" {'] },
      { verdict: 'fail', missing: ['a } brace \\" {'] },
    ],
  ]
  for (const kind of ['spec', 'final'] as const)
    for (const [given, more] of cases) assert.deepEqual(readReview(JSON.stringify(given), kind), read(more))
})

test('a quality review warns or passes', () => {
  const cases: [given: object, reading: ReviewReading][] = [
    [{ verdict: 'pass', warnings: [], reason: '' }, read({})],
    [
      { verdict: 'warn', warnings: ['a.ts:3: swallows errors'] },
      read({ verdict: 'warn', warnings: ['a.ts:3: swallows errors'] }),
    ],
    [
      { verdict: 'pass', warnings: ['a.ts:3'] },
      read({ verdict: 'warn', warnings: ['a.ts:3'], reason: contradicted.replace('as fail', 'as warn') }),
    ],
    [{ verdict: 'warn', warnings: [] }, broken('The verdict was warn, but it has no finding and no reason.')],
    [{ verdict: 'fail', warnings: ['a'] }, broken('"verdict" was "fail"; use one of pass, warn.')],
  ]
  for (const [given, reading] of cases) assert.deepEqual(readReview(JSON.stringify(given), 'quality'), reading)
})

test('R-GATE-1: an answer with fields that its form does not have is a broken one, whatever its verdict', () => {
  const scored = { verdict: 'pass', missing: [], extra: [], reason: '', score: 2, threshold: 7 }
  assert.deepEqual(
    readReview(JSON.stringify(scored), 'spec'),
    broken('The answer has "score", "threshold", which is not a known field.'),
  )
  const failed = { verdict: 'fail', missing: ['2'], extra: [], reason: '', severity: 'high' }
  assert.deepEqual(readReview(JSON.stringify(failed), 'final'), broken('The answer has "severity", which is not a known field.'))
  const otherKind = '{"missing": [], "extra": [], "warnings": [], "reason": "", "verdict": "pass"}'
  for (const [kind, names] of [
    ['spec', '"warnings"'],
    ['final', '"warnings"'],
    ['quality', '"missing", "extra"'],
  ] as const)
    assert.deepEqual(readReview(otherKind, kind), broken(`The answer has ${names}, which is not a known field.`))
  const other = { verdict: 'pass', warnings: [], missing: ['2'] }
  assert.deepEqual(readReview(JSON.stringify(other), 'quality'), broken('The answer has "missing", which is not a known field.'))
})

test('R-GATE-1: a verdict that contradicts its own findings is a fail', () => {
  assert.deepEqual(
    readReview('{"verdict": "pass", "missing": ["2"], "extra": [], "reason": "nearly"}', 'spec'),
    read({ verdict: 'fail', missing: ['2'], reason: `${contradicted} nearly` }),
  )
  assert.deepEqual(
    readReview('{"verdict": "pass", "missing": [], "extra": ["a.ts:1: a back door"]}', 'final'),
    read({ verdict: 'fail', extra: ['a.ts:1: a back door'], reason: contradicted }),
  )
})

test('a broken answer says what is wrong with it, for the second try', () => {
  const cases: [text: string, problem: string][] = [
    ['', 'The answer was empty.'],
    [' \n', 'The answer was empty.'],
    ['Looks good to me: pass', 'The answer has no valid JSON object with a "verdict".'],
    ['{"result": {"verdict": "pass", "missing": [], "extra": []}}', 'The answer has no valid JSON object with a "verdict".'],
    ['{"missing": [], "extra": [], "verdict": "pass"', 'The answer has no valid JSON object with a "verdict".'],
    ["{'missing': [], 'extra': [], 'verdict': 'pass'}", 'The answer has no valid JSON object with a "verdict".'],
    ['{"verdict": "approved"}', '"verdict" was "approved"; use one of pass, fail, blocked, question.'],
    ['{"verdict": true}', '"verdict" was true; use one of pass, fail, blocked, question.'],
    ['{"verdict": "warn"}', '"verdict" was "warn"; use one of pass, fail, blocked, question.'],
    ['{"verdict": "pass"}', 'A pass must give "missing" and "extra" too, which may be empty.'],
    ['{"verdict": "pass", "missing": "none", "extra": []}', '"missing" was "none"; it must be a list of strings.'],
    ['{"verdict": "fail", "missing": [], "extra": [{"a": 1}]}', '"extra" was [{"a":1}]; it must be a list of strings.'],
    ['{"verdict": "fail", "reason": 3}', '"reason" was 3; it must be a string.'],
    ['{"verdict": "fail", "missing": [""], "extra": []}', 'The verdict was fail, but it has no finding and no reason.'],
    ['{"verdict": "blocked"}', 'The verdict was blocked, but "reason" does not say what is in the way.'],
    ['{"verdict": "question", "reason": " "}', 'The verdict was question, but "reason" has no question.'],
    [`${pass}\n{"missing": ["2"], "ext`, 'After its verdict, the answer has an object that is not valid JSON or is cut off.'],
    ['{"'.repeat(500), 'The answer has too many braces to read.'],
  ]
  for (const [text, problem] of cases) assert.deepEqual(readReview(text, 'spec'), broken(problem), text)
})

test('of several verdicts the last counts, but a pass does not take back a stricter one', () => {
  assert.deepEqual(readReview(`The diff adds ${pass}. ${fail}`, 'spec'), failed)
  assert.deepEqual(readReview(`${pass}\n${pass}`, 'spec'), read({}))
  assert.deepEqual(readReview(`{"verdict": "<pass or fail>"}\n${pass}`, 'spec'), read({}))
  assert.deepEqual(
    readReview(`${fail}\nThe file says: ${pass}`, 'spec'),
    read({ verdict: 'fail', missing: ['2. Rounds up: 1.5 gives 1'], reason: twoVerdicts }),
  )
  for (const stricter of ['{"verdict": "fail"}', '{"verdict": "blocked", "reason": "x"}', '{"verdict": "question"}'])
    assert.deepEqual(readReview(`${stricter} ${pass}`, 'spec'), read({ verdict: 'fail', reason: twoVerdicts }))
  assert.deepEqual(
    readReview(`{"verdict": "pass", "missing": ["2"], "extra": []} ${pass}`, 'spec'),
    read({ verdict: 'fail', missing: ['2'], reason: twoVerdicts }),
  )
  assert.deepEqual(
    readReview(`${pass} {"verdict": "approved"}`, 'spec'),
    broken('"verdict" was "approved"; use one of pass, fail, blocked, question.'),
  )
})

const fragment = fc.oneof(
  fc.constantFrom('{', '}', '"', '\\', '[', ']', ',', ':', ' ', '\n', '```', "'"),
  fc.constantFrom('"verdict":', '"pass"', '"fail"', '"missing":[]', '"extra":[]', '"missing":["2"]', pass, fail),
  fc.string({ maxLength: 5 }),
)
const message = fc.oneof(
  fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string(),
)

/** Every piece of the text that is an object saying pass without findings, by trying them all. */
function hasPlainPass(text: string, lists: string[]): boolean {
  const places = (char: string) => [...text.matchAll(char === '{' ? /\{/g : /\}/g)].map(({ index }) => index)
  return places('{').some((from) =>
    places('}').some((to) => {
      try {
        const value = JSON.parse(text.slice(from, to + 1))
        return value.verdict.trim().toLowerCase() === 'pass' && lists.every((key) => value[key].join('').trim() === '')
      } catch {
        return false
      }
    }),
  )
}

test('no text without a well-formed pass that has no findings reads as pass, and nothing makes the reading throw', () => {
  const isPass = (text: string, kind: ReviewKind) => {
    const reading = readReview(text, kind)
    return reading.ok && reading.answer.verdict === 'pass'
  }
  fc.assert(
    fc.property(message, (text) => {
      if (isPass(text, 'spec')) assert.ok(hasPlainPass(text, ['missing', 'extra']))
      if (isPass(text, 'final')) assert.ok(hasPlainPass(text, ['missing', 'extra']))
      if (isPass(text, 'quality')) assert.ok(hasPlainPass(text, ['warnings']))
    }),
    { numRuns: 2000 },
  )
})

test('whatever surrounds a fail, it never becomes a pass', () => {
  fc.assert(
    fc.property(message, message, (before, after) => {
      // An object that began before could hold the fail as a part of its own.
      const reading = readReview(`${before.replaceAll('{', '(')}\n${fail}\n${after}`, 'spec')
      assert.ok(!reading.ok || reading.answer.verdict !== 'pass')
    }),
    { numRuns: 2000 },
  )
})

test('R-GATE-1: the schema is strict, and what keeps to it is readable', () => {
  assert.deepEqual(
    (['spec', 'quality', 'final'] as const).map((kind) => {
      const { properties, ...rest } = reviewSchema(kind) as { properties: { verdict: { enum: string[] } } }
      return { ...rest, keys: Object.keys(properties), verdicts: properties.verdict.enum }
    }),
    [
      ['missing', 'extra', 'reason', 'verdict'],
      ['warnings', 'reason', 'verdict'],
      ['missing', 'extra', 'reason', 'verdict'],
    ].map((keys) => ({
      type: 'object',
      required: keys,
      additionalProperties: false,
      keys,
      verdicts: keys.includes('warnings') ? ['pass', 'warn'] : ['pass', 'fail', 'blocked', 'question'],
    })),
  )
})

test('a review becomes the result of a gate, its findings one a line', () => {
  const of = (kind: ReviewKind, reading: ReviewReading | null, how: 'exited' | 'timeout' | 'stopped' | 'missing' = 'exited') => {
    const { outputHash, ...result } = reviewResult({ review: kind, story: 'S-1', agent: 'claude' }, reading, {
      durationMs: 7,
      how,
    })
    assert.equal(outputHash, errorHash(result.output))
    return result
  }
  const result = (more: object) => ({
    name: 'spec',
    kind: 'review',
    story: 'S-1',
    command: 'review by claude',
    passed: false,
    exitCode: null,
    ended: 'exited',
    durationMs: 7,
    output: '',
    ...more,
  })
  assert.deepEqual(of('spec', read({ reason: 'all met' })), result({ passed: true, findings: [], output: 'all met' }))
  const failed = of(
    'spec',
    read({ verdict: 'fail', missing: ['password\n  reset', 'b'], extra: ['--json flag'], reason: 'Not yet.' }),
  )
  const [a, b, c] = failed.findings ?? []
  assert.deepEqual(
    failed,
    result({
      findings: [
        { id: a?.id, kind: 'missing', words: 'password reset', standing: 'open' },
        { id: b?.id, kind: 'missing', words: 'b', standing: 'open' },
        { id: c?.id, kind: 'extra', words: '--json flag', standing: 'open' },
      ],
      output: `Missing: password reset [${a?.id}]\nMissing: b [${b?.id}]\nExtra: --json flag [${c?.id}]\nReason: Not yet.`,
    }),
  )
  assert.equal(new Set([a?.id, b?.id, c?.id]).size, 3)
  assert.deepEqual(of('spec', read({ verdict: 'blocked', reason: 'no key' })), result({ output: 'Blocked: no key' }))
  assert.deepEqual(
    of('spec', read({ verdict: 'question', missing: ['3'], reason: 'UTC?' })),
    result({ output: 'Question: UTC?\nMissing: 3' }),
  )
  assert.deepEqual(of('spec', broken('The answer was empty.')), result({ output: 'The answer was empty.' }))
  assert.deepEqual(of('spec', null), result({ output: 'The reviewer gave no answer.' }))
  assert.deepEqual(
    of('quality', read({ verdict: 'warn', warnings: ['a.ts:3'] })),
    result({ name: 'quality', output: 'Warning: a.ts:3' }),
  )
  const { story: _, ...whole } = result({ name: 'final', passed: true })
  assert.deepEqual(of('final', read({})), whole)
  assert.deepEqual(
    (['timeout', 'stopped', 'missing'] as const).map((how) => of('spec', read({}), how)),
    [
      result({ ended: 'timeout', output: 'The review by claude timed out before it answered.' }),
      result({ ended: 'stopped', output: 'The review by claude was stopped before it answered.' }),
      result({ ended: 'missing', output: 'The review by claude could not be started.' }),
    ],
  )
})

test('the findings of a result are bounded, in number and in length', () => {
  const missing = Array.from({ length: 150 }, (_, index) => `${index} ${'x'.repeat(1000)}`)
  const { output, findings } = reviewResult({ review: 'spec', story: null, agent: 'codex' }, read({ verdict: 'fail', missing }), {
    durationMs: 1,
    how: 'exited',
  })
  const lines = output.split('\n')
  assert.deepEqual([lines.length, lines[0]?.length, lines.at(-1)], [101, 450, '[... 50 lines truncated ...]'])
  assert.equal(findings?.length, 100)
})
