import assert from 'node:assert/strict'
import test from 'node:test'
import { type TestBlock, testBlocks } from '../../core/tamper/changed-tests/test-blocks.ts'
import { testsIn } from '../../core/tamper/code/languages.ts'
import { sourceLines, syntaxOf } from '../../core/tamper/code/source-lines.ts'
import { withEmptied, withoutTests, withSkipped } from './weakened.ts'

function named(path: string, text: string, name: string): TestBlock[] {
  const { language } = testsIn(path) ?? {}
  assert.ok(language)
  return testBlocks({ path, lines: sourceLines(text, syntaxOf(path)), language }).filter((block) => block.name === name)
}

const script = `import test from 'node:test'

test('adds', () => {
  equal(add(1, 2), 3)
})

test('shouts', () => equal(shout('a'), 'A'))
`
const python = `from prices import total


def test_adds():
    assert total([1, 2]) == 3


def test_none():
    assert total([]) == 0
`
const go = `func TestAdds(t *testing.T) {
	if add(1, 2) != 3 {
		t.Fatal("no")
	}
}
`
const rust = `    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
`

test('a test is removed with its lines, and the others stay', () => {
  assert.equal(
    withoutTests(script, named('a.test.js', script, 'adds')),
    "import test from 'node:test'\n\n\ntest('shouts', () => equal(shout('a'), 'A'))\n",
  )
})

test('a test is skipped in the words of its language', () => {
  const skipped = (path: string, text: string, name: string) => withSkipped(path, text, named(path, text, name))
  assert.match(skipped('a.test.js', script, 'adds') ?? '', /^test\.skip\('adds', \(\) => \{$/m)
  assert.equal(
    skipped('tests/test_a.py', python, 'test_adds'),
    `import pytest\n${python.replace('def test_adds', "@pytest.mark.skip(reason='later')\ndef test_adds")}`,
  )
  assert.match(skipped('a_test.go', go, 'TestAdds') ?? '', /testing\.T\) \{\n\tt\.Skip\("later"\)\n/)
  assert.match(skipped('src/lib.rs', rust, 'adds') ?? '', /^ {4}#\[ignore\]\n {4}#\[test\]\n/)
  assert.equal(skipped('a_test.dart', "test('adds', () {\n  expect(add(1, 2), 3);\n});\n", 'adds'), null)
})

test('a test is emptied, on many lines and on one', () => {
  const emptied = (path: string, text: string, name: string) => withEmptied(path, text, named(path, text, name))
  assert.match(emptied('a.test.js', script, 'adds') ?? '', /^test\('adds', \(\) => \{\n\}\)$/m)
  assert.match(emptied('a.test.js', script, 'shouts') ?? '', /^test\('shouts', \(\) => \{\}\)$/m)
  assert.equal(emptied('tests/test_a.py', python, 'test_none'), python.replace('    assert total([]) == 0', '    pass'))
})

test('several tests of a file are weakened at once', () => {
  const both = [...named('a.test.js', script, 'adds'), ...named('a.test.js', script, 'shouts')]
  assert.equal(withSkipped('a.test.js', script, both)?.match(/test\.skip\(/g)?.length, 2)
  assert.equal(withoutTests(script, both).includes('equal'), false)
})
