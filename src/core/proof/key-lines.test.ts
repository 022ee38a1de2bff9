import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyLine, keyLines } from './key-lines.ts'

const outputs: Record<string, { output: string; lines: string[] }> = {
  'a tool that is missing': {
    output: '\n> shop@1.0.0 test\n> eslint . && node --test\n\nsh: 1: eslint: not found\n',
    lines: ['sh: 1: eslint: not found'],
  },
  'node:test, by the failing tests at its end': {
    output: [
      '✔ adds (1.4ms)',
      '✖ price has tax (0.5ms)',
      '✖ other (0.1ms)',
      'ℹ tests 3',
      'ℹ fail 2',
      '✖ failing tests:',
      'test at a.test.mjs:4:1',
      '✖ price has tax (0.5ms)',
      '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '  ',
      '  108 !== 110',
      '  ',
      '      at TestContext.<anonymous> (file:///shop/a.test.mjs:4:36)',
      '    generatedMessage: true,',
      '    expected: 110,',
      '  }',
      'test at a.test.mjs:5:1',
      '✖ other (0.1ms)',
      '  Error: boom',
    ].join('\n'),
    lines: [
      '✖ price has tax',
      '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      '  108 !== 110',
      '✖ other',
    ],
  },
  'pytest, whose names come after what failed': {
    output: [
      '=================== FAILURES ===================',
      '__________________ test_price __________________',
      '    def test_price():',
      '>       assert x == 4',
      'E       assert 3 == 4',
      '',
      'test_a.py:4: AssertionError',
      '=========== short test summary info ============',
      'FAILED test_a.py::test_price - assert 3 == 4',
      '========= 1 failed, 1 passed in 0.06s ==========',
    ].join('\n'),
    lines: ['FAILED test_a.py::test_price - assert 3 == 4', 'E       assert 3 == 4', 'test_a.py:4: AssertionError'],
  },
  'go, which says why in its own words': {
    output:
      '=== RUN   TestPrice\n    price_test.go:9: Price(100) = 108; it should be 110\n--- FAIL: TestPrice (0.00s)\nFAIL\nexit status 1\nFAIL\tshop\t0.002s',
    lines: ['--- FAIL: TestPrice', '    price_test.go:9: Price(100) = 108; it should be 110'],
  },
  cargo: {
    output: [
      'test tests::price ... FAILED',
      'failures:',
      '---- tests::price stdout ----',
      "thread 'tests::price' panicked at src/lib.rs:10:9:",
      'assertion `left == right` failed',
      '  left: 108',
      ' right: 110',
    ].join('\n'),
    lines: [
      'test tests::price ... FAILED',
      "thread 'tests::price' panicked at src/lib.rs:10:9:",
      'assertion `left == right` failed',
      '  left: 108',
      ' right: 110',
    ],
  },
  'a compiler, with every error': {
    output:
      "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.\nsrc/b.ts(1,1): error TS2304: Cannot find name 'x'.\nFound 2 errors.",
    lines: [
      "src/a.ts(3,5): error TS2322: Type 'string' is not assignable.",
      "src/b.ts(1,1): error TS2304: Cannot find name 'x'.",
    ],
  },
  'a program of its own, by its last words': {
    output: 'checking\none\ntwo\nthree\nfour\nprices differ from the list\n',
    lines: ['one', 'two', 'three', 'four', 'prices differ from the list'],
  },
  'many failing tests, with their number': {
    output: Array.from({ length: 9 }, (_, index) => `not ok ${index + 1} - case ${index + 1}\n  error: 'no'`).join('\n'),
    lines: ['not ok 1 - case 1', "  error: 'no'", 'not ok 2 - case 2', 'not ok 3 - case 3', '… and 6 more failing tests'],
  },
  'colours and control sequences': { output: '\u001b[31mprices differ\u001b[0m\u0007\r\n', lines: ['prices differ'] },
  'an error that the program printed before the test that failed': {
    output: 'Error: retrying\nnot ok 1 - adds\n  AssertionError: expected 3, got 4\n',
    lines: ['not ok 1 - adds', '  AssertionError: expected 3, got 4'],
  },
  'first what the commit lacks': {
    output:
      'Works only with a, b, c and 1 more, not in the commit. This passes in the work tree.\nCommit it.\nError: Cannot find a',
    lines: ['Works only with a, b, c and 1 more, not in the commit.', 'Error: Cannot find a'],
  },
  'pytest, without its advice about itself': {
    output:
      "E       AssertionError: assert ['a'] == ['b']\nE         At index 0 diff: 'a' != 'b'\nE         Use -v to get more diff\n",
    lines: ["E       AssertionError: assert ['a'] == ['b']", "E         At index 0 diff: 'a' != 'b'"],
  },
  'a program of Node that dies, whose last line is a version': {
    output: "Error: Cannot find module 'x'\n    at node:internal/modules/cjs/loader:1\n\nNode.js v24.21.0\n",
    lines: ["Error: Cannot find module 'x'"],
  },
  'no output': { output: '\n', lines: [] },
}

for (const [what, { output, lines }] of Object.entries(outputs))
  test(`what failed is said in at most five lines: ${what}`, () => assert.deepEqual(keyLines(output), lines))

test('a line of any length is cut', () => assert.equal(keyLines(`Error: ${'x'.repeat(5000)}`)[0]?.length, 160))

test('the error of a story in one line is what failed, not the first line that looks like an error', () => {
  const tap = 'Error log: /tmp/x\nsetting up\nnot ok 1 - adds\n  AssertionError: expected 3, got 4\nnot ok 2 - other\n'
  const pytest = 'E       assert 1 == 2\nFAILED t.py::test_a - AssertionError: 1 != 2\n'
  const said = [
    'node:test, by the failing tests at its end',
    'a tool that is missing',
    'a program of its own, by its last words',
    'no output',
  ]
  assert.deepEqual([tap, pytest, ...said.map((what) => outputs[what]?.output ?? '')].map(keyLine), [
    'not ok 1 - adds: AssertionError: expected 3, got 4',
    'FAILED t.py::test_a - AssertionError: 1 != 2',
    '✖ price has tax: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    'sh: 1: eslint: not found',
    'prices differ from the list',
    null,
  ])
})

test('the one line about a failure joins name and error with one colon, also where the runner wrote one', () => {
  const mocha =
    '  1 passing\n  1 failing\n\n  1) cart adds tax:\n     AssertionError [ERR_ASSERTION]: 1 == 2\n      at Context.<anonymous> (test/a.js:3:9)\n'
  assert.equal(keyLine(mocha), '1) cart adds tax: AssertionError [ERR_ASSERTION]: 1 == 2')
})
