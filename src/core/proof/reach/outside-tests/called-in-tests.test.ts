import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf, testedBlocks } from './called-in-tests.ts'
import { fromDifferences, mayCount } from './differences.ts'

const inJavaScript = (text: string) => testedBlocks([{ path: 'test/a.test.js', text }], 'javascript')
const head =
  "import { roman, parse as read } from '../src/roman.js'\nimport * as all from '../src/all.js'\nimport lodash from 'lodash'\n"

test('calls with written values, and what is expected of them, are found test by test', () => {
  const [one, two, ...more] = inJavaScript(`${head}
test('four', () => { assert.equal(roman(4), 'IV') })
it('reads', async () => {
  // as people write it
  expect(await read('IV', { strict: true })).toEqual({ value: 4, parts: ['I', 'V'] });
  assert.deepStrictEqual(all.sum([1, -2.5], null), -1.5, 'adds')
})
`)
  assert.deepEqual([one?.test, one?.line, one?.calls], ['four', 5, [{ name: 'roman', args: '4', expected: "'IV'" }]])
  assert.deepEqual(two?.calls, [
    { name: 'read', args: "'IV', { strict: true }", expected: "{ value: 4, parts: ['I', 'V'] }" },
    { name: 'all.sum', args: '[1, -2.5], null', expected: '-1.5' },
  ])
  assert.deepEqual(two?.imports['read'], { module: '../src/roman.js', member: 'parse' })
  assert.deepEqual(more, [])
})

test('a test that does anything else, calls a package or takes no value is none of them', () => {
  for (const body of [
    'const n = 4; assert.equal(roman(n), "IV")',
    'assert.equal(roman(4), other)',
    'assert.equal(lodash.add(1, 2), 3)',
    'assert.equal(roman(), "")',
    'roman(3); assert.equal(roman(4), "IV")',
    'assert.equal(roman(4) + roman(1), "IVI")',
  ])
    assert.deepEqual(inJavaScript(`${head}test('x', () => { ${body} })\n`), [], body)
})

test('a test file that prepares something is left alone', () => {
  const body = "test('four', () => { assert.equal(roman(4), 'IV') })\n"
  for (const more of ['beforeEach(() => start())', "vi.mock('../src/x.js')", "process.env.LANG = 'de'"])
    assert.deepEqual(inJavaScript(`${head}${more}\n${body}`), [], more)
  assert.equal(inJavaScript(`${head}${body}`).length, 1)
})

test('tests of pytest and unittest are read too', () => {
  const text = `from shop.price import net, vat as tax
import shop.fx as fx


def test_net():
    """Adds up."""
    assert net([{"price": 10, "count": 2}]) == 20
    assert fx.known("USD") is True


class TestTax(unittest.TestCase):
    def test_tax(self):
        self.assertEqual(tax(100), 19)


def test_other(tmp_path):
    assert net([]) == 0


def test_more():
    total = 3
    assert tax(total) == 1
`
  const found = testedBlocks([{ path: 'tests/test_price.py', text }], 'python')
  assert.deepEqual(
    found.map(({ test: name, calls }) => [name, calls]),
    [
      [
        'test_net',
        [
          { name: 'net', args: '[{"price": 10, "count": 2}]', expected: '20' },
          { name: 'fx.known', args: '"USD"', expected: 'True' },
        ],
      ],
      ['test_tax', [{ name: 'tax', args: '100', expected: '19' }]],
    ],
  )
  assert.deepEqual(found[0]?.imports['tax'], { module: 'shop.price', member: 'vat' })
})

test('the file of a call is the one that the test imports it from', () => {
  const tested = (file: string, module: string, member?: string) =>
    sourceOf(
      { test: 'x', file, line: 1, imports: { a: { module, ...(member && { member }) } }, calls: [] },
      { name: 'a', args: '1', expected: '1' },
      ['src/a.ts', 'shop/price.py', 'src/pack/fx.py'],
    )
  assert.deepEqual(
    [
      tested('test/unit/a.test.ts', '../../src/a.js'),
      tested('test/a.test.ts', '../src/a.ts'),
      tested('tests/test_price.py', 'shop.price', 'net'),
      tested('tests/test_fx.py', 'pack', 'fx'),
      tested('tests/test_fx.py', 'other'),
    ],
    ['src/a.ts', 'src/a.ts', 'shop/price.py', 'src/pack/fx.py', 'tests/test_fx.py'],
  )
})

test('each difference says which call gives what, and when', () => {
  const of = {
    source: 'src/roman.js',
    test: 'four',
    file: 'test/a.test.js',
    line: 3,
    call: 'roman(4)',
    expected: "'IV'",
    was: "''",
  }
  const words = (when: 'alone' | 'first' | 'later', after?: number) =>
    fromDifferences([{ ...of, when, ...(after === undefined ? {} : { after }) }]).map((finding) => [finding.rule, finding.words])
  assert.deepEqual(words('alone'), [
    [
      'test-detected',
      `src/roman.js gives '' for roman(4) where no test runs, not 'IV', as the test "four" expects (test/a.test.js, line 3)`,
    ],
  ])
  assert.match(words('first')[0]?.[1] ?? '', /called first.*the tests pass only in their order$/)
  assert.match(words('later', 40)[0]?.[1] ?? '', /after 40 calls/)
})

test('a story about counting or time may give another answer later', () => {
  assert.deepEqual(['allow() is true at most 5 times', 'get() is the next id', 'shipping is free from 100 on'].map(mayCount), [
    true,
    true,
    false,
  ])
})
