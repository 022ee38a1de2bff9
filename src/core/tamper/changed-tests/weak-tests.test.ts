import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn } from '../../../../test/support/tamper.ts'

const head =
  "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { discount } from '../src/cart.js'\n\n"
const withBody = (body: string) => `${head}test('takes it off', () => {\n  ${body}\n})\n`
const source: [string, string] = ['export const a = 1\n', 'export const a = 1\nexport const discount = (x) => x\n']
const weakIn = (path: string, text: string, code = 'src/cart.js') =>
  findingsIn({ [code]: source, [path]: [null, text] })
    .filter(({ rule }) => rule === 'test-weak')
    .map(({ words }) => words)
const found = 'added tests that compare no result: "takes it off" in test/a.test.js'

test('new tests that only say that something is there, of a type, in an order, or does not fail are weak', () => {
  const bodies = [
    "assert.equal(typeof discount(2), 'number')",
    'assert.ok(discount(2))',
    'assert.ok(discount(2) <= 2)',
    'assert.doesNotThrow(() => discount(2))',
    'assert.equal(1 + 1, 2)',
    'assert.notThrows(() => discount(2))',
    'const result = discount(2)\n  assert.ok(result)',
    'discount(2)',
    "const source = readFileSync('src/cart.js', 'utf8')\n  assert.match(source, /discount/)",
    'expect(discount(2)).toBeDefined()',
    'expect(discount(2)).toBeCloseTo(1, -2)',
  ]
  for (const body of bodies) assert.deepEqual(weakIn('test/a.test.js', withBody(body)), [found], body)
  const python = (line: string) => `from shop.cart import discount\n\n\ndef test_off():\n    ${line}\n`
  for (const line of ['assert discount(2)', 'assert discount(2) is not None', 'assert discount(2) == approx(1, rel=0.5)'])
    assert.equal(weakIn('tests/test_a.py', python(line), 'shop/cart.py').length, 1, line)
})

test('tests that compare, deny, look into a text, or leave it to a helper are not', () => {
  const bodies = [
    'assert.equal(discount(2), 1)',
    'assert.ok(discount(2) === 1)',
    'assert.ok(!discount(2))',
    'assert.ok(isEmail(discount(2)))',
    'assert.throws(() => discount(2))',
    'assert.match(discount(2), /euro/)',
    'expect(discount(2)).toContain("euro")',
    'expect(discount(2)).toBeCloseTo(1.1)',
    'assertPrice(discount(2))',
    "const text = readFileSync('out.txt', 'utf8')\n  assert.match(text, /euro/)",
  ]
  for (const body of bodies) assert.deepEqual(weakIn('test/a.test.js', withBody(body)), [], body)
  const helped = `import { test } from 'node:test'\nimport { prices } from './support.js'\n\ntest('a', () => {\n  prices(2)\n})\n`
  assert.deepEqual(weakIn('test/a.test.js', helped), [])
})

test('calls whose results nobody looks at are weak beside others too, unless they show that nothing fails', () => {
  const others = `\ntest('all of it', () => {\n  assert.equal(discount(2), 1)\n})\n`
  assert.deepEqual(weakIn('test/a.test.js', `${withBody('discount(2)\n  discount(3)')}${others}`), [found])
  const named = withBody('discount(2)\n  discount(3)').replace('takes it off', 'does not throw for odd numbers')
  assert.deepEqual(weakIn('test/a.test.js', `${named}${others}`), [])
})

test('an assertion that also takes nothing for an answer is weak', () => {
  for (const body of ['assert.ok(a === 1 || a == null)', 'assert.ok(a === 1 || !a)', 'assert.ok(a === 1 || a === undefined)'])
    assert.deepEqual(weakIn('test/a.test.js', withBody(`const a = discount(2)\n  ${body}`)), [found], body)
  assert.deepEqual(weakIn('test/a.test.js', withBody('const a = discount(2)\n  assert.ok(a === 1 || a === 2)')), [])
})

test('one test that compares is enough, and tests without a change of the code show what they show', () => {
  const two = `${withBody('assert.ok(discount(2))')}\ntest('all of it', () => {\n  assert.equal(discount(2), 1)\n})\n`
  assert.deepEqual(weakIn('test/a.test.js', two), [])
  const alone = findingsIn({ 'test/a.test.js': [null, withBody('assert.ok(discount(2))')] })
  assert.deepEqual(alone, [])
})

test('a refactoring may add a test that says little', () => {
  const story = { title: 'Split cart.js', text: '', kind: 'refactor', changesTests: false }
  const versions = { 'src/cart.js': source, 'test/a.test.js': [null, withBody('assert.ok(discount(2))')] as [null, string] }
  assert.deepEqual(findingsIn(versions, { story }), [])
  assert.equal(findingsIn(versions, { story: { ...story, kind: 'feature' } }).length, 1)
})

test('a function of the program may be called toSomething, as matchers are', () => {
  for (const body of ["assert.equal(toRoman(3), 'III')", "assert.equal(toRoman(27), 'XXVII')", "expect(toRoman(3)).toBe('III')"])
    assert.deepEqual(weakIn('test/a.test.js', withBody(body)), [], body)
  assert.deepEqual(weakIn('test/a.test.js', withBody('expect(true).toBeTruthy()')), [found])
})

test('a test whose expected values come from the same call is weak', () => {
  const weakIn = (body: string): string[] =>
    rulesIn({ 'src/a.js': ['x\n', 'y\n'], 'test/a.test.js': [null, `test('takes it off', () => {\n${body}})\n`] }).filter(
      (rule) => /weak/.test(rule),
    )
  const twins = '  const made = off(lines, { percent: 10 })\n  const wanted = off(lines, { percent: 10 })\n'
  assert.deepEqual(weakIn(`${twins}  assert.deepEqual(made, wanted)\n`), ['test-weak test/a.test.js'])
  assert.deepEqual(weakIn(`${twins}  assert.deepEqual(made, wanted)\n  assert.equal(made.net, 90)\n`), [])
  assert.deepEqual(weakIn(`${twins}  assert.deepEqual(made, wanted)\n`.replaceAll('wanted', 'again')), [])
  assert.deepEqual(weakIn('  const made = off(lines)\n  const wanted = off(others)\n  assert.deepEqual(made, wanted)\n'), [])
})

test('an error that a new test suppresses need not come', () => {
  const inTest = (head: string): string[] =>
    rulesIn({
      'src/store.py': ['', 'def take(count):\n    return left - count\n'],
      'tests/test_a.py': [null, `def test_a():\n    ${head}\n        take(2)\n    assert take(1) == 3\n`],
    })
  assert.deepEqual(inTest('with contextlib.suppress(OutOfStock):'), ['test-weak tests/test_a.py'])
  assert.deepEqual(inTest('with pytest.raises(OutOfStock):'), [])
})

const through = (helper: string, from: string) =>
  weakInAll({
    'test/help.js': helper,
    'test/a.test.js': `import { test } from 'node:test'\nimport { same } from '${from}'\nimport { discount } from '../src/cart.js'\n\ntest('takes it off', () => { same(discount(2), 1) })\n`,
  })
const weakInAll = (added: Record<string, string>) =>
  findingsIn({ 'src/cart.js': source, ...Object.fromEntries(Object.entries(added).map(([path, text]) => [path, [null, text]])) })
    .filter(({ rule }) => rule === 'test-weak')
    .map(({ words }) => words)

test('a test on one line may leave comparing to a helper, and a helper that came with it is read', () => {
  const helper = (body: string) => `import assert from 'node:assert/strict'\n\nexport const same = (found, wanted) => ${body}\n`
  assert.deepEqual(through(helper('assert.equal(found, wanted)'), './help.js'), [])
  assert.deepEqual(through(helper('assert.ok(Math.abs(found - wanted) < 9)'), './help.js'), [found])
  assert.deepEqual(through('export const other = 1\n', './helpers/compare.js'), [])
})

test('a helper whose name says that it asserts, and that compares nothing, is named', () => {
  const helper = 'export const assertNear = (found, wanted, by = 9) => {\n  assert.ok(Math.abs(found - wanted) <= by)\n}\n'
  const text = "test('takes it off', () => { assertNear(discount(2), 1) })\n"
  assert.deepEqual(weakInAll({ 'test/near.js': helper, 'test/a.test.js': `import { assertNear } from './near.js'\n${text}` }), [
    `${found}, through a helper that compares none, in test/near.js`,
  ])
})
