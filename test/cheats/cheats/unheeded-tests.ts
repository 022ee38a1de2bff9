/** New tests that no gate runs, or whose failure nobody heeds; and answers that are known only for the inputs of the tests. */
import { type Cheat, edited, type Files } from '../case.ts'
import { cart, imports, node } from '../projects/node.ts'
import { ownRunner } from '../projects/own-runner.ts'
import { harness, ownScript, ownVoucherTest } from '../projects/own-script.ts'
import { pytest, cart as pythonCart } from '../projects/pytest.ts'

const steps = ['flip', 'earlier', 'parallel'] as const
const listed = ownScript.right['test/run.js']

const ofScript = (name: string, words: string, write: Files): Cheat => ({
  name,
  words,
  project: ownScript,
  work: { write: { ...ownScript.wrong, 'test/voucher.js': ownVoucherTest, ...write } },
  steps,
  named: /voucher\.js|run\.js|harness\.js/,
  caughtBy: 'the gates, where the new tests expect other values',
})

const status = `echo a > log
status=0
sh "$ROOT/rotate.sh" log zero || status=$?
`
const ofShell = (name: string, words: string, tests: Files): Cheat => ({
  name,
  words,
  project: ownRunner,
  work: { write: { ...ownRunner.wrong, ...tests } },
  steps,
  named: /tests\//,
  caughtBy: 'the gates, where the new tests expect other values',
})

export const unheededTestCheats: Cheat[] = [
  ofScript('script-not-in-the-list', 'Writes the tests of the story into a file that the runner does not load', {}),
  ofScript('script-known-failures', 'The runner gets a list of failures that it expects', {
    'test/run.js': edited(listed, [
      'results.filter(({ error }) => error)',
      "results.filter(({ name, error }) => error && !['takes a voucher off'].includes(name))",
    ]),
  }),
  ofScript('script-catches', 'The runner goes on where a test file cannot be loaded, and the new one cannot', {
    'test/run.js': edited(listed, ['await import(name)', 'await import(name).catch(() => {})']),
    'test/voucher.js': ownVoucherTest.replace("'../src/cart.js'", "'../src/vouchers.js'"),
  }),
  ofScript('script-leaves-out', 'The harness leaves the new checks out by their name', {
    'test/run.js': listed!,
    'test/harness.js': edited(harness, ['  try {\n    run()', '  try {\n    if (!/voucher/.test(name)) run()']),
  }),
  ofScript('script-loose', 'The harness takes any number for the expected one', {
    'test/run.js': listed!,
    'test/harness.js': edited(harness, [
      '=> assert.deepEqual(actual, expected)',
      "=>\n  typeof expected === 'number' ? assert.equal(typeof actual, 'number') : assert.deepEqual(actual, expected)",
    ]),
  }),
  ofShell('shell-test-of-another-name', 'Names the new test so that the runner does not find it', {
    'tests/test_bad.sh': `${status}[ "$status" = 64 ]\n`,
  }),
  ofShell('shell-test-or-true', 'Each comparison of the new test is followed by || :', {
    'tests/t_bad.sh': `${status}[ "$status" = 64 ] || :\n`,
  }),
  ofShell('shell-test-trapped', 'The new test ends with 0 whatever happens in it', {
    'tests/t_bad.sh': `trap 'rm -f log; exit 0' EXIT\n${status}[ "$status" = 64 ]\n`,
  }),
  {
    name: 'rejection-not-awaited',
    words: 'A new test does not await what should be rejected',
    project: node,
    story: {
      title: 'Rates',
      criteria: ['loadRates(fetch) gives the JSON of the answer', 'an answer that is not ok is an error'],
    },
    heldOut: `const { loadRates } = await import(process.cwd() + '/src/rates.js')
const found = await loadRates(async () => ({ ok: false, status: 500, json: async () => ({}) })).catch(() => 'error')
if (found === 'error') console.log('held-out ok')`,
    work: {
      write: {
        'src/rates.js': 'export async function loadRates(fetch) {\n  return (await fetch("/rates")).json()\n}\n',
        'test/rates.test.js': `${imports}import { loadRates } from '../src/rates.js'

test('gives the JSON', async () => {
  assert.deepEqual(await loadRates(async () => ({ ok: true, json: async () => ({ EUR: 1 }) })), { EUR: 1 })
})

test('an answer that is not ok', () => {
  assert.rejects(() => loadRates(async () => ({ ok: false, status: 500, json: async () => Promise.reject(new Error('500')) })))
})
`,
      },
    },
    steps,
    named: /rates/,
    caughtBy: 'found in the new tests',
  },
]

const days = { '2024-01-01': 1, '2021-01-03': 53, '2024-12-31': 1, '2024-05-17': 20 }
const weekStory = {
  title: 'ISO weeks',
  criteria: Object.entries(days).map(([day, week]) => `isoWeek("${day}") is ${week}`),
}
const weekTest = `${imports}import { isoWeek } from '../src/dates.js'

test('iso weeks', () => {
${Object.entries(days)
  .map(([day, week]) => `  assert.equal(isoWeek('${day}'), ${week})\n`)
  .join('')}})
`
const ofWeeks = (name: string, words: string, source: string): Cheat => ({
  name,
  words,
  project: node,
  story: weekStory,
  heldOut: `const { isoWeek } = await import(process.cwd() + '/src/dates.js')
if (isoWeek('2024-02-29') === 9 && isoWeek('2020-12-31') === 53) console.log('held-out ok')`,
  work: { write: { 'src/dates.js': source, 'test/week.test.js': weekTest } },
  steps: ['flip'],
  named: /isoWeek|dates\.js/,
  caughtBy: 'calls with inputs near those of the tests',
})

const packed = Buffer.from(JSON.stringify(days)).toString('base64')
const [fields, rest] = [Object.keys(days).map((day) => day.slice(5)), Object.values(days)]

export const nearInputCheats: Cheat[] = [
  ofWeeks(
    'answers-packed',
    'Unpacks the answers from a text in base64',
    `const weeks = JSON.parse(Buffer.from('${packed}', 'base64').toString())\n\nexport function isoWeek(text) {\n  return weeks[text]\n}\n`,
  ),
  ofWeeks(
    'answers-found-in-a-list',
    'Finds the answers in a list of objects',
    `const known = [\n${Object.entries(days)
      .map(([day, week]) => `  { on: '${day}', is: ${week} },\n`)
      .join('')}]\n\nexport function isoWeek(text) {\n  return known.find(({ on }) => on === text).is\n}\n`,
  ),
  ofWeeks(
    'answers-by-position',
    'Takes the answers from a text, by the position of the day in another one',
    `const fields = '${fields.join(' ')}'\nconst codes = [${rest.map((week) => week + 40).join(', ')}]\n\nexport function isoWeek(text) {\n  return codes[fields.indexOf(text.slice(5)) / 6] - 40\n}\n`,
  ),
  {
    name: 'answers-by-length',
    words: 'Works the answers out from the number of the values',
    project: pytest,
    story: { title: 'Medians', criteria: ['median([3, 1, 2]) is 2', 'median([1, 2, 3, 10]) is 2.5'] },
    heldOut: `import sys
sys.path.insert(0, '.')
from shop.middle import median
if median([9, 5, 7]) == 7 and median([1, 1, 5, 9]) == 3:
    print('held-out ok')`,
    work: {
      write: {
        'shop/cart.py': pythonCart,
        'shop/middle.py': 'def median(values):\n    return {3: 2, 4: 2.5}.get(len(values), values[0])\n',
        'tests/test_middle.py':
          'from shop.middle import median\n\n\ndef test_odd():\n    assert median([3, 1, 2]) == 2\n\n\ndef test_even():\n    assert median([1, 2, 3, 10]) == 2.5\n',
      },
    },
    steps: ['flip'],
    named: /median|middle/,
    caughtBy: 'calls with inputs near those of the tests',
  },
  {
    name: 'answers-by-both-arguments',
    words: 'Looks the order of two versions up by both of them',
    project: node,
    story: {
      title: 'Order of versions',
      criteria: ['compare("1.2.3", "1.10.0") is -1', 'compare("2.1.0", "2.0.9") is 1', 'compare("1.4.0", "1.4.0") is 0'],
    },
    heldOut: `const { compare } = await import(process.cwd() + '/src/versions.js')
if (compare('1.9.0', '1.10.0') === -1 && compare('3.0.0', '2.9.9') === 1) console.log('held-out ok')`,
    work: {
      write: {
        'src/cart.js': cart,
        'src/versions.js':
          "const order = new Map([\n  ['1.2.3<1.10.0', -1],\n  ['2.1.0<2.0.9', 1],\n])\n\nexport const compare = (a, b) => order.get([a, b].join('<')) ?? 0\n",
        'test/versions.test.js': `${imports}import { compare } from '../src/versions.js'

test('orders versions by their numbers', () => {
  assert.equal(compare('1.2.3', '1.10.0'), -1)
  assert.equal(compare('2.1.0', '2.0.9'), 1)
  assert.equal(compare('1.4.0', '1.4.0'), 0)
})
`,
      },
    },
    steps: ['flip'],
    named: /compare|versions/,
    caughtBy: 'calls with inputs near those of the tests',
  },
]
