import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failingTests, isOnlyMissing, passingUnexpectedly } from './failing-tests.ts'

/** Each as its runner prints it, with a test whose name and code speak of what is expected. */
const missing: [runner: string, output: string][] = [
  [
    'node:test',
    '✖ should be 180, and not equal to expected (0.6ms)\n  TypeError: cart.discount is not a function\n      at file:///shop/test/a.test.js:6:21',
  ],
  [
    'mocha',
    '  1) should be 180:\n     TypeError: cart.discount is not a function\n      at Context.<anonymous> (test/a.js:5:21)',
  ],
  [
    'jest',
    '  ● takes a tenth\n\n    TypeError: (0 , _cart.discount) is not a function\n\n      4 | test("takes a tenth", () => {\n    > 5 |   expect(discount(200, 10)).toBe(expected)\n        |          ^\n',
  ],
  [
    'pytest',
    "    def test_expected():\n        expected = 180\n>       assert cart.discount(200, 10) == expected\nE       AttributeError: module 'shop.cart' has no attribute 'discount'\n\ntests/test_a.py:4: AttributeError",
  ],
  [
    'unittest',
    "ERROR: test_expected (tests.test_u.T.test_expected)\n    self.assertEqual(cart.discount(200, 10), expected)\nAttributeError: module 'shop.cart' has no attribute 'discount'",
  ],
  ['a module of the other kind', "export const discount\n^^^^^^\nSyntaxError: Unexpected token 'export'"],
  [
    'tsc',
    "test/a.ts(3,10): error TS2305: Module './cart' has no exported member 'discount'.\nerror TS2554: Expected 2 arguments, but got 1.",
  ],
  ['Kotlin', "e: CartTest.kt:5:9 Unresolved reference 'discount'."],
  ['dotnet', "CartTests.cs(5,9): error CS0117: 'Cart' does not contain a definition for 'Discount'"],
]

const compared: [runner: string, output: string][] = [
  ['node:test', '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n  150 !== 180\n'],
  ['jest', '    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 180\n    Received: 150'],
  ['vitest', 'AssertionError: expected 150 to be 180 // Object.is equality'],
  ['pytest', '>       assert discount(200, 10) == 180\nE       assert 150 == 180\nE        +  where 150 = discount(200, 10)'],
  ['RSpec', '     Failure/Error: expect(discount).to eq(180)\n\n       expected: 180\n            got: 150'],
  ['JUnit', 'org.opentest4j.AssertionFailedError: expected: <180> but was: <150>'],
  ['PHPUnit', 'Failed asserting that 150 matches expected 180.'],
  ['xUnit', 'Assert.Equal() Failure: Values differ\nExpected: 180\nActual:   150'],
  ['cargo', "thread 'takes' panicked at src/lib.rs:5:9:\nassertion `left == right` failed"],
  ['go', '    cart_test.go:5: got 150, want 180'],
]

test('what fails only because something is not there has checked nothing, whatever its name and its code say', () => {
  for (const [runner, output] of missing) assert.equal(isOnlyMissing(output), true, runner)
})

test('what compared something has checked it, whatever else is missing', () => {
  for (const [runner, output] of compared) {
    assert.equal(isOnlyMissing(output), false, runner)
    assert.equal(
      isOnlyMissing(`${output}\n${runner === 'pytest' ? 'E     ' : '  '}TypeError: x is not a function`),
      false,
      runner,
    )
  }
})

test('a file that is not there has checked nothing if the story moved it; one that the program should have made has', () => {
  const output = 'cat: log.2: No such file or directory\nnot ok - t_rotate\n1 passed, 1 failed'
  assert.deepEqual(
    [isOnlyMissing(output, ['bin/rotate']), isOnlyMissing(output, ['data/log.2']), isOnlyMissing(output)],
    [false, true, true],
  )
})

test('failing tests are named as runners print them, and counts of problems are no tests', () => {
  const named: [output: string, tests: string[]][] = [
    ["#   Failed test 'two times five'\n#   at t/price.t line 6.\n", ['two times five']],
    ['  ● accents › become plain letters\n\n    expect(received).toBe(expected)', ['accents › become plain letters']],
    [' FAIL  test/days.test.ts > reads days and weeks\nAssertionError', ['reads days and weeks']],
    ['  ● slugs\n\n    expect(received).toMatchSnapshot()', ['slugs']],
    ['  ● Console\n\n    console.log', []],
    ['  ● Test suite failed to run\n', []],
    ['✖ 2 problems (2 errors, 0 warnings)', []],
    ['✖ adds up (0.5ms)', ['adds up']],
  ]
  for (const [output, tests] of named) assert.deepEqual(failingTests(output), tests, output)
})

test('a test that was expected to fail and passes is not among those that fail, unless something else is said of it', () => {
  const pytest = (second: string) =>
    `____ test_off ____\n${second}\n____ TestCart.test_on ____\n    assert 1 == 2\nFAILED tests/test_a.py::test_off\nFAILED tests/test_a.py::TestCart::test_on\n`
  assert.deepEqual(passingUnexpectedly(pytest('[XPASS(strict)] later')), ['tests/test_a.py::test_off'])
  assert.deepEqual(passingUnexpectedly(pytest('    assert off() == 1')), [])
  assert.deepEqual(passingUnexpectedly(pytest('    assert off() == 1\n____ test_off ____\n[XPASS(strict)]')), [])
})
