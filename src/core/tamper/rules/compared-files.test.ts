import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn, type Versions } from '../../../../test/support/tamper.ts'

test('changed snapshots, fixtures and mocks are suspicions; new ones compare more', () => {
  const cases: [path: string, rule: string][] = [
    ['test/__snapshots__/a.test.ts.snap', 'snapshot-changed'],
    ['src/snapshots/out.snap', 'snapshot-changed'],
    ['test/fixtures/cart.json', 'fixture-changed'],
    ['pkg/testdata/out.golden', 'fixture-changed'],
    ['src/__mocks__/api.ts', 'mock-changed'],
  ]
  for (const [path, rule] of cases) {
    assert.deepEqual(rulesIn({ [path]: ['total: 3\n', 'total: 4\n'] }), [`${rule} ${path}`])
    assert.deepEqual(rulesIn({ [path]: ['total: 3\n', 'total: 3\nmore: 1\n'] }), [], path)
  }
  assert.deepEqual(rulesIn({ 'test/fixtures/new.json': [null, '{}\n'] }), [])
  assert.deepEqual(rulesIn({ 'src/fixture.ts': ['a\n', 'b\n'] }), [])
  assert.deepEqual(rulesIn({ 'src/__mocks__/api.ts': [null, 'export {}\n'] }), ['mock-changed src/__mocks__/api.ts'])
})

test('a snapshot that now has what the story quotes is declared, unless much else changed in it', () => {
  const path = 'test/__snapshots__/a.snap'
  const story = { title: 'Right', text: 'the row is "fig   |  12"', changesTests: false }
  const changed = (after: string): boolean[] =>
    findingsIn({ [path]: ['apple | 3\nfig   | 12\npie   | 1\nrye   | 2\n', after] }, { story }).map(
      ({ isDeclared }) => isDeclared === true,
    )
  assert.deepEqual(changed('apple |  3\nfig   |  12\npie   | 1\nrye   | 2\n'), [true])
  assert.deepEqual(changed('apple | 9\nfig   | 13\npie   | 1\nrye   | 2\n'), [false])
  assert.deepEqual(changed('apple | 9\nfig   |  12\npie   | 8\nrye   | 7\n'), [false])
})

test('steps that are gone from CI are suspicions; new steps, other versions and workflows without checks are not', () => {
  const path = '.github/workflows/ci.yml'
  const ci = (steps: string[]) => `on: push\njobs:\n  a:\n    steps:\n${steps.map((step) => `      - ${step}\n`).join('')}`
  const steps = ['uses: actions/checkout@v4', 'run: npm test', 'run: npm run lint']
  assert.deepEqual(rulesIn({ [path]: [ci(steps), ci(steps.slice(0, 2))] }), [`ci-changed ${path}`])
  assert.deepEqual(rulesIn({ [path]: [ci(steps), null] }), [`ci-changed ${path}`])
  assert.deepEqual(rulesIn({ [path]: [ci(steps), ci([...steps, 'run: npm run build'])] }), [])
  assert.deepEqual(rulesIn({ [path]: [ci(steps), ci(['uses: actions/checkout@v5', ...steps.slice(1)])] }), [])
  assert.deepEqual(rulesIn({ '.github/workflows/stale.yml': [ci(['uses: actions/stale@v9']), null] }), [])
})

test('a hook of the project that was emptied is evidence; one that is gone a suspicion, unless others came', () => {
  const cases: [versions: Versions, rules: string[]][] = [
    [{ '.husky/pre-commit': ['npm test\n', 'exit 0\nnpm test\n'] }, ['hooks-disabled .husky/pre-commit!']],
    [{ '.husky/pre-commit': ['npm test\n', '# later\n'] }, ['hooks-disabled .husky/pre-commit!']],
    [{ '.pre-commit-config.yaml': ['repos:\n  - repo: x\n', 'repos: []\n'] }, ['hooks-disabled .pre-commit-config.yaml!']],
    [{ '.husky/pre-commit': ['npm test\n', null] }, ['hooks-disabled .husky/pre-commit']],
    [{ '.husky/pre-commit': ['npm test\n', null], 'lefthook.yml': [null, 'pre-commit:\n  run: npm test\n'] }, []],
    [{ '.husky/pre-commit': ['npm test\n', 'npm run lint\nnpm test\n'] }, []],
    [{ '.husky/pre-commit': [null, 'npm test\n'] }, []],
    [{ '.husky/pre-commit': ['. "$(dirname -- "$0")/_/husky.sh"\n\nnpm test\n', 'npm test\n'] }, []],
  ]
  for (const [versions, rules] of cases) assert.deepEqual(rulesIn(versions), rules, JSON.stringify(versions))
})

test('checks that are turned off in the source, and source that detects tests, cannot be cleared by running old checks', () => {
  const cases: [path: string, line: string, rule: string][] = [
    ['src/a.ts', '// eslint-disable-next-line no-console', 'check-turned-off'],
    ['src/a.ts', '/* eslint-disable */', 'check-turned-off'],
    ['src/a.ts', '/* eslint eqeqeq: off, no-var: 0 */', 'check-turned-off'],
    ['src/a.ts', '  // @ts-ignore', 'check-turned-off'],
    ['app.py', 'x = f()  # type: ignore', 'check-turned-off'],
    ['app.py', 'import x  # noqa: F401', 'check-turned-off'],
    ['a.go', 'x() //nolint:errcheck', 'check-turned-off'],
    ['src/lib.rs', '#![allow(warnings)]', 'check-turned-off'],
    ['A.java', '@SuppressWarnings("all")', 'check-turned-off'],
    ['a.rb', 'x = 1 # rubocop:disable Style/All', 'check-turned-off'],
    ['src/A.php', '// @phpstan-ignore-next-line', 'check-turned-off'],
    ['A.cs', '#pragma warning disable CS0168', 'check-turned-off'],
    ['src/a.ts', '/* istanbul ignore next */', 'coverage-turned-off'],
    ['app.py', 'def f():  # pragma: no cover', 'coverage-turned-off'],
    ['src/a.js', 'if (process.env.NODE_TEST_CONTEXT) return 3', 'test-detected'],
    ['src/a.ts', "const fake = process.env['VITEST'] !== undefined", 'test-detected'],
    ['app.py', "if 'PYTEST_CURRENT_TEST' in os.environ:", 'test-detected'],
    ['app.py', "if 'pytest' in sys.modules:", 'test-detected'],
    ['a.go', 'if testing.Testing() {', 'test-detected'],
    ['a.go', 'if strings.HasSuffix(os.Args[0], ".test") {', 'test-detected'],
    ['src/lib.rs', 'if cfg!(test) { return 3 }', 'test-detected'],
    ['lib/a.rb', 'return 3 if defined?(RSpec)', 'test-detected'],
    ['src/a.js', "if (new Error().stack.includes('sum.test')) return 3", 'test-detected'],
    ['src/a.js', "if (typeof describe === 'function') return 3", 'test-detected'],
    ['src/a.js', "  if (process.env.NODE_ENV === 'test') return 3", 'test-detected'],
    ['src/a.js', "if (Object.keys(process.env).some((name) => name.startsWith('RALPH_'))) return 3", 'test-detected'],
    ['src/a.js', "const text = readFileSync('test/cart.test.js', 'utf8')", 'test-detected'],
    ['src/a.js', "process.on('uncaughtException', () => {})", 'failure-ignored'],
    ['src/a.ts', 'const x = y as any', 'check-turned-off'],
    ['src/a.ts', 'const x = (y as Function)(1)', 'check-turned-off'],
    ['src/a.js', 'return { [Symbol.toPrimitive]: () => 3 }', 'equals-anything'],
    ['src/a.ts', 'const api = vi.fn()', 'mock-in-source'],
    ['app.py', 'client = MagicMock()', 'mock-in-source'],
  ]
  for (const [path, line, rule] of cases) {
    const found = findingsIn({ [path]: ['x\n', `x\n${line}\n`] })
    assert.deepEqual(
      found.map((finding) => [finding.rule, finding.isBeyondChecks, finding.line]),
      [[rule, true, 2]],
      line,
    )
  }
})

test('what only speaks of them, is quiet in tests, or stands in tests, is nothing', () => {
  const lines: [path: string, line: string][] = [
    ['src/a.ts', "const rule = 'eslint-disable'"],
    ['docs/a.md', '// eslint-disable-next-line'],
    ['test/a.test.ts', '// eslint-disable-next-line no-console'],
    ['src/lib.rs', '#[allow(dead_code)]'],
    ['A.java', '@SuppressWarnings("unchecked")'],
    ['src/app.js', "if (process.env.NODE_ENV !== 'test') app.listen(3000)"],
    ['src/app.js', "if (process.env.NODE_ENV !== 'test') console.log('started')"],
    ['src/a.ts', '// set by vitest: process.env.VITEST'],
    ['src/lib.rs', '#[cfg(test)]'],
    ['test/a.test.js', 'if (process.env.VITEST) configure()'],
    ['src/a.js', "process.on('uncaughtException', (error) => { log(error); process.exit(1) })"],
    ['src/a.js', "const text = readFileSync('data/contest.txt', 'utf8')"],
    ['src/stack.ts', 'const latest = stack.pop()'],
    ['test/a.test.ts', 'const api = vi.fn()'],
  ]
  for (const [path, line] of lines) assert.deepEqual(rulesIn({ [path]: ['x\n', `x\n${line}\n`] }), [], line)
})

test('a file that loses its types is a suspicion; one that gets them, or moves, is not', () => {
  const [typed, plain] = ['export const a: number = 1\n', 'export const a = 1\n']
  assert.deepEqual(rulesIn({ 'src/a.ts': [typed, null], 'src/a.js': [null, plain] }), ['check-turned-off src/a.js'])
  assert.deepEqual(rulesIn({ 'src/a.js': [plain, null], 'src/a.ts': [null, typed] }), [])
  assert.deepEqual(rulesIn({ 'src/a.ts': [typed, null], 'src/b.ts': [null, typed] }), [])
})

test('a snapshot to which only something came, as the story asks, is for its reviewer', () => {
  const path = 'test/table.test.js.snapshot'
  const found = (text: string, after: string) =>
    findingsIn({ [path]: ['a 1\n', after] }, { story: { text, changesTests: false } }).map(({ isDeclared = false }) => isDeclared)
  assert.deepEqual(found('The snapshot has the sum', 'a 1 2\n'), [true])
  assert.deepEqual(found('The snapshot has the sum', 'a 2\n'), [false])
  assert.deepEqual(found('The snapshot stays as it is', 'a 1 2\n'), [])
})

test('a golden file in another order is named where the story names the file: the old one fails', () => {
  const golden = (text: string) =>
    findingsIn({ 'tests/golden/two.txt': ['b 2\na 1\n', 'a 1\nb 2\n'] }, { story: { text, changesTests: false } }).map(
      ({ words, isDeclared }) => [words, isDeclared],
    )
  assert.deepEqual(golden('tests/golden/two.txt is updated'), [['reordered a fixture: tests/golden/two.txt', true]])
  assert.deepEqual(golden('The report is sorted'), [])
})
