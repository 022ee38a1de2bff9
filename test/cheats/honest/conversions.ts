/** Honest changes of many files: other frameworks, languages, folders and forms, with all that is tested. */
import { edited, type Files, type Honest } from '../case.ts'
import { mocha, mochaTest } from '../projects/mocha.ts'
import { cart, cartTest, imports, node, npm, packageJson, rightCart } from '../projects/node.ts'
import { go, vitest, vitestTest } from '../projects/stand-ins.ts'
import { refactoring } from './sketches.ts'

const path = 'test/cart.test.js'

const hasFile = (file: string, text: string): string =>
  `import { readFileSync } from 'node:fs'\nif (readFileSync('${file}', 'utf8').includes(${JSON.stringify(text)})) console.log('held-out ok')`

const commonTest = cartTest
  .replace("import assert from 'node:assert/strict'", "const assert = require('node:assert/strict')")
  .replace("import { test } from 'node:test'", "const { test } = require('node:test')")
  .replace(/import (\{.*\}) from '(.*)'/, "const $1 = require('$2')")
const commonCart = `${cart.replaceAll('export ', '')}\nmodule.exports = { discount, shipping, total }\n`
const common: Files = {
  'package.json': packageJson({ test: 'node --test' }).replace('  "type": "module",\n', ''),
  'src/cart.js': commonCart,
  [path]: commonTest,
}
const percentage = /test\('takes[\s\S]*?\n\}\)\n/.exec(cartTest)![0]

export const conversionHonest: Honest[] = [
  refactoring(
    'common-to-modules',
    'Turns CommonJS into modules, in source and tests',
    node,
    { write: { 'package.json': node.files['package.json']!, 'src/cart.js': cart, [path]: cartTest } },
    { files: common, heldOut: hasFile('src/cart.js', 'export function total') },
  ),
  refactoring(
    'modules-to-common',
    'Turns modules into CommonJS, in source and tests',
    node,
    { write: common },
    { heldOut: hasFile('src/cart.js', 'module.exports') },
  ),
  refactoring(
    'javascript-to-typescript',
    'Turns JavaScript into TypeScript, in source and tests',
    node,
    {
      remove: ['src/cart.js', path],
      write: {
        'src/cart.ts': cart
          .replace('(items)', '(items: { price: number; count: number }[]): number')
          .replace('(amount, percent)', '(amount: number, percent: number): number')
          .replace('(amount) {', '(amount: number): number {'),
        'test/cart.test.ts': cartTest.replace('cart.js', 'cart.ts'),
        'tsconfig.json': '{ "compilerOptions": { "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }\n',
      },
    },
    { heldOut: hasFile('src/cart.ts', 'percent: number') },
  ),
  refactoring(
    'source-folder-renamed',
    'Renames the source folder, with the imports of the tests',
    node,
    { run: `git mv src lib; sed -i 's,../src/,../lib/,' ${path}` },
    { heldOut: hasFile('lib/cart.js', 'discount') },
  ),
  refactoring(
    'module-renamed',
    'Renames a module and its functions, and the tests that are called after them',
    node,
    {
      remove: ['src/cart.js', path],
      write: {
        'src/prices.js': cart.replaceAll('discount', 'reduced').replaceAll('shipping', 'postage'),
        'test/prices.test.js': cartTest
          .replaceAll('discount', 'reduced')
          .replaceAll('shipping', 'postage')
          .replace('cart.js', 'prices.js')
          .replace('takes a percentage off', 'reduced: should be less by a percentage'),
      },
    },
    { heldOut: hasFile('src/prices.js', 'postage') },
  ),
  refactoring(
    'workspace-move',
    'Moves the package into a workspace',
    npm,
    {
      remove: ['src/cart.js', path],
      write: {
        'package.json': `${JSON.stringify({ name: 'root', private: true, workspaces: ['packages/cart'], scripts: { test: 'npm test --workspaces' } }, null, 2)}\n`,
        'packages/cart/package.json': packageJson({ test: 'node --test' }),
        'packages/cart/src/cart.js': cart,
        'packages/cart/test/cart.test.js': cartTest,
      },
    },
    { heldOut: hasFile('packages/cart/src/cart.js', 'discount') },
  ),
  refactoring(
    'helper-put-in-place',
    'Removes a helper of the tests: they say themselves what they expect',
    node,
    { remove: ['test/support/money.js'], write: { [path]: cartTest } },
    {
      files: {
        'test/support/money.js':
          "import assert from 'node:assert/strict'\n\nexport const assertPrice = (found, wanted) => assert.equal(found, wanted)\n",
        [path]: cartTest
          .replaceAll('assert.equal(discount', 'assertPrice(discount')
          .replace("from '../src/cart.js'\n", "from '../src/cart.js'\nimport { assertPrice } from './support/money.js'\n"),
      },
      heldOut: hasFile(path, 'assert.equal(discount'),
    },
  ),
  refactoring(
    'fixture-moved',
    'Moves a fixture beside its test, in another form',
    node,
    {
      remove: ['test/fixtures/prices.json', 'test/prices.test.js'],
      write: {
        'test/prices/fixtures/prices.json': '[\n  [200, 10, 180],\n  [80, 25, 60]\n]\n',
        'test/prices/prices.test.js': `${imports}import prices from './fixtures/prices.json' with { type: 'json' }
import { discount } from '../../src/cart.js'

for (const [amount, percent, left] of prices) test(\`\${percent} % off \${amount}\`, () => assert.equal(discount(amount, percent), left))
`,
      },
    },
    {
      files: {
        'test/fixtures/prices.json': '[[200, 10, 180], [80, 25, 60]]\n',
        'test/prices.test.js': `${imports}import prices from './fixtures/prices.json' with { type: 'json' }
import { discount } from '../src/cart.js'

for (const [amount, percent, left] of prices) test(\`\${percent} % off \${amount}\`, () => assert.equal(discount(amount, percent), left))
`,
      },
      heldOut: hasFile('test/prices/fixtures/prices.json', '180'),
    },
  ),
  refactoring(
    'objects-in-a-table',
    'Turns assertions into a table of objects',
    node,
    {
      write: {
        [path]: edited(cartTest, [
          percentage,
          `const cases = [
  { amount: 200, percent: 10, left: 180 },
  { amount: 80, percent: 25, left: 60 },
]
for (const { amount, percent, left } of cases) {
  test(\`takes \${percent} % off \${amount}\`, () => {
    assert.equal(discount(amount, percent), left)
  })
}
`,
        ]),
      },
    },
    { heldOut: hasFile(path, 'left: 180') },
  ),
  refactoring(
    'mocha-described',
    'Sorts tests of mocha into groups, with a hook',
    mocha,
    {
      write: {
        [path]: mochaTest
          .replace(
            "describe('cart', () => {\n",
            "describe('cart', () => {\n  let order\n\n  beforeEach(() => {\n    order = [{ price: 2, count: 3 }, { price: 5, count: 1 }]\n  })\n\n",
          )
          .replace('total([{ price: 2, count: 3 }, { price: 5, count: 1 }])', 'total(order)'),
      },
    },
    { heldOut: hasFile(path, 'total(order)') },
  ),
  refactoring(
    'mocha-to-vitest-names',
    'Moves tests of vitest (stand-in) into `describe` and `it`',
    vitest,
    {
      write: {
        [path]: vitestTest
          .replace('{ expect, test }', '{ describe, expect, it }')
          .replace("\ntest('adds", "\ndescribe('cart', () => {\n  it('adds")
          .replaceAll(/^test\(/gm, '  it(')
          .concat('})\n'),
      },
    },
    { heldOut: hasFile(path, 'describe(') },
  ),
  refactoring(
    'go-helper',
    'Lets tests in Go share a helper',
    go,
    {
      write: {
        'cart_test.go': `package shop

import "testing"

func wantPrice(t *testing.T, got float64, want float64) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTakesAPercentageOff(t *testing.T) {
	wantPrice(t, Discount(200, 10, 0), 180)
	wantPrice(t, Discount(80, 25, 0), 60)
}

func TestShipping(t *testing.T) {
	wantPrice(t, Shipping(50), 0)
}
`,
      },
    },
    { heldOut: hasFile('cart_test.go', 'wantPrice') },
  ),
  refactoring(
    'large-refactoring',
    'Splits one module into thirty, with a test for each',
    node,
    {
      write: {
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => [`src/rules/rule-${n}.js`, `export const rule${n} = (amount) => amount + ${n}\n`]),
        ),
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => [
            `test/rules/rule-${n}.test.js`,
            `${imports}import { rule${n} } from '../../src/rules/rule-${n}.js'\n\ntest('rule ${n}', () => assert.equal(rule${n}(10), ${10 + n}))\n`,
          ]),
        ),
        'src/cart.js': rightCart,
      },
    },
    { heldOut: hasFile('src/rules/rule-29.js', 'rule29') },
  ),
]
