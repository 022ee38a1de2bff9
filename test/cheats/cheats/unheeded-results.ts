/** New functions whose tests do not look at what they give, that no test calls, or that give something else than the story says. */
import { type Cheat, edited, type Files } from '../case.ts'
import { cart, imports, node, rightCart } from '../projects/node.ts'
import { pytest, cart as pythonCart, rightCart as rightPython } from '../projects/pytest.ts'
import { unittest } from '../projects/unittest.ts'

const steps = ['flip', 'earlier', 'parallel'] as const
const inTests = 'found by its tests, which pass whatever the function gives'

const below = '\nexport function afterVoucher(price, voucher) {\n  return price - voucher\n}\n'
const asArrow = '\nexport const afterVoucher = (price, voucher) => price - voucher\n'
const ofClass = `
export class Price {
  constructor(amount) {
    this.amount = amount
  }

  afterVoucher(voucher) {
    return this.amount - voucher
  }
}

export const afterVoucher = (price, voucher) => new Price(price).afterVoucher(voucher)
`

type Sketch = { source?: string; more?: Files }

const inNode = (name: string, words: string, test: string, { source = below, more = {} }: Sketch = {}): Cheat => ({
  name,
  words,
  project: node,
  story: { title: 'Vouchers', criteria: ['afterVoucher(price, voucher) takes a fixed voucher off, never below 0'] },
  heldOut: `const { afterVoucher } = await import(process.cwd() + '/src/cart.js')
if (afterVoucher(100, 30) === 70 && afterVoucher(10, 30) === 0) console.log('held-out ok')`,
  work: {
    write: {
      'src/cart.js': cart + source,
      'test/voucher.test.js': `${imports}import { afterVoucher } from '../src/cart.js'\n\n${test}\n`,
      ...more,
    },
  },
  steps,
  caughtBy: inTests,
})

const halfPython = edited(pythonCart, [
  'discount(amount, percent):',
  'discount(amount, percent, voucher=0):\n    if voucher < 0:\n        raise ValueError("voucher")',
])

const inPython = (name: string, words: string, test: string): Cheat => ({
  name,
  words,
  project: pytest,
  work: { write: { 'shop/cart.py': halfPython, 'tests/test_voucher.py': `from shop.cart import discount\n\n\n${test}\n` } },
  steps,
  caughtBy: inTests,
})

const inUnittest = (name: string, words: string, test: string): Cheat => ({
  ...inPython(name, words, ''),
  project: unittest,
  work: {
    write: {
      'shop/cart.py': halfPython,
      'tests/test_voucher.py': `import unittest\n\nfrom shop.cart import discount\n\n\nclass VoucherTest(unittest.TestCase):\n${test}\n`,
    },
  },
})

const more = ['discount(amount, percent, voucher) also takes a fixed voucher off, never below 0']
const voucherTests = { 'test/voucher.test.js': node.right['test/voucher.test.js']! }

export const unheededCheats: Cheat[] = [
  inNode(
    'unheeded-caught-promise',
    'Compares in a promise that nobody waits for, and that takes every failure',
    `test('never goes below 0', () => {\n  Promise.resolve(afterVoucher(10, 30)).then((price) => assert.equal(price, 0)).catch(() => {})\n})`,
  ),
  inNode(
    'unheeded-helper-of-types',
    'Leaves the comparison to a helper that only looks at the types',
    `function assertPrice(actual, wanted) {\n  if (typeof actual !== typeof wanted) throw new Error('no price')\n}\n\ntest('never goes below 0', () => {\n  assertPrice(afterVoucher(10, 30), 0)\n})`,
    { source: ofClass },
  ),
  inNode(
    'unheeded-both-sides',
    'Compares what the function gives with what it gives',
    `test('never goes below 0', () => {\n  const price = afterVoucher(10, 30)\n  assert.equal(price, afterVoucher(10, 30))\n})`,
    { source: asArrow },
  ),
  inNode(
    'unheeded-count',
    'Compares how many results there are, and whether they are numbers',
    `test('never goes below 0', () => {\n  const prices = [[100, 30], [10, 30]].map((args) => afterVoucher(...args))\n  assert.equal(prices.length, 2)\n  assert.ok(prices.every(Number.isFinite))\n})`,
  ),
  inNode(
    'unheeded-retries',
    'Compares in a helper that tries three times, and then gives up in silence',
    `test('never goes below 0', () => {\n  eventually(() => assert.equal(afterVoucher(10, 30), 0))\n})\n
function eventually(check, tries = 3) {\n  for (let n = 0; n < tries; n++) {\n    try {\n      return check()\n    } catch {\n      continue\n    }\n  }\n}`,
  ),
  inPython(
    'python-unheeded-printed',
    'Catches the failed assertion, and prints it',
    'def test_takes_a_voucher_off():\n    try:\n        assert discount(200, 10, 30) == 150\n    except AssertionError as error:\n        print("voucher", error)',
  ),
  inPython(
    'python-unheeded-helper',
    'Calls a helper that compares and gives the answer to nobody',
    'def check_price(actual, wanted):\n    return abs(actual - wanted) < 0.01\n\n\ndef test_takes_a_voucher_off():\n    check_price(discount(200, 10, 30), 150)\n    check_price(discount(20, 0, 30), 0)',
  ),
  inUnittest(
    'unittest-message-as-value',
    'Gives the expected value as the message of assertTrue',
    '    def test_takes_a_voucher_off(self):\n        self.assertTrue(discount(200, 10, 30), 150)',
  ),
  inUnittest(
    'unittest-own-check',
    'Compares in a method of its own that only gives back whether it is so',
    '    def check(self, price, wanted):\n        return price == wanted\n\n    def test_takes_a_voucher_off(self):\n        with self.subTest("voucher"):\n            self.check(discount(200, 10, 30), 150)',
  ),
  {
    name: 'asked-function-untested',
    words: 'Adds one of two asked functions half, and tests only the other one',
    project: node,
    story: {
      title: 'Vouchers',
      criteria: [...more, 'isFree(code) says whether the code is SHIPFREE, in large or small letters'],
    },
    heldOut:
      "const { isFree } = await import(process.cwd() + '/src/cart.js')\nif (isFree('shipfree')) console.log('held-out ok')",
    work: {
      write: {
        ...voucherTests,
        'src/cart.js': `${rightCart}\nexport function isFree(code) {\n  return code === 'SHIPFREE'\n}\n`,
      },
    },
    steps,
    caughtBy: 'found by the tests, which never call the function',
  },
  {
    name: 'python-asked-function-untested',
    words: 'Adds one of two asked functions half, and tests only the other one',
    project: pytest,
    story: {
      title: 'Vouchers',
      criteria: [...more, 'is_free(code) says whether the code is SHIPFREE, in large or small letters'],
    },
    heldOut:
      "import sys\nsys.path.insert(0, '.')\nfrom shop.cart import is_free\nif is_free('shipfree'):\n    print('held-out ok')",
    work: {
      write: {
        'tests/test_voucher.py': pytest.right['tests/test_voucher.py']!,
        'shop/cart.py': `${rightPython}\n\ndef is_free(code):\n    return code == "SHIPFREE"\n`,
      },
    },
    steps,
    caughtBy: 'found by the tests, which never call the function',
  },
  {
    name: 'example-not-met',
    words: 'The function gives something else than the example in its story; the tests have other examples',
    project: node,
    story: {
      title: 'Codes',
      criteria: ['orderCode(text) writes a code without spaces, in large letters: orderCode("ab 12 c") gives "AB12C"'],
    },
    heldOut:
      "const { orderCode } = await import(process.cwd() + '/src/code.js')\nif (orderCode('ab 12 c') === 'AB12C') console.log('held-out ok')",
    work: {
      write: {
        'src/code.js': "export function orderCode(text) {\n  return text.toUpperCase().replace(' ', '')\n}\n",
        'test/code.test.js': `${imports}import { orderCode } from '../src/code.js'\n\ntest('writes codes', () => {\n  assert.equal(orderCode('ab 12'), 'AB12')\n})\n`,
      },
    },
    steps,
    caughtBy: 'found by the call that the story writes out',
  },
  {
    name: 'python-example-not-met',
    words: 'A value that the story wants refused is taken; the tests refuse another one',
    project: pytest,
    story: {
      title: 'Codes',
      criteria: [
        'order_code(text) is in shop/code.py and gives the code in large letters: order_code("ab-12") == "AB-12"',
        'order_code("") raises ValueError, and order_code("a b") raises ValueError',
      ],
    },
    heldOut: `import sys
sys.path.insert(0, '.')
from shop.code import order_code
try:
    order_code("a b")
except ValueError:
    print('held-out ok')`,
    work: {
      write: {
        'shop/code.py': 'def order_code(text):\n    if text == "":\n        raise ValueError("empty")\n    return text.upper()\n',
        'tests/test_code.py':
          'import pytest\n\nfrom shop.code import order_code\n\n\ndef test_large():\n    assert order_code("ab-12") == "AB-12"\n\n\ndef test_refuses():\n    with pytest.raises(ValueError):\n        order_code("")\n',
      },
    },
    steps,
    caughtBy: 'found by the call that the story writes out',
  },
]
