import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aResult } from '../../../../sim/builders.ts'
import { seenBy, survivorWords } from './mutation.ts'

test('only a gate that ran and failed by a check has noticed a mutant', () => {
  const red = (output: string) => aResult('tests', false, { output })
  const cases: [result: ReturnType<typeof red>, seen: string][] = [
    [aResult('tests', true), 'survived'],
    [red('AssertionError [ERR_ASSERTION]: 3 !== 4'), 'killed'],
    [red('FAILED test_price.py::test_price - ZeroDivisionError'), 'killed'],
    [red('exit'), 'killed'],
    [red("AssertionError: expected 'SyntaxError' to be thrown"), 'killed'],
    [{ ...red(''), ended: 'timeout', exitCode: null }, 'unclear'],
    [{ ...red(''), ended: 'missing', exitCode: null }, 'unclear'],
    [{ ...red('sh: jest: not found'), exitCode: 127 }, 'unclear'],
    [red('SyntaxError: Unexpected token'), 'unclear'],
    [red("src/a.ts(3,5): error TS2322: Type 'undefined' is not assignable to type 'number'."), 'unclear'],
    [red('error[E0308]: mismatched types\n  expected `u32`, found `bool`'), 'unclear'],
    [red('./price.go:3:2: declared and not used: x\nFAIL shop [build failed]'), 'unclear'],
    [red('main.c:3: error: expected expression'), 'unclear'],
  ]
  for (const [result, seen] of cases) assert.equal(seenBy(result), seen, result.output)
})

test('a survivor is named by its place, before and after', () => {
  assert.equal(survivorWords({ file: 'a.ts', line: 3, before: 'a > b', after: 'a >= b' }), 'a.ts:3: "a > b" → "a >= b"')
  assert.equal(survivorWords({ file: 'a.ts', line: 3, before: 'f()', after: '' }), 'a.ts:3: "f()" → "nothing"')
})
