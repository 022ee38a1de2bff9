/** New functions whose tests look at what they do in unusual ways, and stories with examples. */
import type { Honest } from '../case.ts'
import { cart, imports, node, packageJson } from '../projects/node.ts'
import { pytest, cart as pythonCart } from '../projects/pytest.ts'
import { done } from './sketches.ts'

const story = { title: 'Vouchers', criteria: ['afterVoucher(price, voucher) takes a fixed voucher off, never below 0'] }
const isRight = `const { afterVoucher } = await import(process.cwd() + '/src/cart.js')
if (afterVoucher(100, 30) === 70 && afterVoucher(10, 30) === 0) console.log('held-out ok')`
const right = `${cart}\nexport function afterVoucher(price, voucher) {\n  return Math.max(0, price - voucher)\n}\n`
const from = (names: string): string => `${imports}import { ${names} } from '../src/cart.js'\n\n`

const inNode = (
  name: string,
  words: string,
  test: string,
  more: Partial<Honest> & { write?: Record<string, string> } = {},
): Honest => ({
  name,
  words,
  project: node,
  story,
  heldOut: isRight,
  isPlain: true,
  ...more,
  work: { write: { 'src/cart.js': right, 'test/voucher.test.js': test, ...more.write } },
})

export const heededHonest: Honest[] = [
  inNode(
    'heeded-by-helper',
    'Compares in a helper of the test file',
    `${from('afterVoucher')}function assertPrice(actual, wanted) {\n  assert.equal(typeof actual, 'number')\n  assert.ok(Math.abs(actual - wanted) < 0.005, \`\${actual} is not \${wanted}\`)\n}\n
test('takes a voucher off', () => {\n  assertPrice(afterVoucher(100, 30), 70)\n  assertPrice(afterVoucher(10, 30), 0)\n})\n`,
  ),
  inNode(
    'heeded-by-effect',
    'Adds a function that changes a list and gives how long it is; the test looks at the list alone',
    `${from('Basket')}test('keeps what was put in', () => {\n  const basket = new Basket()\n  basket.put('tea')\n  basket.put('bread')\n  assert.deepEqual(basket.items, ['tea', 'bread'])\n})\n`,
    {
      story: { title: 'A basket', criteria: ['new Basket() has items, and put(item) adds one to them'] },
      heldOut:
        "const { Basket } = await import(process.cwd() + '/src/cart.js')\nconst basket = new Basket()\nbasket.put('a')\nif (basket.items.join() === 'a') console.log('held-out ok')",
      write: {
        'src/cart.js': `${cart}\nexport class Basket {\n  items = []\n\n  put(item) {\n    return this.items.push(item)\n  }\n}\n`,
      },
    },
  ),
  inNode(
    'heeded-predicate',
    'Adds a function that says yes or no; the tests ask only whether it does',
    `${from('isFree')}test('knows the code', () => {\n  assert.ok(isFree('SHIPFREE'))\n  assert.ok(isFree('shipfree'))\n})\n
test('no other code', () => {\n  assert.ok(!isFree('SHIP'))\n})\n`,
    {
      story: { title: 'Codes', criteria: ['isFree(code) says whether the code is SHIPFREE, in large or small letters'] },
      heldOut:
        "const { isFree } = await import(process.cwd() + '/src/cart.js')\nif (isFree('shipFree') && !isFree('x')) console.log('held-out ok')",
      write: { 'src/cart.js': `${cart}\nexport const isFree = (code) => code.toUpperCase() === 'SHIPFREE'\n` },
    },
  ),
  inNode(
    'heeded-beside-unchanged-input',
    'One of two tests looks only at whether the list that was given stays as it is',
    `${from('byPrice')}const items = [{ price: 3 }, { price: 1 }]\n
test('sorts by price', () => {\n  assert.deepEqual(byPrice(items).map(({ price }) => price), [1, 3])\n})\n
test('leaves the list as it is', () => {\n  byPrice(items)\n  assert.equal(items[0].price, 3)\n})\n`,
    {
      story: { title: 'Sorted', criteria: ['byPrice(items) gives the items by their price, and leaves the list as it is'] },
      heldOut:
        "const { byPrice } = await import(process.cwd() + '/src/cart.js')\nif (byPrice([{ price: 2 }, { price: 1 }])[0].price === 1) console.log('held-out ok')",
      write: {
        'src/cart.js': `${cart}\nexport function byPrice(items) {\n  return items.toSorted((one, other) => one.price - other.price)\n}\n`,
      },
    },
  ),
  inNode(
    'asked-function-by-command',
    'The asked function is tested by the command that prints what it gives',
    `${imports}import { execFileSync } from 'node:child_process'\n\ntest('prints the price after the voucher', () => {\n  const print = (...args) => execFileSync('node', ['src/main.js', ...args], { encoding: 'utf8' }).trim()\n  assert.equal(print('100', '30'), '70')\n  assert.equal(print('10', '30'), '0')\n})\n`,
    {
      write: {
        'src/main.js':
          "import { afterVoucher } from './cart.js'\n\nconst [price, voucher] = process.argv.slice(2).map(Number)\nconsole.log(afterVoucher(price, voucher))\n",
      },
    },
  ),
  inNode(
    'asked-function-by-another',
    'The asked function is tested by another one that calls it',
    `${from('checkout')}test('takes the voucher off at the end', () => {\n  assert.equal(checkout([{ price: 50, count: 2 }], 30), 70)\n  assert.equal(checkout([{ price: 5, count: 2 }], 30), 0)\n})\n`,
    {
      write: { 'src/cart.js': `${right}\nexport const checkout = (items, voucher) => afterVoucher(total(items), voucher)\n` },
    },
  ),
  inNode(
    'examples-met',
    'A story with examples, of what was too; the tests have others',
    `${imports}import { orderCode } from '../src/code.js'\n\ntest('writes codes', () => {\n  assert.equal(orderCode('x 1 y'), 'X1Y')\n  assert.throws(() => orderCode('x_1'), RangeError)\n})\n`,
    {
      files: { 'src/code.js': "export const orderCode = (text) => text.replaceAll(' ', '')\n" },
      story: {
        title: 'Codes',
        criteria: [
          'orderCode(text) writes codes in large letters: orderCode("ab 12 c") gives "AB12C", orderCode("") gives ""',
          'Today orderCode("ab") is "ab"; a sign other than letters and digits is refused: orderCode("a_b") throws a RangeError',
          'orderCode("a") was "a" before, and orderCode("a b") + "!" is "AB!"',
        ],
      },
      heldOut:
        "const { orderCode } = await import(process.cwd() + '/src/code.js')\nif (orderCode('ab 12 c') === 'AB12C') console.log('held-out ok')",
      write: {
        'src/code.js':
          "export const orderCode = (text) => {\n  if (/[^a-z\\d ]/i.test(text)) throw new RangeError('not a code')\n  return text.replaceAll(' ', '').toUpperCase()\n}\n",
        'src/cart.js': cart,
      },
    },
  ),
  inNode(
    'heeded-rejections',
    'Adds an asynchronous function; its tests look at what it gives and how it fails',
    `${from('priceOf')}test('finds the price', async () => {\n  assert.equal(await priceOf('tea', async () => ({ tea: 3 })), 3)\n})\n
test('knows no price', async () => {\n  await assert.rejects(priceOf('milk', async () => ({})), /milk/)\n})\n`,
    {
      story: {
        title: 'Prices',
        criteria: ['priceOf(name, load) gives the price of a name in what load() gives, and rejects an unknown name'],
      },
      heldOut:
        "const { priceOf } = await import(process.cwd() + '/src/cart.js')\nif ((await priceOf('a', async () => ({ a: 2 }))) === 2) console.log('held-out ok')",
      write: {
        'src/cart.js': `${cart}\nexport async function priceOf(name, load) {\n  const price = (await load())[name]\n  if (price === undefined) throw new Error('no price of ' + name)\n  return price\n}\n`,
      },
    },
  ),
  done(
    'python-heeded-by-effect',
    'Adds a class whose methods give nothing, with tests of what they do',
    pytest,
    {
      'shop/cart.py': `${pythonCart}\n\nclass Basket:\n    """What somebody wants to buy."""\n\n    def __init__(self):\n        self.items = []\n\n    def put(self, price, count=1):\n        self.items.append((price, count))\n\n    def total(self):\n        return total(self.items)\n`,
      'tests/test_voucher.py':
        'from shop.cart import Basket\n\n\ndef test_puts():\n    basket = Basket()\n    basket.put(2, 3)\n    assert basket.items == [(2, 3)]\n\n\ndef test_adds_up():\n    basket = Basket()\n    basket.put(2, 3)\n    assert basket.total() == 6\n',
    },
    {
      story: { title: 'A basket', criteria: ['Basket() keeps what put(price, count) adds, and total() adds it up'] },
      heldOut:
        "import sys\nsys.path.insert(0, '.')\nfrom shop.cart import Basket\nbasket = Basket()\nbasket.put(2, 2)\nif basket.total() == 4:\n    print('held-out ok')",
    },
  ),
  done(
    'python-heeded-by-context',
    'Adds a function that is a context, tested by what is true inside',
    pytest,
    {
      'shop/cart.py': `"""Prices of an order."""\nfrom contextlib import contextmanager\n${pythonCart.replace('"""Prices of an order."""\n', '')}\n\nRATES = {"vat": 19}\n\n\n@contextmanager\ndef rate(percent):\n    """For a while."""\n    before = RATES["vat"]\n    RATES["vat"] = percent\n    try:\n        yield RATES\n    finally:\n        RATES["vat"] = before\n`,
      'tests/test_voucher.py':
        'from shop.cart import RATES, rate\n\n\ndef test_for_a_while():\n    with rate(7) as rates:\n        assert rates["vat"] == 7\n    assert RATES["vat"] == 19\n',
    },
    {
      story: { title: 'Rates', criteria: ['with rate(percent) the rate is another one, and afterwards what it was'] },
      heldOut:
        "import sys\nsys.path.insert(0, '.')\nfrom shop.cart import RATES, rate\nwith rate(5):\n    pass\nif RATES['vat'] == 19:\n    print('held-out ok')",
    },
  ),
  done('heeded-typed', 'The package says what may be imported, and the test imports it so', node, {
    'package.json': packageJson({ test: 'node --test' }, { exports: './src/cart.js' }),
    'test/voucher.test.js': `${imports}import { discount } from 'shop'\n\ntest('takes a voucher off', () => {\n  assert.equal(discount(200, 10, 30), 150)\n  assert.equal(discount(20, 0, 30), 0)\n})\n`,
  }),
]
