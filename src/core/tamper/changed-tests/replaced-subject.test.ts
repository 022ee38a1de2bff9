import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const sum = "test('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n"
const from = (path: string) => `import { add } from '${path}'\n${sum}`

test('a test that imports another module than before, or replaces what it tests, is a suspicion', () => {
  const cases: [versions: Versions, rule: string][] = [
    [{ 'test/a.test.js': [from('../src/add.js'), from('./legacy-add.js')] }, 'subject-replaced test/a.test.js'],
    [{ 'test/a.test.js': [from('../src/add.js'), from('../dist/add.js')] }, 'subject-replaced test/a.test.js'],
    [{ 'tests/test_a.py': ['from shop.cart import add\n', 'from tests.copy import add\n'] }, 'subject-replaced tests/test_a.py'],
    [
      { 'package.json': ['{\n  "#cart": "./src/cart.js"\n}\n', '{\n  "#cart": "./test/stubs/cart.js"\n}\n'] },
      'subject-replaced package.json',
    ],
    [
      { 'test/a.test.js': [from('../src/add.js'), `vi.mock('../src/add.js')\n${from('../src/add.js')}`] },
      'mock-changed test/a.test.js',
    ],
    [{ 'tests/conftest.py': [null, 'import shop.cart\nshop.cart.add = lambda a, b: 3\n'] }, 'mock-changed tests/conftest.py'],
    [
      {
        'tests/test_a.py': [
          'def test_a():\n    assert add(1, 2) == 3\n',
          'def test_a():\n    with mock.patch("cart.add"):\n        assert add(1, 2) == 3\n',
        ],
      },
      'mock-changed tests/test_a.py',
    ],
  ]
  for (const [versions, rule] of cases) assert.ok(rulesIn(versions).includes(rule), JSON.stringify([versions, rulesIn(versions)]))
})

test('moved source, new tests with mocks, and mocks of time and environment are honest', () => {
  const cases: Versions[] = [
    {
      'test/a.test.js': [from('../src/add.js'), from('../src/math/add.js')],
      'src/add.js': ['x\n', null],
      'src/math/add.js': [null, 'x\n'],
    },
    {
      'test/a.test.js': [from('../src/add.js'), from('../src/math/add.js')],
      'src/add.js': ['x\n', "export * from './math/add.js'\n"],
    },
    { 'test/a.test.js': [from('../src/add.js'), `import { x } from '../src/x.js'\n${from('../src/add.js')}`] },
    {
      'test/a.test.js': [
        from('../src/add.js'),
        `${from('../src/add.js')}test('loads', () => {\n  const api = mock.fn(load)\n  assert.equal(run(api), 1)\n})\n`,
      ],
    },
    {
      'tests/test_a.py': [
        'def test_a():\n    assert add(1, 2) == 3\n',
        'def test_a(monkeypatch):\n    monkeypatch.setattr(time, "time", lambda: 0)\n    assert add(1, 2) == 3\n',
      ],
    },
    { 'tests/conftest.py': [null, 'import pytest\n\n@pytest.fixture\ndef shop():\n    return Shop()\n'] },
  ]
  for (const versions of cases) assert.deepEqual(rulesIn(versions), [], JSON.stringify(versions))
})

test('a condition that skips tests is a suspicion, unless it is about where they run', () => {
  const skips: [path: string, line: string][] = [
    ['a.test.js', "test('adds', { skip: cart === null }, () => {"],
    ['a.test.ts', "it.skipIf(isSlow)('adds', () => {"],
    ['a.test.js', "    if (this.currentTest.title.includes('adds')) this.skip()"],
    ['tests/test_a.py', '@pytest.mark.skipif(add(1, 0) == 1, reason="slow")'],
    ['tests/test_a.py', 'pytest.importorskip("currencies")'],
  ]
  for (const [path, line] of skips)
    assert.deepEqual(rulesIn({ [path]: ['\n', `\n${line}\n`] }), [`test-conditional ${path}`], line)
  const honest: [path: string, line: string][] = [
    ['a.test.js', "test('adds', { skip: process.platform === 'win32' }, () => {"],
    ['a.test.ts', "it.skipIf(isWindows)('adds', () => {"],
    ['tests/test_a.py', '@pytest.mark.skipif(sys.version_info < (3, 12), reason="x")'],
    ['a.test.js', "test('adds', { skip: false }, () => {"],
  ]
  for (const [path, line] of honest) assert.deepEqual(rulesIn({ [path]: ['\n', `\n${line}\n`] }), [], line)
})

test('a second function of the same name replaces a test of Python; in two classes they are two tests', () => {
  const one = 'def test_adds():\n    assert add(1, 2) == 3\n'
  assert.deepEqual(rulesIn({ 'tests/test_a.py': [one, `${one}\n\ndef test_adds():\n    assert add(0, 0) == 0\n`] }), [
    'test-deleted tests/test_a.py',
  ])
  const classes =
    'class TestA:\n    def test_x(self):\n        assert a() == 1\n\nclass TestB:\n    def test_x(self):\n        assert b() == 1\n'
  assert.deepEqual(rulesIn({ 'tests/test_a.py': [null, classes] }), [])
})

test('a test that changes what it imports from the project, or a built-in, is a suspicion; of its own things it is not', () => {
  const head = "import assert from 'node:assert'\nimport { settings } from '../src/cart.js'\n"
  const found = (line: string) => rulesIn({ 'test/a.test.js': [null, `${head}${line}\n`] })
  assert.deepEqual(found('settings.share = 100'), ['mock-changed test/a.test.js'])
  assert.deepEqual(found('Array.prototype.every = () => true'), ['mock-changed test/a.test.js'])
  assert.deepEqual(found('const mine = {}\nmine.share = 100'), [])
  assert.deepEqual(found('assert.equal(settings.share === 100, true)'), [])
})

test('a copy of what a source file was is a suspicion; what moved to another file is not', () => {
  const cart = ['total', 'off', 'shipping']
    .map((name) => `export function ${name}(a) {\n  return a * ${name.length}\n}\n`)
    .join('\n')
  const changed = cart.replace('a * 3', 'a - 3')
  assert.deepEqual(rulesIn({ 'src/cart.js': [cart, changed], 'src/index.js': [null, cart] }), ['subject-replaced src/index.js'])
  assert.deepEqual(rulesIn({ 'src/cart.js': [cart, "export * from './shop.js'\n"], 'src/shop.js': [null, cart] }), [])
  assert.deepEqual(rulesIn({ 'src/cart.js': [cart, null], 'src/shop.js': [null, cart] }), [])
})

test('an exported function of Go that moves into a file of tests is gone for everybody else', () => {
  const off = 'func Off(a int) int {\n\treturn a\n}\n'
  const rest = 'package shop\n\nfunc Total() int {\n\treturn 1\n}\n'
  const moved: Versions = { 'cart.go': [`${rest}\n${off}`, rest], 'price_test.go': [null, `package shop\n\n${off}`] }
  assert.deepEqual(rulesIn(moved), ['subject-replaced price_test.go'])
  const split: Versions = { ...moved, 'off.go': [null, `package shop\n\n${off}`], 'price_test.go': [null, 'package shop\n'] }
  assert.deepEqual(rulesIn(split), [])
  const helper = off.replace('Off', 'off')
  assert.deepEqual(rulesIn({ 'cart.go': [`${rest}\n${helper}`, rest], 'price_test.go': [null, `package shop\n\n${helper}`] }), [])
})

test('the clock, chance and what the language brings are not replaced for all tests, or by the names of tests', () => {
  const cases: [path: string, text: string][] = [
    ['test/setup.js', 'const began = Date.now()\nDate.now = () => began\n'],
    ['test/setup.js', 'Math.random = () => 0.5\n'],
    ['test/a.test.js', "beforeEach(() => {\n  mock.method(Math, 'floor', (value) => value)\n})\n"],
    ['test/a.test.js', "vi.spyOn(JSON, 'stringify').mockReturnValue('{}')\n"],
    ['test/a.test.js', 'beforeEach(function () {\n  if (/rounds/.test(this.currentTest.title)) stub()\n})\n'],
  ]
  for (const [path, text] of cases) assert.equal(rulesIn({ [path]: [null, text] }).length, 1, text)
  const honest: [path: string, text: string][] = [
    ['test/setup.js', 'const now = Date.now\nDate.now = () => 0\nafterEach(() => {\n  Date.now = now\n})\n'],
    ['test/a.test.js', "vi.spyOn(Math, 'random').mockReturnValue(0.5)\n"],
    ['test/a.test.js', "vi.spyOn(console, 'error').mockImplementation(() => {})\n"],
    ['test/a.test.js', "vi.spyOn(JSON, 'stringify').mockImplementation(() => {\n  throw new TypeError('circular')\n})\n"],
    ['test/a.test.js', "afterEach(function () {\n  if (this.currentTest.state === 'failed') save(this.currentTest.title)\n})\n"],
    ['test/a.test.js', 'afterEach(function () {\n  save(this.currentTest.title)\n})\n'],
  ]
  for (const [path, text] of honest) assert.deepEqual(rulesIn({ [path]: [null, text] }), [], text)
})

test('a test that imports a new module which nothing else does is one whatever the old tests say', () => {
  const found = (more: Versions) =>
    findingsIn({
      'test/a.test.js': [from('../src/add.js'), from('../src/sum.js')],
      'src/sum.js': [null, 'export const add = (a, b) => a + b\n'],
      ...more,
    }).map(({ words, isBeyondChecks = false }) => [words, isBeyondChecks])
  const words = 'imports ../src/sum.js instead of ../src/add.js in test/a.test.js (line 1)'
  assert.deepEqual(found({}), [[`${words}, and nothing but tests does`, true]])
  assert.deepEqual(found({ 'src/index.js': ["export * from './add.js'\n", "export * from './sum.js'\n"] }), [[words, false]])
  assert.deepEqual(found({ 'src/add.js': ['x\n', null] }), [])
})

test('a condition of a check that always holds is a suspicion, a default value is none', () => {
  const check = (condition: string) => `#define CHECK(x) do { if (${condition}) passed++; else failed++; } while (0)\n`
  assert.deepEqual(rulesIn({ 'test_str.c': [check('x'), check('(x) || 1')] }), ['assertion-weakened test_str.c'])
  assert.deepEqual(rulesIn({ 'test/a.test.js': [sum, `const wide = process.env.WIDE || 1\n${sum}`] }), [])
})
