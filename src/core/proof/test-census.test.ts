import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Census } from '../types.ts'
import { censusReader } from './test-census.ts'

function countOf(output: string, passed = true): Census | null {
  const reader = censusReader()
  for (const line of output.split('\n')) reader.line(line)
  return reader.counted(passed)
}
const count = (passed: number, failed: number, skipped: number): Census => ({ passed, failed, skipped })

const outputs: [runner: string, output: string, expected: Census | null][] = [
  [
    'node:test',
    'ℹ tests 14\nℹ suites 0\nℹ pass 10\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 1\nℹ duration_ms 3.2',
    count(10, 2, 2),
  ],
  [
    'node:test as TAP',
    'TAP version 13\nok 1 - a\nok 2 - b # SKIP\n1..2\n# tests 2\n# pass 1\n# fail 0\n# skipped 1',
    count(1, 0, 1),
  ],
  ['TAP', 'TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 # skip no network\nok 4 - todo later # TODO\n1..4', count(1, 1, 2)],
  [
    'a runner of its own that says nothing of what passed',
    'ok 1 - a\nnot ok 2 - b\nok 3 - c\n1..3\n# tests 3\n# fail 1',
    count(2, 1, 0),
  ],
  ['a runner of its own that names no test', '# tests 5\n# fail 1', count(4, 1, 0)],
  [
    'vitest',
    ' Test Files  1 failed | 2 passed (3)\n      Tests  3 failed | 12 passed | 1 skipped | 2 todo (18)\n   Duration  1.2s',
    count(12, 3, 3),
  ],
  [
    'vitest in colour',
    '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m4 passed\u001b[39m\u001b[22m\u001b[90m (4)\u001b[39m',
    count(4, 0, 0),
  ],
  [
    'jest',
    'Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 3 todo, 12 passed, 18 total\nSnapshots:   0 total',
    count(12, 1, 5),
  ],
  ['mocha', '\n  12 passing (34ms)\n  1 pending\n  2 failing\n', count(12, 2, 1)],
  ['bun', ' 12 pass\n 1 fail\n 2 skip\n 30 expect() calls\nRan 15 tests across 3 files. [34.00ms]', count(12, 1, 2)],
  ['pytest', '=== 3 failed, 12 passed, 1 skipped, 2 xfailed, 4 deselected, 1 error in 0.12s ===', count(12, 4, 7)],
  ['pytest -q', '............\n12 passed in 0.10s', count(12, 0, 0)],
  ['pytest without tests', '=========== no tests ran in 0.01s ===========', count(0, 0, 0)],
  ['pytest with warnings, over a minute', '== 2 passed, 1 warning in 61.20s (0:01:01) ==', count(2, 0, 0)],
  ['unittest', '......\n----\nRan 12 tests in 0.003s\n\nOK (skipped=1)', count(11, 0, 1)],
  ['unittest that fails', 'Ran 12 tests in 0.003s\n\nFAILED (failures=1, errors=2, skipped=1)', count(8, 3, 1)],
  [
    'go',
    'ok  \texample.com/a\t0.012s\nok  \texample.com/b\t(cached)\n?   \texample.com/c\t[no test files]\nFAIL\texample.com/d\t0.01s\nFAIL',
    count(2, 1, 0),
  ],
  [
    'go -v',
    '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.00s)\nok  \texample.com/a\t0.012s',
    count(1, 1, 1),
  ],
  ['go without tests to run', 'ok  \texample.com/a\t0.012s [no tests to run]', count(0, 0, 0)],
  [
    'cargo',
    'test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.00s\ntest result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out',
    count(13, 2, 1),
  ],
  ['cargo nextest', '     Summary [   0.050s] 12 tests run: 11 passed, 1 failed, 2 skipped', count(11, 1, 2)],
  [
    'Maven',
    '[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in ATest\n[ERROR] Tests run: 12, Failures: 1, Errors: 1, Skipped: 2',
    count(8, 2, 2),
  ],
  [
    'JUnit console',
    '[        12 tests successful      ]\n[         1 tests failed          ]\n[         2 tests skipped         ]',
    count(12, 1, 2),
  ],
  ['Gradle', '12 tests completed, 1 failed, 2 skipped', count(9, 1, 2)],
  ['RSpec', '12 examples, 1 failure, 2 pending', count(9, 1, 2)],
  ['minitest', '12 runs, 30 assertions, 1 failures, 1 errors, 2 skips', count(8, 2, 2)],
  ['Mix', '2 doctests, 12 tests, 1 failure, 2 skipped', count(9, 1, 2)],
  ['PHPUnit', 'OK (12 tests, 30 assertions)', count(12, 0, 0)],
  ['PHPUnit that fails', 'Tests: 12, Assertions: 30, Failures: 1, Errors: 1, Skipped: 2.', count(8, 2, 2)],
  ['Pest', '  Tests:    1 failed, 12 passed (30 assertions)', count(12, 1, 0)],
  [
    'dotnet',
    'Failed!  - Failed:     1, Passed:    12, Skipped:     2, Total:    15, Duration: 34 ms - a.dll (net9.0)',
    count(12, 1, 2),
  ],
  ['dotnet 9', 'Test summary: total: 15, failed: 1, succeeded: 12, skipped: 2, duration: 1.2s', count(12, 1, 2)],
  ['deno', 'FAILED | 11 passed (4 steps) | 1 failed | 2 ignored (34ms)', count(11, 1, 2)],
  ['ctest', '92% tests passed, 1 tests failed out of 12', count(11, 1, 0)],
  ['Swift', '\t Executed 12 tests, with 2 tests skipped and 1 failure (0 unexpected) in 0.1 (0.2) seconds', count(9, 1, 2)],
  ['sbt', '[info] Tests: succeeded 12, failed 1, canceled 0, ignored 2, pending 0', count(12, 1, 2)],
  ['unittest with a known bug', 'Ran 3 tests in 0.003s\n\nOK (skipped=1, expected failures=1)', count(1, 0, 2)],
  ['unittest with a bug that is gone', 'Ran 3 tests in 0.003s\n\nFAILED (unexpected successes=1)', count(2, 1, 0)],
  ['pytest -qq', '....s.x.                        [100%]', count(6, 0, 2)],
  ['tape', 'TAP version 13\nok 1 a\n1..3\n# tests 3\n# pass  3\n\n# ok', count(3, 0, 0)],
  ['ava', '  ✔ adds\n  ─\n\n  12 tests passed\n  1 test skipped', count(12, 0, 1)],
  ['jasmine', '12 specs, 1 failure, 2 pending specs', count(9, 1, 2)],
  ['Playwright', '  2 skipped\n  12 passed (3.2s)', count(12, 0, 2)],
  ['uvu', '  Total:     13\n  Passed:    12\n  Skipped:   1\n  Duration:  3.2ms', count(12, 0, 1)],
  ['karma', 'TOTAL: 12 SUCCESS', count(12, 0, 0)],
  ['Zig', 'All 12 tests passed.', count(12, 0, 0)],
  ['Catch2', 'All tests passed (30 assertions in 12 test cases)', count(12, 0, 0)],
  ['Catch2 that fails', 'test cases:  12 |  11 passed | 1 failed', count(11, 1, 0)],
  [
    'GoogleTest',
    '[  PASSED  ] 11 tests.\n[  SKIPPED ] 1 test, listed below:\n[  FAILED  ] 2 tests, listed below:',
    count(11, 2, 1),
  ],
  ['busted', '12 successes / 1 failure / 0 errors / 2 pending : 0.01 seconds', count(12, 1, 2)],
  ['prove', 'Files=2, Tests=12,  0 wallclock secs', count(12, 0, 0)],
  ['Ginkgo', 'SUCCESS! -- 12 Passed | 0 Failed | 1 Pending | 2 Skipped', count(12, 0, 3)],
  ['Foundry', 'Suite result: ok. 12 passed; 0 failed; 1 skipped; finished in 3ms', count(12, 0, 1)],
  ['Dart', '00:01 +12 ~1: All tests passed!', count(12, 0, 1)],
  ['Cucumber', '12 scenarios (11 passed, 1 failed)', count(11, 1, 0)],
  ['Robot Framework', '12 tests, 11 passed, 1 failed', count(11, 1, 0)],
  ['doctest', '12 passed and 0 failed.', count(12, 0, 0)],
  ['a script of its own', '12 passed, 1 failed', count(12, 1, 0)],
  ['Swift Testing', '✔ Test run with 12 tests passed after 0.001 seconds.', count(12, 0, 0)],
  ['jest as JSON', '{"numFailedTests":1,"numPassedTests":12,"numPendingTests":2,"numTodoTests":1}', count(12, 1, 3)],
  ['mocha as JSON', '{\n  "stats": {\n    "tests": 4,\n    "passes": 3,\n    "pending": 1,\n    "failures": 0,', count(3, 0, 1)],
  ['RSpec as JSON', '{"summary_line":"12 examples, 1 failure"}', count(11, 1, 0)],
  [
    'go as JSON',
    '{"Action":"run","Test":"TestA"}\n{"Action":"pass","Package":"a","Test":"TestA"}\n{"Action":"skip","Package":"a","Test":"TestB"}\n{"Action":"pass","Package":"a"}',
    count(1, 0, 1),
  ],
  ['Gradle that names each', 'CartTest > takes() PASSED\nCartTest > ships() SKIPPED', count(1, 0, 1)],
  [
    'JUnit XML',
    '<testsuites>\n  <testcase name="a"/>\n  <testcase name="b">\n    <skipped/>\n  </testcase>\n</testsuites>',
    count(1, 0, 1),
  ],
  [
    'JUnit XML with failures, in one line',
    '<testsuites><testsuite tests="4"><testcase name="a"/><testcase name="b"><failure>x</failure></testcase><testcase name="c"><skipped/></testcase></testsuite></testsuites>',
    count(1, 1, 1),
  ],
  ['a log with errors as XML, and no tests', '<error code="3"/>\n<failure/>', null],
  ['TAP of mocha', '1..3\nok 1 one\nok 2 two\nok 3 three # SKIP -\n# tests 2\n# pass 2\n# fail 0\n1..3', count(2, 0, 1)],
  [
    'mocha as JSON with failures',
    '{\n  "stats": {\n    "tests": 4,\n    "passes": 2,\n    "pending": 1,\n    "failures": 1,',
    count(2, 1, 1),
  ],
  [
    'ctest with tests that are disabled or skip themselves',
    '1/4 Test #1: one ..............   Passed    0.00 sec\n2/4 Test #2: two ..............***Not Run (Disabled)   0.00 sec\n3/4 Test #3: three ............***Skipped   0.00 sec\n\n100% tests passed, 0 tests failed out of 3',
    count(2, 0, 2),
  ],
  ['a line that is drawn over', 'running 1 of 2\rrunning 2 of 2\r12 passed in 0.10s', count(12, 0, 0)],
  ['pnpm in a workspace', 'packages/a test:       Tests  3 passed (3)\npackages/b test: 12 passed in 0.10s', count(15, 0, 0)],
  ['concurrently', '[api] # pass 3\n[web] Tests:       1 skipped, 2 passed, 3 total', count(5, 0, 1)],
  ['docker compose', 'web-1  | 12 passed in 0.10s', count(12, 0, 0)],
  ['two packages of a monorepo', 'web:test: Tests  3 passed (3)\napi:test:  Tests  2 passed | 1 skipped (3)', count(5, 0, 1)],
  ['a build that tests nothing', 'compiled 12 files\n3 warnings\nDone in 1.2s.\nall ok', null],
  ['a linter', '✖ 3 problems (1 error, 2 warnings)\n12 files checked', null],
  ['nothing', '', null],
]

for (const [runner, output, expected] of outputs)
  test(`tests that ran are counted from what is printed: ${runner} [R-PROOF-4]`, () =>
    assert.deepEqual(countOf(output), expected))

test('words about tests that are no summary count nothing', () => {
  for (const line of [
    'the tests passed',
    '12 passed away',
    'Tests are fun',
    'ok',
    'FAILED',
    'I ran 12 tests in 3s',
    '12 tests, all fine',
  ])
    assert.equal(countOf(line), null, line)
})

test('a long line takes no long time', () => {
  const line = `Tests: ${'1 passed, '.repeat(50_000)}`
  assert.equal(countOf(line)?.passed, 50_000)
})

test('a gate that failed and names only its failing tests has not counted the others [R-PROOF-4]', () => {
  const go = '--- FAIL: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tshop\t0.002s\nok  \tshop/tax\t0.001s'
  for (const output of ['not ok 1 - login\n  Error: expected 401, got 200', go]) {
    assert.equal(countOf(output, false), null, output)
    assert.notEqual(countOf(output, true), null, output) // failures behind exit 0
  }
  assert.deepEqual(countOf('TAP version 13\n1..1\nnot ok 1 - a', false), count(0, 1, 0))
  assert.deepEqual(countOf('=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL', false), count(0, 1, 0))
  assert.deepEqual(countOf('Tests: 2 failed, 2 total\nnot ok 1 - a', false), count(0, 2, 0))
})
