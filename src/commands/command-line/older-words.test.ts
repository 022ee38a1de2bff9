import assert from 'node:assert/strict'
import { test } from 'node:test'
import { olderWords, wordsOfRun } from './older-words.ts'

const commands = [
  ...['help', 'logs', 'diff', 'why'].map((name) => ({ name, takes: 1 })),
  { name: 'run', takes: 0 },
  { name: 'status', takes: 0 },
]
const pointer = (...argv: string[]) => olderWords(argv, commands, () => ['login'])

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
  assert.equal(
    wordsOfRun(["Fix Sam's login", '5']),
    `ralph run takes no arguments (got "Fix Sam's login" "5"). To plan a task first: ralph plan 'Fix Sam'\\''s login', then: ralph run -n 5`,
  )
  assert.equal(pointer('login'), 'login is a feature, not a command. Did you mean: ralph run -f login')
  for (const argv of [['logs', '5'], ['statsu'], ['a', 'b', '5']]) assert.equal(pointer(...argv), undefined, argv.join(' '))
})

test('a feature where a command takes none is pointed to -f; a story, a run or a note is left alone', () => {
  assert.equal(pointer('status', 'login'), 'login is a feature. Did you mean: ralph status -f login')
  assert.equal(pointer('why', 'login'), 'login is a feature. Did you mean: ralph why -f login')
  for (const argv of [
    ['diff', 'login'],
    ['status', '-f', 'login'],
    ['status', 'signup'],
    ['why', '20261119-093000-7d70'],
    ['help', 'login'],
  ])
    assert.equal(pointer(...argv), undefined, argv.join(' '))
})

test('a command that is written as a flag, or as other tools call it, is pointed to the command', () => {
  assert.equal(pointer('--status'), '--status is a command. Did you mean: ralph status')
  assert.equal(pointer('--why', '--json'), '--why is a command. Did you mean: ralph why --json')
  assert.equal(pointer('start'), "unknown command 'start'. Did you mean: ralph run")
  assert.equal(pointer('constructor'), undefined)
})
