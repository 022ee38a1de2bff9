import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wordsOf } from '../proof/finding.ts'
import type { FileChange } from './code/change.ts'
import type { GateFile } from './gate-files.ts'
import { addedTests, type Looked, weakenedChecks } from './weakened-checks.ts'

type Lines = { added?: string[]; removed?: string[]; kept?: string[] }
const change = (kind: FileChange['kind'], path: string, { added = [], removed = [], kept = [] }: Lines = {}): FileChange => {
  const textOf = (lines: string[]) => lines.map((line) => `${line}\n`).join('')
  return { path, kind, before: textOf([...removed, ...kept]), after: textOf([...added, ...kept]) }
}
const modified = (path: string, lines: Lines) => change('modified', path, lines)
const deleted = (path: string, ...removed: string[]) => change('deleted', path, { removed })
const looked: Looked = {
  changes: [],
  commands: [],
  gateFiles: [],
  hasHooks: () => true,
  unchangedTests: () => [],
  story: null,
}
const foundIn = (changes: FileChange[], gateFiles: GateFile[]): string[] =>
  wordsOf(weakenedChecks({ ...looked, changes, gateFiles }))
const found = (...changes: FileChange[]) => foundIn(changes, [])

test('R-GATE-7: a deleted test file is noticed, in any language', () => {
  const paths = [
    'test/a.test.ts',
    'src/__tests__/a.jsx',
    'a_spec.mjs',
    'tests/test_a.py',
    'pkg/a_test.go',
    'tests/a.rs',
    'src/test/java/com/ATest.java',
    'spec/a_spec.rb',
    'A.Tests/ATests.cs',
    'tests/ATest.php',
    'test/a_test.exs',
    'a_test.cc',
    'test/a.bats',
  ]
  assert.deepEqual(
    found(...paths.map((path) => deleted(path, 'x'))),
    paths.map((path) => `deleted the test file ${path}`),
  )
})

test('what is deleted beside the tests is nothing', () => {
  const paths = ['src/a.ts', 'test/support/project.ts', 'docs/test.md', 'conftest.py', 'src/lib.rs']
  assert.deepEqual(found(...paths.map((path) => deleted(path, 'const x = 1'))), [])
  assert.deepEqual(found(deleted('test/a.js', "test('adds', () => {})")), ['deleted the test file test/a.js'])
})

test('a test file that moved, or went with the code it was about, is not lost', () => {
  const lines = ["test('one', () => {", '  assert.equal(add(1, 1), 2)', '})']
  assert.deepEqual(found(deleted('test/a.test.ts', ...lines), change('added', 'test/b.test.ts', { added: lines })), [])
  assert.deepEqual(found(deleted('test/a.test.ts', ...lines), modified('test/b.test.ts', { added: ['// nothing'] })), [
    'deleted the test file test/a.test.ts',
  ])
  assert.deepEqual(found(deleted('test/cart.test.ts', ...lines), deleted('src/cart.ts', 'export {}')), [])
  assert.deepEqual(found(deleted('tests/test_cart.py', 'def test_a():'), deleted('shop/cart.py', 'x = 1')), [])
  assert.deepEqual(found(deleted('test/a.test.ts', ...lines), change('added', 'test/a.test.ts.off', { added: lines })), [
    'renamed the test file test/a.test.ts to test/a.test.ts.off, which is not a test file name',
  ])
})

test('R-GATE-7: a newly skipped test is noticed, in any language', () => {
  const cases: [path: string, line: string, mark: string][] = [
    ['a.test.ts', "it.skip('adds', () => {", 'it.skip'],
    ['a.test.ts', "  describe.concurrent.skip('sums', () => {", 'describe.concurrent.skip'],
    ['a.test.ts', "xit('adds', () => {", 'xit'],
    ['a.test.ts', "test('adds', { skip: true }, () => {", 'skip: true'],
    ['a.test.ts', '  t.skip()', 't.skip'],
    ['test_a.py', '@pytest.mark.skip(reason="later")', 'pytest.mark.skip'],
    ['test_a.py', '    @unittest.skip("later")', '@unittest.skip'],
    ['test_a.py', '    pytest.skip("later")', 'pytest.skip'],
    ['a_test.go', '\tt.Skip("later")', 't.Skip'],
    ['a_test.go', '//go:build ignore', '//go:build ignore'],
    ['src/a.rs', '    #[ignore = "later"]', '#[ignore'],
    ['ATest.java', '    @Disabled("later")', '@Disabled'],
    ['ATest.kt', '    @Ignore', '@Ignore'],
    ['ATests.cs', '    [Ignore("later")]', '[Ignore'],
    ['ATests.cs', '    [Fact(Skip = "later")]', 'Skip ='],
    ['a_spec.rb', "  xit 'adds' do", 'xit'],
    ['a_spec.rb', "    skip 'later'", 'skip'],
    ['ATest.php', '        $this->markTestSkipped();', '$this->markTestSkipped'],
    ['ATests.swift', '        throw XCTSkip("later")', 'throw XCTSkip'],
    ['a_test.exs', '  @tag :skip', '@tag :skip'],
    ['a_test.cc', 'TEST(Sum, DISABLED_Adds) {', 'DISABLED_Adds'],
  ]
  for (const [path, line, mark] of cases) {
    assert.deepEqual(found(modified(path, { added: [line] })), [`1 test newly skipped in ${path} (${mark}, line 1)`], line)
  }
})

test('skip marks are counted by file: those that were there, or came from another file, are not new', () => {
  const added = ["it.skip('a', f)", "it.skip('b', f)", "it.skip('c', f)", "it.skip('d', f)", "it.skip('e', f)"]
  assert.deepEqual(found(modified('a.test.ts', { added, removed: ["it.skip('old', f)"] })), [
    '4 tests newly skipped in a.test.ts (it.skip, line 1; it.skip, line 2; it.skip, line 3; …)',
  ])
  assert.deepEqual(found(modified('a.test.ts', { added: ["it.skip('a b', f)"], removed: ["it.skip('a', f)"] })), [])
  assert.deepEqual(
    found(modified('b.test.ts', { added: ["it.skip('a', f)"] }), modified('a.test.ts', { removed: ["it.skip('a', f)"] })),
    [],
  )
})

test('words in strings and comments, conditions and other things called skip are no skipped tests', () => {
  const lines: [path: string, ...lines: string[]][] = [
    ['a.test.ts', '// it.skip is what we never do'],
    ['a.test.ts', '/**', " * it.skip('a')", ' */'],
    ['a.test.ts', "assert.equal(text, 'it.skip(1)')"],
    ['a.test.ts', "const story = { id: 'S-1', skip: true }"],
    ['a.test.ts', "  if (process.platform === 'win32') {", "    t.skip('not here')"],
    ['a.test.ts', "it.skipIf(isWindows)('adds', f)"],
    ['a.spec.ts', "  test.skip(browserName === 'firefox', 'not there')", "  test.skip(({ isMobile }) => isMobile, 'no')"],
    ['src/queue.ts', 'queue.skip()', "it.skip('in no test file')"],
    ['test_a.py', '# pytest.mark.skip', '@pytest.mark.skipif(sys.platform == "win32", reason="x")'],
    ['a_test.go', '\tif testing.Short() {', '\t\tt.Skip("slow")'],
    ['test/a.php', '$page = $list->skip(5);'],
    ['README.md', 'it.skip'],
  ]
  for (const [path, ...added] of lines) assert.deepEqual(found(modified(path, { added })), [], added.join('\n'))
})

test('a test that hides the others of its file is noticed', () => {
  assert.deepEqual(found(modified('a.test.ts', { added: ["it.only('adds', f)"] })), [
    'disabled the other tests of a.test.ts (it.only, line 1)',
  ])
  assert.deepEqual(found(modified('a_spec.rb', { added: ["  fit 'adds' do"] })), [
    'disabled the other tests of a_spec.rb (fit, line 1)',
  ])
  assert.deepEqual(found(modified('a.test.ts', { added: ['const only = list.only', "say('it.only')"] })), [])
})

test('R-GATE-7: tests that are gone from a file are noticed, whatever else the change brings', () => {
  const removed = ["test('adds', () => {", '  assert.equal(add(1, 1), 2)', '})', "test('subtracts', () => {", '})']
  const elsewhere = change('added', 'b.test.ts', { added: ["test('something new', () => {", '})'] })
  assert.deepEqual(found(modified('a.test.ts', { removed }), elsewhere), [
    '2 tests fewer in a.test.ts (gone: "adds", "subtracts")',
  ])
  const commentedOut = removed.map((line) => `// ${line}`)
  assert.deepEqual(found(modified('a.test.ts', { removed, added: commentedOut })), [
    '2 tests fewer in a.test.ts (gone: "adds", "subtracts")',
  ])
  assert.deepEqual(found(modified('a.test.ts', { removed: ["it('a', f)"], added: ["it.todo('a')"] })), [
    '1 test fewer in a.test.ts (gone: "a")',
  ])
  assert.deepEqual(found(modified('ATest.java', { removed: ['  @Test', '  void adds() {', '  }'] })), [
    '1 test fewer in ATest.java (gone: "adds")',
  ])
})

test('tests that moved, were renamed, or were folded into a table are not gone, and assertions may change', () => {
  const removed = ["test('adds', () => {", "test('subtracts', () => {"]
  assert.deepEqual(found(modified('a.test.ts', { removed }), change('added', 'b.test.ts', { added: removed })), [])
  assert.deepEqual(found(modified('a.test.ts', { removed, added: ["test('sums', () => {", "test('rests', () => {"] })), [])
  assert.deepEqual(found(modified('a.test.ts', { removed, added: ["test.each(cases)('%s', () => {"] })), [])
  assert.deepEqual(
    found(
      modified('ATest.java', { removed: ['@Test', 'void a() {'] }),
      modified('BTest.java', { added: ['@Test', 'void a() {'] }),
    ),
    [],
  )
})

test('R-GATE-7: tests that the settings of the runner leave out are noticed', () => {
  assert.deepEqual(found(modified('jest.config.js', { added: ["  testPathIgnorePatterns: ['/node_modules/', 'cart'],"] })), [
    'excluded tests in jest.config.js (testPathIgnorePatterns, line 1)',
  ])
  assert.deepEqual(found(modified('pyproject.toml', { added: ['addopts = "--ignore=tests/test_cart.py"'] })), [
    'excluded tests in pyproject.toml (--ignore, line 1)',
  ])
  const harmless = ["  testPathIgnorePatterns: ['/node_modules/', '/dist/'],", "  exclude: ['src/generated'],", '// --deselect x']
  assert.deepEqual(found(modified('vitest.config.ts', { added: harmless })), [])
  assert.deepEqual(found(change('added', 'jest.config.js', { added: ["testPathIgnorePatterns: ['e2e']"] })), [])
})

test('T17: a commit past the hooks is told once', () => {
  const commands = [
    'git commit --no-verify -m x',
    'git commit -m y --no-verify',
    'git config core.hooksPath /dev/null',
    'git push',
  ]
  assert.deepEqual(weakenedChecks({ ...looked, commands }), [
    { rule: 'hooks-bypassed', words: 'bypassed the hooks in a commit (git commit --no-verify)', isCertain: true },
    { rule: 'hooks-disabled', words: 'disabled the hooks (git config core.hooksPath /dev/null)', isCertain: true },
  ])
})

test('whatever comes and goes the other way round, what was added is never called lost', () => {
  const line = fc.constantFrom("test('a', f)", "test('b', f)", "it.skip('c', f)", '  assert.ok(1)', '', "describe('d', () => {")
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const marks = lines.filter((text) => text.startsWith('it.skip')).length
      assert.deepEqual(found(modified('a.test.ts', { removed: lines, added: lines })), [])
      assert.equal(found(modified('a.test.ts', { added: lines })).length, marks > 0 ? 1 : 0)
    }),
  )
})

test('tests that were added are told by their names; a new file in which none can be read, by its own', () => {
  const changes = [
    modified('src/a.test.ts', { added: ["test('counts', () => {})", '  assert.ok(1)'], removed: ["test('waits', () => {})"] }),
    modified('src/moved.test.ts', { added: ["  it('stays', () => {})"], removed: ["it('stays', () => {})"] }),
    modified('tests/test_x.py', { added: ['def test_page_zero_returns_error(client):'] }),
    modified('x_test.go', { added: ['func TestPages(t *testing.T) {'] }),
    modified('src/lib.rs', { added: ['#[test]', 'fn adds_up() {'] }),
    change('added', 'spec/odd_spec.rb', { added: ['# nothing yet'] }),
    modified('src/other.test.ts', { added: ["test('of another iteration', () => {})"] }),
    deleted('src/gone.test.ts', "test('gone', () => {})"),
  ]
  const touched = changes.map(({ path }) => path).filter((path) => path !== 'src/other.test.ts')
  assert.deepEqual(addedTests(changes, touched), [
    'counts',
    'test_page_zero_returns_error',
    'TestPages',
    'adds_up',
    'spec/odd_spec.rb',
  ])
})
