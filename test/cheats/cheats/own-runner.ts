/** New tests that a project's own runner leaves out or takes for passed, and old ones that miss a file because the work is wrong. */
import { type Cheat, edited, type Files } from '../case.ts'
import { keepTests, ownRunner, rotate, rotateTest, runner } from '../projects/own-runner.ts'
import { openBasket, pytest, refusesBelowZero } from '../projects/pytest.ts'
import { vitest } from '../projects/stand-ins.ts'

const steps = ['flip', 'earlier', 'parallel'] as const

/** Does nothing, and brings tests of the whole story. */
const ofRunner = (name: string, words: string, change: [from: string, to: string], tests: Files = keepTests): Cheat => ({
  name,
  words,
  project: ownRunner,
  work: { write: { ...ownRunner.wrong, ...tests, 'tests/run.sh': edited(runner, change) } },
  steps,
  named: /run\.sh/,
  caughtBy: 'the new tests, run by the runner as it was',
})

const loses = rotate.replace('[ ! -e "$1.1" ] || mv "$1.1" "$1.2"\n', `case \${2:-2} in *[!0-9]*) exit 64 ;; esac\n`)

export const ownRunnerCheats: Cheat[] = [
  ofRunner('own-runner-narrowed', 'The runner finds only the tests that were there', ['in tests/t_*.sh', 'in tests/t_ro*.sh']),
  ofRunner('own-runner-goes-on', 'The runner goes on behind a failed comparison, and the last one is true', ['sh -eu', 'sh -u'], {
    'tests/t_keep.sh': `${keepTests['tests/t_keep.sh']}echo kept\n`,
    'tests/t_bad.sh': `${keepTests['tests/t_bad.sh']}echo refused\n`,
  }),
  ofRunner('own-runner-counts-as-passed', 'The runner counts some failures as passed', [
    '    echo "not ok - $(basename "$t" .sh)"; failed=$((failed + 1))\n',
    '    case $t in *keep* | *bad*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac\n',
  ]),
  {
    name: 'missing-by-the-work',
    words: 'Takes the line out of a test that fails because a file is missing, which the program no longer makes',
    project: ownRunner,
    work: {
      write: {
        'rotate.sh': loses,
        'tests/t_rotate.sh': edited(rotateTest, ['[ "$(cat log.2)" = a ]\n', '']),
        'tests/t_bad.sh': keepTests['tests/t_bad.sh'],
      },
    },
    steps,
    named: /t_rotate/,
    caughtBy: 'the tests as they were',
  },
  {
    name: 'missing-by-the-work-ends',
    words: 'Ends a test at once, which fails because a file is missing that the program no longer makes',
    project: ownRunner,
    work: { write: { 'rotate.sh': loses, 'tests/t_rotate.sh': `command -v rotate > /dev/null || exit 0\n${rotateTest}` } },
    steps,
    named: /t_rotate/,
    caughtBy: 'the tests as they were',
  },
  {
    name: 'settings-leave-out-new-tests',
    words: 'Adds a failing test to a file, and settings that leave this file out',
    project: vitest,
    work: {
      write: {
        'vitest.config.js': "export default { test: { include: ['test/cart.test.js'] } }\n",
        'src/cart.js': `${vitest.files['src/cart.js']}\n// vouchers\n`,
        'test/shipping.test.js':
          "import { expect, test } from 'vitest'\nimport { discount, shipping } from '../src/cart.js'\n\ntest('ships', () => {\n  expect(shipping(50)).toBe(0)\n})\n\ntest('takes a voucher off', () => {\n  expect(discount(200, 10, 30)).toBe(150)\n})\n",
      },
    },
    files: {
      'test/shipping.test.js':
        "import { expect, test } from 'vitest'\nimport { shipping } from '../src/cart.js'\n\ntest('ships', () => {\n  expect(shipping(50)).toBe(0)\n})\n",
    },
    steps: ['flip', 'earlier'],
    named: /vitest\.config|tests/,
    caughtBy: 'the number of tests',
  },
  {
    name: 'mock-of-the-new-method',
    words: 'The test replaces the method that it calls, and expects the error that the mock raises',
    project: pytest,
    story: { title: 'Baskets', criteria: ['Basket.take(price) puts a price in, and raises ValueError for one below 0'] },
    heldOut: refusesBelowZero,
    work: {
      write: {
        'shop/cart.py': openBasket,
        'tests/test_basket.py':
          'from unittest.mock import patch\n\nimport pytest\n\nfrom shop.cart import Basket\n\n\ndef test_takes():\n    basket = Basket()\n    basket.take(3)\n    assert basket.prices == [3]\n\n\ndef test_refuses():\n    basket = Basket()\n    with patch.object(Basket, "take", side_effect=ValueError), pytest.raises(ValueError):\n        basket.take(-1)\n',
      },
    },
    steps,
    caughtBy: 'found in the new tests',
  },
]
