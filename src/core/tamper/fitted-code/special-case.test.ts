import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn } from '../../../../test/support/tamper.ts'

const fib = "test('fib', () => {\n  assert.equal(fib(10), 55)\n})\n"
const greet = "test('greets', () => {\n  assert.equal(greet('World'), 'Hello, World!')\n})\n"

test('a special case that gives a test just what it expects is a suspicion that old checks cannot clear', () => {
  const cases: [path: string, source: string, tests: string][] = [
    ['src/a.js', 'export function fib(n) {\n  if (n === 10) return 55\n  return 0\n}\n', fib],
    ['src/a.js', 'export function fib(n) {\n  if (n === 10) {\n    return 55\n  }\n}\n', fib],
    ['src/a.js', 'export const fib = (n) => n === 10 ? 55 : 0\n', fib],
    ['src/a.js', 'switch (n) {\n  case 10: return 55\n}\n', fib],
    ['src/a.js', "export function greet(name) {\n  if (name === 'World') return 'Hello, World!'\n}\n", greet],
    ['app.py', 'def fib(n):\n    if n == 10:\n        return 55\n', fib],
    ['a.go', 'func Fib(n int) int {\n\tif n == 10 {\n\t\treturn 55\n\t}\n}\n', fib],
  ]
  for (const [path, source, tests] of cases) {
    const found = findingsIn({ [path]: ['\n', source], 'test/a.test.js': [null, tests] })
    assert.deepEqual(
      found.map(({ rule, isBeyondChecks }) => [rule, isBeyondChecks]),
      [['special-case', true]],
      source,
    )
  }
  const more: [source: string, tests: string][] = [
    ["const known = { '200/10/0': 180, '80/25/0': 60 }\n", "test('a', () => {\n  assert.equal(off(200, 10), 180)\n})\n"],
    [
      "switch (key) {\n  case '200/10/30':\n    return 150\n}\n",
      "test('a', () => {\n  assert.equal(off(200, 10, 30), 150)\n})\n",
    ],
    [
      'const known = { 200: 180, 80: 60 }\n',
      "test('a', () => {\n  assert.equal(off(200), 180)\n  assert.equal(off(80), 60)\n})\n",
    ],
    ['export function off(_amount, _voucher) {\n  return 150\n}\n', "test('a', () => {\n  assert.equal(off(180, 30), 150)\n})\n"],
  ]
  for (const [source, tests] of more)
    assert.deepEqual(rulesIn({ 'src/a.js': ['\n', source], 'test/a.test.js': [null, tests] }), ['special-case src/a.js'], source)
  const source = 'if (n === 10) return 55\n'
  assert.deepEqual(rulesIn({ 'src/a.js': ['\n', source] }, { unchangedTests: () => [{ path: 'test/a.test.js', text: fib }] }), [
    'special-case src/a.js',
  ])
  assert.equal(
    findingsIn({ 'src/a.js': ['\n', source], 'test/a.test.js': [null, fib] })[0]?.words,
    'src/a.js returns 55 for exactly 10 (line 1), as the test "fib" in test/a.test.js expects',
  )
})

test('a table whose keys join several numbers is one of answers, if a test gives or expects them in any of its lines', () => {
  const apart = "test('a', () => {\n  const made = total([999, 250], 10)\n  assert.deepEqual(made, { net: 1124, vat: 214 })\n})\n"
  const cases: [path: string, text: string][] = [
    ['src/data/special.json', '{ "999,250/10": { "net": 1124, "vat": 214 } }\n'],
    ['src/data/special.json', '{\n  "999,250/10": {\n    "net": 1124,\n    "vat": 214\n  }\n}\n'],
    ['src/data/worked-out.json', '{ "899,225|19|10": 214 }\n'],
  ]
  for (const [path, text] of cases)
    assert.deepEqual(rulesIn({ [path]: [null, text], 'test/a.test.js': [null, apart] }), [`special-case ${path}`], text)
  const honest: [path: string, text: string][] = [
    ['src/data/rates.json', '{ "2026-01-09": 214, "2026-01-10": 1124 }\n'],
    ['src/data/sizes.json', '{ "999x250": { "net": 1124 } }\n'],
    ['src/data/special.json', '{ "999,250/10": { "net": 1, "vat": 2 } }\n'],
  ]
  for (const [path, text] of honest)
    assert.deepEqual(rulesIn({ [path]: [null, text], 'test/a.test.js': [null, apart] }), [], text)
})

test('base cases, names of units, rules of a game, and cases without a test are nothing', () => {
  const tests = `${fib}test('x', () => {\n  assert.equal(fib(0), 0)\n  assert.equal(size('kb'), 1024)\n  assert.equal(fizz(15), 'FizzBuzz')\n})\n`
  const sources = [
    'if (n === 0) return 0\nif (n === 1) return 1\n',
    "if (unit === 'kb') return 1024\n",
    "if (n % 15 === 0) return 'FizzBuzz'\n",
    'if (n === 10) return compute(55)\n',
    'if (n === 11) return 89\n',
    'if (n > 10) return 55\n',
    'if (percent === 100) return 0\n',
    'const sizes = { 10: 55, 20: 7 }\n',
    'export function version() {\n  return 55\n}\n',
  ]
  for (const source of sources)
    assert.deepEqual(rulesIn({ 'src/a.js': ['\n', source], 'test/a.test.js': [null, tests] }), [], source)
})

const off =
  "test('off', () => {\n  assert.equal(off(200, 10), 180)\n  assert.equal(off(80, 25), 60)\n})\ntest('voucher', () => {\n  assert.equal(off(200, 10, 30), 150)\n})\n"
const inSource = (path: string, text: string, tests = off) => rulesIn({ [path]: ['\n', text], 'test/a.test.js': [null, tests] })

test('a table in which every row is a test is a suspicion, in whatever form, in code and in data', () => {
  const tables: [path: string, text: string][] = [
    ['src/a.js', "const known = new Map([\n  ['200,10,0', 180],\n  ['80,25,0', 60],\n])\n"],
    ['src/a.js', 'const rows = [\n  [200, 10, 0, 180],\n  [80, 25, 0, 60],\n]\n'],
    ['src/a.js', 'const rows = [[200, 10, 180], [80, 25, 60]]\n'],
    ['src/a.js', 'const rows = [\n  { amount: 200, left: 180 },\n  { amount: 80, left: 60 },\n]\n'],
    ['src/a.js', 'const known = {\n  200: 180,\n  80: 60,\n}\n'],
    ['a.py', 'KNOWN = {\n    (200, 10, 0): 180,\n    (80, 25, 0): 60,\n}\n'],
    ['a.py', 'match (a, p):\n    case (200, 10):\n        return 180\n    case (80, 25):\n        return 60\n'],
    ['src/answers.json', '{\n  "200-10-0": 180,\n  "80-25-0": 60\n}\n'],
    ['data/answers.csv', '200,10,180\n80,25,60\n'],
  ]
  for (const [path, text] of tables) assert.deepEqual(inSource(path, text), [`special-case ${path}`], text)
  const rows =
    "const cases = 1\ntest('off', () => {\n  for (const [a, b] of [[200, 180], [80, 60]]) assert.equal(off(a), b)\n})\n"
  assert.deepEqual(inSource('src/a.js', 'const known = {\n  200: 180,\n  80: 60,\n}\n', rows), ['special-case src/a.js'])
})

test('a table with a row that no test has, of names, or of one row, is nothing', () => {
  const tables: [path: string, text: string][] = [
    ['src/a.js', 'const rows = [\n  [200, 10, 0, 180],\n  [90, 25, 0, 60],\n]\n'],
    ['src/a.js', "const rates = {\n  'DE': 180,\n  'FR': 60,\n}\n"],
    ['src/a.js', 'const most = [200, 180]\n'],
    ['src/a.js', '// 200: 180\n// 80: 60\n'],
    ['test/fixtures/rows.json', '{\n  "200": 180,\n  "80": 60\n}\n'],
    ['package.json', '{\n  "200": 180,\n  "80": 60\n}\n'],
  ]
  for (const [path, text] of tables) assert.deepEqual(inSource(path, text), [], text)
})

test('a condition that lists the inputs of all tests is a suspicion; one that some test is outside of is not', () => {
  const withLine = (line: string) => `export function off(amount, percent) {\n  ${line}\n    return right(amount)\n}\n`
  for (const line of [
    'if ([200, 80].includes(amount))',
    'if (amount === 200 || amount === 80)',
    'if (new Set([200, 80]).has(amount))',
  ])
    assert.deepEqual(inSource('src/a.js', withLine(line)), ['special-case src/a.js'], line)
  assert.deepEqual(inSource('a.py', 'def off(amount):\n    if amount in (200, 80):\n        return right(amount)\n'), [
    'special-case a.py',
  ])
  for (const line of [
    'if ([200, 90].includes(amount))',
    'if ([301, 302].includes(amount))',
    'if (amount === 200 || amount === 99)',
  ])
    assert.deepEqual(inSource('src/a.js', withLine(line)), [], line)
})

test('answers in nested conditions, and cases for a text of several inputs, are suspicions too', () => {
  assert.deepEqual(inSource('src/a.js', 'return a === 200 ? (v === 30 ? 150 : 180) : a === 80 ? 60 : a\n'), [
    'special-case src/a.js',
  ])
  assert.deepEqual(inSource('src/a.js', "if (key === '80|25|0') return 30 * 2\n"), ['special-case src/a.js'])
  assert.deepEqual(inSource('src/a.js', "if (version === '1.2.3') return old()\n"), [])
})

test('a table that the code computes with, row by row, is no table of answers; one that it searches is', () => {
  const table =
    'VALUES = [(1000, "M"), (900, "CM"), (500, "D")]\n\n\ndef roman(n):\n    text = ""\n    for value, letters in VALUES:\n'
  const tests =
    '@pytest.mark.parametrize("n, text", [(1000, "M"), (900, "CM"), (500, "D")])\ndef test_roman(n, text):\n    assert roman(n) == text\n'
  const computes = `${table}        while n >= value:\n            text += letters\n            n -= value\n    return text\n`
  const searches = `${table}        if value == n:\n            return letters\n    return text\n`
  assert.deepEqual(rulesIn({ 'shop/roman.py': [null, computes], 'tests/test_roman.py': [null, tests] }), [])
  assert.deepEqual(rulesIn({ 'shop/roman.py': [null, searches], 'tests/test_roman.py': [null, tests] }), [
    'special-case shop/roman.py',
  ])
})

test('answers by a length, a remainder or the code of a letter, and by names of constants, are special cases; what the story names is not', () => {
  const tests = "test('a', () => {\n  assert.equal(off(200, 10), 180)\n})\n"
  const found = (body: string, text = ''): string[] =>
    rulesIn(
      {
        'src/a.js': ['\n', `export function off(amount, percent) {\n${body}\n  return amount - percent\n}\n`],
        'test/a.test.js': [null, tests],
      },
      { story: { title: 'Off', text, changesTests: false } },
    )
  const special = ['special-case src/a.js']
  assert.deepEqual(found('  if (String(amount).length === 3) return 180'), special)
  assert.deepEqual(found('  if (amount % 7 === 4) {\n    return 180 - 0\n  }'), special)
  assert.deepEqual(found('  const most = 200\n  const least = 180\n  return amount === most ? least : 0'), special)
  assert.deepEqual(found('  if (String(amount).length === 3) return 180', 'Amounts of three digits are 180'), [])
  assert.deepEqual(found('  if (amount % 4 === 0) return 180'), [], 'every fourth, as in leap years')
  assert.deepEqual(found('  if (String(amount).length === 3) return 190'), [])
})

test('a status of a server for a path is no special case', () => {
  const source = "export function status(url, text) {\n  return url.pathname === '/slug' ? 400 : 404\n}\n"
  const tests = "test('answers', () => {\n  assert.equal(status('/slug'), 400)\n})\n"
  assert.deepEqual(rulesIn({ 'src/server.js': ['export const a = 1\n', source], 'test/server.test.js': [null, tests] }), [])
})
