import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { errorHash, errorShown, errorsSaid, readAnswer } from './reading.ts'

const leftPad = errorHash('error: cannot find module left-pad')
const hashesIn = (text: string, stuck = ''): string[] => errorsSaid(text, stuck).map(({ hash }) => hash)

test('the error that an agent is left with is found in its last words, whatever stands around it [R-SIG-5]', () => {
  for (const text of [
    'error: cannot find module left-pad',
    'I worked on the form.\nerror: cannot find module left-pad',
    'Step 3 of 9 is committed. error: cannot find module left-pad.',
    'Iteration 7: error: cannot find module left-pad',
    'When I run npm test: error: cannot find module left-pad',
    'The tests do not run because error: cannot find module left-pad',
    'I fixed the typo, but error: cannot find module left-pad',
    'I fixed the form.\nerror: cannot find module left-pad',
    'This must be fixed: error: cannot find module left-pad',
    'Could not be fixed: error: cannot find module left-pad',
    'npm test fails with `error: cannot find module left-pad`.',
    'The build says:\n```\nerror: cannot find module left-pad\n```',
    '- Form: added\n- error: cannot find module left-pad',
    'RALPH_STATUS:\n  RECOMMENDATION: error: cannot find module left-pad',
    '\x1b[31merror\x1b[0m: cannot find module left-pad',
    'Done.\nFixed, and still error: cannot find module left-pad',
  ]) {
    assert.ok(hashesIn(text).includes(leftPad), `${text}\n${JSON.stringify(errorsSaid(text))}`)
  }
})

test('an error that was mended, is past, is denied or only spoken of is none [R-SIG-5]', () => {
  for (const text of [
    'fixed: error: cannot find module left-pad',
    'Fixed error: cannot find module left-pad by adding it to package.json.',
    'Resolved the build failure (error: cannot find module left-pad).',
    'The error was: cannot find module left-pad; I added it.',
    'There was an error: cannot find module left-pad.',
    'The build had error: cannot find module left-pad. It is fixed now.',
    'error: cannot find module left-pad was fixed by installing it.',
    'error: cannot find module left-pad (fixed)',
    'npm test used to end with error: cannot find module left-pad',
    'npm test no longer prints error: cannot find module left-pad.',
    'I did not see error: cannot find module left-pad any more.',
    'What I fixed:\n- error: cannot find module left-pad\n- a typo',
    '## Fixed\n```\nerror: cannot find module left-pad\n```',
    'I got error: cannot find module left-pad. Installed it, and the build works now.',
    'The test "error: bad input is refused" passes.',
    'Added a test `error: bad input is refused`.',
    'The CLI now prints `error: unknown flag` and exits.',
    'Added a test for error: bad input.',
    '✓ error: bad input is refused',
    'No errors. 0 errors, 0 warnings. error: null',
    'All tests pass, 12 passed, 0 failed.',
    'Implemented error handling in src/error_handler.ts.',
    '',
  ]) {
    assert.deepEqual(errorsSaid(text), [], text)
  }
})

test('plain words of an agent that is stuck count by their sentence, unless it mended what they name [R-SIG-3]', () => {
  const stuckIn = (text: string): string[] => {
    const { status, evidence } = readAnswer(text, { promise: '' })
    assert.equal(status, 'stuck', text)
    return hashesIn(text, /^keyword (.+?) \(stuck\)/.exec(evidence[0]!)?.[1])
  }
  const stuck = stuckIn('Part 3 is committed. I am unable to reach the database.')
  assert.deepEqual(stuck, [errorHash('I am unable to reach the database')])
  assert.deepEqual(stuckIn('Part 4 is committed. I am unable to reach the database.'), stuck)
  assert.deepEqual(stuckIn('Resolved the errors in the parser.'), [])
})

test('the last result of a tool counts by its lines that are errors [R-SIG-5]', () => {
  assert.deepEqual(errorShown('> npm test\nTypeError: x is undefined\n    at a.ts:3:1'), [
    { hash: errorHash('TypeError: x is undefined'), message: 'TypeError: x is undefined' },
  ])
  assert.deepEqual(errorShown('nothing to commit, working tree clean'), [])
  assert.deepEqual(errorShown(''), [])
})

test('no text makes it throw, and what it finds is short', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400, unit: 'grapheme' }), fc.constantFrom('', 'error', 'cannot'), (text, stuck) => {
      assert.ok(errorsSaid(`error: ${text}\n${text}`, stuck).length <= 3)
    }),
  )
})
