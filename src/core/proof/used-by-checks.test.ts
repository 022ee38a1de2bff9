import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayBeUsed, type TextFile, usedByChecks } from './used-by-checks.ts'

const file = (path: string, text: string): TextFile => ({ path, text })
const cartTest = file(
  'test/cart.test.js',
  `import { same } from '../support/same.js'\nimport { left } from '../src/testing.js'\nimport { discount } from '../src/cart.js'\nread('data/cases.json')\n`,
)
const pythonTest = file('tests/test_cart.py', 'from shop.testing import same\nfrom shop.cart import discount\n')

const used = (candidates: (string | TextFile)[], checks: TextFile[], more: { gates?: TextFile[]; sources?: TextFile[] } = {}) =>
  usedByChecks(
    candidates.map((one) => (typeof one === 'string' ? file(one, '') : one)).filter(({ path }) => mayBeUsed(path)),
    { checks, gates: more.gates ?? [], sources: async () => more.sources ?? [] },
  )

test('data and helpers that only tests use are found, wherever they are', async () => {
  const candidates = ['data/cases.json', 'support/same.js', 'src/testing.js', 'src/cart.js', 'data/other.json', 'README.md']
  assert.deepEqual(await used(candidates, [cartTest]), ['data/cases.json', 'support/same.js', 'src/testing.js'])
  assert.deepEqual(await used(['shop/testing.py', 'shop/cart.py'], [pythonTest]), ['shop/testing.py'])
})

test('what the code uses too is work, and so is what has a test of its own', async () => {
  const sources = [file('src/shop.js', "import { same } from '../support/same.js'\nload('data/cases.json')\n")]
  assert.deepEqual(await used(['data/cases.json', 'support/same.js'], [cartTest], { sources }), [])
  const own = file('test/compare.test.js', "import { compare } from '../src/compare.js'\n")
  assert.deepEqual(await used(['src/compare.js'], [own]), [])
})

test('data of the program itself is work, though a test reads it', async () => {
  const reads = file('test/texts.test.js', "read('../locales/de.json')\nread('../src/rates.json')\n")
  assert.deepEqual(await used(['locales/de.json', 'src/rates.json'], [reads]), [])
})

test('what the script of a gate sources, or loads from its own folder, belongs to the gate; what it starts does not', async () => {
  const gates = [
    file('scripts/test.sh', '. ./scripts/settings.sh\nsh price.sh 200 10\nsh scripts/lib/run.sh\n'),
    file('Makefile', 'include tests.mk\n\ntest:\n\tsh shop.sh\n'),
  ]
  const candidates = ['scripts/settings.sh', 'price.sh', 'scripts/lib/run.sh', 'tests.mk', 'shop.sh', 'scripts/release.sh']
  assert.deepEqual(await used(candidates, [], { gates }), ['scripts/settings.sh', 'scripts/lib/run.sh', 'tests.mk'])
})

test('a library that the script of a gate sources to test it is work; its helpers and what lies beside it are not', async () => {
  const gates = [
    file('tests/run.sh', '. lib/price.sh\n. lib/assert.sh\n. tests/cases.sh\n'),
    file('lib/gate.sh', '. lib/price.sh\n'),
  ]
  const candidates = ['lib/price.sh', 'lib/assert.sh', 'tests/cases.sh']
  assert.deepEqual(await used(candidates, [], { gates: gates.slice(0, 1) }), ['lib/assert.sh', 'tests/cases.sh'])
  assert.deepEqual(await used(['lib/price.sh'], [], { gates }), ['lib/price.sh'])
})

test('Go imports folders: what only tests import is theirs', async () => {
  const block = file('cart_test.go', 'package shop\n\nimport (\n\t"testing"\n\n\t"example.com/check"\n)\n')
  const line = file('cart_test.go', 'package shop\n\nimport check "shop/internal/check"\n')
  assert.deepEqual(await used(['check/equal.go'], [block]), ['check/equal.go'])
  assert.deepEqual(await used(['internal/check/equal.go'], [line]), ['internal/check/equal.go'])
  assert.deepEqual(await used(['checkout/equal.go', 'check.go'], [block]), [])
  const sources = [file('cart.go', 'package shop\n\nimport "example.com/check"\n')]
  assert.deepEqual(await used(['check/equal.go'], [block], { sources }), [])
})

test('a file whose functions all assert something is a helper of the tests, whatever its name', async () => {
  const uses = file(
    'test/cart.test.js',
    "import { sameMoney } from '../src/money.js'\nimport { discount } from '../src/cart.js'\n",
  )
  const helper =
    "import assert from 'node:assert/strict'\nexport const sameMoney = (found, wanted) => assert.equal(found, wanted)\n"
  const work = `${helper}export function discount(amount, percent) {\n  return amount - percent\n}\n`
  assert.deepEqual(await used([file('src/money.js', helper), file('src/cart.js', work)], [uses]), ['src/money.js'])
  const sources = [file('src/cart.js', "import { sameMoney } from './money.js'\n")]
  assert.deepEqual(await used([file('src/money.js', helper)], [uses], { sources }), [])
  const python = file('shop/money.py', 'import pytest\n\n\ndef same_money(found, wanted):\n    assert found == wanted\n')
  assert.deepEqual(await used([python], [file('tests/test_cart.py', 'from shop.money import same_money\n')]), ['shop/money.py'])
})
