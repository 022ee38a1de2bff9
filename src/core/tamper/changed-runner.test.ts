import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidesAnew, runsTests } from './changed-runner.ts'

const runner = 'for each in test/*.sh; do\n  sh "$each" || failed=1\ndone\nexit $failed\n'

test('a runner decides anew if a line of it is gone, or a new one passes over something', () => {
  const over = '  case $each in *two*) continue ;; esac\n'
  assert.equal(decidesAnew(runner, runner.replace('  sh', `${over}  sh`)), true)
  assert.equal(decidesAnew(runner, runner.replace(' || failed=1', '')), true)
  assert.equal(decidesAnew('results.push(each)\n', 'const known = results.filter(isKnown)\nresults.push(each)\n'), true)
})

test('a variable for new tests, an empty line and another indentation decide nothing', () => {
  assert.equal(decidesAnew(runner, `export LIMIT=3\n\n${runner.replace('  sh', '    sh')}`), false)
})

test('what makes values for tests does not run them', () => {
  assert.deepEqual([runsTests(runner), runsTests('export const cart = (n) => ({ prices: [n] })\n')], [true, false])
})
