import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { namesUnknownOption } from './errors.ts'
import { errorHash, looksLikeError } from './reading.ts'

test('A19 A20 R-SIG-5: what only looks like an error is none', () => {
  for (const line of [
    '  "is_error": false,',
    '  "error_count": 0',
    '{\n  "is_error": false,\n  "error_count": 0\n}',
    '"error": null, "errors": [], "message": "fine"',
    'error: null',
    'error: Error',
    "The type is 'error: Error' and there is class FooException.",
    'I typed it as `error: TypeError`.',
    'function report(error: Error, code: number): void {',
    'catch (error: unknown) {',
    'The class FooException is thrown by the parser.',
    'throw new TypeError("no")',
    '0 errors, 0 warnings',
    'Found no errors.',
    '12 passed, 0 failed',
    'ℹ fail 0',
    'src/error_handler.ts',
    'M  src/FooException.java',
    '✔ fails on bad input (2 ms)',
    'ok 3 - error: reports the line',
    'tests/test_login.py::test_failed PASSED',
    'test parse::error_is_shown ... ok',
    'I added error handling to the login.',
    '',
  ]) {
    assert.equal(looksLikeError(line), false, line)
  }
})

test('R-SIG-5: errors of compilers, tests, shells and runtimes are found', () => {
  for (const line of [
    'Error: boom',
    '\x1b[31merror\x1b[0m: could not compile',
    'TypeError: x is not a function',
    'src/error_handler.ts:12:5 - error TS2304: Cannot find name x.',
    'error[E0382]: borrow of moved value',
    'npm ERR! code ELIFECYCLE',
    'fatal: not a git repository',
    'Traceback (most recent call last):',
    'not ok 3 - adds',
    '✖ adds (2 ms)',
    'FAIL src/login.test.ts',
    '3 failed, 9 passed',
    'bash: foo: command not found',
    'cat: x: No such file or directory',
    'EACCES: permission denied, open x',
    "thread 'main' panicked at src/main.rs:2",
    'Failed to connect',
    '  "error": "overloaded"',
    'Process exited with code 1',
  ]) {
    assert.equal(looksLikeError(line), true, line)
  }
})

test('R-SIG-5: the hash is the same whatever differs from run to run', () => {
  const same: [string, string][] = [
    ['Error: boom at src/a.ts:12:5', '\x1b[31mError: boom\x1b[0m   at src/a.ts:99:1'],
    ['2026-01-09T10:00:00.123Z failed after 3.2s', '2027-11-30T23:59:59Z failed after 41 ms'],
    ['[10:00:01] lost', '[23:59:59.123] lost'],
    ['cannot read /tmp/ralph-a1B2/x.json', 'cannot read /tmp/ralph-zzzz/x.json'],
    ['bad pointer 0x7ffee3 in 3f2a9c1d', 'bad pointer 0x10 in 0123abcdef0123abcdef0123abcdef0123abcdef'],
    ['job 123e4567-e89b-42d3-a456-426614174000 died', 'job 00000000-0000-4000-8000-000000000001 died'],
    ['connect ECONNREFUSED 127.0.0.1:3000', 'connect ECONNREFUSED 127.0.0.1:54321'],
    ['syntax error on line 12', 'syntax error on line 120'],
    ['a.cs(12,5): error CS1002', 'a.cs(1,50): error CS1002'],
    ['ℹ fail 1\nℹ duration_ms 700.078123', 'ℹ fail 1\nℹ duration_ms 331.2'],
    ['# duration_ms 12.5', '# duration_ms 7'],
    ['  duration_ms: 7.912501', '  duration_ms: 0.82'],
  ]
  for (const [one, other] of same) assert.equal(errorHash(one), errorHash(other), one)
})

test('R-SIG-5: different errors have different hashes', () => {
  const errors = [
    'Error: boom',
    'Error: bang',
    'cannot read /tmp/a/x.json',
    'cannot read /tmp/a/y.json',
    'expected 3, got 4',
    'expected 3, got 5',
    '',
  ]
  assert.equal(new Set(errors.map(errorHash)).size, errors.length)
  assert.equal(errorHash(''), '811c9dc5')
})

test('property: any text has a hash of eight hex digits and an answer', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      assert.match(errorHash(text), /^[0-9a-f]{8}$/)
      assert.equal(typeof looksLikeError(text), 'boolean')
    }),
  )
})

test('a long text is hashed in passing', () => {
  for (const part of ['1', '1.', 'a', '0x', '/tmp/', ':1', ' ', '/var/folders/a/', 'c:\\', '\x1b'])
    assert.match(errorHash(part.repeat(100_000)), /^[0-9a-f]{8}$/)
})

test('a program that does not know an option says so in the words of its library', () => {
  for (const line of [
    "error: unknown option '--output-format'",
    "error: unexpected argument '--json' found",
    'Unknown arguments: skip-trust, skipTrust',
    'unknown flag: --format',
    'agent: error: unrecognized arguments: --json',
    'Error: No such option: --print',
    'Nonexistent flag: --yolo',
    'flag provided but not defined: -json',
    "error: invalid value 'stream' for '--format <FORMAT>'",
    "error: option '--mode <mode>' argument 'json' is invalid. Allowed choices are text.",
  ])
    assert.equal(namesUnknownOption(line), true, line)
  for (const line of ['', 'Error: no API key', 'unknown model', 'It has many options.'])
    assert.equal(namesUnknownOption(line), false, line)
})
