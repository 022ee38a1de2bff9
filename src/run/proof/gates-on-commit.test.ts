import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aStart } from '../../../sim/builders.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { dirtKey } from '../../core/decide/verdict.ts'
import type { EndedFlight } from '../../core/state.ts'
import type { Ended, Gate, GateResult, JudgedIn } from '../../core/types.ts'
import { checkGates } from './gates-on-commit.ts'

const withIgnored = { '.gitignore': '.ralph/*/logs/\nbuilt/\nnode_modules/\n' }
const gate = (command: string): Gate[] => [{ name: 'tests', command }]

/** An iteration that left these files uncommitted, and marked S-1 as done. */
async function ended(test: TestWorld, more: Partial<Ended> = {}): Promise<EndedFlight> {
  const { head, tree, dirt, uncommitted } = await test.place.git.snapshot()
  return anEndedFlight(anEnd(1, { repo: { head, tree, dirt }, uncommitted, flips: ['S-1'], ...more }), { story: 'S-1' })
}

/** What the gates say about the flip, in a project where they can be judged like this. */
async function judged(
  test: TestWorld,
  flight: EndedFlight,
  gates: Gate[],
  judgedIn: JudgedIn = 'clean',
): Promise<GateResult | undefined> {
  test.happens(aStart(1, 'S-1'))
  const state = { ...test.state(), flights: [flight], baseline: [], judgedIn }
  const { results } = await checkGates(test.world, { iteration: 1, gates }, { ...test.deed(), state })
  return results[0]
}

test('gates that are green only with a file that git ignores are red on what is committed, and say so', async () => {
  const test = await aWorld({ files: withIgnored })
  test.place.write({ 'built/x': 'x\n' })
  const result = await judged(test, await ended(test, { hidden: ['built/'] }), gate('test -f built/x'))
  assert.equal(result?.passed, false)
  assert.match(
    result?.output ?? '',
    /^Works only with built\/, not in the commit. This passes in the work tree, but fails on the committed state[\s\S]*built\//,
  )
})

test('what was ignored when the run began takes no part in a clean checkout either, and is named', async () => {
  const test = await aWorld({ files: withIgnored })
  test.place.write({ 'built/x': 'x\n' })
  const state = test.state()
  state.ignored = ['built/']
  const result = await judged(test, await ended(test), gate('test -f built/x'))
  assert.match(result?.output ?? '', /Not in the commit \(ignored by git[^)]*\): built\//)
  assert.equal((await judged(test, await ended(test), gate('test -f built/x'), 'ignored'))?.passed, true)
})

test('dependencies take part, and what tools have cached between them does not', async () => {
  const test = await aWorld({ files: withIgnored })
  test.place.write({ 'node_modules/lib/index.js': '1\n', 'node_modules/.cache/x': 'x\n' })
  const command = 'test -f node_modules/lib/index.js && ! test -e node_modules/.cache'
  assert.equal((await judged(test, await ended(test), gate(command)))?.passed, true)
})

test('work that is not committed yet is part of what is judged', async () => {
  const test = await aWorld({ files: withIgnored })
  test.place.write({ 'a.txt': 'work\n', 'built/x': 'x\n' })
  assert.equal((await judged(test, await ended(test, { hidden: ['built/'] }), gate('test -f a.txt')))?.passed, true)
})

test('gates that are green only with the user’s uncommitted file are red without it', async () => {
  const test = await aWorld({ files: { 'mine.txt': '0\n' } })
  test.place.write({ 'mine.txt': '1\n' })
  test.happens({ kind: 'users.found', iteration: 1, files: ['mine.txt'] })
  const result = await judged(test, await ended(test, { uncommitted: [] }), gate('grep -q 1 mine.txt'))
  assert.equal(result?.passed, false)
  assert.match(result?.output ?? '', /uncommitted changes of the user: mine\.txt/)
})

test('a flip is judged by one run of the gates', async () => {
  const test = await aWorld()
  const count = `${test.place.top}/.ralph/thing/logs/count`
  const result = await judged(test, await ended(test), gate(`echo x >> ${count}; test $(wc -l < ${count}) = 1`))
  assert.equal(result?.passed, true)
})

test('a file named in an error is named as in the project, not as in the checkout', async () => {
  const test = await aWorld()
  const result = await judged(test, await ended(test), gate('echo "$PWD/a.txt is missing"; exit 1'))
  assert.equal(result?.output, `${test.place.top}/a.txt is missing`)
})

test('an iteration that marked nothing as done proves nothing: its gates run in the work tree', async () => {
  const test = await aWorld({ files: withIgnored })
  test.place.write({ 'built/x': 'x\n' })
  const flight = await ended(test, { hidden: ['built/'], flips: [] })
  assert.equal((await judged(test, flight, gate('test -f built/x')))?.passed, true)
})

/** The check before the first iteration: where can the gates judge, and what is said about it? */
async function first(test: TestWorld, command: string): Promise<[JudgedIn | undefined, boolean | undefined, string[]]> {
  const gates = gate(command)
  const state = { ...test.state(), policy: { ...test.state().policy, gates } }
  const { results, judgedIn } = await checkGates(test.world, { iteration: 'whole', gates }, { ...test.deed(), state })
  return [judgedIn, results[0]?.passed, test.noticed('tree-judged')]
}

test('gates that pass in a clean checkout judge there', async () => {
  assert.deepEqual(await first(await aWorld({ files: { 'a.txt': 'a\n' } }), 'test -f a.txt'), ['clean', true, []])
})

test('gates that fail in the same way everywhere judge in a clean checkout too', async () => {
  assert.deepEqual(await first(await aWorld(), 'echo "1 failed, 2 passed in 0.1s"; exit 1'), ['clean', false, []])
})

test('gates that need an ignored file judge with ignored files, and the user is told which and what to do', async () => {
  const test = await aWorld({ files: withIgnored })
  test.place.write({ 'built/x': 'x\n' })
  test.state().ignored = ['built/']
  const [judgedIn, passed, told] = await first(test, 'test -f built/x')
  assert.deepEqual([judgedIn, passed], ['ignored', true])
  assert.match(told[0] ?? '', /gate tests is red in a clean checkout .* \(built\/\).*worktree\.copy/)
})

test('gates that pass only with an uncommitted file are red from the start, with its name', async () => {
  const test = await aWorld({ files: { 'mine.txt': '0\n' } })
  test.place.write({ 'mine.txt': '1\n' })
  assert.deepEqual(await first(test, 'grep -q 1 mine.txt'), ['clean', false, []])
})

test('gates that need the project’s own folder judge in the work tree, and the user is told', async () => {
  const test = await aWorld()
  const [judgedIn, passed, told] = await first(test, `test "$PWD" = "${test.place.top}"`)
  assert.deepEqual([judgedIn, passed], ['tree', true])
  assert.match(told[0] ?? '', /red in a clean checkout of the last commit, but not in your work tree/)
})

/** Fails in its first run, where most of its tests pass. */
const failsFirst = (test: TestWorld): string => {
  const count = `${test.place.top}/.ralph/thing/logs/count`
  return `echo x >> ${count}; test $(wc -l < ${count}) != 1 || { echo '✖ net (1ms)'; echo '1 failed, 9 passed in 0.1s'; exit 1; }`
}

test('a flaky test in the first check is no reason to judge in the work tree: the clean checkout is tried once more [R-PROOF-8]', async () => {
  const test = await aWorld()
  const gates = gate(failsFirst(test))
  const state = { ...test.state(), policy: { ...test.state().policy, gates } }
  const { results, judgedIn } = await checkGates(test.world, { iteration: 'whole', gates }, { ...test.deed(), state })
  assert.deepEqual([judgedIn, results[0]?.passed, results[0]?.flaky, test.noticed('tree-judged')], ['clean', true, ['net'], []])
})

test('gates that judge say what they saw: the same content before the first iteration and in a flip that changes nothing [R-PROOF-8]', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  const gates = gate('true')
  const contentOf = async (flight: EndedFlight | null): Promise<string | undefined> => {
    const flights = flight === null ? {} : { flights: [flight], baseline: [], judgedIn: 'clean' as const }
    const state = { ...test.state(), policy: { ...test.state().policy, gates }, ...flights }
    const iteration = flight === null ? ('whole' as const) : 1
    return (await checkGates(test.world, { iteration, gates }, { ...test.deed(), state })).content
  }
  const before = await contentOf(null)
  assert.equal(before?.length, 40)
  assert.equal(await contentOf(await ended(test)), before)
  test.place.write({ 'a.txt': 'b\n' })
  assert.notEqual(await contentOf(await ended(test)), before)
  assert.equal(await contentOf(await ended(test, { flips: [] })), undefined)
})

test('where a flip is judged in the work tree, what it has committed and left says what was seen', async () => {
  const test = await aWorld()
  const flight = await ended(test)
  const state = { ...test.state(), flights: [flight], baseline: [], judgedIn: 'tree' as const }
  const { content } = await checkGates(test.world, { iteration: 1, gates: gate('true') }, { ...test.deed(), state })
  assert.equal(content, dirtKey(flight.ended.repo))
})

test('gates that run once more do so in the same place alone', async () => {
  const test = await aWorld({ files: withIgnored })
  test.place.write({ 'built/x': 'x\n' })
  const flight = await ended(test, { hidden: ['built/'] })
  const count = `${test.place.top}/.ralph/thing/logs/count`
  const gates = gate(`echo x >> ${count}; test -f built/x`)
  const state = { ...test.state(), flights: [flight], baseline: [], judgedIn: 'clean' as const }
  await checkGates(test.world, { iteration: 1, gates, again: true }, { ...test.deed(), state })
  assert.equal(readFileSync(count, 'utf8'), 'x\n')
})
