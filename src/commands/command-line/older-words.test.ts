import assert from 'node:assert/strict'
import { test } from 'node:test'
import { olderWords, wordsOfRun } from './older-words.ts'

const pointer = (...argv: string[]) => olderWords(argv, ['help', 'run', 'status', 'logs'])

test('a flag of run without the command is pointed to run', () => {
  assert.equal(pointer('--monitor'), '--monitor is an option of run. Did you mean: ralph run --monitor')
  assert.equal(pointer('--calls', '50', '--monitor'), '--calls is an option of run. Did you mean: ralph run --calls 50 --monitor')
  assert.equal(pointer('-n', '3'), '-n is an option of run. Did you mean: ralph run -n 3')
  assert.equal(pointer('--max-stuck'), '--max-stuck is an option of run. Did you mean: ralph run --max-stuck <n>')
  assert.equal(pointer('--calls=5'), '--calls=5 is an option of run. Did you mean: ralph run --calls=5')
  for (const argv of [
    ['-h'],
    ['-V'],
    ['--help'],
    ['--version'],
    ['--cb-status'],
    ['--reset-circuit'],
    ['--nonsense'],
    ['run', '--monitor'],
    [],
  ])
    assert.equal(pointer(...argv), undefined, argv.join(' '))
})

test('a task and a number of iterations, as the runner of old took them, are pointed to their flags', () => {
  const story =
    'Did you mean: ralph run --story task-auth --max-attempts 5 (a story), or: ralph run -f task-auth -n 5 (a feature)'
  assert.equal(pointer('task-auth', '5'), `ralph run takes no arguments (got "task-auth" "5"). ${story}`)
  assert.equal(wordsOfRun(['task-auth', '5']), `ralph run takes no arguments (got "task-auth" "5"). ${story}`)
  assert.equal(
    wordsOfRun(['login', '5'], ['login']),
    'ralph run takes no arguments (got "login" "5"). Did you mean: ralph run -f login -n 5',
  )
  assert.equal(pointer('5'), 'ralph run takes no arguments (got "5"). Did you mean: ralph run -n 5')
  assert.match(wordsOfRun(['Log in with a password', '5']), /A task is a story of a plan: .* then: ralph run -n 5$/)
  assert.equal(olderWords(['login'], ['run'], ['login']), 'login is a feature, not a command. Did you mean: ralph run -f login')
  for (const argv of [['logs', '5'], ['statsu'], ['a', 'b', '5']]) assert.equal(pointer(...argv), undefined, argv.join(' '))
})
