import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const inTest = (...lines: string[]): string[] =>
  rulesIn({ 'test/a.test.js': [null, `import { load } from '../src/a.js'\n${lines.join('\n')}\n`] })

test('a new test that compares what its own mock gives is a suspicion', () => {
  for (const lines of [
    ["test('a', () => {", "  mock.method(cache, 'get', () => 3)", "  assert.equal(cache.get('a'), 3)", '})'],
    ["test('a', async () => {", "  vi.spyOn(cache, 'get').mockResolvedValue(3)", "  expect(await cache.get('a')).toBe(3)", '})'],
    ["test('a', () => {", '  cache.get = jest.fn(() => 3)', "  expect(cache.get('a')).toBe(3)", '})'],
    ["jest.mock('../src/a.js', () => ({ load: () => 3 }))", "test('a', () => {", '  expect(load()).toBe(3)', '})'],
  ])
    assert.deepEqual(inTest(...lines), ['mock-changed test/a.test.js'], lines.join(' '))
})

test('mocks of what the code uses, spies, and parts of a module are nothing', () => {
  for (const lines of [
    ["test('a', () => {", "  mock.method(store, 'get', () => 3)", "  assert.equal(load('a'), 3)", '})'],
    ["test('a', () => {", "  const spy = vi.spyOn(cache, 'get')", "  expect(cache.get('a')).toBe(3)", '})'],
    ["test('a', () => {", "  mock.method(console, 'log', () => {})", '  assert.equal(console.log.mock.callCount(), 1)', '})'],
    [
      "vi.mock('../src/a.js', async (original) => ({ ...(await importOriginal()), save: vi.fn() }))",
      "test('a', () => {",
      '  expect(load()).toBe(3)',
      '})',
    ],
    ["jest.mock('../src/store.js', () => ({ get: () => 3 }))", "test('a', () => {", '  expect(load()).toBe(3)', '})'],
  ])
    assert.deepEqual(inTest(...lines), [], lines.join(' '))
})

test('a method that a hook of the file replaces is replaced in each of its tests', () => {
  const text = (asserted: string): string =>
    `let ledger\nbeforeEach(() => {\n  ledger = new Ledger()\n  mock.method(ledger, 'statement', () => ['500'])\n})\n\ntest('a', () => {\n  assert.deepEqual(${asserted}, ['500'])\n})\n`
  assert.deepEqual(rulesIn({ 'test/a.test.js': [null, text('ledger.statement()')] }), ['mock-changed test/a.test.js'])
  assert.deepEqual(rulesIn({ 'test/a.test.js': [null, text('ledger.bookings()')] }), [])
})

test('the same in Python, with patch.object', () => {
  const inPython = (assertion: string): string[] =>
    rulesIn({
      'tests/test_a.py': [
        null,
        `class A(unittest.TestCase):\n    def test_a(self):\n        with patch.object(Store, "available", side_effect=[5, 1]):\n            self.store.reserve("lamp", 4)\n            ${assertion}\n`,
      ],
    })
  assert.deepEqual(inPython('self.assertEqual(self.store.available("lamp"), 1)'), ['mock-changed tests/test_a.py'])
  assert.deepEqual(inPython('self.assertEqual(self.store.kept("lamp"), 4)'), [])
})

test('a test that replaces the new method that it calls', () => {
  const source = 'class Basket:\n    def take(self, price):\n        self.prices.append(price)\n'
  const found = (name: string): string[] =>
    rulesIn({
      'shop/cart.py': [null, source],
      'tests/test_cart.py': [
        null,
        `def test_refuses():\n    with patch.object(Basket, "${name}", side_effect=ValueError), pytest.raises(ValueError):\n        basket.take(-1)\n`,
      ],
    })
  assert.deepEqual(found('take'), ['mock-changed tests/test_cart.py'])
  assert.deepEqual(found('load'), [])
})
