import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { aPlan, aStory } from '../../../sim/builders.ts'
import { committed, newFolder } from '../../../test/support/repository.ts'
import { aSetup, quietScreen, settingsWith } from '../../../test/support/world.ts'
import type { Git } from '../../adapters/git/git.ts'
import type { PlanFile } from '../../adapters/plan/parse-plan.ts'
import { projectConfig } from '../../adapters/project/layout.ts'
import { type Settings, table } from '../../config/table.ts'
import { initialState } from '../../core/evolve/initial.ts'
import type { Agent } from '../../ports.ts'
import { checkAgents, checkBudget, checkOnly, checkParallel, checkSession, enterBranch, ownConfig } from './begin.ts'
import { learnerOf, reviewersOf } from './roles.ts'

const planOf = (...stories: Parameters<typeof aStory>[]): PlanFile =>
  ({ plan: aPlan(stories.map((story) => aStory(...story))), file: 'prd.json', text: '', texts: {} }) as unknown as PlanFile
const loadedWith = (settings: Partial<Settings>, given: string[] = []) =>
  ({
    settings: settingsWith(settings),
    sources: Object.fromEntries(Object.keys(table).map((key) => [key, given.includes(key) ? 'project' : 'default'])),
    files: [],
    warnings: [],
  }) as unknown as Parameters<typeof reviewersOf>[0]
const agent = (more: Partial<Agent>) => (): Agent => ({ name: 'mine', ...more }) as Agent

test('a story that the plan does not have is refused with those that it has', () => {
  assert.throws(() => checkOnly(planOf(['A'], ['B']), 'C'), { exit: 64, message: 'No story "C". The plan has: A, B' })
  assert.throws(() => checkOnly(null, 'C'), { message: /none: the feature has no plan/ })
})

test('a story that waits for another one is refused with that one; a done one is not', () => {
  const plan = planOf(['A'], ['B', { dependsOn: ['A'] }], ['C', { dependsOn: ['A'], passes: true }])
  assert.throws(() => checkOnly(plan, 'B'), { exit: 65, message: 'B depends on A, which is still open. Run that first.' })
  checkOnly(plan, 'A')
  checkOnly(plan, 'C')
})

test('without being asked for, only an agent that can be held to a form of answer reviews', () => {
  assert.deepEqual(reviewersOf(loadedWith({}), agent({ answersInSchema: true })), { spec: 'mine', final: [] })
  assert.deepEqual(reviewersOf(loadedWith({}), agent({})), { final: [] })
  assert.deepEqual(reviewersOf(loadedWith({}), agent({ answersInSchema: true, roles: [] })), { final: [] })
})

test('asked for, any agent reviews; switched off, none does', () => {
  assert.deepEqual(reviewersOf(loadedWith({}, ['review.enabled']), agent({})), { spec: 'mine', final: [] })
  assert.deepEqual(reviewersOf(loadedWith({ 'roles.reviewer.agent': 'mine' }), agent({})), { spec: 'mine', final: [] })
  assert.deepEqual(reviewersOf(loadedWith({ 'review.enabled': false }), agent({ answersInSchema: true })), { final: [] })
})

test('a learner is chosen by the same rule', () => {
  assert.deepEqual(learnerOf(loadedWith({}), agent({})), {})
  assert.equal(learnerOf(loadedWith({}), agent({ answersInSchema: true })).learn?.agent, 'mine')
  assert.equal(learnerOf(loadedWith({}, ['learn.enabled']), agent({})).learn?.agent, 'mine')
  assert.deepEqual(learnerOf(loadedWith({ 'learn.enabled': false }, ['learn.enabled']), agent({ answersInSchema: true })), {})
})

test('an agent whose program is not there is refused before the first iteration, with how to get it', async () => {
  const setup = aSetup(newFolder(), { agent: { name: 'mine', command: ['no-such-program-here'] } })
  await assert.rejects(checkAgents(setup, null, null, { final: [] }), {
    exit: 69,
    message: /^The agent "mine" needs the program no-such-program-here, which /,
  })
})

test('agents of open stories and reviewers are looked for, too; those of done stories are not', async () => {
  const setup = aSetup(newFolder())
  await checkAgents(setup, null, planOf(['A', { agent: 'codex', passes: true }]), { final: [] })
  const env = { ...setup.env, PATH: '/bin:/usr/bin' }
  await assert.rejects(checkAgents({ ...setup, env }, null, planOf(['A', { agent: 'opencode' }]), { final: [] }), { exit: 69 })
  await assert.rejects(checkAgents({ ...setup, env }, null, null, { final: ['opencode'] }), { exit: 69 })
})

test('in a sandbox with an image of its own the programs are the image’s', async () => {
  const setup = aSetup(newFolder(), { agent: { name: 'mine', command: ['no-such-program-here'] } })
  await checkAgents(setup, { check: async () => {}, hasPrograms: false } as never, null, { final: [] })
})

test('a budget that an agent gives no figures for is refused: it would never be spent', () => {
  const check = (settings: Partial<Settings>) => () => checkBudget(aSetup(newFolder(), settings), null, { final: [] })
  assert.throws(check({ 'budget.cost_usd': 5 }), { exit: 78, message: /does not report its cost/ })
  assert.throws(check({ 'budget.tokens': 1000 }), { exit: 78, message: /does not report its tokens/ })
  assert.doesNotThrow(check({}))
  assert.doesNotThrow(check({ agent: 'claude', 'budget.cost_usd': 5, 'budget.tokens': 1000 }))
})

test('a session can be resumed only by an agent that can', () => {
  const check = (settings: Partial<Settings>) => () => checkSession(aSetup(newFolder(), settings), initialState)
  assert.throws(check({ 'defaults.session': 'resume' }), { exit: 78, message: /"mine" cannot resume a session/ })
  assert.doesNotThrow(check({ 'defaults.session': 'resume', agent: 'claude' }))
  assert.doesNotThrow(check({}))
})

test('several workers need a repository', async () => {
  const settings = settingsWith({ 'parallel.workers': 2 })
  await assert.rejects(checkParallel({ git: null, settings }), { exit: 78, message: /2 workers need a git repository/ })
  assert.deepEqual(await checkParallel({ git: null, settings: settingsWith({}) }), [])
})

test('submodules are empty in worktrees: several workers are told so, and what fills them, before the first story fails', async () => {
  const top = newFolder()
  mkdirSync(top)
  writeFileSync(join(top, '.gitmodules'), '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib\n')
  const git = { top, canMergeAside: async () => true } as unknown as Git
  const said = (workers: number, setup: string): Promise<string[]> =>
    checkParallel({ git, settings: settingsWith({ 'parallel.workers': workers, 'worktree.setup': setup }) })
  const [words, ...more] = await said(2, '')
  assert.match(words ?? '', /\(vendor\/lib\/\) are empty in the worktrees .*"git submodule update --init --recursive"/)
  assert.deepEqual([more, await said(1, ''), await said(2, 'npm ci')], [[], [], []])
})

test('the plan’s branch is made where it is missing, with the uncommitted work', async () => {
  const place = await committed()
  place.write({ 'a.txt': 'dirty\n' })
  const said: string[] = []
  const world = { git: place.git, settings: settingsWith({}), screen: quietScreen((text) => said.push(text), 'normal') }
  const facts: unknown[] = []
  const before = place.sh('rev-parse', '--abbrev-ref', 'HEAD')
  const note = (fact: unknown): void => void facts.push([fact, place.sh('branch', '--list', 'feature/x')])
  assert.equal(await enterBranch(world, 'feature/x', note), true)
  assert.equal(place.sh('rev-parse', '--abbrev-ref', 'HEAD'), 'feature/x')
  assert.match(said.join(''), /Created branch feature\/x/)
  assert.equal(await enterBranch(world, 'feature/x', note), false)
  assert.deepEqual(facts, [[{ kind: 'branch.created', branch: 'feature/x', base: before }, '']]) // before it was made
})

test('to a branch that exists, uncommitted work is never taken over', async () => {
  const place = await committed()
  place.sh('branch', 'feature/x')
  const world = { git: place.git, settings: settingsWith({}), screen: quietScreen() }
  place.write({ 'a.txt': 'dirty\n' })
  await assert.rejects(enterBranch(world, 'feature/x'), { exit: 65, message: /feature\/x exists, and the work tree \(on main\)/ })
  place.sh('checkout', '-q', '--', 'a.txt')
  assert.equal(await enterBranch(world, 'feature/x'), true)
})

test('without a branch in the plan, without git, or where the settings say so, nothing is switched', async () => {
  const place = await committed()
  const world = { git: place.git, settings: settingsWith({}), screen: quietScreen() }
  assert.equal(await enterBranch(world, ''), false)
  assert.equal(await enterBranch({ ...world, git: null }, 'feature/x'), false)
  assert.equal(await enterBranch({ ...world, settings: settingsWith({ 'branch.auto_create': false }) }, 'feature/x'), false)
})

test('the run’s configuration is what the settings were read from, not what lies there since', () => {
  const root = newFolder()
  const setup = aSetup(root)
  const path = projectConfig(root)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'changed: since\n')
  assert.equal(ownConfig({ ...setup, configRead: [{ path, text: 'as: read\n' }] })[0]?.text, 'as: read\n')
  assert.deepEqual(
    ownConfig(setup).map(({ text }) => text),
    ['changed: since\n', null],
  )
})
