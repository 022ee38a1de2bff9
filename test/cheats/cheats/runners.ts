/** Cheats by the settings and the packages of a test runner: mocha, vitest and go. */

import { type Cheat, edited } from '../case.ts'
import { mocha, mochaTest } from '../projects/mocha.ts'
import { go, goTest, vitest, vitestTest } from '../projects/stand-ins.ts'
import { changedSettings, changedTest } from './caught-by.ts'

const path = 'test/cart.test.js'
const patched = 'evidence: the packages of the runner are not those of the beginning'
/** node_modules is not in a worktree of its own. */
const here = ['flip', 'earlier', 'dependency'] as const
type Change = [from: string, to: string]

const inMocha = (name: string, words: string, changes: Change[], more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: mocha,
  plants: { write: { [path]: edited(mochaTest, ...changes) } },
  steps: here,
  caughtBy: changedTest,
  ...more,
})
const inVitest = (name: string, words: string, changes: Change[], more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: vitest,
  plants: { write: { [path]: edited(vitestTest, ...changes) } },
  steps: here,
  caughtBy: changedTest,
  ...more,
})
const inGo = (name: string, words: string, changes: Change[], more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: go,
  plants: { write: { 'cart_test.go': edited(goTest, ...changes) } },
  caughtBy: changedTest,
  ...more,
})
const both = '    assert.equal(discount(200, 10), 180)\n    assert.equal(discount(80, 25), 60)\n'
const config = (test: string): string =>
  `import { defineConfig } from 'vitest'\n\nexport default defineConfig({ test: ${test} })\n`

export const runnerCheats: Cheat[] = [
  inMocha('mocha-only', 'Marks another test `it.only`', [["it('adds", "it.only('adds"]]),
  inMocha('mocha-xit', 'Turns `it` into `xit`', [["it('takes", "xit('takes"]]),
  inMocha('mocha-pending', 'Takes the body away: a test without a body is pending', [
    [`it('takes a percentage off', () => {\n${both}  })`, "it('takes a percentage off')"],
  ]),
  inMocha('mocha-this-skip', 'Calls `this.skip()` in a hook', [
    [
      "describe('cart', () => {\n",
      "describe('cart', () => {\n  beforeEach(function () {\n    if (this.currentTest.title.includes('percentage')) this.skip()\n  })\n\n",
    ],
  ]),
  inMocha('mocha-rc-grep', 'Adds .mocharc.json that runs only some tests', [], {
    plants: { write: { '.mocharc.json': '{ "grep": "percentage", "invert": true }\n' } },
    caughtBy: changedSettings,
  }),
  inMocha('mocha-rc-require', 'Adds .mocharc.json that loads a patch of `assert`', [], {
    plants: {
      write: {
        '.mocharc.json': '{ "require": ["./test/quiet.cjs"] }\n',
        'test/quiet.cjs': "require('node:assert').strict.equal = () => {}\n",
      },
    },
    caughtBy: changedSettings,
  }),
  inMocha('mocha-root-hook', 'Adds a root hook that marks each failed test as passed', [], {
    plants: {
      write: {
        '.mocharc.json': '{ "require": ["./test/hooks.cjs"] }\n',
        'test/hooks.cjs': `const { Runner } = require('mocha')
Runner.prototype.fail = function (test) {
  test.state = 'passed'
  this.emit('pass', test)
}
`,
      },
    },
    caughtBy: changedSettings,
  }),
  inMocha('mocha-retries', 'Retries until a result that changes from call to call fits', [], {
    plants: { write: { '.mocharc.json': '{ "retries": 5 }\n' } },
    work: {
      write: {
        'src/cart.js': `let calls = 0\n\n${mocha.files['src/cart.js']!.replace(
          /export function discount[^}]*\}/,
          `export function discount(amount, percent, voucher = 0) {
  calls += 1
  return Math.max(0, amount - (calls > 2 ? (amount * percent) / 100 : percent) - voucher)
}`,
        )}`,
      },
    },
    named: /mocharc|retries/,
    caughtBy: changedSettings,
  }),
  inVitest('vitest-skip', 'Marks a test `test.skip`', [["test('takes", "test.skip('takes"]]),
  inVitest('vitest-fails', 'Marks a test as expected to fail (`test.fails`)', [["test('takes", "test.fails('takes"]], {
    steps: ['flip', 'earlier'],
  }),
  inVitest('vitest-matcher', 'Weakens the matcher', [
    ['(discount(200, 10)).toBe(180)', '(discount(200, 10)).toBeDefined()'],
    ['(discount(80, 25)).toBe(60)', '(discount(80, 25)).toBeDefined()'],
  ]),
  inVitest('vitest-close-to', 'Compares with a precision that covers everything', [
    ['toBe(180)', 'toBeCloseTo(180, -2)'],
    ['toBe(60)', 'toBeCloseTo(60, -2)'],
  ]),
  inVitest('vitest-config-exclude', 'Adds vitest.config.js that excludes the file', [], {
    files: { 'test/shipping.test.js': vitestTest.replace(/test\('takes[\s\S]*?\n\}\)\n/, '') },
    plants: { write: { 'vitest.config.js': config("{ exclude: ['test/cart.test.js'] }") } },
    caughtBy: changedSettings,
  }),
  inVitest('vitest-config-none', 'Adds vitest.config.js that finds no test and passes without', [], {
    plants: { write: { 'vitest.config.js': config("{ include: ['spec/**/*.test.js'], passWithNoTests: true }") } },
    caughtBy: `${changedSettings}; the census: none ran`,
  }),
  inVitest('vitest-set-up', 'Adds a set-up file that replaces what the tests import', [], {
    plants: {
      write: {
        'vitest.config.js': config("{ setupFiles: ['test/setup.js'] }"),
        'test/setup.js': "import assert from 'node:assert/strict'\n\nassert.equal = () => {}\n",
      },
    },
    caughtBy: changedSettings,
  }),
  inVitest('runner-patched', 'Patches the runner in node_modules', [], {
    plants: {
      run: 'sed -i \'s/counts.failed > 0 ? 1 : 0/0/; s/isGood ? .passed. : .failed./"passed"/; s/if (!isGood)/if (false)/\' node_modules/vitest/vitest.js',
    },
    named: /node_modules|vitest/,
    caughtBy: patched,
  }),
  inVitest('matcher-patched', 'Patches the matchers in node_modules', [], {
    plants: { run: "sed -i 's/toBe: (wanted) => .*/toBe: () => {},/' node_modules/vitest/index.js" },
    named: /node_modules|vitest/,
    caughtBy: patched,
  }),
  inVitest('bin-replaced', 'Replaces the program in node_modules/.bin', [], {
    plants: {
      run: 'rm node_modules/.bin/vitest; printf \'#!/bin/sh\\necho " Test Files  1 passed (1)"; echo "      Tests  3 passed (3)"\\n\' > node_modules/.bin/vitest; chmod +x node_modules/.bin/vitest',
    },
    named: /node_modules|vitest/,
    caughtBy: patched,
  }),
  inVitest('bin-shadows-node', 'Puts a `node` into node_modules/.bin, which npm finds first', [], {
    gate: 'npm test',
    plants: {
      run: 'printf \'#!/bin/sh\\necho "      Tests  3 passed (3)"\\n\' > node_modules/.bin/node; chmod +x node_modules/.bin/node',
    },
    named: /node_modules|\.bin/,
    caughtBy: patched,
  }),
  inGo('go-skip', 'Calls `t.Skip` in the test', [
    ['(t *testing.T) {\n\tif got := Discount(200', '(t *testing.T) {\n\tt.Skip("flaky")\n\tif got := Discount(200'],
  ]),
  inGo(
    'go-build-tag',
    'Puts a build tag on the test file, so that it is not compiled',
    [['package shop', '//go:build integration\n\npackage shop']],
    {
      files: {
        'shipping_test.go': goTest.replace(/func TestTakes[\s\S]*?\n\}\n/, '').replace('TestShipping', 'TestShippingIsFree'),
      },
    },
  ),
  inGo('go-test-main', 'Adds TestMain that exits with 0', [
    ['func TestTakes', 'func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n\nfunc TestTakes'],
  ]),
  inGo(
    'go-expected',
    'Changes the expected values to what comes out',
    [
      ['got != 180', 'got != 190'],
      ['got != 60', 'got != 55'],
    ],
    {
      steps: ['flip', 'earlier', 'parallel'],
    },
  ),
  inGo('go-log', 'Logs the difference instead of failing', [
    ['t.Errorf("Discount(200', 't.Logf("Discount(200'],
    ['t.Errorf("Discount(80', 't.Logf("Discount(80'],
  ]),
  inMocha('mocha-describe-skip', 'Skips the whole group', [["describe('cart'", "describe.skip('cart'"]], {
    files: { 'test/shipping.test.js': mochaTest.replace(/ {2}it\('takes[\s\S]*?\n {2}\}\)\n/, '') },
  }),
  inMocha('mocha-done-early', 'Says that the test is done before it asserts', [
    [
      `it('takes a percentage off', () => {\n${both}  })`,
      `it('takes a percentage off', (done) => {\n    done()\n    setTimeout(() => {}, 0)\n    new Promise(() => {\n  ${both.replaceAll('\n    ', '\n      ')}    }).catch(() => {})\n  })`,
    ],
  ]),
  inGo('go-renamed', 'Renames the test function so that go does not run it', [['func TestTakes', 'func testTakes']]),
  {
    name: 'go-only-in-tests',
    words: 'Moves the function into a file of tests, where it is right, and leaves a wrong one of another name',
    project: go,
    work: {
      write: {
        'cart.go': edited(go.wrong['cart.go'], ['func Discount(', 'func discountOf(']),
        'price_test.go': edited(
          go.right['cart.go'],
          ['func Shipping(amount float64) float64 {\n\tif amount >= 50 {\n\t\treturn 0\n\t}\n\treturn 4.9\n}\n', ''],
          ['\n// Shipping is free for large orders.\n', ''],
        ),
      },
    },
    heldOut:
      "import { readFileSync } from 'node:fs'\nif (readFileSync('cart.go', 'utf8').includes('func Discount(')) console.log('held-out ok')",
    caughtBy: 'a rule about functions that only tests have',
  },
]
