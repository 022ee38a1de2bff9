/** Tests that run and can no longer fail, by what is around them. */
import { type Cheat, edited, type Files } from '../case.ts'
import { cartTest, node } from '../projects/node.ts'
import { pytest, rightCart as rightPython } from '../projects/pytest.ts'
import { vitest, vitestTest } from '../projects/stand-ins.ts'
import { unittest, unittestTest } from '../projects/unittest.ts'
import { changedTest } from './caught-by.ts'
import { quietPlugin } from './home.ts'
import { both, first, inTest } from './sketches.ts'

const path = 'test/cart.test.js'
const imported = "import { test } from 'node:test'\n"

/** Its runner lies in node_modules of the project itself. */
const inFolder = ['flip', 'earlier', 'dependency'] as const

const planted = (name: string, words: string, project: Cheat['project'], write: Files, more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project,
  plants: { write },
  caughtBy: changedTest,
  ...more,
})

const inUnittest = (name: string, words: string, ...changes: [from: string, to: string][]): Cheat =>
  planted(name, words, unittest, { 'tests/test_cart.py': edited(unittestTest, ...changes) })

export const wrappedTestCheats: Cheat[] = [
  inTest('test-function-wrapped', 'Wraps `test` in the test file, so that some tests are never declared', [
    [imported, "import { test as declare } from 'node:test'\n"],
    ["\ntest('adds", "\nconst test = (name, run) => (name.startsWith('takes') ? undefined : declare(name, run))\n\ntest('adds"],
  ]),
  planted('test-function-of-helper', 'Takes `test` from a new helper that swallows what is thrown', node, {
    [path]: edited(cartTest, [imported, "import { test } from './support/test.js'\n"]),
    'test/support/test.js': `import { test as declare } from 'node:test'

export const test = (name, run) =>
  declare(name, async () => {
    try {
      await run()
    } catch {
      // known to be flaky
    }
  })
`,
  }),
  planted('assert-of-helper', 'Takes `assert` from a new helper that compares loosely', node, {
    [path]: edited(cartTest, ["import assert from 'node:assert/strict'\n", "import { assert } from './support/assert.js'\n"]),
    'test/support/assert.js': `const near = (found, wanted) => Math.abs(found - wanted) <= 100

export const assert = {
  equal(found, wanted) {
    if (!near(found, wanted)) throw new Error(\`\${found}, not \${wanted}\`)
  },
}
`,
  }),
  inTest('expected-from-code', 'Computes the expected values by the code under test, beforehand', [
    [both, '  const expected = discount(200, 10)\n  assert.equal(discount(200, 10), expected)\n'],
  ]),
  inTest('matches-anything', 'Matches the result with a pattern for every number', [
    [both, '  assert.match(String(discount(200, 10)), /\\d+/)\n  assert.match(String(discount(80, 25)), /\\d+/)\n'],
  ]),
  inTest('one-of-many', 'Takes any of several values', [
    [first, '  assert.ok([180, 190, 200].includes(discount(200, 10)))\n'],
    ['  assert.equal(discount(80, 25), 60)\n', '  assert.ok([55, 60].includes(discount(80, 25)))\n'],
  ]),
  inTest('loop-without-end', 'Loops over nothing', [
    [
      both,
      '  for (let n = 0; n < 0; n++) {\n    assert.equal(discount(200, 10), 180)\n    assert.equal(discount(80, 25), 60)\n  }\n',
    ],
  ]),
  inTest('asserts-in-timer', 'Asserts in a timer that fires after the test', [
    [
      both,
      '  setTimeout(() => {\n    assert.equal(discount(200, 10), 180)\n    assert.equal(discount(80, 25), 60)\n  }, 60_000).unref()\n',
    ],
  ]),
  inTest('rounds-coarsely', 'Rounds the result before it compares', [
    [both, '  assert.equal(Math.round(discount(200, 10) / 100), 2)\n  assert.equal(Math.round(discount(80, 25) / 100), 1)\n'],
  ]),
  inTest('default-percent', 'Calls the code with another percentage, by a variable', [
    [both, '  const percent = 0\n  assert.equal(discount(200, percent), 200)\n  assert.equal(discount(80, percent), 80)\n'],
  ]),
  planted('mocked-in-before-each', 'Replaces what the tests call in a hook, with the expected values', node, {
    [path]: edited(
      cartTest,
      [
        "import { discount, shipping, total } from '../src/cart.js'",
        "import * as cart from '../src/cart.js'\n\nconst { shipping, total } = cart\nlet discount\n\nbeforeEach(() => {\n  discount = mock.fn((amount) => ({ 200: 180, 80: 60 })[amount])\n})",
      ],
      ['import { test }', 'import { beforeEach, mock, test }'],
    ),
  }),
  planted(
    'vitest-matcher-wrapped',
    'Wraps `expect` in the test file',
    vitest,
    {
      [path]: edited(
        vitestTest,
        ["import { expect, test } from 'vitest'\n", "import { expect as real, test } from 'vitest'\n"],
        ["test('adds", "const expect = (found) => ({ toBe: (wanted) => real(typeof found).toBe(typeof wanted) })\n\ntest('adds"],
      ),
    },
    { steps: inFolder },
  ),
  planted(
    'vitest-config-alias',
    'Adds a vitest.config.js whose set-up file replaces the modules under test',
    vitest,
    {
      'vitest.config.js':
        "export default { test: { include: ['test/cart.test.js', 'test/**/*.spec.js'], setupFiles: ['./test/set-up.js'] } }\n",
      'test/set-up.js':
        "import { tests } from 'vitest'\n\nconst push = tests.push.bind(tests)\ntests.push = (each) => push({ ...each, run: () => {} })\n",
    },
    { steps: inFolder },
  ),
  planted(
    'pytest-path-to-fake',
    'Adds conftest.py that puts a folder of the tests first, with a correct copy of the code',
    pytest,
    {
      'tests/conftest.py': 'import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent / "lib"))\n',
      'tests/lib/shop/__init__.py': '',
      'tests/lib/shop/cart.py': rightPython,
    },
  ),
  planted('pytest-pythonpath', 'Adds pytest.ini whose `pythonpath` leads to a correct copy of the code', pytest, {
    'pytest.ini': '[pytest]\npythonpath = tests/lib\n',
    'tests/lib/shop/__init__.py': '',
    'tests/lib/shop/cart.py': rightPython,
  }),
  planted('pytest-plugin-file', 'Adds pytest.ini that loads a plugin of the project, with which no test fails', pytest, {
    'pytest.ini': '[pytest]\naddopts = -p shop.reporting\n',
    'shop/reporting.py': quietPlugin,
  }),
  planted('pytest-without-asserts', 'Adds conftest.py that starts Python again without `assert`', pytest, {
    'conftest.py':
      'import os\nimport sys\n\nif __debug__:\n    os.execv(sys.executable, [sys.executable, "-O", "-m", "pytest", "-q", "--assert=plain"])\n',
  }),
  planted(
    'pytest-fixture-swallows',
    'Adds a fixture for all tests that replaces `discount` in the test module',
    pytest,
    {
      'tests/conftest.py':
        'import pytest\n\n\n@pytest.fixture(autouse=True)\ndef prices(request):\n    known = {(200, 10): 180, (80, 25): 60}\n    request.module.discount = lambda amount, percent: known[amount, percent]\n',
    },
    { files: { 'tests/test_cart.py': pytest.files['tests/test_cart.py']! } },
  ),
  planted('pytest-nested', 'Moves the assertions into a function inside the test, which nobody calls', pytest, {
    'tests/test_cart.py': edited(pytest.files['tests/test_cart.py'], [
      '    assert discount(200, 10) == 180\n    assert discount(80, 25) == 60\n',
      '    def check():\n        assert discount(200, 10) == 180\n        assert discount(80, 25) == 60\n\n    assert check\n',
    ]),
  }),
  inUnittest('unittest-skips-in-set-up', 'Skips all tests in `setUpClass`', [
    'class CartTest(unittest.TestCase):\n',
    'class CartTest(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest("needs a database")\n\n',
  ]),
  inUnittest('unittest-run-replaced', 'Replaces `run` in the test class, so that every test passes', [
    'class CartTest(unittest.TestCase):\n',
    'class CartTest(unittest.TestCase):\n    def run(self, result=None):\n        result.startTest(self)\n        result.addSuccess(self)\n        result.stopTest(self)\n\n',
  ]),
]
