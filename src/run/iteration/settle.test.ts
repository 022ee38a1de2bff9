import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aResult, startOfTime } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { noStory } from '../../core/evolve/initial.ts'
import type { JudgedFlight } from '../../core/state.ts'
import type { Ended, EventOf } from '../../core/types.ts'
import { noteSeen } from './judge-commit.ts'
import { commitOwnFiles, lookAgain, lookAtBaseline, settle } from './settle.ts'

type Judged = EventOf<'iteration.judged'>
const verdict = (more: Partial<Judged>): Judged =>
  ({
    at: startOfTime,
    run: 'r1',
    kind: 'iteration.judged',
    iteration: 1,
    verdict: 'worked',
    progress: 'made',
    passed: [],
    refused: [],
    failedGates: [],
    because: 'b',
    ...more,
  }) as Judged

/** As the iteration left the repository, and what was said of it. */
async function judged(test: TestWorld, said: Partial<Judged>, more: Partial<Ended> = {}): Promise<JudgedFlight> {
  const { head, tree, dirt, uncommitted } = await test.place.git.snapshot()
  const ended = anEnd(1, { repo: { head, tree, dirt }, uncommitted, ...more })
  const flight = anEndedFlight(ended, { story: 'S-1', gates: [aResult('tests', true)] })
  noteSeen(test.world, flight)
  return { ...flight, phase: 'judged', judged: verdict(said) } as JudgedFlight
}
const settled = (test: TestWorld, flight: JudgedFlight, isAgain = false) =>
  settle(test.world, flight, { ...test.deed(), state: { ...test.state(), flights: [flight] }, isAgain })
const progress = (test: TestWorld): string => readFileSync(join(test.world.dir, 'progress.txt'), 'utf8')
const passes = (test: TestWorld): unknown[] => test.plan().userStories.map((story) => story.passes)

test('a story that passed is marked, its work is committed, and so is the memory of it', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'work\n' })
  const { commits, repo, problem } = await settled(test, await judged(test, { verdict: 'done', passed: ['S-1'] }))
  assert.deepEqual([passes(test), commits.length, problem], [[true, false], 1, undefined])
  assert.deepEqual(test.place.sh('log', '-2', '--format=%s').split('\n'), ['chore(ralph): S-1 passes', 'feat: S-1 - Story S-1'])
  assert.equal(repo.head, test.place.sh('rev-parse', 'HEAD'))
  assert.match(progress(test), /Iteration: 1/)
})

test('a story that was refused is open again in the plan, and nothing is committed', async () => {
  const test = await aWorld({ stories: [{ id: 'S-1', passes: true }, { id: 'S-2' }] })
  test.place.write({ 'a.txt': 'work\n' })
  const head = test.place.sh('rev-parse', 'HEAD')
  const { commits } = await settled(test, await judged(test, { verdict: 'failed', refused: ['S-1'] }))
  assert.deepEqual([passes(test), commits, test.place.sh('rev-parse', 'HEAD')], [[false, false], [], head])
})

test('settling again after a kill commits nothing twice and writes no second entry', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'work\n' })
  const flight = await judged(test, { verdict: 'done', passed: ['S-1'] })
  await settled(test, flight)
  const [head, notes] = [test.place.sh('rev-parse', 'HEAD'), progress(test)]
  const { commits } = await settled(test, flight, true)
  assert.deepEqual([test.place.sh('rev-parse', 'HEAD'), progress(test)], [head, notes])
  assert.deepEqual(
    commits.map((commit) => test.place.sh('log', '-1', '--format=%s', commit)),
    ['feat: S-1 - Story S-1'],
  )
})

test('an entry that the agent wrote itself is not written again', async () => {
  const test = await aWorld()
  await settled(test, await judged(test, { verdict: 'worked' }, { wroteProgress: true }))
  assert.doesNotMatch(progress(test), /Iteration: 1/)
})

test('where a hook refuses the work, the story does not pass, and its next attempt is told why', async () => {
  const test = await aWorld()
  const hook = join(test.place.top, '.git', 'hooks', 'pre-commit')
  writeFileSync(hook, '#!/bin/sh\necho "lint failed" >&2\nexit 1\n')
  chmodSync(hook, 0o755)
  const world = { ...test.world, own: { ...test.world.own, git: null } } // the hook is the user's, from before the run
  test.place.write({ 'a.txt': 'work\n' })
  const flight = await judged(test, { verdict: 'done', passed: ['S-1'] })
  const { problem, commits } = await settle(world, flight, { ...test.deed(), isAgain: false })
  assert.match(problem ?? '', /lint failed/)
  assert.deepEqual([passes(test), commits], [[false, false], []])
})

test('work that somebody took off the branch since it was checked does not pass', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'work\n' })
  commitAll(test.place, 'work')
  const flight = await judged(test, { verdict: 'done', passed: ['S-1'] })
  test.place.sh('reset', '-q', '--hard', 'HEAD~1')
  const { problem } = await settled(test, flight)
  assert.match(problem ?? '', /which was checked, is no longer on main/)
  assert.deepEqual(passes(test), [false, false])
})

test('why a story failed is in state.md until it passes', async () => {
  const test = await aWorld()
  const path = join(test.world.dir, 'state.md')
  const refusal = { iteration: 1, because: 'tests', hash: 'h', gates: [aResult('tests', false)], summary: '', files: [] }
  const stories = { 'S-1': { ...noStory, refusals: [{ ...refusal, wasShift: false, attempt: 1 }] } }
  const failed = await judged(test, { verdict: 'failed', refused: ['S-1'] })
  await settle(test.world, failed, { ...test.deed(), state: { ...test.state(), stories }, isAgain: false })
  assert.match(readFileSync(path, 'utf8'), /tests is red/)
  const passed = await judged(test, { verdict: 'done', passed: ['S-1'] })
  await settle(test.world, { ...passed, iteration: 2 }, { ...test.deed(), state: { ...test.state(), stories }, isAgain: false })
  assert.equal(existsSync(path), false)
})

test('a repository inside the project is not committed with the story, and that is told', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': 'work\n' })
  const flight = await judged(test, { verdict: 'done', passed: ['S-1'] })
  await settled(test, { ...flight, ended: { ...flight.ended, uncommitted: ['a.txt', 'inner/'] } })
  assert.match(test.noticed('not-committed')[0] ?? '', /^inner\/ is a nested repository: nothing in it is committed with S-1/)
})

test('with git.auto_commit off, people are told what belongs to the work and is not committed', async () => {
  const test = await aWorld({ settings: { 'git.auto_commit': false } })
  test.place.write({ 'a.txt': 'work\n' })
  await settled(test, await judged(test, { verdict: 'done', passed: ['S-1'] }))
  assert.match(test.noticed('not-committed')[0] ?? '', /git\.auto_commit is off: a\.txt is not committed with S-1/)
})

test('Ralph’s own files are committed alone: what the user has staged stays staged', async () => {
  const test = await aWorld({ files: { 'mine.txt': '0\n' } })
  test.place.write({ 'mine.txt': '1\n', '.ralph/thing/progress.txt': 'notes\n' })
  test.place.sh('add', 'mine.txt')
  const commit = await commitOwnFiles(test.world, 'chore(ralph): notes', test.deed().report)
  assert.ok(commit)
  const names = test.place.sh('show', '--name-only', '--format=', commit).split('\n')
  assert.ok(names.includes('.ralph/thing/progress.txt'))
  assert.deepEqual(
    names.filter((name) => !name.startsWith('.ralph/')),
    [],
  )
  assert.equal(test.place.sh('status', '--porcelain', 'mine.txt'), 'M  mine.txt')
})

test('another feature’s drafts are not committed with this one’s files', async () => {
  const test = await aWorld()
  test.place.write({ '.ralph/other/prd.json': '{}\n', '.ralph/thing/progress.txt': 'notes\n' })
  const commit = await commitOwnFiles(test.world, 'chore(ralph): notes', test.deed().report)
  assert.ok(commit)
  assert.doesNotMatch(test.place.sh('show', '--name-only', '--format=', commit), /other/)
})

test('with git.commit_state off Ralph commits none of its files', async () => {
  const test = await aWorld({ settings: { 'git.commit_state': false } })
  test.place.write({ '.ralph/thing/progress.txt': 'notes\n' })
  assert.equal(await commitOwnFiles(test.world, 'x', test.deed().report), null)
})

test('where the user is on another branch, Ralph’s files are not committed there, and that is told', async () => {
  const test = await aWorld()
  test.place.sh('switch', '-qc', 'elsewhere')
  test.place.write({ '.ralph/thing/progress.txt': 'notes\n' })
  assert.equal(await commitOwnFiles(test.world, 'x', test.deed().report), null)
  assert.match(test.noticed('commit-failed')[0] ?? '', /is on elsewhere, but this run works on main/)
})

test('what the first gates made is part of the place: no later iteration hides it', async () => {
  const test = await aWorld({ files: { '.gitignore': '.ralph/*/logs/\nbuilt/\n' } })
  test.place.write({ 'built/x': 'x\n', 'report.xml': 'r\n' })
  const { ignored } = await lookAtBaseline(test.world, { ...test.state(), ignored: [] })
  assert.ok(ignored?.includes('report.xml'))
  assert.ok(ignored?.some((path) => path.startsWith('built')))
})

test('a second look says where the repository is now', async () => {
  const test = await aWorld()
  test.place.write({ 'a.txt': '1\n' })
  const head = commitAll(test.place, 'one')
  const repo = await lookAgain(test.world)
  assert.deepEqual([repo.head, repo.dirt], [head, ''])
})
