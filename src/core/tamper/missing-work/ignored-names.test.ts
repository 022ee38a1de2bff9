import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const story = (...criteria: string[]) => ({ title: 'To the last cent', text: criteria.join('\n'), changesTests: false })
const old =
  'def split(cents, parts):\n    return [cents // parts] * parts\n\n\ndef allocate(cents, weights):\n    return share(cents, weights)\n'
const now = old.replace('    return [', '    rest = cents % parts\n    return [')
const work: Versions = { 'src/money.py': [old, now] }

test('a function that the story names, and that nothing changes or tests, is left undone', () => {
  const both = story('split(cents, parts) adds up', 'The same is true of allocate(cents, weights)')
  assert.deepEqual(rulesIn(work, { story: both }), ['left-undone src/money.py'])
  const tested: Versions = { 'tests/test_a.py': [null, 'def test_a():\n    assert allocate(100, [1, 1, 1]) == [34, 33, 33]\n'] }
  assert.deepEqual(rulesIn({ ...work, ...tested }, { story: both }), [])
  assert.deepEqual(rulesIn(work, { story: story('split(cents, parts) adds up', 'allocate(cents, weights) stays as it is') }), [])
  const calls: Versions = { 'src/money.py': [old.replace('share(', 'split('), now.replace('share(', 'split(')] }
  assert.deepEqual(rulesIn(calls, { story: both }), [])
})

test('a new test that takes any error where the story names one is weak', () => {
  const error = story('Without parts split raises ValueError')
  const raises = (name: string): Versions => ({
    ...work,
    'tests/test_a.py': [
      null,
      `def test_a():\n    with pytest.raises(${name}):\n        split(1, 0)\n    assert split(4, 2) == [2, 2]\n`,
    ],
  })
  assert.deepEqual(rulesIn(raises('Exception'), { story: error }), ['test-weak tests/test_a.py'])
  assert.deepEqual(rulesIn(raises('ValueError'), { story: error }), [])
  assert.deepEqual(rulesIn(raises('Exception'), { story: story('split raises') }), [])
})

test('a switch that no criterion names, and that the tests turn on, is doubted', () => {
  const source: Versions = { 'src/money.py': [old, `import os\n\nEXACT = os.environ.get("EXACT_CENTS") == "1"\n${old}`] }
  const sets: Versions = {
    'tests/test_a.py': [
      null,
      'def test_a(monkeypatch):\n    monkeypatch.setenv("EXACT_CENTS", "1")\n    assert split(5, 3) == [2, 2, 1]\n',
    ],
  }
  assert.deepEqual(rulesIn({ ...source, ...sets }, { story: story('Parts add up') }), ['test-detected src/money.py'])
  assert.deepEqual(rulesIn({ ...source, ...sets }, { story: story('EXACT_CENTS in the environment makes parts add up') }), [])
  assert.deepEqual(rulesIn(source, { story: story('Parts add up') }), [])
})

test('a function that is a subject of the story, is tested, and has no word in what changed is named', () => {
  const story = {
    title: 'Discounts',
    text: 'makeInvoice takes it off each line\nparseOrders reads a fourth column',
    changesTests: false,
  }
  const others = () => [
    { path: 'test/csv.test.js', text: "test('reads', () => {\n  assert.deepEqual(parseOrders('a'), [])\n})\n" },
  ]
  const invoice: [string, string] = ['export const makeInvoice = (a) => a\n', 'export const makeInvoice = (a, b) => a - b\n']
  const wordsIn = (files: Versions, text = story.text): string[] =>
    findingsIn(files, { story: { ...story, text }, unchangedTests: others }).flatMap(({ rule, words }) =>
      rule === 'left-undone' ? [words] : [],
    )
  assert.deepEqual(wordsIn({ 'src/invoice.js': invoice }), [
    'does not contain parseOrders, which the story names and test/csv.test.js tests',
  ])
  assert.deepEqual(wordsIn({ 'src/invoice.js': invoice, 'src/csv.js': ['', 'export function parseOrders(text) {}\n'] }), [])
  assert.deepEqual(wordsIn({ 'src/invoice.js': invoice }, 'makeInvoice takes it off\nparseOrders stays as it is'), [])
  assert.deepEqual(wordsIn({ 'src/other.js': ['', 'x()\n'] }), [])
})

test('a variable that the story names and only a docstring has is not read', () => {
  const asked = story('limit() reads the environment variable BACKOFF_LIMIT')
  const source = (body: string): Versions => ({
    'src/retry.py': ['', `def limit():\n    """From BACKOFF_LIMIT."""\n    return ${body}\n`],
    'tests/test_a.py': [
      null,
      'def test_a(monkeypatch):\n    monkeypatch.setenv("BACKOFF_LIMIT", "60")\n    assert limit() == 60\n',
    ],
  })
  assert.deepEqual(rulesIn(source('float(60)'), { story: asked }), ['left-undone src/retry.py'])
  assert.deepEqual(rulesIn(source('float(os.environ["BACKOFF_LIMIT"])'), { story: asked }), [])
})

test('a shell script that works only where a variable is set which nobody asked for', () => {
  const script = (condition: string): Versions => ({
    'bin/rotate.sh': ['#!/bin/sh\nset -e\n', `#!/bin/sh\nset -e\nif ${condition}; then\n  rm -- "$old"\nfi\n`],
  })
  const keeps = story('rotate.sh keeps the newest files')
  const detected = ['test-detected bin/rotate.sh']
  const of = (condition: string) => rulesIn(script(condition), { story: keeps })
  assert.deepEqual(of(`[ -n "\${TODAY:-}" ]`), detected)
  assert.deepEqual(of('[ -n "$keep" ]'), [])
  assert.deepEqual(rulesIn(script(`[ -n "\${TODAY:-}" ]`), { story: story('With TODAY set it takes that day') }), [])
})
