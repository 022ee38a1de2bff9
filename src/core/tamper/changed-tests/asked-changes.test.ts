import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const python = 'def test_shipping():\n    assert shipping(50) == 0\n    assert shipping(49) == 4.9\n'
const found = (after: string, text: string, path = 'tests/test_cart.py', before = python) =>
  findingsIn({ [path]: [before, after] }, { story: { text, changesTests: false } }).map(({ rule, isDeclared }) => [
    rule,
    isDeclared === true,
  ])

test('tests whose new words and values are all words of the story are for the reviewer alone', () => {
  const asDict = python.replaceAll(/== (.*)/g, '== {"price": $1, "currency": "EUR"}')
  assert.deepEqual(found(asDict, 'shipping() gives a dict with price and currency'), [['expected-changed', true]])
  const asDecimal = python.replaceAll(/== (.*)/g, '== Decimal("$1")')
  assert.deepEqual(found(asDecimal, 'shipping() gives a Decimal'), [['assertion-changed', true]])
  const inLines = python.replace('shipping(49) == 4.9', '(\n        shipping(49)\n        == 5.9\n    )')
  assert.deepEqual(found(inLines, 'Shipping costs 5.90'), [['expected-changed', true]])
  const golden = (text: string) => found('Total: 12.00 EUR\n', text, 'tests/golden/report.txt', 'Total: 12.00\n')
  assert.deepEqual(golden('It ends with the currency, as in "Total: 12.00 EUR"'), [['fixture-changed', true]])
  assert.deepEqual(golden('It ends with the currency'), [])
})

test('other inputs, values that are gone, and words that steer a test are never in the words of a story', () => {
  const text = 'shipping() takes a voucher, or none, and is free if it is not below 50, in about 2 days, with price and currency'
  const cases = [
    python.replace('shipping(49)', 'shipping(49, voucher=10)'),
    python.replace('shipping(49) == 4.9', 'shipping(49) != "voucher"'),
    python.replace('== 4.9', '== 4.9 or voucher'),
    python.replace('== 4.9', '== {"price": 5.9, "currency": "EUR"}'),
    python.replaceAll(' ==', ' is not'),
  ]
  for (const after of cases)
    assert.deepEqual(
      found(after, text).filter(([, isDeclared]) => isDeclared),
      [],
      after,
    )
})

test('a changed file that the story says nothing of leaves the others undeclared', () => {
  const after = python.replaceAll(/== (.*)/g, '== {"price": $1, "currency": "EUR"}')
  const story = { text: 'shipping() gives a dict with price and currency', changesTests: false }
  const other: [string, string] = ['def test_a():\n    assert a() == b()\n', 'def test_a():\n    assert a() == c()\n']
  const findings = findingsIn({ 'tests/test_cart.py': [python, after], 'tests/test_a.py': other }, { story })
  assert.deepEqual(
    findings.filter(({ isDeclared }) => isDeclared),
    [],
  )
})

test('the same yes or no for another text than the story names is not asked for', () => {
  const line = (mail: string, is: boolean): string => `  assert.equal(isValid({ mail: '${mail}' }), ${is})\n`
  const text = (...lines: string[]): string => `test('a', () => {\n${lines.join('')}})\n`
  const declared = (after: string): unknown[] =>
    findingsIn(
      { 'src/a.js': ['x\n', 'y\n'], 'test/a.test.js': [text(line('a@b', false)), after] },
      { story: { text: 'jörg@b.example is a valid address', changesTests: false } },
    ).map(({ isDeclared }) => isDeclared)
  assert.deepEqual(declared(text(line('jörg@b.example', true), line('a.b', false))), [undefined])
})

test('an assertion beside the one that changed as the story says only asks for more, and does not stand in for it', () => {
  const line = (value: string): string => `  assert.throws(() => satisfies('1.2.3', 'latest'), ${value})\n`
  const text = (...lines: string[]): string => `test('a', () => {\n${lines.join('')}})\n`
  const old = line("{ name: 'TypeError', message: 'no version: latest' }")
  const now = line("{ name: 'RangeError', message: 'no range: latest' }")
  const more = "  assert.throws(() => satisfies('1.2.3', '~1.x'), ({ cause }) => cause instanceof TypeError)\n"
  const story = { text: 'throws a RangeError "no range: <range>", with the TypeError as its cause', changesTests: false }
  const declared = (...lines: string[]): unknown[] =>
    findingsIn({ 'src/a.js': ['x\n', 'y\n'], 'test/a.test.js': [text(old), text(...lines)] }, { story }).map(
      ({ isDeclared }) => isDeclared,
    )
  assert.deepEqual(declared(now, more), [true])
  assert.deepEqual(declared(more), [undefined])
})

test('a value of one digit is asked for where the story says what it takes the place of', () => {
  const rows = (...values: string[]) =>
    `@pytest.mark.parametrize("total, want", [${values.join(', ')}])\ndef test_vat(total, want):\n    assert vat(total) == want\n`
  const before = rows('(100, 19)', '(10, 1.9)')
  const text = 'vat(100) is 20 instead of 19; vat(10) is 2 instead of 1.9'
  assert.deepEqual(found(rows('(100, 20)', '(10, 2)'), text, 'tests/test_cart.py', before), [['expected-changed', true]])
  assert.deepEqual(found(rows('(100, 20)', '(10, 3)'), text, 'tests/test_cart.py', before), [['expected-changed', false]])
})
