import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { learnerPrompt } from '../../core/learning/prompt.ts'
import { readLearningText } from './text.ts'

const facts = { story: 'S-1', outcome: 'success', at: '2026-01-09T12:00:00.000Z' } as const
const head = { task_id: 'S-1', outcome: 'success', timestamp: '2026-01-09T12:00:00.000Z' }
const lists = {
  successes: [{ pattern: 'Use {"a": 1}: it works', category: 'api', reusable: true }],
  failures: [{ pattern: 'guessing', lesson: 'Read the log.', category: 'general' }],
  discoveries: [],
}
const learned = { ok: true, learning: { ...head, ...lists }, flagged: [] }
const json = JSON.stringify(lists)
const yaml = stringify(lists, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' })
const problemOf = async (text: string): Promise<string> => {
  const reading = await readLearningText(text, facts)
  return reading.ok ? 'none' : reading.problem
}

test('R-LEARN-2: JSON and YAML are read alone, in a fence, and after words', async () => {
  for (const text of [
    json,
    `Here it is: {"a": 1}\n${json}\nThat is all.`,
    `\`\`\`json\n${json}\n\`\`\``,
    `{"successes": [], "failures": []}\nNo, rather:\n${json}`,
    yaml,
    `---\n${yaml}---\n`,
    `---\ntask_id: "S-9"\n${yaml}`,
    yaml.replaceAll('\n', '\r\n'),
    `Some words: first.\n\n\`\`\`yaml\n${yaml}\`\`\`\nThat is all.`,
    `\`\`\`\nsuccesses: []\n\`\`\`\nNo, rather:\n~~~yml\n---\n${yaml}~~~`,
    `I thought about it.\n\n${yaml}`,
  ])
    assert.deepEqual(await readLearningText(text, facts), learned, text)
})

test('what cannot be read is a problem with its cause', async () => {
  assert.equal(await problemOf(' \n'), 'The answer was empty.')
  assert.equal(
    await problemOf('I learned a lot.'),
    'The answer has no JSON object or YAML document with "successes", "failures" and "discoveries".',
  )
  assert.match(await problemOf('successes:\n  - pattern: "x\n'), /^It is not valid YAML in line 3: Missing closing "quote\.$/)
  assert.match(await problemOf('successes:\n - a: b: c\n'), /^It is not valid YAML in line 2: Nested mappings/)
  assert.equal(await problemOf('successes: none'), '"successes" was "none"; it must be a list.')
  assert.equal(
    await problemOf(`${json}\n{"successes": [`),
    'After its object, the answer has another one that is not valid JSON or is cut off.',
  )
})

test('neither a megabyte, nor aliases, nor depth, nor a thousand keys can hang or end the reader', async () => {
  assert.equal(
    await problemOf(`successes: []\n${'x'.repeat(1_000_000)}`),
    'The answer has 1000014 characters; at most 64000 are read. Answer with the object only.',
  )
  const bomb = [
    'a: &a ["x"]',
    ...'bcdefghijkl'.split('').map((to, at) => `${to}: &${to} [${`*${'abcdefghijk'[at]},`.repeat(10)}]`),
  ]
  assert.equal(
    await problemOf(`successes: []\n${bomb.join('\n')}`),
    'It is YAML that Ralph cannot read: Alias resolution is disabled.',
  )
  assert.match(await problemOf(`successes: ${'['.repeat(60_000)}`), /^It is YAML that Ralph cannot read|^It is not valid YAML/)
  assert.match(await problemOf('{"'.repeat(32_000)), /too many braces|neither/)
  assert.equal(await problemOf('successes: []\nfailures: []\nsuccesses: []'), 'It has the key "successes" twice in one place.')
  const keys = Array.from({ length: 5000 }, (_, index) => `k${index}: 1`).join('\n')
  assert.deepEqual(await readLearningText(`successes: []\n${keys}`, facts), {
    ok: true,
    learning: { ...head, successes: [], failures: [], discoveries: [] },
    flagged: [],
  })
})

test('YAML of an older kind, with tags, dates and merges, makes no surprises', async () => {
  assert.match(await problemOf('%YAML 1.1\n---\nsuccesses: !!binary aGk=\n'), /must be a list/)
  assert.match(
    await problemOf('successes:\n  - pattern: !!js/function "x"\n    __proto__: {a: 1}\n    2026-01-09: 1\n'),
    /^none$/,
  )
  assert.match(await problemOf('successes:\n  - [a, b]: c\n'), /has no "pattern"/)
})

test('R-PROMPT-5: the prompt itself is no answer', async () => {
  const prompt = learnerPrompt({
    feature: 'shop',
    story: { id: 'S-1', title: 'Round', description: '', acceptanceCriteria: [] },
    outcome: 'success',
    excerpt: `${json}\n${yaml}`,
    failures: [],
    instructions: '',
    hasSchema: false,
    promise: '',
  })
  assert.equal(await problemOf(prompt), 'The answer repeats the example texts. Replace them with what was learned.')
})

test('whatever an agent says, the reader answers', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'successes:',
      '\n',
      '  - pattern: ',
      '"',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '---\n',
      '```\n',
      ': ',
      '|',
      '!!map ',
      '<<: ',
    ),
    fc.constantFrom(json, yaml, '{"failures": ', '%YAML 1.1\n', '\t', '? ', '#'),
    fc.string({ unit: 'binary', maxLength: 6 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
      const reading = await readLearningText(pieces.join(''), facts)
      assert.ok(reading.ok ? reading.learning.task_id === 'S-1' : reading.problem !== '')
    }),
    { numRuns: 200 },
  )
})
