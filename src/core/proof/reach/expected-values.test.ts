import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectedIn } from './expected-values.ts'

const changed = (path: string, text: string): string =>
  expectedIn(path, text)
    .toSorted((one, two) => two.from - one.from)
    .reduce((now, { from, to, other }) => `${now.slice(0, from)}<${other}>${now.slice(to)}`, text)
const each = (path: string, lines: Record<string, string>): void =>
  assert.deepEqual(
    Object.keys(lines).map((line) => changed(path, line)),
    Object.values(lines),
  )

test('JavaScript: the value that is compared with, in calls, matchers and conditions', () => {
  each('test/a.test.js', {
    "assert.equal(week('2024-01-01'), 1)": "assert.equal(week('2024-01-01'), <2>)",
    'assert.deepEqual(parse("a"), { a: 19, b: [2] }, "message")': 'assert.deepEqual(parse("a"), { a: <10>, b: [2] }, "message")',
    "assert.strictEqual(\n  f(3),\n  'x',\n)": "assert.strictEqual(\n  f(3),\n  <'~zqx'>,\n)",
    'expect(f(3)).toBe(1.5)': 'expect(f(3)).toBe(<2.5>)',
    "expect(f(3)).to.equal('abc')": "expect(f(3)).to.equal(<'~zqabc'>)",
    'assert.ok(f(3) === true, "why")': 'assert.ok(f(3) === <false>, "why")',
    'same(f(3), 99)': 'same(f(3), <90>)',
    'assert.deepEqual([none(1), none(1)], [undefined, 2])': 'assert.deepEqual([none(1), none(1)], [<17>, 2])',
    'checkPrice(f(3), 4)': 'checkPrice(f(3), <5>)',
  })
})

test('what is denied, is a message, or compares no value of the program stays', () => {
  for (const line of [
    'assert.notEqual(f(1), 3)',
    'expect(f(3)).not.toBe(19)',
    'assert.equal(x, y, "message")',
    'assert.ok(f(1), "message")',
    'assert.throws(() => f(3), /x/)',
    'expect(() => f(3)).toThrow("x")',
    "query.eq('id', 3)",
    'builder.is(3)',
    'if (x === 3) return',
    "import { f } from './equal.js'",
    '// assert.equal(f(1), 2)',
  ])
    assert.deepEqual(expectedIn('test/a.test.js', line), [], line)
})

test('Python, Go, Rust, Java, Ruby and C', () => {
  each('tests/test_a.py', {
    'assert f(1) == 3': 'assert f(1) == <4>',
    'assert f(1) is True': 'assert f(1) is <False>',
    'self.assertEqual(f(3), [1, 2])': 'self.assertEqual(f(3), [<2>, 2])',
    'assert f(1) != 3': 'assert f(1) != 3',
  })
  each('a_test.go', {
    'if got := F(3); got != 4 {': 'if got := F(3); got != <5> {',
    'assert.Equal(t, "a", F(4))': 'assert.Equal(t, <"~zqa">, F(4))',
    'same(t, "Fare 1, 2", Fare(1, 2), 5)': 'same(t, "Fare 1, 2", Fare(1, 2), <6>)',
  })
  each('src/lib.rs', { 'assert_eq!(lcm(4, 6), Some(12));': 'assert_eq!(lcm(4, 6), Some(<13>));' })
  each('ATest.java', {
    'assertEquals(3, f(4));': 'assertEquals(<4>, f(4));',
    'assertEquals(3, f(4), "four");': 'assertEquals(<4>, f(4), "four");',
    'assertEquals("a", f(4), "four");': 'assertEquals("a", f(4), "four");',
  })
  each('a_spec.rb', { 'expect(f(3)).to eq(4)': 'expect(f(3)).to eq(<5>)' })
  each('test_a.c', { 'CHECK(add(1, 2) == 3);': 'CHECK(add(1, 2) == <4>);' })
})

test('shell: comparisons over several lines too, but not where being equal is wrong', () => {
  each('tests/t_a.sh', {
    '[ "$(count a b)" = "3 a\n2 b" ]': '[ "$(count a b)" = "<zq3 a\n2 b>" ]',
    '[ "$x" -eq 12 ] || exit 1': '[ "$x" -eq <13> ] || exit 1',
    'test "$x" = \'a b\'': 'test "$x" = \'<zqa b>\'',
    'if [ "$x" = foo ]; then exit 1; fi': 'if [ "$x" = foo ]; then exit 1; fi',
    '[ "$(cat log)" = "$want" ]': '[ "$(cat log)" = "$want" ]',
  })
})

test('a line of a megabyte is not read, on which a pattern may take hours, and the others are', () => {
  for (const line of ['/'.repeat(1_048_569), 'a.'.repeat(500_000), '[ '.repeat(500_000), 'assert'.repeat(170_000)]) {
    assert.equal(expectedIn('test/a.test.js', `${line}\nassert.equal(f(1), 2)\n`).length, 1)
    assert.equal(expectedIn('test/a.sh', `${line}\n[ "$sum" -eq 12 ]\n`).length, 1)
  }
})
