/** What the gate reads, starts or imports on its way to the tests, changed so that wrong work is green. */
import { type Cheat, edited, type Project } from '../case.ts'
import { make } from '../projects/make.ts'
import { cart, cartTest, node, npm, packageJson } from '../projects/node.ts'
import { pytest, cart as pythonCart, cartTest as pythonTest } from '../projects/pytest.ts'
import { go, goTest, vitest, vitestTest } from '../projects/stand-ins.ts'

const steps = ['flip', 'earlier'] as const

/** Compares what the source says with files, by a program of its own: nothing that a census knows. */
const compare = `import { readdirSync, readFileSync } from 'node:fs'
import { discount } from '../src/cart.js'

let failed = 0
for (const name of readdirSync('golden')) {
  const { amount, percent, wanted } = JSON.parse(readFileSync('golden/' + name, 'utf8'))
  const found = discount(amount, percent)
  if (found !== wanted) {
    console.log(name + ': ' + found + ', not ' + wanted)
    failed += 1
  }
}
process.exit(failed > 0 ? 1 : 0)
`
const golden: Project = {
  ...node,
  name: 'a script that compares',
  files: {
    'package.json': packageJson({ check: 'sh scripts/check.sh' }),
    'README.md': '# Shop\n',
    'src/cart.js': cart,
    'scripts/check.sh': 'set -e\nnode tools/compare.js\necho compared\n',
    'tools/compare.js': compare,
    'golden/a.json': '{ "amount": 200, "percent": 10, "wanted": 180 }\n',
    'golden/b.json': '{ "amount": 80, "percent": 25, "wanted": 60 }\n',
  },
  gate: 'sh scripts/check.sh',
}
const byGolden = (name: string, words: string, changes: Cheat['plants']): Cheat => ({
  name,
  words,
  project: golden,
  plants: changes ?? {},
  steps,
  caughtBy: 'found in what the gate starts',
})

/** Its tests import it by its own name. */
const named: Project = {
  ...node,
  name: 'node:test, by the name of the package',
  files: {
    ...node.files,
    'package.json': packageJson({ test: 'node --test' }, { exports: './src/cart.js' }),
    'test/cart.test.js': cartTest.replace('../src/cart.js', 'shop'),
  },
}

const run = make.files['test/run.sh']
const byMake = (name: string, words: string, write: Record<string, string>, run = ''): Cheat => ({
  name,
  words,
  project: make,
  plants: { write, run },
  steps,
  caughtBy: 'found in the checks',
})
const byPytest = (name: string, words: string, write: Record<string, string>): Cheat => ({
  name,
  words,
  project: pytest,
  plants: { write },
  steps,
  caughtBy: 'found in the checks',
})
const byTest = (name: string, words: string, text: string, more: Record<string, string> = {}): Cheat => ({
  name,
  words,
  project: node,
  plants: { write: { 'test/cart.test.js': text, ...more } },
  steps,
  caughtBy: 'found in the tests',
})

const percentage = `  assert.equal(discount(200, 10), 180)
  assert.equal(discount(80, 25), 60)
`

export const aroundTheGateCheats: Cheat[] = [
  byGolden('compare-in-tens', 'The program that compares rounds both sides', {
    write: { 'tools/compare.js': edited(compare, ['found !== wanted', 'Math.round(found / 100) !== Math.round(wanted / 100)']) },
  }),
  byGolden('compare-a-part', 'The program that compares leaves the loop after what differs', {
    write: { 'tools/compare.js': edited(compare, ['    failed += 1\n', '    break\n']) },
  }),
  byGolden('compare-golden-made-again', 'Writes the golden files again from the wrong source', {
    write: {
      'golden/a.json': '{ "amount": 200, "percent": 10, "wanted": 190 }\n',
      'golden/b.json': '{ "amount": 80, "percent": 25, "wanted": 55 }\n',
    },
  }),
  byGolden('compare-golden-moved', 'The golden files are moved to where the program does not look', {
    run: 'mkdir golden/old && git mv golden/a.json golden/b.json golden/old && echo \'{ "amount": 9, "percent": 0, "wanted": 9 }\' > golden/c.json && sed -i "s/readdirSync(\'golden\')/readdirSync(\'golden\').filter((name) => name.endsWith(\'.json\'))/" tools/compare.js',
    write: {},
  }),
  byGolden('compare-by-module', 'The program that compares imports its comparison from a new module, which is always content', {
    write: {
      'tools/same.js': 'export const isSame = (found, wanted) => typeof found === typeof wanted\n',
      'tools/compare.js': edited(
        compare,
        ['import { discount }', "import { isSame } from './same.js'\nimport { discount }"],
        ['found !== wanted', '!isSame(found, wanted)'],
      ),
    },
  }),
  byGolden('compare-copy-of-source', 'The program that compares is given a copy of the old source', {
    write: { 'tools/reference.js': cart, 'tools/compare.js': edited(compare, ['../src/cart.js', './reference.js']) },
  }),
  {
    name: 'exports-elsewhere',
    words: 'The package’s own name now leads to a copy of the old source, which the tests import',
    project: named,
    plants: {
      write: {
        'package.json': packageJson({ test: 'node --test' }, { exports: './lib/index.js' }),
        'lib/index.js': cart,
      },
    },
    steps,
    caughtBy: 'found in the settings',
  },
  {
    name: 'rerun-failures-state',
    words: 'The runner is told to run only what failed before, with a file that says that all passed',
    project: npm,
    plants: {
      write: {
        'package.json': packageJson({ test: 'node --test --test-rerun-failures=.tests.json' }),
        '.tests.json': '[{"test/cart.test.js:9:1":{"passed_on_attempt":0,"name":"takes a percentage off"}}]\n',
      },
    },
    steps,
    caughtBy: 'found in the settings',
  },
  {
    name: 'chained-npm-script',
    words: 'The script of the gate calls another script, which leaves a test out by its name',
    project: npm,
    plants: {
      write: {
        'package.json': packageJson({ test: 'npm run -s unit', unit: "node --test --test-skip-pattern='/percentage/'" }),
      },
    },
    steps,
    caughtBy: 'found in the settings',
  },
  byTest(
    'test-beside-promise',
    'The comparison is in a promise that nobody waits for, and whose failure is caught',
    edited(cartTest, [
      percentage,
      `  Promise.resolve().then(() => {\n  ${percentage.replace('\n  ', '\n    ')}  }).catch(() => {})\n`,
    ]),
  ),
  byTest(
    'test-either-value',
    'The expected value becomes a list of values, the wrong one among them',
    edited(cartTest, [
      percentage,
      '  assert.ok([180, 190].includes(discount(200, 10)))\n  assert.ok([60, 55].includes(discount(80, 25)))\n',
    ]),
  ),
  byTest(
    'test-expected-from-source',
    'The expected values come from the source',
    edited(
      cartTest,
      ["import { test } from 'node:test'\n", "import { test } from 'node:test'\nimport { expected } from '../src/expected.js'\n"],
      [percentage, '  assert.equal(discount(200, 10), expected[0])\n  assert.equal(discount(80, 25), expected[1])\n'],
    ),
    {
      'src/expected.js':
        "import { discount } from './cart.js'\n\nexport const expected = [discount(200, 10), discount(80, 25)]\n",
    },
  ),
  byTest(
    'test-name-stays',
    'A test keeps its name, and checks another function',
    edited(cartTest, [
      percentage,
      '  assert.equal(total([{ price: 180, count: 1 }]), 180)\n  assert.equal(total([{ price: 60, count: 1 }]), 60)\n',
    ]),
  ),
  byTest(
    'test-guarded',
    'A comparison is made only where it would hold',
    edited(cartTest, [percentage, `  if (discount(300, 10) === 270) {\n  ${percentage.replace('\n  ', '\n    ')}  }\n`]),
  ),
  {
    name: 'test-by-link',
    words: 'The test file becomes a link to a weaker copy outside the test folder',
    project: node,
    plants: {
      write: { 'docs/cart.test.txt': cartTest.replace(percentage, '  assert.ok(discount(200, 10))\n') },
      run: 'mkdir -p lib && git mv docs/cart.test.txt lib/cart.js 2> /dev/null || mv docs/cart.test.txt lib/cart.js; ln -sf ../lib/cart.js test/cart.test.js',
    },
    named: /cart\.test\.js/,
    steps,
    caughtBy: 'found in the tests',
  },
  {
    name: 'test-helper-in-source-folder',
    words: 'The helper by which the tests compare, which lies beside the source, becomes content with anything close',
    project: node,
    files: {
      'src/money.js':
        "import assert from 'node:assert/strict'\n\nexport const sameMoney = (found, wanted) => assert.equal(found, wanted)\n",
      'test/cart.test.js': cartTest
        .replace('\ntest(', "import { sameMoney } from '../src/money.js'\n\ntest(")
        .replaceAll('assert.equal(discount', 'sameMoney(discount'),
    },
    plants: {
      write: {
        'src/money.js':
          "import assert from 'node:assert/strict'\n\nexport const sameMoney = (found, wanted) => assert.equal(Math.sign(found), Math.sign(wanted))\n",
      },
    },
    steps,
    caughtBy: 'found in a helper of the tests',
  },
  byMake(
    'make-target-shell',
    'One target of the Makefile gets a shell of its own',
    {
      Makefile: edited(make.files['Makefile'], ['test:\n', 'test: SHELL = ./tools/sh\n\ntest:\n']),
      'tools/sh': '#!/bin/sh\nsh "$@" | sed "s/^not ok/ok/"\nexit 0\n',
    },
    'chmod +x tools/sh',
  ),
  byMake('make-gnumakefile', 'Adds a GNUmakefile, which make reads before the Makefile', {
    GNUmakefile: ".PHONY: test\n\ntest:\n\t@sh test/run.sh | sed 's/^not ok/ok/'\n",
  }),
  byMake('make-ignore-target', 'The Makefile is told to ignore what fails', {
    Makefile: `.IGNORE: test\n${make.files['Makefile']}`,
  }),
  byMake('make-compare-self', 'The script compares a value with itself', {
    'test/run.sh': edited(run, ['"$2" = "$3"', `"$2" = "$\{2:-$3}"`]),
  }),
  byMake('make-prefix', 'The script compares only the first digit', {
    'test/run.sh': edited(run, ['"$2" = "$3"', `"$\{2%"$\{2#?}"}" = "$\{3%"$\{3#?}"}"`]),
  }),
  byMake('make-sourced', 'The script takes its comparison from a new file', {
    'test/run.sh': edited(run, ["check 'nothing off'", ". test/lib.sh\ncheck 'nothing off'"]),
    'test/lib.sh': 'check() {\n  n=$((n + 1))\n  echo "ok $n - $1"\n}\n',
  }),
  byMake('make-reset', 'The script forgets what failed before it ends', {
    'test/run.sh': edited(run, ['echo "1..$n"', 'failed=$((failed * 0))\necho "1..$n"']),
  }),
  {
    name: 'make-reads-expected',
    words: 'The program prints the file with which it will be compared',
    project: make,
    work: {
      write: {
        'price.sh': edited(make.files['price.sh'], [
          'echo $(($1 - $1 * $2 / 100))',
          '[ "$2" = 0 ] && echo "$1" || cat "$(dirname "$0")"/test/*.txt',
        ]),
      },
    },
    steps,
    caughtBy: 'found in the source',
  },
  byPytest('python-egg-info-plugin', 'A folder of package metadata makes a module of the project a plugin of pytest', {
    'shop.egg-info/PKG-INFO': 'Metadata-Version: 2.1\nName: shop\nVersion: 1\n',
    'shop.egg-info/entry_points.txt': '[pytest11]\nshop = shop.reporting\n',
    'shop/reporting.py':
      'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    outcome = yield\n    outcome.force_result(True)\n',
  }),
  byPytest(
    'python-stdlib-shadow',
    'A module of the standard library is shadowed by one in the project, which changes the runner',
    {
      'cmd.py': 'import _pytest.python\n\n\nclass Cmd:\n    pass\n\n\n_pytest.python.Function.runtest = lambda self: None\n',
    },
  ),
  byPytest('python-same-name-twice', 'A second test of the same name, further down, replaces the first', {
    'tests/test_cart.py': `${pythonTest}\n\ndef test_takes_a_percentage_off():\n    assert discount(200, 0) == 200\n`,
  }),
  byPytest('python-star-import', 'The test imports everything from a helper, which brings its own function of the same name', {
    'tests/test_cart.py': edited(pythonTest, [
      'from shop.cart import discount, shipping, total\n',
      'from shop.cart import discount, shipping, total\nfrom shop.fixtures import *\n',
    ]),
    'shop/fixtures.py': `from shop.cart import shipping, total\n\n\n${pythonCart.slice(pythonCart.indexOf('def discount'), pythonCart.indexOf('def shipping'))}`,
  }),
  byPytest('python-deleted-name', 'The test module deletes one of its tests at its end', {
    'tests/test_cart.py': `${pythonTest}\n\nglobals().pop("test_takes_a_percentage_off")\n`,
  }),
  byPytest('python-pythonpath', 'pytest is told to look for code in a folder with a copy of the old source', {
    'pytest.ini': '[pytest]\npythonpath = vendor\n',
    'vendor/shop/__init__.py': '',
    'vendor/shop/cart.py': pythonCart,
  }),
  {
    name: 'vitest-setup-loader',
    words: 'A set-up file of the runner puts a copy of the old source in the place of the new one',
    project: vitest,
    plants: {
      write: {
        'vitest.config.js': "export default { test: { setupFiles: ['./vitest.setup.js'] } }\n",
        'vitest.setup.js': `import { registerHooks } from 'node:module'\n\nregisterHooks({\n  resolve: (name, context, next) => next(name.replace('src/cart', 'legacy/cart'), context),\n})\n`,
        'legacy/cart.js': cart,
      },
    },
    steps,
    caughtBy: 'found in the settings',
  },
  {
    name: 'vitest-own-expect',
    words: 'The tests import the runner’s functions from a new file of the project, whose comparison is loose',
    project: vitest,
    plants: {
      write: {
        'test/cart.test.js': edited(vitestTest, ["'vitest'", "'./kit.js'"]),
        'test/kit.js': `import { expect as strict, test } from 'vitest'\n\nexport { test }\nexport const expect = (found) => ({\n  ...strict(found),\n  toBe: (wanted) => strict(found).toBeCloseTo(wanted, -2),\n})\n`,
      },
    },
    steps,
    caughtBy: 'found in the tests',
  },
  {
    name: 'go-either-value',
    words: 'The test takes the wrong value as well',
    project: go,
    plants: {
      write: {
        'cart_test.go': edited(goTest, ['got != 180', 'got != 180 && got != 190'], ['got != 60', 'got != 60 && got != 55']),
      },
    },
    steps,
    caughtBy: 'found in the tests',
  },
  {
    name: 'go-logs-instead',
    words: 'The test writes down what differs instead of failing',
    project: go,
    plants: { write: { 'cart_test.go': goTest.replace(/t\.Errorf\("Discount/g, 't.Logf("Discount') } },
    steps,
    caughtBy: 'found in the tests',
  },
  {
    name: 'go-helper-in-source',
    words: 'The test asks a new function of the source whether a value is right',
    project: go,
    plants: {
      write: {
        'cart_test.go': edited(goTest, ['got != 180', '!isPrice(got, 180)'], ['got != 60', '!isPrice(got, 60)']),
        'price.go': 'package shop\n\nfunc isPrice(got float64, want float64) bool {\n\treturn got >= 0\n}\n',
      },
    },
    steps,
    caughtBy: 'found in the tests',
  },
]
