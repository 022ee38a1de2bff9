import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aResult, aStart } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld } from '../../../test/support/world.ts'
import type { Settings } from '../../config/table.ts'
import type { Mutation } from '../../core/proof/mutants/mutation.ts'
import type { Gate, GateResult } from '../../core/types.ts'
import { tryMutants } from './mutants.ts'

const checks = (assertion: string): string =>
  `import assert from 'node:assert'\nimport { isFree } from '../src/price.mjs'\n${assertion}\n`
const gates: Gate[] = [
  { name: 'format', command: 'grep -q ">= 100" src/price.mjs' },
  { name: 'tests', command: 'node test/check.mjs' },
]
const results: GateResult[] = [
  aResult('format', true),
  aResult('tests', true, { durationMs: 500, census: { passed: 1, failed: 0, skipped: 0 } }),
]

/** Story S-1 adds a function and a test of it. */
async function tried(
  test: string,
  more: { code?: string; settings?: Partial<Settings>; stop?: AbortSignal } = {},
): Promise<Mutation> {
  const { code = 'export const isFree = (sum) => sum >= 100\n', settings = {} } = more
  const world = await aWorld({ files: { 'src/old.mjs': 'export const a = 1 === 1\n' }, policy: { gates }, settings })
  world.happens(aStart(1, 'S-1', { saves: true }))
  world.place.write({ 'src/price.mjs': code, 'test/check.mjs': test })
  commitAll(world.place, 'work')
  const { head, tree, dirt } = await world.place.git.snapshot()
  const flight = anEndedFlight(anEnd(1, { repo: { head, tree, dirt }, flips: ['S-1'] }), { story: 'S-1', gates: results })
  const state = { ...world.state(), judgedIn: 'clean' as const, flights: [flight] }
  const asked = { kind: 'mutants.started', iteration: 1, most: 9, because: '' } as const
  return tryMutants(world.world, asked, { ...world.deed(), state, ...(more.stop ? { stop: more.stop } : {}) })
}
const seen = ({ durationMs: _durationMs, ...rest }: Mutation): Omit<Mutation, 'durationMs'> => rest

test('what the tests do not notice is named, in the lines of the story alone; a gate without tests is not asked', async () => {
  const weak = await tried(checks('assert.equal(isFree(200), true); assert.equal(isFree(1), false)'))
  const line = { file: 'src/price.mjs', line: 1, before: 'export const isFree = (sum) => sum >= 100' }
  assert.deepEqual([weak.tried, weak.killed, weak.problem], [2, 0, undefined])
  assert.deepEqual(
    weak.survivors.toSorted((one, other) => (one.after < other.after ? -1 : 1)),
    [
      { ...line, after: 'export const isFree = (sum) => sum > 100' },
      { ...line, after: 'export const isFree = (sum) => sum >= 101' },
    ],
  )
  const strong = await tried(checks('assert.equal(isFree(100), true); assert.equal(isFree(99), false)'))
  assert.deepEqual(seen(strong), { tried: 2, killed: 2, survivors: [] })
})

test('a mutant that runs forever is not killed by that', async () => {
  const code = 'export function isFree(sum) {\n  for (let i = 0; i < 3; i++) sum += 1\n  return sum > 100\n}\n'
  const settings: Partial<Settings> = { 'gates.quality_minutes': [1 / 60, 2 / 60] }
  const { tried: count, killed, survivors, problem } = await tried(checks('isFree(1)'), { code, settings })
  assert.equal(killed, 0)
  assert.ok(count > survivors.length || problem !== undefined)
})

test('it says why nothing was tried', async () => {
  assert.deepEqual(seen(await tried(checks(''), { stop: AbortSignal.abort() })), {
    tried: 0,
    killed: 0,
    survivors: [],
    problem: 'stopped',
  })
  assert.deepEqual(seen(await tried(checks(''), { code: '// nothing\n' })), {
    tried: 0,
    killed: 0,
    survivors: [],
    problem: 'no changed line could be mutated',
  })
  const settings: Partial<Settings> = { 'gates.quality_minutes': [0, 0] }
  assert.equal((await tried(checks(''), { settings })).problem, 'gates.quality_minutes reached after 0 of 2')
})
