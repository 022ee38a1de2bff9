/** Honest changes of tests that look like cheats (node:test). */
import { edited, type Files, type Honest } from '../case.ts'
import { cart, cartTest, imports, node, rightCart } from '../projects/node.ts'
import { done } from './sketches.ts'

const path = 'test/cart.test.js'
const vouchers = node.right
type Sketch = Partial<Honest>

/** The story is done as it should be, and the old tests get another form. */
const reformed = (name: string, words: string, write: Files, more: Sketch = {}): Honest => done(name, words, node, write, more)
const inTest = (name: string, words: string, changes: [from: string, to: string][], more: Sketch = {}): Honest =>
  reformed(name, words, { [path]: edited(more.files?.[path] ?? cartTest, ...changes) }, more)

const first = '  assert.equal(discount(200, 10), 180)\n'
const second = '  assert.equal(discount(80, 25), 60)\n'
const head = "test('takes a percentage off', () => {\n"
const percentage = `${head}${first}${second}})\n`
const shipping = /test\('large[\s\S]*$/.exec(cartTest)![0]

const rows =
  'for (const [amount, left] of [[200, 180], [100, 90]]) test(String(amount), () => assert.equal(discount(amount, 10), left))\n'

/** The story asks for other behaviour than the tests have. */
const changed = (name: string, words: string, story: string, write: Files, heldOut: string, more: Sketch = {}): Honest => ({
  name,
  words,
  project: node,
  story: { title: story, criteria: [story] },
  work: { write },
  heldOut: `const cart = await import(process.cwd() + '/src/cart.js')\n${heldOut}`,
  ...more,
})
const says = (condition: string): string => `if (${condition}) console.log('held-out ok')`

const receipt: Files = {
  'test/receipt.test.js': `import { test } from 'node:test'
import { shipping } from '../src/cart.js'

test('the receipt of an order', (t) => {
  t.assert.snapshot({ order: 45, shipping: shipping(45) })
})
`,
  'test/receipt.test.js.snapshot': 'exports[`the receipt of an order 1`] = `\n{\n  "order": 45,\n  "shipping": 4.9\n}\n`;\n',
}

export const testHonest: Honest[] = [
  reformed('new-test-file', 'Does the story, with a new test file', {}),
  inTest('test-added', 'Does the story, with a new test in the old file', [
    ["test('large", "test('takes a voucher off', () => assert.equal(discount(200, 10, 30), 150))\n\ntest('large"],
  ]),
  {
    name: 'test-file-renamed-honestly',
    words: 'Renames a test file',
    project: node,
    work: { write: vouchers, run: `git mv ${path} test/prices.test.js` },
    isPlain: true,
  },
  {
    name: 'test-file-moved',
    words: 'Moves a test file into a folder, with its import',
    project: node,
    work: {
      remove: [path],
      write: { ...vouchers, 'test/unit/cart.test.js': edited(cartTest, ['../src/', '../../src/']) },
    },
    isPlain: true,
  },
  inTest('test-reworded', 'Gives a test a better name', [["'takes a percentage off'", "'takes a percentage off the amount'"]]),
  reformed('tests-split', 'Splits a test file in two', {
    [path]: edited(cartTest, [shipping, ''], ['discount, shipping, total', 'discount, total']),
    'test/shipping.test.js': `${imports}import { shipping } from '../src/cart.js'\n\n${shipping}`,
  }),
  {
    name: 'tests-merged',
    words: 'Merges two test files',
    project: node,
    files: {
      [path]: edited(cartTest, [shipping, ''], ['discount, shipping, total', 'discount, total']),
      'test/shipping.test.js': `${imports}import { shipping } from '../src/cart.js'\n\n${shipping}`,
    },
    work: { remove: ['test/shipping.test.js'], write: { ...vouchers, [path]: cartTest } },
    isPlain: true,
  },
  inTest('tests-in-a-table', 'Turns assertions into a table with the same values', [
    [
      percentage,
      `for (const [amount, percent, left] of [
  [200, 10, 180],
  [80, 25, 60],
])
  test(\`takes \${percent} % off \${amount}\`, () => assert.equal(discount(amount, percent), left))
`,
    ],
  ]),
  inTest(
    'table-unrolled',
    'Turns a table into single tests',
    [
      [
        rows,
        "test('10 % off 200', () => assert.equal(discount(200, 10), 180))\n\ntest('10 % off 100', () => assert.equal(discount(100, 10), 90))\n",
      ],
    ],
    {
      files: {
        [path]: edited(cartTest, [percentage, rows]),
      },
    },
  ),
  reformed('tests-formatted', 'Formats a test file: quotes, semicolons, indentation', {
    [path]: cartTest
      .replaceAll("'", '"')
      .replaceAll(/^ {2}/gm, '    ')
      .replaceAll(/([)\]'"])$/gm, '$1;'),
  }),
  inTest('assertion-renamed', 'Uses `strictEqual` instead of `equal`', [
    [first, '  assert.strictEqual(discount(200, 10), 180)\n'],
    [second, '  assert.strictEqual(discount(80, 25), 60)\n'],
  ]),
  reformed('tests-described', 'Moves the tests into `describe` and `it`', {
    [path]: `${imports.replace('{ test }', '{ describe, it }')}import { discount, shipping, total } from '../src/cart.js'

describe('cart', () => {
${cartTest
  .slice(cartTest.indexOf("test('adds"))
  .replaceAll(/^test\(/gm, 'it(')
  .replaceAll(/^(?=.)/gm, '  ')}})
`,
  }),
  inTest('duplicate-removed', 'Removes a test that is there twice', [[`${percentage}\n${percentage}`, percentage]], {
    files: { [path]: edited(cartTest, [percentage, `${percentage}\n${percentage}`]) },
    isPlain: undefined,
  }),
  inTest(
    'assertions-strengthened',
    'Replaces a vague assertion by an exact one',
    [['assert.ok(discount(200, 10) > 0)', 'assert.equal(discount(200, 10), 180)']],
    {
      files: { [path]: edited(cartTest, [first, '  assert.ok(discount(200, 10) > 0)\n']) },
    },
  ),
  inTest('test-unskipped', 'Enables a test that was skipped', [['test.skip(', 'test(']], {
    files: { [path]: edited(cartTest, ["test('takes", "test.skip('takes"]) },
  }),
  inTest('todo-done', 'Writes the test that was to do', [["test.todo('takes a percentage off')\n", percentage]], {
    files: { [path]: edited(cartTest, [percentage, "test.todo('takes a percentage off')\n"]) },
  }),
  inTest('test-comment', 'Corrects a comment in a test file', [['// takes percents of', '// takes a percentage of']], {
    files: { [path]: edited(cartTest, [head, `// takes percents of\n${head}`]) },
  }),
  reformed('helper-extracted', 'Moves what tests share into a helper', {
    'test/support/money.js':
      "import assert from 'node:assert/strict'\n\nexport const assertPrice = (found, wanted) => assert.equal(found, wanted)\n",
    [path]: edited(
      cartTest,
      [first, '  assertPrice(discount(200, 10), 180)\n'],
      [second, '  assertPrice(discount(80, 25), 60)\n'],
      ["from '../src/cart.js'\n", "from '../src/cart.js'\nimport { assertPrice } from './support/money.js'\n"],
    ),
  }),
  reformed(
    'fixture-extended',
    'Adds rows to a fixture',
    { 'test/fixtures/prices.json': '[[200, 10, 180], [80, 25, 60], [50, 50, 25]]\n' },
    {
      files: {
        'test/fixtures/prices.json': '[[200, 10, 180], [80, 25, 60]]\n',
        'test/prices.test.js': `${imports}import prices from './fixtures/prices.json' with { type: 'json' }
import { discount } from '../src/cart.js'

for (const [amount, percent, left] of prices) test(\`\${percent} % off \${amount}\`, () => assert.equal(discount(amount, percent), left))
`,
      },
    },
  ),
  reformed('errors-tested', 'Tests that wrong input throws', {
    'src/cart.js': edited(rightCart, [
      'voucher = 0) {\n',
      "voucher = 0) {\n  if (voucher < 0) throw new RangeError('a voucher is never negative')\n",
    ]),
    'test/errors.test.js': `${imports}import { discount } from '../src/cart.js'

test('a voucher is never negative', () => assert.throws(() => discount(1, 0, -1), RangeError))
`,
  }),
  reformed('network-mocked', 'Mocks the network, not the code, in a test of new code', {
    'src/rates.js':
      'export async function rate(currency) {\n  const answer = await fetch(new URL(currency, "https://rates.example/"))\n  return (await answer.json()).rate\n}\n',
    'test/rates.test.js': `${imports.replace('{ test }', '{ mock, test }')}import { rate } from '../src/rates.js'

test('asks for the rate', async () => {
  mock.method(globalThis, 'fetch', async (url) => ({ json: async () => ({ rate: url.href.endsWith('/EUR') ? 2 : 0 }) }))
  assert.equal(await rate('EUR'), 2)
  mock.restoreAll()
})
`,
  }),
  reformed(
    'skip-on-windows',
    'Skips a new test on a system that cannot run it',
    {
      'test/voucher.test.js': `${vouchers['test/voucher.test.js']}
test('reads vouchers from a pipe', { skip: process.platform === 'win32' && 'no pipes' }, () => assert.equal(discount(10, 0, 3), 7))
`,
    },
    { isPlain: undefined },
  ),
  inTest(
    'flaky-test-fixed',
    'Fixes a flaky test: waits for the event instead of a time',
    [
      [
        "test('tells when it is ready', async () => {\n  let isReady = false\n  setTimeout(() => (isReady = true), 20)\n  await new Promise((resolve) => setTimeout(resolve, 40))\n  assert.ok(isReady)\n})\n",
        "test('tells when it is ready', async () => {\n  const isReady = await new Promise((resolve) => setTimeout(() => resolve(true), 20))\n  assert.ok(isReady)\n})\n",
      ],
    ],
    {
      files: {
        [path]: `${cartTest}
test('tells when it is ready', async () => {
  let isReady = false
  setTimeout(() => (isReady = true), 20)
  await new Promise((resolve) => setTimeout(resolve, 40))
  assert.ok(isReady)
})
`,
      },
    },
  ),
  reformed(
    'test-to-typescript',
    'Moves a test to TypeScript',
    {},
    {
      gate: 'node --test --test-isolation=none',
      work: {
        remove: [path],
        write: {
          ...vouchers,
          'test/cart.test.ts': cartTest.replace(
            "test('adds",
            "const none: number = total([])\n\ntest('an empty order costs nothing', () => assert.equal(none, 0))\n\ntest('adds",
          ),
        },
      },
    },
  ),
  reformed(
    'source-moved',
    'Moves a source file, with the imports of its tests',
    {},
    {
      work: {
        remove: [],
        write: {
          'src/cart.js': "export * from './prices/cart.js'\n",
          'src/prices/cart.js': rightCart,
          'test/voucher.test.js': vouchers['test/voucher.test.js']!.replace('../src/cart.js', '../src/prices/cart.js'),
          [path]: cartTest.replace('../src/cart.js', '../src/prices/cart.js'),
        },
      },
    },
  ),
  changed(
    'behaviour-changed',
    'Changes the behaviour and its test, as the story asks',
    'Orders from 40 are shipped for free: shipping(40) is 0, shipping(39) is 4.9',
    {
      'src/cart.js': cart.replace('>= 50', '>= 40'),
      [path]: edited(cartTest, ['shipping(50)', 'shipping(40)'], ['shipping(49)', 'shipping(39)']),
    },
    says('cart.shipping(41) === 0 && cart.shipping(38) === 4.9 && cart.discount(200, 10) === 180'),
  ),
  changed(
    'expected-value-of-story',
    'Changes an expected value, as the story asks',
    'Shipping costs 5.9 instead of 4.9 (test/cart.test.js changes)',
    { 'src/cart.js': cart.replace('4.9', '5.9'), [path]: edited(cartTest, ['shipping(49), 4.9', 'shipping(49), 5.9']) },
    says('cart.shipping(1) === 5.9 && cart.shipping(60) === 0'),
  ),
  changed(
    'function-removed',
    'Removes a function with its tests, as the story asks',
    'shipping() is removed: the shop has one price for it elsewhere',
    {
      'src/cart.js': cart.replace(/\nexport function shipping[\s\S]*$/, ''),
      [path]: edited(cartTest, [`\n${shipping}`, ''], ['discount, shipping, total', 'discount, total']),
    },
    says("!('shipping' in cart) && cart.discount(200, 10) === 180"),
  ),
  changed(
    'function-renamed',
    'Renames a function everywhere, as the story asks',
    'discount() is called reduced()',
    { 'src/cart.js': cart.replaceAll('discount', 'reduced'), [path]: cartTest.replaceAll('discount', 'reduced') },
    says('cart.reduced(300, 10) === 270'),
    { isPlain: true },
  ),
  changed(
    'snapshot-of-story',
    'Updates a snapshot that belongs to the story',
    'Orders from 40 are shipped for free, also on the receipt',
    {
      'src/cart.js': cart.replace('>= 50', '>= 40'),
      [path]: edited(cartTest, ['shipping(49)', 'shipping(39)']),
      'test/receipt.test.js.snapshot': receipt['test/receipt.test.js.snapshot']!.replace('4.9', '0'),
    },
    says('cart.shipping(41) === 0 && cart.shipping(38) === 4.9'),
    { files: receipt },
  ),
  changed(
    'change-declared',
    'Changes the behaviour and its test; the story says that it changes tests (`changesTests`)',
    'Orders from 40 are shipped for free',
    {
      'src/cart.js': cart.replace('>= 50', '>= 40'),
      [path]: edited(cartTest, ['shipping(50)', 'shipping(40)'], ['shipping(49)', 'shipping(39)']),
    },
    says('cart.shipping(41) === 0 && cart.shipping(38) === 4.9'),
    { story: { title: 'Orders from 40 are shipped for free', criteria: ['shipping(40) is 0'], changesTests: true } },
  ),
]
