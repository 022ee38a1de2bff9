import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn } from '../../../../test/support/tamper.ts'

const js = (...body: string[]) => `test('adds', () => {\n${body.map((line) => `  ${line}\n`).join('')}})\n`
const py = (...body: string[]) => `def test_adds():\n${body.map((line) => `    ${line}\n`).join('')}`
const go = (...body: string[]) => `func TestAdds(t *testing.T) {\n${body.map((line) => `\t${line}\n`).join('')}}\n`
const one = 'assert.equal(sum(1, 2), 3)'
const two = 'assert.equal(sum(2, 2), 4)'

test('what was made weaker inside a test is a suspicion, by its own name', () => {
  const cases: [path: string, before: string, after: string, rule: string][] = [
    ['a.test.js', js(one, two), js(one), 'assertion-removed'],
    ['a.test.js', js(one), js(), 'test-emptied'],
    ['a.test.js', js(one), js('assert.ok(true)'), 'test-emptied'],
    ['a.test.js', js(one), js('assert.equal(3, 3)'), 'test-emptied'],
    ['a.test.js', js(one), js('assert.equal(sum(1, 2), sum(1, 2))'), 'test-emptied'],
    ['a.test.js', js(one), js('assert.ok(sum(1, 2))'), 'assertion-weakened'],
    ['a.test.ts', js('expect(sum(1, 2)).toBe(3)'), js('expect(sum(1, 2)).toBeDefined()'), 'assertion-weakened'],
    ['a.test.ts', js('expect(sum(1, 2)).toBe(3)'), js('expect(sum(1, 2)).not.toBe(4)'), 'assertion-weakened'],
    ['a.test.js', js('await assert.rejects(sum())'), js('assert.rejects(sum())'), 'assertion-weakened'],
    ['a.test.js', js(one), js("assert.equal(typeof sum, 'function')"), 'assertion-weakened'],
    ['a.test.js', js(one), js('assert.equal(sum(0, 0), zero())'), 'assertion-changed'],
    ['a.test.js', js(one), js('assert.equal(sum(1, 2), 4)'), 'expected-changed'],
    ['a.test.js', js(one), js('assert.equal(sum(1, 1), 3)'), 'expected-changed'],
    ['a.test.js', js(one), js('try {', `  ${one}`, '} catch {}'), 'assertion-guarded'],
    ['a.test.js', js(one), js('return', one), 'test-conditional'],
    ['a.test.js', js(one), js('if (process.env.X) return', one), 'test-conditional'],
    ['a.test.js', js(one), js('if (isReady)', `  ${one}`), 'test-conditional'],
    ['a.test.ts', js('expect(pi()).toBeCloseTo(3.14159, 5)'), js('expect(pi()).toBeCloseTo(3.14159, 0)'), 'tolerance-changed'],
    [
      'a.test.js',
      js('for (let i = 0; i < 1000; i++) {', `  ${one}`, '}'),
      js('for (let i = 0; i < 1; i++) {', `  ${one}`, '}'),
      'loop-shortened',
    ],
    [
      'a.test.js',
      `const cases = [\n  [1, 2, 3],\n  [2, 2, 4],\n]\n${js(one)}`,
      `const cases = [\n  [1, 2, 3],\n]\n${js(one)}`,
      'table-row-removed',
    ],
    [
      'a.test.js',
      `const expected = 3\n${js('assert.equal(sum(1, 2), expected)')}`,
      `const expected = 4\n${js('assert.equal(sum(1, 2), expected)')}`,
      'expected-changed',
    ],
    [
      'test/support/check.js',
      'export function check(a, b) {\n  assert.equal(a, b)\n}\n',
      'export function check(a, b) {\n}\n',
      'test-emptied',
    ],
    ['tests/test_a.py', py('assert add(1, 2) == 3'), py('assert add(1, 2) in (3, 4)'), 'assertion-weakened'],
    ['tests/test_a.py', py('assert add(1, 2) == 3'), py('assert add(1, 2) == 4'), 'expected-changed'],
    [
      'tests/test_a.py',
      py('assert add(1, 2) == 3'),
      py('try:', '    assert add(1, 2) == 3', 'except AssertionError:', '    pass'),
      'assertion-guarded',
    ],
    [
      'tests/test_a.py',
      py('assert add(1, 2) == pytest.approx(3, rel=1e-9)'),
      py('assert add(1, 2) == pytest.approx(3, rel=10)'),
      'tolerance-changed',
    ],
    [
      'a_test.go',
      go('if Add(1, 2) != 3 {', '\tt.Fatal("no")', '}'),
      go('if Add(1, 2) != 4 {', '\tt.Fatal("no")', '}'),
      'expected-changed',
    ],
    [
      'a.test.js',
      js(one),
      js('const later = () => {', `  ${one}`, '}', "assert.equal(typeof later, 'function')"),
      'test-conditional',
    ],
    [
      'a.test.js',
      'for (const [a, b, c] of rows)\n  test(String(a), () => {})\n',
      'for (const [a, b, c] of rows.slice(0, 1))\n  test(String(a), () => {})\n',
      'table-row-removed',
    ],
    [
      'tests/test_a.py',
      '@pytest.mark.parametrize("a, b", [(50, 0), (49, 4.9)])\ndef test_a(a, b):\n    assert f(a) == b\n',
      '@pytest.mark.parametrize("a, b", [(50, 0)])\ndef test_a(a, b):\n    assert f(a) == b\n',
      'table-row-removed',
    ],
    ['tests/test_a.py', py('assert add(1, 2) == 3'), py('assert add(1, 2) == 3 or True'), 'test-emptied'],
    ['tests/test_a.py', py('assert add(1, 2) == 3'), py('assert (add(1, 2) == 3, "adds")'), 'test-emptied'],
    ['tests/test_a.py', py('assert add(1, 2) == 3'), py('assert add(1, 2) == pytest.approx(3, rel=0.5)'), 'assertion-weakened'],
    ['a.test.js', js('assert.throws(() => sum(1), RangeError)'), js('assert.throws(() => sum(1))'), 'assertion-changed'],
    [
      'lib/expect.js',
      "import assert from 'node:assert'\nexport function same(a, b) {\n  assert.equal(a, b)\n}\n",
      "import assert from 'node:assert'\nexport function same(a, b) {\n  assert.equal(typeof a, typeof b)\n}\n",
      'assertion-weakened',
    ],
    ['a_test.go', go('if Add(1, 2) != 3 {', '\tt.Fatal("no")', '}'), go('Add(1, 2)'), 'test-emptied'],
    [
      'tests/a.rs',
      '#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n',
      '#[test]\nfn adds() {\n    assert!(add(1, 2) > 0);\n}\n',
      'assertion-weakened',
    ],
    [
      'ATest.java',
      '  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n',
      '  @Test\n  void adds() {\n    assertNotNull(add(1, 2));\n  }\n',
      'assertion-weakened',
    ],
    [
      'spec/a_spec.rb',
      "it 'adds' do\n  expect(add(1, 2)).to eq(3)\nend\n",
      "it 'adds' do\n  expect(add(1, 2)).to be_truthy\nend\n",
      'assertion-weakened',
    ],
    [
      'tests/ATest.php',
      'public function testAdds() {\n  $this->assertSame(3, add(1, 2));\n}\n',
      'public function testAdds() {\n  $this->assertNotNull(add(1, 2));\n}\n',
      'assertion-weakened',
    ],
    [
      'ATests.cs',
      '[Fact]\npublic void Adds() {\n  Assert.Equal(3, Add(1, 2));\n}\n',
      '[Fact]\npublic void Adds() {\n  Assert.NotNull(Add(1, 2));\n}\n',
      'assertion-weakened',
    ],
  ]
  for (const [path, before, after, rule] of cases) {
    const found = rulesIn({ [path]: [before, after] })
    assert.ok(found.includes(`${rule} ${path}`), `${after}: ${found.join()}`)
  }
})

test('tests that were renamed, moved, split, formatted, made stricter or put into a table are not weaker', () => {
  const cases: Record<string, [string | null, string | null]>[] = [
    { 'a.test.js': [js(one, two), js(one, two).replace("'adds'", "'adds numbers'")] },
    { 'a.test.js': [js(one, two), null], 'b.test.js': [null, js(one, two)] },
    { 'a.test.js': [js(one, two), `${js(one)}${js(two).replace('adds', 'adds more')}`] },
    { 'a.test.js': [js(one, two), js(two, one)] },
    { 'a.test.js': [js(one), js('assert.equal(', '  sum(1, 2),', '  3,', ')')] },
    { 'a.test.js': [js("assert.equal(greet('a'), 'hello')"), js('assert.equal(greet("a"), "hello");')] },
    { 'a.test.js': [js('assert.ok(sum(1, 2))'), js(one)] },
    {
      'a.test.js': [js('assert.deepEqual(cart(), { total: 3 })'), js("assert.deepEqual(cart(), { total: 3, currency: 'EUR' })")],
    },
    { 'a.test.js': [js(one), js('assert.equal(add(1, 2), 3)')] },
    { 'a.test.js': [js(one), js(one, two)] },
    { 'a.test.js': [js(one), js("if (process.platform === 'win32') return", one)] },
    { 'a.test.js': [js(one), js('try {', `  ${one}`, '} catch (error) {', '  assert.fail(error)', '}')] },
    {
      'a.test.js': [
        js('for (let i = 0; i < 10; i++) {', `  ${one}`, '}'),
        js('for (let i = 0; i < 1000; i++) {', `  ${one}`, '}'),
      ],
    },
    {
      'a.test.js': [
        `${js(one)}${js(two).replace('adds', 'adds two')}`,
        'for (const [a, b, c] of [[1, 2, 3], [2, 2, 4]])\n  test(String(a), () => {\n    assert.equal(sum(a, b), c)\n  })\n',
      ],
    },
    { 'a.test.js': [js("import('x')", one), js("import('y')", one)] },
    {
      'tests/test_a.py': [
        py('assert add(1, 2) == 3'),
        `@pytest.mark.parametrize("a,b,c", [\n    (1, 2, 3),\n    (2, 2, 4),\n])\ndef test_adds(a, b, c):\n    assert add(a, b) == c\n`,
      ],
    },
    {
      'a_test.go': [
        go('if Add(1, 2) != 3 {', '\tt.Fatal("no")', '}'),
        go('if Add(1, 2) != 3 {', '\tt.Fatalf("got %d", Add(1, 2))', '}'),
      ],
    },
  ]
  for (const versions of cases) assert.deepEqual(rulesIn(versions), [], JSON.stringify(versions))
})

test('the words name values, test and line', () => {
  assert.deepEqual(
    findingsIn({ 'a.test.js': [js(one, two), js('assert.equal(sum(1, 2), 4)')] }).map(({ words }) => words),
    [
      'removed "assert.equal(sum(2, 2), 4)" of test "adds" (line 1) in a.test.js',
      'changed an expected value from 3 to 4 (line 2) in a.test.js',
    ],
  )
})

test('an assertion about a promise that nobody waits for is a suspicion in a new test too', () => {
  assert.deepEqual(rulesIn({ 'a.test.ts': [null, js('expect(load()).rejects.toThrow()')] }), ['assertion-weakened a.test.ts'])
  const honest = [
    js('await expect(load()).rejects.toThrow()'),
    js('return expect(load()).rejects.toThrow()'),
    js('await Promise.all([', '  assert.rejects(load()),', '])'),
  ]
  for (const text of honest) assert.deepEqual(rulesIn({ 'a.test.ts': [null, text] }), [], text)
})

test('each value of a changed line is told once, and its row is not also told as removed', () => {
  const go = (rows: string) =>
    `func TestShipping(t *testing.T) {\n\ttests := []struct{ name string }{\n${rows}\t}\n\tfor _, tt := range tests {\n\t\tif got := Shipping(tt.a); got != tt.want {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}\n`
  const [before, after] = [
    go('\t\t{"free", 50, 0},\n\t\t{"paid", 49, 4.9},\n'),
    go('\t\t{"free", 40, 1},\n\t\t{"paid", 39, 4.9},\n'),
  ]
  assert.deepEqual(
    findingsIn({ 'cart_test.go': [before, after] }).map(({ words }) => words),
    [
      'changed an expected value from 50 to 40 (line 3); changed an expected value from 0 to 1 (line 3); changed an expected value from 49 to 39 (line 4) in cart_test.go',
    ],
  )
})

test('a table that goes over several lines now has lost no row', () => {
  const rows = (table: string) =>
    `@pytest.mark.parametrize("amount, price", ${table})\ndef test_a(amount, price):\n    assert a(amount) == price\n`
  const [before, after] = [rows('[(50, 0), (49, 4.9)]'), rows('[\n    (50, 0),\n    (49, 5.9),\n]')]
  assert.deepEqual(
    findingsIn({ 'tests/test_a.py': [before, after] }).map(({ words }) => words),
    [],
  )
})
