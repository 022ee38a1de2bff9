import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aWorld, settingsWith } from '../../../test/support/world.ts'
import { masker } from '../../adapters/mask/mask.ts'
import type { Gate } from '../../core/types.ts'
import { limitsOf, runGates, slow } from './gates.ts'

const gate = (name: string, command: string, more: Partial<Gate> = {}): Gate => ({ name, command, ...more })

test('gates run one after the other in the project’s folder, and each says how it came out', async () => {
  const { world, place, deed } = await aWorld()
  const gates = [gate('one', 'echo first > order.txt'), gate('two', 'cat order.txt; exit 3'), gate('three', 'true')]
  const results = await runGates(world, 1, gates, deed())
  assert.deepEqual(
    results.map(({ name, passed, exitCode }) => [name, passed, exitCode]),
    [
      ['one', true, 0],
      ['two', false, 3],
      ['three', true, 0],
    ],
  )
  assert.match(results[1]?.output ?? '', /first/)
  assert.equal(readFileSync(join(place.top, 'order.txt'), 'utf8'), 'first\n')
})

test('a result keeps whose gate it is, and that it only warns', async () => {
  const { world, deed } = await aWorld()
  const [own, soft, plain] = await runGates(
    world,
    1,
    [gate('own', 'true', { story: 'S-1' }), gate('soft', 'false', { soft: true }), gate('plain', 'true')],
    deed(),
  )
  assert.deepEqual([own?.story, soft?.soft, soft?.passed], ['S-1', true, false])
  assert.deepEqual([plain && 'story' in plain, plain && 'soft' in plain], [false, false])
})

test('once the run is to stop, no further gate begins', async () => {
  const { world, deed } = await aWorld()
  const results = await runGates(world, 1, [gate('one', 'true'), gate('two', 'true')], { ...deed(), stop: AbortSignal.abort() })
  assert.deepEqual(
    results.map(({ name, ended }) => [name, ended]),
    [['one', 'stopped']],
  )
})

test('gates get the environment of the world, and print into the log of their iteration', async () => {
  const { world, deed } = await aWorld()
  const there = { ...world, env: { ...world.env, RALPH_PORT_BASE: '4000' } }
  const [result] = await runGates(there, 3, [gate('port', 'echo "port $RALPH_PORT_BASE"')], deed())
  assert.equal(result?.passed, true)
  assert.match(readFileSync(join(world.logs, 'iteration-003.log'), 'utf8'), /port 4000/)
})

test('what a gate prints of a password is not in its result', async () => {
  const { world, deed } = await aWorld()
  const mask = masker({ MY_TOKEN: 'hush-hush-1' })
  const [result] = await runGates({ ...world, mask }, 1, [gate('leak', 'echo hush-hush-1; exit 1')], deed())
  assert.match(result?.output ?? '', /masked MY_TOKEN/)
  assert.doesNotMatch(result?.output ?? '', /hush/)
})

test('limits are minutes times the multiplier, in the order soft and hard', () => {
  const settings = settingsWith({ 'gates.tests_minutes': [10, 20], 'defaults.timeout_multiplier': 2 })
  assert.deepEqual(limitsOf({ settings }, 'gates.tests_minutes'), [1_200_000, 2_400_000])
})

test('a slow gate is told with its minutes, to people and not to the agent', () => {
  assert.deepEqual(slow('gate tests', 600_000, 1_200_000), {
    kind: 'noticed',
    what: 'gate-slow',
    detail: 'gate tests has run for 10 minutes; at 20 it times out',
    tell: false,
  })
})
