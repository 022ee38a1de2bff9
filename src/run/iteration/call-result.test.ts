import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aRepo, startOfTime } from '../../../sim/builders.ts'
import { tempFolder } from '../../../test/support/folder.ts'
import { askForCall } from '../../adapters/project/rate-limit.ts'
import { emptyTranscript, type Throttled, type Transcript } from '../../core/reading/transcript.ts'
import type { Agent } from '../../ports.ts'
import { type CallResult, errorOf, exitOf, logPath, nothingLeft, throttledIn, unreadableOf } from './call-result.ts'

const folder = tempFolder()

const call = (transcript: Partial<Transcript> = {}, end: Partial<CallResult['end']> = {}): CallResult => ({
  end: { how: 'exited', code: 0, signal: null, durationMs: 5, ...end } as CallResult['end'],
  transcript: { ...emptyTranscript(), ...transcript },
  printed: 3,
})
const agent = (more: Partial<Agent> = {}): Agent => ({ name: 'claude', tellsWordsApart: true, ...more }) as Agent
const limit: Throttled = { kind: 'throttled', by: 'usage-limit', message: 'limit reached' }
let homes = 0
const atHome = (now = startOfTime) => ({ home: join(folder, String(++homes)), now: () => now })

test('the agent’s own word that it ended outranks its exit code', () => {
  assert.equal(exitOf(call({ isStructuredEnd: true }, { code: 1 })), 'ok')
  assert.equal(exitOf(call({ isStructuredEnd: true, isError: true }, { code: 0 })), 'failed')
})

test('without its own word the exit code counts, and an error that it told counts more', () => {
  assert.equal(exitOf(call()), 'ok')
  assert.equal(exitOf(call({}, { code: 2 })), 'failed')
  assert.equal(exitOf(call({ errors: ['no key'] }, { code: 0 })), 'failed')
})

test('a call that was ended from outside is what ended it, whatever it said before', () => {
  assert.equal(exitOf(call({ isStructuredEnd: true }, { how: 'timeout' })), 'timeout')
  assert.equal(exitOf(call({}, { how: 'stopped' })), 'stopped')
  assert.equal(exitOf(call({}, { how: 'missing' })), 'failed')
})

test('the error is the last that the agent told; else what its program said; else the last line that looks like one', () => {
  assert.equal(errorOf(call({ errors: ['first', 'last'], finalMessage: 'Error: printed' })), 'last')
  assert.equal(errorOf(call({ finalMessage: 'Error: printed' }, { error: 'spawn ENOENT' })), 'spawn ENOENT')
  assert.equal(errorOf(call({ finalMessage: 'Looking.\n  Error: no such table  \nBye.' })), 'Error: no such table')
})

test('without any words the error is the last noise, or the signal that ended the program', () => {
  assert.equal(errorOf(call({ lastNoise: 'warning: slow' }, { code: 1 })), 'warning: slow')
  assert.equal(errorOf(call({}, { code: null, signal: 'SIGKILL' })), 'ended by SIGKILL')
  assert.equal(errorOf(call({}, { code: 1 })), '')
})

test('an agent that ended well and of whose lines none was understood is unreadable; one understood line is enough', () => {
  const codex = agent({ name: 'codex', tested: '0.166.0' })
  assert.deepEqual(unreadableOf(call(), codex), {
    kind: 'unreadable',
    by: 'lines',
    message: 'Ralph did not understand any of the 3 lines that codex printed. Ralph was tested with codex 0.166.0',
  })
  assert.equal(
    unreadableOf(call({ lastNoise: 'Segmentation fault ' }), codex)?.message,
    'Ralph did not understand any of the 3 lines that codex printed; the last: Segmentation fault. Ralph was tested with codex 0.166.0',
  )
  assert.equal(unreadableOf(call({ understood: 1 }), codex), undefined)
  assert.equal(unreadableOf({ ...call(), printed: 0 }, codex), undefined)
  assert.equal(unreadableOf(call({}, { code: 1 }), codex), undefined, 'it failed, and says so itself')
  assert.equal(unreadableOf(call({}, { how: 'timeout' }), codex), undefined)
  assert.equal(unreadableOf(call(), agent({ tellsWordsApart: false })), undefined, 'plain text')
})

test('a program that does not know an option is unreadable, unless it has begun to work', () => {
  const unknownOption = "error: unexpected argument '--json' found"
  assert.deepEqual(unreadableOf(call({ unknownOption }, { code: 2 }), agent()), {
    kind: 'unreadable',
    by: 'option',
    message: `claude does not know an option that Ralph uses: ${unknownOption}`,
  })
  assert.equal(unreadableOf(call({ unknownOption, understood: 1 }, { code: 2 }), agent()), undefined)
})

test('a line that looks like an error is looked for in the last lines alone', () => {
  const finalMessage = ['Error: long ago', ...Array.from({ length: 60 }, () => 'fine')].join('\n')
  assert.equal(errorOf(call({ finalMessage }, { code: 1 })), '')
})

test('a usage limit is known to every run of this user after one call, until the time that the provider gave', () => {
  const world = atHome()
  const until = '2026-01-05T10:00:00.000Z'
  assert.deepEqual(throttledIn(world, call({ throttled: { ...limit, until } }), agent()), { ...limit, until })
  const asked = askForCall(world.home, { limitPerHour: 100, agent: 'claude', now: world.now })
  assert.deepEqual(asked, { granted: false, until, by: 'usage-limit' })
  assert.equal(askForCall(world.home, { limitPerHour: 100, agent: 'codex', now: world.now }).granted, true)
})

test('a usage limit without a time holds the next calls all the same; other hindrances hold nobody else', () => {
  const world = atHome()
  throttledIn(world, call({ throttled: { kind: 'throttled', by: 'overload', message: 'busy' } }), agent())
  assert.equal(existsSync(world.home), false)
  throttledIn(world, call({ throttled: limit }), agent())
  assert.equal(askForCall(world.home, { limitPerHour: 100, agent: 'claude', now: world.now }).granted, false)
})

test('the time of the return is read from the provider’s words where they say it, and long words are cut', () => {
  const message = `Your limit will reset at 2026-01-05T11:30:00Z. ${'x'.repeat(600)}`
  const throttled = throttledIn(atHome(), call({ throttled: { ...limit, message } }), agent())
  assert.equal(throttled?.message.length, 500)
  assert.equal(throttled?.until, '2026-01-05T11:30:00.000Z')
})

test('an agent whose words cannot be told from the rest only quotes a limit if it ends well after other words', () => {
  const mixed = agent({ tellsWordsApart: false })
  const quoted = { throttled: limit, finalMessage: 'I fixed how "limit reached" is shown.' }
  assert.equal(throttledIn(atHome(), call(quoted), mixed), undefined)
  assert.equal(throttledIn(atHome(), call(quoted, { code: 1 }), mixed)?.by, 'usage-limit')
  assert.equal(throttledIn(atHome(), call({ ...quoted, finalMessage: 'limit reached' }), mixed)?.by, 'usage-limit')
  assert.equal(throttledIn(atHome(), call(quoted), agent())?.by, 'usage-limit')
})

test('the log of an iteration lies in the run’s logs, in the order of its number', () => {
  assert.equal(logPath({ logs: '/p/.ralph/x/logs' }, 7), '/p/.ralph/x/logs/iteration-007.log')
})

test('of a worktree that is gone nothing is left: as before, without commits and flips', () => {
  const repo = aRepo('t')
  const { before, repo: after, ...rest } = nothingLeft(repo)
  assert.deepEqual([before, after], [repo, repo])
  assert.deepEqual(Object.values(rest).flat(), [])
})
