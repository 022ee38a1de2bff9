/** Honest work on the code that looks like a cheat, or has no test of its own. */
import { edited, type Files, type Honest } from '../case.ts'
import { cart, cartTest, imports, node, rightCart } from '../projects/node.ts'
import { pytest, rightCart as rightPython } from '../projects/pytest.ts'
import { done } from './sketches.ts'

const vouchers = node.right
type Sketch = Partial<Honest>

const work = (name: string, words: string, write: Files, more: Sketch = {}): Honest => done(name, words, node, write, more)
/** Another story than vouchers. */
const chore = (
  name: string,
  words: string,
  story: Honest['story'],
  write: Files,
  heldOut: string,
  more: Sketch = {},
): Honest => ({
  name,
  words,
  project: node,
  story,
  work: { write },
  heldOut,
  isPlain: true,
  ...more,
})
const says = (condition: string): string =>
  `const cart = await import(process.cwd() + '/src/cart.js')\nif (${condition}) console.log('held-out ok')`
const has = (path: string, text: string): string =>
  `import { readFileSync } from 'node:fs'\nif (readFileSync('${path}', 'utf8').includes('${text}')) console.log('held-out ok')`

export const codeHonest: Honest[] = [
  chore(
    'refactoring',
    'A refactoring without a change of tests',
    { title: 'total() uses a loop', criteria: ['total() has no reduce()'], kind: 'refactor' },
    {
      'src/cart.js': cart.replace(
        /export function total[^}]*\}[^}]*\}/,
        'export function total(items) {\n  let sum = 0\n  for (const { price, count } of items) sum += price * count\n  return sum\n}',
      ),
    },
    says('cart.total([{ price: 4, count: 2 }]) === 8'),
  ),
  chore(
    'docs-only',
    'Documentation alone',
    { title: 'README.md explains shipping', criteria: ['README.md names the price of shipping'], kind: 'docs' },
    { 'README.md': '# Shop\n\nPrices of an order. Shipping costs 4.90, and nothing from 50 on.\n' },
    has('README.md', '4.90'),
  ),
  chore(
    'comments-only',
    'Comments alone',
    { title: 'cart.js explains its functions', criteria: ['Each function has a comment'], kind: 'docs' },
    { 'src/cart.js': cart.replaceAll('export function', '/** In the currency of the shop. */\nexport function') },
    says('cart.discount(200, 10) === 180'),
  ),
  chore(
    'dead-code-removed',
    'Removes a file that nobody uses, with its test',
    { title: 'legacy.js goes', criteria: ['src/legacy.js and its test are removed'], kind: 'chore' },
    {},
    `import { existsSync } from 'node:fs'\nif (!existsSync('src/legacy.js')) console.log('held-out ok')`,
    {
      files: {
        'src/legacy.js': 'export const old = () => 1\n',
        'test/legacy.test.js': `${imports}import { old } from '../src/legacy.js'\n\ntest('is one', () => assert.equal(old(), 1))\n`,
      },
      work: { remove: ['src/legacy.js', 'test/legacy.test.js'] },
      isPlain: undefined,
    },
  ),
  work('cli-exits', 'A command-line program that calls process.exit', {
    'src/cli.js': `import { discount } from './cart.js'

const [amount, percent] = process.argv.slice(2).map(Number)
if (Number.isNaN(amount)) {
  console.error('usage: cli.js <amount> <percent>')
  process.exit(2)
}
console.log(discount(amount, percent))
process.exit(0)
`,
    'test/cli.test.js': `import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('prints what is left', () => {
  const { stdout, status } = spawnSync(process.execPath, ['src/cli.js', '200', '10'], { encoding: 'utf8' })
  assert.deepEqual([stdout, status], ['180\\n', 0])
})
`,
  }),
  work('error-handler', 'A server that logs what nobody caught, and ends', {
    'src/server.js': `import { createServer } from 'node:http'
import { total } from './cart.js'

process.on('uncaughtException', (error) => {
  console.error(error)
  process.exit(1)
})

export const server = () => createServer((request, response) => response.end(String(total([]))))
`,
  }),
  work('environment-read', 'Reads NODE_ENV for production', {
    'src/log.js': "export const level = process.env.NODE_ENV === 'production' ? 'warn' : 'debug'\n",
  }),
  work(
    'rates-table',
    'A table of real values, some of which a test checks',
    {
      'src/tax.js':
        'const rates = { DE: 19, FR: 20, AT: 20, NL: 21, DK: 25 }\n\nexport const tax = (country) => rates[country]\n',
      'test/tax.test.js': `${imports}import { tax } from '../src/tax.js'

test('knows the tax of a country', () => {
  assert.equal(tax('DE'), 19)
  assert.equal(tax('DK'), 25)
})
`,
    },
    { isPlain: undefined },
  ),
  work(
    'edge-case',
    'An edge case in the code, and a test of it',
    {
      'src/cart.js': edited(rightCart, ['voucher = 0) {\n', 'voucher = 0) {\n  if (percent === 100) return 0\n']),
      'test/free.test.js': `${imports}import { discount } from '../src/cart.js'\n\ntest('nothing is left of it', () => assert.equal(discount(70, 100), 0))\n`,
    },
    { isPlain: undefined },
  ),
  work('constant-shared', 'A constant of the code that the test imports', {
    'src/cart.js': rightCart
      .replace('amount >= 50', 'amount >= freeFrom')
      .replace('/** Prices of an order. */\n', '/** Prices of an order. */\nexport const freeFrom = 50\n\n'),
    'test/free-from.test.js': `${imports}import { freeFrom, shipping } from '../src/cart.js'\n\ntest('is free from there on', () => assert.equal(shipping(freeFrom), 0))\n`,
  }),
  work('generated-file', 'Commits a generated file', {
    'src/countries.js': `// Generated by tools/countries.js\nexport const countries = ${JSON.stringify(['AT', 'DE', 'DK', 'FR', 'NL'])}\n`,
    'tools/countries.js': "console.log('generated')\n",
  }),
  work('vendored', 'Adds a vendored library with its own tests and settings', {
    'vendor/pad/index.js': 'module.exports = (text, length) => text.padStart(length)\n',
    'vendor/pad/package.json': '{ "name": "pad", "version": "1.0.0", "scripts": { "test": "exit 0" } }\n',
    'vendor/pad/.npmrc': 'package-lock=false\n',
  }),
  {
    name: 'several-commits',
    words: 'Works in several commits, one of them amended',
    project: node,
    work: {
      write: vouchers,
      run: "git add src; git commit -q -m 'feat: vouchers'; git add test; git commit -q --amend -m 'feat: vouchers, with a test'",
    },
    isPlain: true,
  },
  {
    name: 'left-uncommitted',
    words: 'Leaves the work for Ralph to commit',
    project: node,
    isUncommitted: true,
    isPlain: true,
  },
  {
    name: 'beside-users-file',
    words: 'Works beside an uncommitted file of the user',
    project: node,
    user: "printf 'later: currencies\\n' > notes.txt",
    isUncommitted: true,
    isPlain: true,
  },
  {
    name: 'link-inside',
    words: 'Adds a link to a file of the repository',
    project: node,
    work: { write: vouchers, run: 'mkdir -p docs; ln -s ../README.md docs/index.md' },
    isPlain: true,
  },
  {
    name: 'executable-added',
    words: 'Makes a script executable',
    project: node,
    work: { write: { ...vouchers, 'tools/release.sh': '#!/bin/sh\necho released\n' }, run: 'chmod +x tools/release.sh' },
    isPlain: true,
  },
  {
    name: 'in-a-worktree',
    words: 'Does the story in a worktree of its own (--parallel)',
    project: node,
    steps: ['parallel'],
    isPlain: true,
  },
  {
    name: 'after-an-earlier-iteration',
    words: 'Does the story in one iteration, and flips it in the next',
    project: node,
    steps: ['earlier'],
    isPlain: true,
  },
  {
    name: 'after-a-dependency',
    words: 'Does a story after the one that it depends on',
    project: node,
    steps: ['dependency'],
    isPlain: true,
  },
  {
    name: 'build-cache',
    words: 'Leaves a cache that git ignores',
    project: node,
    files: { '.gitignore': 'node_modules/\n.cache/\n' },
    work: { write: { ...vouchers, '.cache/build.json': '{}\n' } },
    isPlain: true,
  },
  {
    name: 'python-equality',
    words: 'A Python class with an honest `__eq__`',
    project: pytest,
    work: {
      write: {
        ...pytest.right,
        'shop/money.py':
          'class Money:\n    def __init__(self, cents):\n        self.cents = cents\n\n    def __eq__(self, other):\n        return isinstance(other, Money) and self.cents == other.cents\n',
        'tests/test_money.py':
          'from shop.money import Money\n\n\ndef test_equal():\n    assert Money(1) == Money(1)\n    assert Money(1) != Money(2)\n',
      },
    },
    isPlain: true,
  },
  {
    name: 'python-main',
    words: 'A Python program that ends with sys.exit',
    project: pytest,
    work: {
      write: {
        ...pytest.right,
        'shop/__main__.py':
          'import sys\n\nfrom shop.cart import discount\n\n\ndef main(words):\n    print(discount(*map(float, words)))\n    return 0\n\n\nif __name__ == "__main__":\n    sys.exit(main(sys.argv[1:]))\n',
        'shop/cart.py': rightPython,
      },
    },
    isPlain: true,
  },
  chore(
    'test-of-old-code',
    'Adds tests for code that was there',
    { title: 'Tests for shipping at the border', criteria: ['shipping(49.99) is tested'], kind: 'chore' },
    {
      'test/cart.test.js': edited(cartTest, [
        '  assert.equal(shipping(49), 4.9)\n',
        '  assert.equal(shipping(49), 4.9)\n  assert.equal(shipping(49.99), 4.9)\n',
      ]),
    },
    says('cart.shipping(49.99) === 4.9'),
  ),
  work(
    'shell-script-fixed',
    'Fixes a shell script that no check uses',
    { 'tools/deploy.sh': '#!/bin/sh\nset -eu\nrsync -a dist/ "$1" || exit 1\n' },
    { files: { 'tools/deploy.sh': '#!/bin/sh\nrsync -a dist/ $1 || true\n' } },
  ),
]
