/** A part of every family's inputs and the whole corpus, in every run of the tests; the nightly run tries many more. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { families } from './families.ts'
import { families as faulty } from './fixture.ts'
import { type Options, runFuzz } from './run.ts'

const common = { workers: 2, limitMs: 60_000, memoryMb: 512 }

test('5,000 inputs and the corpus: no parser crashes, hangs, or takes for done what is not', async () => {
  const module = new URL('./families.ts', import.meta.url).href
  const { tried, byFamily, faults } = await runFuzz({ ...common, module, families, inputs: 5000, seed: 1 })
  assert.deepEqual(faults, [])
  assert.ok(tried >= 5000, `${tried} were tried`)
  assert.deepEqual(
    Object.entries(byFamily).filter(([, tally]) => tally.tried === 0),
    [],
  )
})

test('every folder of the corpus belongs to a family, and every family has one', () => {
  const folders = readdirSync(join(import.meta.dirname, 'corpus')).sort()
  assert.deepEqual(folders, families.map(({ name }) => name).sort())
})

/** What comes of a family in which something is wrong. */
async function runFaulty(name: string, more: Partial<Options> = {}) {
  const module = new URL('./fixture.ts', import.meta.url).href
  const family = faulty.find((one) => one.name === name)!
  const figures = await runFuzz({ ...common, workers: 1, module, families: [family], inputs: 20, seed: 1, ...more })
  return {
    tried: figures.tried,
    faults: figures.faults.map(({ seed, message, input }) => ({ seed, message: message.split('\n')[0], input })),
  }
}

test('a parser that throws is found, with the smallest input', async () => {
  const { faults } = await runFaulty('throws')
  assert.deepEqual(new Set(faults.map(({ message, input }) => `${message} ${input}`)), new Set(['Error: ten or more 10']))
})

test('an input that never comes to an end is ended and kept, and the rest is tried', async () => {
  const { tried, faults } = await runFaulty('hangs', { limitMs: 500 })
  assert.deepEqual(
    { tried, faults },
    { tried: 20, faults: [{ seed: 6, message: 'did not come to an end within 0.5 s', input: '8' }] },
  )
})

test('an input that takes all memory is kept, and the rest is tried', async () => {
  const { tried, faults } = await runFaulty('fills', { memoryMb: 64 })
  assert.equal(tried, 20)
  assert.deepEqual(
    faults.map(({ seed, input }) => ({ seed, input })),
    [{ seed: 6, input: '8' }],
  )
  assert.match(faults[0]!.message!, /out of memory/i)
})
