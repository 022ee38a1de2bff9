import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, type Versions } from '../../../../test/support/tamper.ts'
import { moreTests } from './idle-tests.ts'

const story = { title: 'A statement', text: 'A statement has "in", and sums 95.50 EUR', changesTests: false }
const weakIn = (path: string, lines: string[], more: Versions = {}) =>
  findingsIn({ ...more, [path]: [null, `${lines.join('\n')}\n`] }, { story })
    .filter(({ rule }) => rule === 'test-weak')
    .map(({ line }) => line)
const path = 'tests/test_a.py'

test('a context manager of the tests that passes with and without an error', () => {
  const manager = (end: string[]) => [
    '@contextmanager',
    'def refuses(error):',
    '    try:',
    '        yield',
    '    except error:',
    ...end,
  ]
  assert.deepEqual(weakIn('tests/helpers.py', manager(['        pass'])), [4])
  const strict = ['        pass', '    else:', '        raise AssertionError("no error")']
  assert.deepEqual(weakIn('tests/helpers.py', manager(strict)), [])
})

test('assertions in a function that nothing calls', () => {
  const inner = (end: string) => [
    'def test_a():',
    '    def verify():',
    '        assert f() == 1',
    '',
    `    ${end}`,
    '    assert g() == 2',
  ]
  assert.deepEqual(weakIn(path, inner('assert callable(verify)')), [2])
  assert.deepEqual(weakIn(path, inner('verify()')), [])
  assert.deepEqual(weakIn(path, inner('pool.submit(verify).result()')), [])
  const method = [
    'def test_a():',
    '    class Own(Option):',
    '        def process(self, value):',
    '            assert value == 1',
    '',
    '    assert run(Own()) == 2',
  ]
  assert.deepEqual(weakIn(path, method), [])
})

test('cases that the tested code brings along', () => {
  const source: Versions = { 'src/money.py': ['', 'EXAMPLES = [(1000, 3)]\nMOST = 100\n'] }
  const cases = [
    'from money import EXAMPLES, split',
    '',
    '@pytest.mark.parametrize("a, b", EXAMPLES)',
    'def test_a(a, b):',
    '    assert split(a) == b',
  ]
  assert.deepEqual(weakIn(path, cases, source), [3])
  const limit = ['from money import MOST, split', '', 'def test_a():', '    assert split(MOST + 1) == []']
  assert.deepEqual(weakIn(path, limit, source), [])
})

test('anything, or no numbers, where the story says what it is', () => {
  assert.deepEqual(weakIn(path, ['def test_a():', '    assert f() == {"name": "cash", "in": ANY}']), [2])
  assert.deepEqual(weakIn(path, ['def test_a():', '    assert f() == {"name": "cash", "created": ANY}']), [])
  const shape = (pattern: string) => [
    'def shape(text):',
    `    return re.sub(r"${pattern}", "#", text)`,
    '',
    'def test_a():',
    '    assert shape(f()) == shape("2 accounts, 95.50 EUR")',
  ]
  assert.deepEqual(weakIn(path, shape('[\\d.]+')), [5])
  assert.deepEqual(weakIn(path, shape('\\s+')), [])
})

test('more tests are counted over all files of Python', () => {
  const two = 'def test_a():\n    pass\n\n\ndef test_b():\n    pass\n'
  const change = (name: string, before: string, after: string) => ({ path: name, kind: 'modified' as const, before, after })
  assert.equal(moreTests([change('tests/test_a.py', '', two), change('test/b.test.js', '', "test('b', () => {})\n")]), 3)
  assert.equal(moreTests([change('tests/test_a.py', two, ''), change('tests/test_b.py', '', two)]), 0)
})

test('of JavaScript and Rust at least one more test must run if there are more, and none if they only moved', () => {
  const change = (path: string, before: string, after: string) => ({ path, kind: 'modified' as const, before, after })
  const script = "test('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n"
  const rust = '#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n'
  assert.equal(moreTests([change('test/a.test.js', '', script + script.replace('adds', 'adds more'))]), 1)
  assert.equal(moreTests([change('src/a_tests.rs', '', rust)]), 1)
  assert.equal(moreTests([change('test/a.test.js', script, ''), change('test/b.test.js', '', script)]), 0)
  assert.equal(moreTests([change('e2e/a.spec.ts', '', script)]), 0)
})

test('a test that passes only if one of its assertions fails', () => {
  const python = (body: string) =>
    weakIn(path, ['def test_a():', '    with pytest.raises(Exception):', `        ${body}`, '    assert total() == 3'])
  assert.deepEqual(python('assert total() == 3'), [2])
  assert.deepEqual(python('total(-1)'), [])
  const inScript = (body: string) => weakIn('test/a.test.js', ["test('a', () => {", `  ${body}`, '})'])
  assert.deepEqual(inScript('assert.throws(() => assert.equal(total(), 3))'), [2])
  assert.deepEqual(inScript('assert.throws(() => assertPrice(3), /no price/)'), [])
})
