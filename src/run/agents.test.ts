import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aPlan, aStory } from '../../sim/builders.ts'
import { newFolder } from '../../test/support/repository.ts'
import { aSetup } from '../../test/support/world.ts'
import type { Settings } from '../config/table.ts'
import { openAgents } from './agents.ts'

function agentsWith(settings: Partial<Settings> = {}) {
  const root = newFolder()
  const setup = aSetup(root, { agent: 'claude', ...settings })
  mkdirSync(setup.dir, { recursive: true })
  return setup
}
const plan = aPlan([aStory('A'), aStory('B', { agent: 'codex' }), aStory('C', { model: 'own' })])

test('a story’s own agent works on it, and the run’s on all others', () => {
  const { agents } = agentsWith()
  assert.deepEqual(
    ['A', 'B', null].map((id) => agents.agentFor({ plan }, id).name),
    ['claude', 'codex', 'claude'],
  )
})

test('the same agent is opened once', () => {
  const { agents } = agentsWith()
  assert.equal(agents.agentFor({ plan }, 'A'), agents.reviewer('claude').agent)
})

test('a story’s own model counts; the run’s is for the run’s own agent alone', () => {
  const { agents } = agentsWith({ model: 'usual' })
  assert.deepEqual(
    ['A', 'B', 'C'].map((id) => agents.modelFor({ plan }, id)),
    ['usual', '', 'own'],
  )
})

test('each time that a story must find another way it gets a stronger model, and at last the strongest', () => {
  const { agents } = agentsWith({ model: 'usual', models: ['strong', 'strongest'] })
  assert.deepEqual(
    [0, 1, 2, 3].map((shifts) => agents.modelFor({ plan }, 'A', shifts)),
    ['usual', 'strong', 'strongest', 'strongest'],
  )
  assert.equal(agents.modelFor({ plan }, 'B', 2), '')
})

test('a role’s own model counts; without one the run’s model is for its own agent alone', () => {
  const own = agentsWith({ model: 'usual', 'roles.reviewer.model': 'careful' }).agents
  assert.deepEqual([own.reviewer('claude').model, own.reviewer('codex').model], ['careful', 'careful'])
  assert.deepEqual([own.learner('claude').model, own.learner('codex').model], ['usual', ''])
})

test('reviewers and learners have a cheaper model of the same agent, unless the settings name one or it was no use [R-COST-5]', () => {
  const models = (settings: Partial<Settings>, isAgain?: boolean) => {
    const { agents } = agentsWith(settings)
    return [agents.reviewer('claude', isAgain).model, agents.learner('claude', isAgain).model]
  }
  assert.deepEqual(models({}), ['sonnet', 'haiku'])
  assert.deepEqual(models({ model: 'claude-opus-5' }), ['sonnet', 'haiku'])
  assert.deepEqual(models({ model: 'sonnet' }), ['sonnet', 'haiku'])
  assert.deepEqual(models({ model: 'haiku' }), ['haiku', 'haiku'])
  assert.deepEqual(models({}, true), ['', ''])
  assert.deepEqual(models({ model: 'opus', 'roles.reviewer.model': 'same', 'roles.learner.model': 'own' }), ['opus', 'own'])
  assert.equal(agentsWith({ agent: 'codex' }).agents.reviewer('claude').model, '')
  assert.equal(agentsWith({ agent: 'codex' }).agents.reviewer('codex').model, '')
})

test('an agent that nobody knows is refused where it is asked for', () => {
  const { agents } = agentsWith()
  assert.throws(() => agents.reviewer('cloude'), { exit: 78 })
})

test('the instructions are the feature’s prompt.md as it is now, or the file that the user named', () => {
  const setup = agentsWith()
  writeFileSync(join(setup.dir, 'prompt.md'), 'Be brief.\n')
  assert.equal(setup.agents.instructions(), 'Be brief.\n')
  writeFileSync(join(setup.dir, 'prompt.md'), 'Be long.\n')
  assert.equal(setup.agents.instructions(), 'Be long.\n')
  const named = join(setup.dir, 'other.md')
  writeFileSync(named, 'Be other.\n')
  assert.equal(openAgents(setup, setup.settings, named).instructions(), 'Be other.\n')
})

test('a prompt file that is not there is refused before anything begins', () => {
  const setup = agentsWith()
  assert.throws(() => openAgents(setup, setup.settings, '/nowhere.md'), {
    exit: 64,
    message: 'Prompt file not found: /nowhere.md.',
  })
})

test('an agent may run every gate, and is told what else it may run', () => {
  const settings = {
    'claude.allowed_tools': 'Edit,Bash(git commit *)',
    'gates.tests': 'npm test',
    quality_checks: { web: 'cd web && npm run lint' },
    'quality.commands': { docs: 'make docs' },
  }
  const { launch, limits } = agentsWith(settings).agents.agentFor({ plan }, 'A')
  const { args } = launch({ prompt: '', cwd: '/', model: '', env: {} })
  const rules = 'Edit,Bash(git commit *),Bash(npm test *),Bash(cd web *),Bash(npm run lint *),Bash(make docs *)'
  assert.equal(args[args.indexOf('--allowedTools') + 1], rules)
  const commands = 'git (commit), `npm test`, `cd web`, `npm run lint`, `make docs`'
  assert.equal(limits, `Commands that you may run, alone or joined: ${commands}. Others that change anything are refused.`)
  const free = agentsWith({ ...settings, 'claude.dangerously_skip_permissions': true }).agents.agentFor({ plan }, 'A')
  assert.equal(free.limits, undefined)
})
