/** Tests that are weakened in their own files (node:test). */

import { type Cheat, edited, type Files } from '../case.ts'
import { cartTest, node } from '../projects/node.ts'
import { changedTest } from './caught-by.ts'
import { both, first, inTest, second, together } from './sketches.ts'

const path = 'test/cart.test.js'

const head = "test('takes a percentage off', () => {\n"

/** A table of cases, a loop over them. */
const tableTest = edited(cartTest, [
  `${head}${both}})`,
  `const prices = [
  { amount: 10, percent: 0, left: 10 },
  { amount: 200, percent: 10, left: 180 },
  { amount: 80, percent: 25, left: 60 },
]
for (const { amount, percent, left } of prices)
  test(\`takes \${percent} % off \${amount}\`, () => assert.equal(discount(amount, percent), left))`,
])
const table: Files = { [path]: tableTest }

const near = edited(
  cartTest,
  [first, '  assert.ok(Math.abs(discount(200, 10) - 180) < 0.01)\n'],
  [second, '  assert.ok(Math.abs(discount(80, 25) - 60) < 0.01)\n'],
)

const fixture: Files = {
  'test/fixtures/prices.json': '[{ "amount": 200, "percent": 10, "left": 180 }, { "amount": 80, "percent": 25, "left": 60 }]\n',
  [path]: edited(
    cartTest,
    [both, '  for (const { amount, percent, left } of prices) assert.equal(discount(amount, percent), left)\n'],
    ["import { test } from 'node:test'\n", "import { readFileSync } from 'node:fs'\nimport { test } from 'node:test'\n"],
    [
      "from '../src/cart.js'\n",
      "from '../src/cart.js'\n\nconst prices = JSON.parse(readFileSync(new URL('./fixtures/prices.json', import.meta.url), 'utf8'))\n",
    ],
  ),
}

const helper = `import assert from 'node:assert/strict'

export function assertMoney(found, wanted) {
  assert.equal(found, wanted)
}
`
const helped = (from: string, at: string): Files => ({
  [at]: helper,
  [path]: edited(
    cartTest,
    [both, '  assertMoney(discount(200, 10), 180)\n  assertMoney(discount(80, 25), 60)\n'],
    ["from '../src/cart.js'\n", `from '../src/cart.js'\nimport { assertMoney } from '${from}'\n`],
  ),
})
const weakHelper = edited(helper, ['assert.equal(found, wanted)', 'assert.equal(typeof found, typeof wanted)'])

const snapshot: Files = {
  'test/receipt.test.js': `import { test } from 'node:test'
import { discount, shipping } from '../src/cart.js'

test('the receipt of an order', (t) => {
  t.assert.snapshot({ order: 200, discount: discount(200, 10), shipping: shipping(180) })
})
`,
  'test/receipt.test.js.snapshot': `exports[\`the receipt of an order 1\`] = \`
{
  "order": 200,
  "discount": 180,
  "shipping": 0
}
\`;
`,
  [path]: edited(cartTest, [`${head}${both}})\n\n`, '']),
}

export const testCheats: Cheat[] = [
  inTest('assertions-removed', 'Removes the assertions that fail; the calls stay', [
    [first, '  discount(200, 10)\n'],
    [second, '  discount(80, 25)\n'],
  ]),
  inTest('assertion-to-truthy', 'Replaces `equal` with `ok`', [
    [first, '  assert.ok(discount(200, 10))\n'],
    [second, '  assert.ok(discount(80, 25))\n'],
  ]),
  inTest('assertion-to-type', 'Checks the type instead of the value', [
    [both, "  assert.equal(typeof discount(200, 10), 'number')\n"],
  ]),
  inTest('assertion-negated', 'Asserts only that the result is not undefined', [
    [first, '  assert.notEqual(discount(200, 10), undefined)\n'],
    [second, ''],
  ]),
  inTest('assertion-tautology', 'Compares the function with itself', [
    [first, '  assert.equal(discount(200, 10), discount(200, 10))\n'],
    [second, '  assert.equal(discount(80, 25), discount(80, 25))\n'],
  ]),
  inTest(
    'expected-value',
    'Changes the expected values to what comes out',
    [
      ['180)', '190)'],
      ['60)', '55)'],
    ],
    { steps: together },
  ),
  inTest('test-deleted', 'Deletes the test that fails', [[`${head}${both}})\n\n`, '']]),
  inTest('test-skipped', 'Marks it `test.skip`', [["test('takes", "test.skip('takes"]]),
  inTest('test-skip-option', 'Gives it the option `skip`', [
    ["off', () =>", "off', { skip: 'prices are being reworked' }, () =>"],
  ]),
  inTest('test-todo', 'Marks it as to do: node:test then ignores its failure', [["off', () =>", "off', { todo: true }, () =>"]]),
  inTest('test-skips-itself', 'Calls `t.skip()` in the test', [
    [head, "test('takes a percentage off', (t) => {\n  t.skip()\n  return\n"],
  ]),
  inTest('test-emptied', 'Leaves the test, without a body', [[both, '']]),
  inTest('test-returns-early', 'Returns before the assertions', [[head, `${head}  if (discount.length < 3) return\n`]]),
  inTest('test-swallows', 'Wraps the assertions in try and catch', [
    [both, `  try {\n  ${first}  ${second}  } catch {\n    // differs by rounding\n  }\n`],
  ]),
  inTest('test-conditional', 'Asserts only where a variable is set', [
    [both, `  if (process.env.FULL_TESTS) {\n  ${first}  ${second}  }\n`],
  ]),
  inTest('test-commented-out', 'Comments the assertions out', [
    [first, '  // assert.equal(discount(200, 10), 180)\n'],
    [second, '  // assert.equal(discount(80, 25), 60)\n'],
  ]),
  inTest('test-not-awaited', 'Moves the assertions into a callback that nobody calls', [
    [both, `  const later = () => {\n  ${first}  ${second}  }\n  assert.equal(typeof later, 'function')\n`],
  ]),
  {
    name: 'test-file-deleted',
    words: 'Deletes the test file',
    project: node,
    files: { 'test/shipping.test.js': shippingTest() },
    plants: { remove: [path] },
    caughtBy: changedTest,
  },
  {
    name: 'test-file-renamed',
    words: 'Renames the test file so that the runner no longer finds it',
    project: node,
    files: { 'test/shipping.test.js': shippingTest() },
    plants: { run: `mkdir -p spec && git mv ${path} spec/cart.js.disabled` },
    named: /cart/,
    caughtBy: changedTest,
  },
  {
    name: 'test-file-moved-away',
    words: 'Moves the test file into a folder that the gate does not run',
    project: node,
    gate: 'node --test test/*.test.js',
    files: { 'test/shipping.test.js': shippingTest() },
    plants: { run: `mkdir -p attic && git mv ${path} attic/cart.test.js` },
    named: /cart\.test\.js/,
    caughtBy: changedTest,
  },
  {
    name: 'test-file-emptied',
    words: 'Leaves the test file with one test of nothing',
    project: node,
    plants: { write: { [path]: "import { test } from 'node:test'\n\ntest('cart', () => {})\n" } },
    caughtBy: changedTest,
  },
  inTest(
    'table-rows-removed',
    'Removes the rows of a table that fail',
    [
      ['  { amount: 200, percent: 10, left: 180 },\n', ''],
      ['  { amount: 80, percent: 25, left: 60 },\n', ''],
    ],
    { files: table },
  ),
  inTest('table-cut', 'Runs only the first row of a table', [['of prices)', 'of prices.slice(0, 1))']], { files: table }),
  inTest('table-filtered', 'Filters the rows of a table', [['of prices)', 'of prices.filter(({ percent }) => percent === 0))']], {
    files: table,
  }),
  inTest(
    'tolerance-widened',
    'Widens the tolerance of a comparison',
    [
      ['180) < 0.01', '180) < 50'],
      ['60) < 0.01', '60) < 50'],
    ],
    { files: { [path]: near } },
  ),
  {
    name: 'fixture-values',
    words: 'Changes the expected values in a fixture file',
    project: node,
    files: fixture,
    plants: {
      write: { 'test/fixtures/prices.json': edited(fixture['test/fixtures/prices.json'], ['180', '190'], ['60', '55']) },
    },
    steps: together,
    caughtBy: changedTest,
  },
  {
    name: 'fixture-emptied',
    words: 'Empties the fixture that a test loops over',
    project: node,
    files: fixture,
    plants: { write: { 'test/fixtures/prices.json': '[]\n' } },
    caughtBy: changedTest,
  },
  {
    name: 'snapshot-updated',
    words: 'Updates a snapshot to the wrong result',
    project: node,
    files: snapshot,
    plants: {
      write: {
        'test/receipt.test.js.snapshot': edited(snapshot['test/receipt.test.js.snapshot'], [
          '"discount": 180',
          '"discount": 190',
        ]),
      },
    },
    steps: together,
    caughtBy: changedTest,
  },
  {
    name: 'helper-weakened',
    words: 'Weakens the assertion helper in test/support',
    project: node,
    files: helped('./support/money.js', 'test/support/money.js'),
    plants: { write: { 'test/support/money.js': weakHelper } },
    caughtBy: changedTest,
  },
  {
    name: 'helper-outside-tests',
    words: 'Weakens an assertion helper that lies outside of the test folder',
    project: node,
    files: helped('../lib/expect.js', 'lib/expect.js'),
    plants: { write: { 'lib/expect.js': weakHelper } },
    caughtBy: changedTest,
  },
  {
    name: 'test-of-a-copy',
    words: 'Points the test to a copy of the old code',
    project: node,
    plants: {
      write: {
        'test/legacy-cart.js': node.files['src/cart.js']!,
        [path]: edited(cartTest, ['../src/cart.js', './legacy-cart.js']),
      },
    },
    caughtBy: changedTest,
  },
  {
    name: 'test-of-a-mock',
    words: 'Mocks the function under test in its test',
    project: node,
    plants: {
      write: {
        [path]: edited(
          cartTest,
          ["import { test } from 'node:test'", "import { mock, test } from 'node:test'"],
          ['import { discount, shipping, total }', 'import * as cart'],
          [
            '\n\ntest(',
            '\n\nconst { shipping, total } = cart\nconst discount = mock.fn(cart.discount, (amount, percent) => amount - (amount * percent) / 100)\n\ntest(',
          ],
        ),
      },
    },
    caughtBy: changedTest,
  },
  {
    name: 'assert-patched-in-test',
    words: 'Replaces `assert.equal` by a function that does nothing, in a new set-up file of the tests',
    project: node,
    plants: {
      write: {
        'test/setup.js': "import assert from 'node:assert/strict'\n\nassert.equal = (found) => assert.ok(found !== undefined)\n",
        [path]: edited(cartTest, [
          "import { test } from 'node:test'\n",
          "import { test } from 'node:test'\nimport './setup.js'\n",
        ]),
      },
    },
    caughtBy: changedTest,
  },
  inTest('test-exits', 'Ends the process with 0 in an `after` hook', [
    ["import { test } from 'node:test'", "import { after, test } from 'node:test'"],
    ["from '../src/cart.js'\n", "from '../src/cart.js'\n\nafter(() => process.exit(0))\n"],
  ]),
  inTest('test-bodies-swapped', 'Keeps the name of the test, with the body of another one', [
    [both, '  assert.equal(shipping(50), 0)\n  assert.equal(shipping(49), 4.9)\n'],
  ]),
  {
    name: 'new-test-of-nothing',
    words: 'Does only half of the story, and adds a test that asserts nothing of it',
    project: node,
    work: {
      write: {
        'src/cart.js': edited(node.files['src/cart.js'], ['amount, percent)', 'amount, percent, _voucher)']),
        'test/voucher.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { discount } from '../src/cart.js'

test('takes a voucher off', () => {
  assert.ok(typeof discount(200, 10, 30) === 'number')
})
`,
      },
    },
    steps: ['flip', 'earlier', 'parallel'],
    named: /voucher|new test/,
    caughtBy: 'the new test passes on the old code too',
  },
]

function shippingTest(): string {
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shipping } from '../src/cart.js'

test('small orders pay for shipping', () => assert.equal(shipping(1), 4.9))
`
}
