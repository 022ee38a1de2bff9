import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aResult, aStart } from '../../../sim/builders.ts'
import { aWorld } from '../../../test/support/world.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { Refusal, State } from '../../core/state.ts'
import type { Agent } from '../../ports.ts'
import { partsFor, statusToolFor } from './gather-prompt.ts'

type World = Parameters<typeof partsFor>[0]
const textOf = (...given: Parameters<typeof partsFor>): string =>
  partsFor(...given)
    .map(({ text }) => text)
    .join('\n')
const aRefusal = (iteration: number, hash: string): Refusal => ({
  iteration,
  because: 'tests',
  hash,
  gates: [aResult('tests', false)],
  summary: `tried ${iteration}`,
  files: [],
  wasShift: false,
  attempt: iteration,
})
const withAgent = (world: World, more: Partial<Agent>): World => ({
  ...world,
  agents: { ...world.agents, agentFor: (state, id) => ({ ...world.agents.agentFor(state, id), ...more }) },
})

test('the prompt has the story with its criteria, and where plan and progress are', async () => {
  const { world, state } = await aWorld({ stories: [{ id: 'S-1', acceptanceCriteria: ['GET /login answers 200'] }] })
  const text = textOf(world, aStart(1, 'S-1'), state())
  for (const part of ['Story S-1', 'GET /login answers 200', '.ralph/thing/prd.json', '.ralph/thing/progress.txt'])
    assert.ok(text.includes(part), part)
})

test('specs are named only where there are some', async () => {
  const { world, state } = await aWorld()
  assert.doesNotMatch(textOf(world, aStart(1, 'S-1'), state()), /thing\/specs/)
  mkdirSync(join(world.dir, 'specs'))
  assert.match(textOf(world, aStart(1, 'S-1'), state()), /\.ralph\/thing\/specs\//)
})

test('the code that signals need is given only to agents whose words cannot be told from the rest', async () => {
  const { world, state } = await aWorld()
  const started = aStart(1, 'S-1', { code: 'wxyz' })
  assert.match(textOf(withAgent(world, { tellsWordsApart: false }), started, state()), /wxyz/)
  assert.doesNotMatch(textOf(withAgent(world, { tellsWordsApart: true }), started, state()), /wxyz/)
})

test('why the last attempt was refused is quoted, and a password in it is not', async () => {
  const { world, state } = await aWorld()
  const output = 'expected 1 but got 2 with hush-hush-1'
  const refusals = [{ ...aRefusal(1, 'h'), gates: [aResult('tests', false, { output })] }]
  const refused: State = { ...state(), stories: { 'S-1': { ...noStory, refusals } } }
  const masked = { ...world, mask: masker({ MY_TOKEN: 'hush-hush-1' }) }
  const text = textOf(masked, aStart(2, 'S-1', { attempt: 2 }), refused)
  assert.match(text, /expected 1 but got 2/)
  assert.doesNotMatch(text, /hush/)
})

test('an agent that must find another way is told which of its failures were alike, and of no others', async () => {
  const { world, state } = await aWorld()
  const refusals = [aRefusal(1, 'other'), aRefusal(2, 'same'), aRefusal(3, 'same')]
  const stuck: State = { ...state(), stories: { 'S-1': { ...noStory, refusals } } }
  const started = aStart(4, 'S-1', { shift: 'the same error three times', shifts: 1 })
  const parts = partsFor(world, started, stuck, { context: 'The table users has no column mail.' })
  const text = parts.find(({ name }) => name === 'shift')?.text ?? ''
  for (const part of ['The same error three times', 'no column mail', 'tried 2', 'tried 3']) assert.ok(text.includes(part), part)
  assert.doesNotMatch(text, /tried 1/)
})

test('notes of people, red gates of the whole and lessons reach the agent', async () => {
  const { world, state } = await aWorld()
  const told: State = {
    ...state(),
    tell: [{ text: 'Use tabs.', since: 0 }],
    check: { phase: 'red', results: [aResult('lint', false, { output: 'missing semicolon' })] } as never,
  }
  const text = textOf(world, aStart(1, 'S-1'), told, { learned: ['Migrations run twice here.'] })
  for (const part of ['Use tabs.', 'missing semicolon', 'Migrations run twice here.']) assert.ok(text.includes(part), part)
})

test('of the notes of earlier iterations the last lines are shown, as many as the settings say', async () => {
  const { world, state } = await aWorld({ settings: { 'prompt.progress_lines': 2 } })
  writeFileSync(join(world.dir, 'progress.txt'), 'eldest\nsecond\nthird\n')
  const text = textOf(world, aStart(1, 'S-1'), state())
  assert.match(text, /second\nthird/)
  assert.doesNotMatch(text, /eldest/)
})

test('in a worktree the agent is told that it works apart', async () => {
  const { world, state } = await aWorld()
  const place = { path: '/w', branch: 'wip/own', onto: 'main', fork: null, ignored: [], main: '', before: state().repo }
  assert.match(textOf({ ...world, place }, aStart(1, 'S-1'), state()), /worktree/i)
})

test('the tool to report with is given to agents that take it, and not where a sandbox could not start it', async () => {
  const { world } = await aWorld()
  const takes = { takesStatusTool: true } as Agent
  assert.deepEqual(statusToolFor(world, takes), { statusTool: world.agents.statusTool })
  assert.deepEqual(statusToolFor(world, {} as Agent), {})
  assert.deepEqual(statusToolFor({ ...world, sandbox: { hasPrograms: false } as never }, takes), {})
})
