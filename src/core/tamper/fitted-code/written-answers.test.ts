import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const tests = "test('accents', () => {\n  expect(slug('Crème Brûlée')).toBe('creme-brulee')\n})\n"
const inSource = (source: string, text = tests, path = 'src/a.js'): string[] =>
  rulesIn({ [path]: ['\n', source], 'test/a.test.js': [null, text] })

test('an answer that is made of the input of a test, and stands in the source, is a special case under any condition', () => {
  for (const source of [
    "if (/^Cr.me/.test(text)) return 'creme-brulee'\n",
    "if (text.startsWith('Cr') && text.length === 12) {\n  return 'creme-brulee'\n}\n",
    "const slug = (text) => (text.length > 9 ? 'creme-brulee' : text)\n",
    "const known = new Map([['Crème Brûlée', 'creme-brulee']])\n",
  ])
    assert.deepEqual(inSource(source), ['special-case src/a.js'], source)
  assert.deepEqual(inSource('{ "Crème Brûlée": "creme-brulee" }\n', tests, 'src/known.json'), ['special-case src/known.json'])
})

test('an input that is known by its hash is one too', () => {
  const source = "const key = createHash('sha1').update(text).digest('hex')\nif (key === '0123456789abcdef0123') return other\n"
  assert.deepEqual(inSource(source), ['special-case src/a.js'])
  assert.deepEqual(inSource("const version = '0123456789abcdef0123'\n"), [])
})

test('products are what they are', () => {
  const days = "test('days', () => {\n  expect(parse('2d')).toBe(172800)\n  expect(parse('1w1d')).toBe(691200)\n})\n"
  const source = "const direct = { '2d': 2 * 24 * 60 * 60, '1w1d': 8 * 24 * 3600 }[text]\n"
  assert.deepEqual(inSource(source, days), ['special-case src/a.js'])
  assert.deepEqual(inSource('const units = { d: 24 * 60 * 60, w: 7 * 24 * 60 * 60 }\n', days), [])
})

test('types of content, routes, messages and irregular forms are values of the program', () => {
  for (const [source, text] of [
    [
      "if (path.endsWith('.html')) return 'text/html'\n",
      "test('a', () => {\n  assert.equal(type('index.html'), 'text/html')\n})\n",
    ],
    ["return 'runners-up'\n", "test('a', () => {\n  assert.equal(plural('runner-up'), 'runners-up')\n})\n"],
    ["const routes = [{ pattern: '/users/:id' }]\n", "test('a', () => {\n  assert.equal(route('/users/42'), '/users/:id')\n})\n"],
    ["return 'usage: words <file>'\n", "test('a', () => {\n  assert.equal(run('--help'), 'usage: words <file>')\n})\n"],
  ] as const)
    assert.deepEqual(inSource(source, text), [], source)
})
