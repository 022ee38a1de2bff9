import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFlight, anEnd, anEndedFlight, aPlan, aPolicy, aStory } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, quietScreen, type TestWorld } from '../../../test/support/world.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { logPath } from '../iteration/call-result.ts'
import { changedSinceKill, endWithoutAgent, isUnfinished, leftFlips, lostIteration, planAfterKill } from './left-by-kill.ts'

const nothing = { flips: [], astray: null, dirtyAtDeath: null }
const passing = (...ids: string[]) => {
  const plan = aPlan(['A', 'B', 'C'].map((id) => aStory(id, { passes: ids.includes(id) })))
  return { plan, file: 'prd.json', text: '', texts: {} } as unknown as Parameters<typeof leftFlips>[0]
}
const withFlights = (test: TestWorld, ...flights: State['flights']): State => ({ ...test.state(), flights })

test('a run that began and has no end was killed; one that never began was not', async () => {
  const { state } = await aWorld()
  assert.equal(isUnfinished(state()), true)
  assert.equal(isUnfinished({ ...state(), run: '' }), false)
  assert.equal(isUnfinished({ ...state(), outcome: { outcome: 'complete', because: '' } } as State), false)
})

test('a pass that no receipt backs is the lost iteration’s where that worked on it, and nobody’s else', async () => {
  const test = await aWorld()
  const state: State = { ...withFlights(test, aFlight(3, { story: 'A' })), stories: { C: { ...noStory, receipt: {} as never } } }
  const { byFlight, strays } = leftFlips(passing('A', 'B', 'C'), state)
  assert.deepEqual([...byFlight], [[3, ['A']]])
  assert.deepEqual(strays, ['B'])
})

test('an iteration that picks its story itself may have flipped any; one that ended, what it said', async () => {
  const test = await aWorld()
  const picks = leftFlips(passing('A', 'B'), withFlights(test, aFlight(3, { story: null })))
  assert.deepEqual([picks.byFlight.get(3), picks.strays], [['A', 'B'], []])
  const said = leftFlips(passing('A', 'B'), withFlights(test, anEndedFlight(anEnd(3, { flips: ['B'] }))))
  assert.deepEqual([said.byFlight.get(3), said.strays], [['B'], ['A']])
})

test('what is worked on in a worktree is flipped there: a pass in the plan itself is nobody’s', async () => {
  const test = await aWorld()
  const { byFlight, strays } = leftFlips(passing('A'), withFlights(test, aFlight(3, { story: 'A', worker: 1 })))
  assert.deepEqual([[...byFlight], strays], [[], ['A']])
})

test('changes of plan and gates since a kill are said, with the stories’ names', async () => {
  const { state } = await aWorld()
  const known = { ...state(), plan: aPlan([aStory('A'), aStory('B')]), policy: aPolicy() }
  const changed = aPlan([aStory('A', { title: 'Another' }), aStory('B')])
  const gates = aPolicy({ gates: [{ name: 'tests', command: 'true' }] })
  const details = (...given: Parameters<typeof changedSinceKill>): string[] =>
    changedSinceKill(...given).flatMap((fact) => (fact.kind === 'noticed' ? [fact.detail] : []))
  assert.deepEqual(details(known, known.plan, known.policy), [])
  assert.match(details(known, changed, known.policy)[0] ?? '', /^the plan \(A\) changed since Ralph was killed/)
  assert.match(details(known, known.plan, gates)[0] ?? '', /^the gates changed/)
  assert.match(details(known, changed, gates)[0] ?? '', /^the plan \(A\) and the gates changed/)
})

test('a plan that went with a killed run comes back as that run last knew it', async () => {
  const test = await aWorld()
  const path = join(test.world.dir, 'prd.json')
  const text = readFileSync(path, 'utf8')
  rmSync(path)
  const { plan } = await planAfterKill(test.world, withFlights(test, aFlight(1)), quietScreen(), null)
  assert.equal(plan?.text, text)
  assert.equal(readFileSync(path, 'utf8'), text)
})

test('a plan that appeared while an agent of a run without one was at work is put away', async () => {
  const test = await aWorld({ stories: null })
  const path = join(test.world.dir, 'prd.json')
  writeFileSync(path, '{"userStories": []}\n')
  const { plan, facts } = await planAfterKill(test.world, withFlights(test, aFlight(1, { story: null })), quietScreen(), null)
  assert.deepEqual([plan, existsSync(path)], [null, false])
  assert.deepEqual(
    facts.map((fact) => fact.kind === 'noticed' && fact.what),
    ['plan-removed'],
  )
})

test('what a lost agent committed and left counts as the work of its iteration', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  writeFileSync(logPath(test.world, 1), 'at work\n')
  test.place.write({ 'a.txt': 'b\n' })
  const commit = commitAll(test.place, 'work')
  test.place.write({ 'left.txt': 'half\n' })
  const flight = aFlight(1, { story: 'S-1' })
  const state = withFlights(test, flight)
  const report = await lostIteration(test.world, flight, { ...nothing, flips: ['S-1'] }, { ...test.deed(), state })
  assert.ok(report.kind === 'iteration.ended')
  assert.deepEqual([report.exit, report.commits, report.uncommitted, report.flips], ['lost', [commit], ['left.txt'], ['S-1']])
})

test('where its agent had not begun, every commit and file since is the user’s', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'by the user\n' })
  commitAll(test.place, 'user')
  test.place.write({ 'draft.txt': 'by the user\n' })
  const flight = aFlight(1, { story: 'S-1' })
  const report = await lostIteration(test.world, flight, nothing, { ...test.deed(), state: withFlights(test, flight) })
  assert.ok(report.kind === 'iteration.ended')
  assert.deepEqual([report.commits, report.uncommitted], [[], []])
  assert.deepEqual(
    test.reports.flatMap((fact) => (fact.kind === 'users.found' ? fact.files : [])),
    ['draft.txt'],
  )
})

test('what was uncommitted when Ralph died is the agent’s; what came after that is the user’s', async () => {
  const test = await aWorld()
  writeFileSync(logPath(test.world, 1), 'at work\n')
  test.place.write({ 'agent.txt': 'a\n', 'user.txt': 'u\n' })
  const flight = aFlight(1, { story: 'S-1' })
  const left = { ...nothing, dirtyAtDeath: ['agent.txt'] }
  const report = await lostIteration(test.world, flight, left, { ...test.deed(), state: withFlights(test, flight) })
  assert.ok(report.kind === 'iteration.ended')
  assert.deepEqual(report.uncommitted, ['agent.txt'])
})

test('a worktree that is gone took the work with it: the iteration is lost with nothing', async () => {
  const test = await aWorld()
  const flight = aFlight(1, { story: 'S-1', worker: 1 })
  const report = await lostIteration(test.world, flight, nothing, { ...test.deed(), state: withFlights(test, flight) })
  assert.ok(report.kind === 'iteration.ended')
  assert.deepEqual([report.exit, report.commits, report.repo], ['lost', [], test.state().repo])
})

test('a check without an agent looks at what a person says is done, at no cost', async () => {
  const test = await aWorld()
  const state = { ...test.state(), claims: ['S-1'] }
  const report = await endWithoutAgent(test.world, 1, { ...test.deed(), state })
  assert.deepEqual([report.flips, report.usage.costUsd, report.exit], [['S-1'], 0, 'lost'])
})
