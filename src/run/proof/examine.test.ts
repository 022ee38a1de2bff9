import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aResult, aStart } from '../../../sim/builders.ts'
import { examinedAfter, gates, manifest, project, testOf } from '../../../test/support/examined.ts'
import { commitAll, env } from '../../../test/support/repository.ts'
import { aWorld } from '../../../test/support/world.ts'
import { sure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import type { Examination } from '../../core/types/results.ts'
import type { Census } from '../../core/types.ts'
import { changedChecks } from './changed-checks.ts'
import { examine } from './examine.ts'

test('a new test that fails on the old code by an assertion demonstrates the story, and the old tests need not run again [R-PROOF-3]', async () => {
  const [, { oldChecks, newChecks, problem }, checks] = await examinedAfter({
    'sum.mjs': 'export const sum = (a, b) => Number(a) + Number(b)\n',
    'test/text.test.mjs': testOf('adds text', "assert.equal(all.sum('1', '2'), 3)"),
  })
  assert.deepEqual([checks, oldChecks, problem], [['test/text.test.mjs'], undefined, undefined])
  assert.deepEqual(newChecks?.failing, ['adds text'])
  assert.equal(newChecks?.isMissing, undefined)
})

test('a new test that only misses what the story added proves little', async () => {
  const [, { newChecks }] = await examinedAfter({
    'sum.mjs': 'export const sum = (a, b) => a + b\nexport const double = (a) => 2 * a\n',
    'test/double.test.mjs': testOf('doubles', 'assert.equal(all.double(2), 4)'),
  })
  assert.deepEqual(newChecks, { failing: ['doubles'], isMissing: true })
})

test('new tests that pass over the old code are named, if the code changed', async () => {
  const tests = { 'test/text.test.mjs': testOf('adds', 'assert.ok(all.sum(1, 2))') }
  const [, alone] = await examinedAfter(tests)
  assert.deepEqual(alone.newChecks, { failing: [] })
  const [, { newChecks }] = await examinedAfter({ ...tests, 'sum.mjs': 'export const sum = (a, b) => b + a\n' })
  assert.deepEqual(newChecks, { failing: [], passing: ['test/text.test.mjs'] })
})

test('a test that was changed to let wrong code pass fails as it was [R-PROOF-3]', async () => {
  const [, { oldChecks }] = await examinedAfter({
    'sum.mjs': 'export const sum = (a, b) => a - b\n',
    'test/sum.test.mjs': testOf('adds', 'assert.equal(all.sum(1, 2), -1)'),
  })
  assert.deepEqual(oldChecks, { failing: ['adds'] })
})

test('a script that no longer runs the tests is run as it was, with the new dependencies', async () => {
  const [, { oldChecks, newChecks }, checks] = await examinedAfter({
    'sum.mjs': 'export const sum = () => 0\n',
    'package.json': manifest('echo ok'),
  })
  assert.deepEqual([checks, oldChecks, newChecks], [['package.json'], { failing: ['adds'] }, undefined])
})

test('what only tests read is a check, and so is the script of a gate, wherever it lies', async () => {
  const files = {
    'data/sums.json': '[[1, 2, 3]]',
    'run.mjs': "import { sum } from './sum.mjs'\nif (sum(2, 2) !== 4) process.exit(1)\n",
    'test/sums.test.mjs': testOf('adds all', "assert.ok('data/sums.json')"),
  }
  const test = await aWorld({
    files: { ...project, ...files },
    policy: { gates: [...gates, { name: 'run', command: 'node run.mjs' }] },
  })
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write({ 'data/sums.json': '[]', 'run.mjs': 'process.exit(0)\n', 'sum.mjs': 'export const sum = () => 3\n' })
  commitAll(test.place, 'work')
  const ended = anEnd(1, { flips: ['S-1'] })
  const { checks } = await changedChecks(test.world, { ...ended, story: 'S-1' }, test.state())
  const state = { ...test.state(), judgedIn: 'clean' as const, flights: [anEndedFlight(ended, { story: 'S-1' })] }
  const { oldChecks } = await examine(test.world, 1, { ...test.deed(), state })
  assert.deepEqual([checks, oldChecks], [['data/sums.json', 'run.mjs'], { failing: ['gate run'] }])
})

test('old checks that run fewer tests than at the beginning fail: something else hides them', async () => {
  const test = await aWorld({ files: project, policy: { gates } })
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write({ 'test/sum.test.mjs': testOf('adds up', 'assert.equal(all.sum(1, 2), 3)') })
  commitAll(test.place, 'work')
  const flight = anEndedFlight(anEnd(1, { flips: ['S-1'] }), { story: 'S-1' })
  const begun = { commit: null, census: { tests: { passed: 3, failed: 0, skipped: 0 } } }
  const now = test.state()
  const stories = { ...now.stories, 'S-1': { ...sure(now.stories['S-1'], 'S-1'), begun: { ...begun, commit: now.repo.head } } }
  const { oldChecks } = await examine(test.world, 1, {
    ...test.deed(),
    state: { ...now, stories, judgedIn: 'clean', flights: [flight] },
  })
  assert.deepEqual(oldChecks, { failing: ['gate tests runs 1 of 3 tests'] })
})

/** S-0 changed the test, and passed without a word; then S-1, which does not depend on it, changed the code. */
async function afterAnother(
  byOther: Record<string, string>,
  own: Record<string, string>,
  census: Record<string, Census> = {},
  checkedBy = gates,
): Promise<Examination> {
  const test = await aWorld({ files: project, policy: { gates: checkedBy } })
  const first = test.state().repo.head
  test.place.write(byOther)
  commitAll(test.place, 'S-0')
  const { head, tree, dirt } = await test.place.git.snapshot()
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write(own)
  commitAll(test.place, 'S-1')
  const now = test.state()
  const other = { ...sure(now.stories['S-1'], 'S-1'), files: Object.keys(byOther), receipt }
  const mine = { ...sure(now.stories['S-1'], 'S-1'), begun: { commit: head, census } }
  const state: State = {
    ...now,
    repo: { head, tree, dirt },
    begun: { commit: first, census: {} },
    stories: { 'S-0': other, 'S-1': mine },
    judgedIn: 'clean',
    flights: [anEndedFlight(anEnd(1, { flips: ['S-1'] }), { story: 'S-1' })],
  }
  return examine(test.world, 1, { ...test.deed(), state })
}
const receipt = { iteration: 1, proven: true, commits: [], tree: 't', gates: [], agent: 'x', costUsd: null, given: false }

test('a check that another story weakened while the code was right is run as it was when the feature began', async () => {
  const weaker = { 'test/sum.test.mjs': testOf('adds', 'assert.ok(all.sum(1, 2))') }
  const { oldChecks } = await afterAnother(weaker, { 'sum.mjs': 'export const sum = (a, b) => a - b\n' })
  assert.deepEqual(oldChecks, { failing: ['adds'] })
})

test('a check that another story changed on purpose, with its code, says nothing against this one', async () => {
  const changed = {
    'sum.mjs': 'export const sum = (a, b) => a + b + 1\n',
    'test/sum.test.mjs': testOf('adds', 'assert.equal(all.sum(1, 2), 4)'),
  }
  const { oldChecks } = await afterAnother(changed, { 'sum.mjs': 'export const sum = (a, b) => 1 + a + b\n' })
  assert.deepEqual(oldChecks, { failing: [] })
})

const twoTests = { 'test/sum.test.mjs': `${project['test/sum.test.mjs']}test('adds 2', () => assert.equal(all.sum(2, 2), 4))\n` }
const two = { tests: { passed: 2, failed: 0, skipped: 0 } }

test('tests that another story added to a file are not missing where that file is run as it was before them', async () => {
  const code = { 'sum.mjs': 'export const sum = (a, b) => b + a\n' }
  assert.deepEqual((await afterAnother(twoTests, code, two)).oldChecks, { failing: [] })
  const more = { ...code, 'test/more.test.mjs': testOf('adds 3', 'assert.equal(all.sum(3, 3), 6)') }
  assert.deepEqual((await afterAnother(twoTests, more, two)).oldChecks, { failing: [] })
})

test('a story after others that lets the runner find fewer of the older tests, and adds some, is found', async () => {
  const command = "node -e \"import('./sum.mjs').then(({ found = 2 }) => console.log('# pass ' + found))\""
  const hides = { 'sum.mjs': 'export const found = 1\n', 'test/more.test.mjs': testOf('adds 3', 'null') }
  const { oldChecks } = await afterAnother(twoTests, hides, two, [{ name: 'tests', command }])
  assert.deepEqual(oldChecks, { failing: ['gate tests runs 1 of 2 tests'] })
})

test('a moved and rewritten test changes nothing for right code', async () => {
  const [, { oldChecks }] = await examinedAfter({
    'test/sum.test.mjs': testOf('adds numbers', 'assert.strictEqual(all.sum(1, 2), 3)'),
  })
  assert.deepEqual(oldChecks, { failing: [] })
})

test('a package.json with new dependencies and the same scripts is no changed check', async () => {
  const [, , checks] = await examinedAfter({
    'package.json': JSON.stringify({ type: 'module', version: '2.0.0', scripts: { test: 'node --test' } }),
  })
  assert.equal(checks, undefined)
})

test('a gate that was red before the run, and names no test, neither shows nor clears anything', async () => {
  const command = 'node check.mjs'
  const files = {
    'sum.mjs': project['sum.mjs'],
    'check.mjs': "import { sum } from './sum.mjs'\nif (sum(1, 2) !== 4) process.exit(1)\n",
  }
  const test = await aWorld({ files, policy: { gates: [{ name: 'tests', command }] } })
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write({ 'check.mjs': "import { sum } from './sum.mjs'\nsum(1, 2)\n" })
  commitAll(test.place, 'work')
  const { head, tree, dirt } = await test.place.git.snapshot()
  const flight = anEndedFlight(anEnd(1, { repo: { head, tree, dirt }, flips: ['S-1'] }), {
    story: 'S-1',
    gates: [aResult('tests', true)],
  })
  const state = { ...test.state(), baseline: [aResult('tests', false)], judgedIn: 'clean' as const, flights: [flight] }
  const { oldChecks } = await examine(test.world, 1, { ...test.deed(), state })
  assert.deepEqual(oldChecks, { failing: [], isMissing: true })
})

test('a runner that is not there examines nothing, in words', async () => {
  const test = await aWorld({ files: project, policy: { gates: [{ name: 'tests', command: 'no-such-runner' }] } })
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write({ 'test/sum.test.mjs': testOf('adds', 'null') })
  commitAll(test.place, 'work')
  const flight = anEndedFlight(anEnd(1, { flips: ['S-1'] }), { story: 'S-1' })
  const state = { ...test.state(), judgedIn: 'clean' as const, flights: [flight] }
  const { problem, oldChecks } = await examine(test.world, 1, { ...test.deed(), state })
  assert.deepEqual([problem, oldChecks], ['gate tests could not run (exit 127)', undefined])
})

test('the gates of an examination do not end a reviewer that runs beside them', async () => {
  const test = await aWorld({ files: project, policy: { gates } })
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write({ 'test/sum.test.mjs': testOf('adds up', 'assert.equal(all.sum(1, 2), 3)') })
  commitAll(test.place, 'work')
  const reviewer = spawn('sleep', ['60'], { env: { PATH: env['PATH'], RALPH_RUN: `${test.world.run}:1` }, stdio: 'ignore' })
  const over = once(reviewer, 'exit')
  const flight = anEndedFlight(anEnd(1, { flips: ['S-1'] }), { story: 'S-1' })
  const state = { ...test.state(), judgedIn: 'clean' as const, flights: [flight] }
  const { oldChecks } = await examine(test.world, 1, { ...test.deed(), state })
  assert.deepEqual([oldChecks, reviewer.exitCode, reviewer.signalCode], [{ failing: [] }, null, null])
  reviewer.kill()
  await over
})

test('code that does something else where no test gets is named, and what the tests do reach is not', async () => {
  const [, { unreached }] = await examinedAfter({
    'sum.mjs': 'export const sum = (a, b) => {\n  if (process.uptime() < 100) return Number(a) + Number(b)\n  return a + b\n}\n',
    'test/text.test.mjs': testOf('adds text', "assert.equal(all.sum('1', '2'), 3)"),
  })
  assert.deepEqual(unreached, [{ file: 'sum.mjs', line: 2, shown: 'process.uptime() < 100', told: 'surroundings', isElse: true }])
  const [, honest] = await examinedAfter({
    'sum.mjs': "export const sum = (a, b) => {\n  if (typeof a === 'string') return Number(a) + Number(b)\n  return a + b\n}\n",
    'test/text.test.mjs': testOf('adds text', "assert.equal(all.sum('1', '2'), 3)"),
  })
  assert.deepEqual(honest.unreached, [])
})

test('a program in Python is asked the same', async () => {
  const [, { unreached }] = await examinedAfter({
    'package.json': manifest('python3 -m unittest'),
    'sums.py': 'import sys\n\n\ndef add(a, b):\n    """Adds."""\n    return a + b if "unittest" in sys.modules else 0\n',
    'test_sums.py':
      'import unittest\nimport sums\n\n\nclass Sums(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(sums.add(1, 2), 3)\n',
  })
  assert.deepEqual(unreached, [{ file: 'sums.py', line: 6, shown: '0', told: 'surroundings' }])
})

test('of code that the gates do not run nothing is said', async () => {
  const [, { unreached, problem }] = await examinedAfter({
    'other.mjs': 'export const other = (a) => (process.env.X ? a : 0)\n',
    'test/text.test.mjs': testOf('adds text', "assert.equal(all.sum('1', '2'), '12')"),
  })
  assert.deepEqual([unreached, problem], [undefined, undefined])
})

test('a condition of the test script that leads the tests to other code is found by the script as it was', async () => {
  const imports = { '#less': { local: './less.local.mjs', default: './less.mjs' } }
  const [, { oldChecks, oldSettings }] = await examinedAfter({
    'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node -C local --test' }, imports }),
    'less.mjs': 'export const less = (a, b) => a + b\n',
    'less.local.mjs': 'export const less = (a, b) => a - b\n',
    'test/less.test.mjs':
      "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { less } from '#less'\ntest('takes off', () => assert.equal(less(3, 1), 2))\n",
  })
  assert.deepEqual([oldChecks?.failing, oldSettings], [[], { failing: ['takes off'], files: ['package.json'] }])
})

test('settings that the new tests need to be found or loaded at all are no suspicion', async () => {
  const [, { oldSettings }] = await examinedAfter({
    'package.json': manifest('node --import ./ready.mjs --test'),
    'ready.mjs': 'globalThis.limit = 3\n',
    'test/limit.test.mjs': testOf('limits', 'assert.equal(all.sum(1, limit), 4)'),
  })
  assert.equal(oldSettings, undefined)
})

const shell = `for each in test/*.case.sh; do
  if sh -u "$each"; then echo "ok - $each"; else echo "not ok - $each"; failed=1; fi
done
exit \${failed:-0}
`
/** The script of the gate lies among the tests; this is how the story changed it, and the test that it added. */
async function afterChangeOfRunner(from: string, to: string, added: string): Promise<Examination> {
  const files = { 'test/run.sh': shell, 'test/one.case.sh': 'test 1 = 1\n' }
  const test = await aWorld({ files, policy: { gates: [{ name: 'tests', command: 'sh test/run.sh' }] } })
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write({ 'test/run.sh': shell.replace(from, to), 'test/two.case.sh': added })
  commitAll(test.place, 'work')
  const ended = anEnd(1, { flips: ['S-1'] })
  const { checks } = await changedChecks(test.world, { ...ended, story: 'S-1' }, test.state())
  const flights = [anEndedFlight({ ...ended, ...(checks && { checks }) }, { story: 'S-1', gates: [aResult('tests', true)] })]
  return examine(test.world, 1, { ...test.deed(), state: { ...test.state(), judgedIn: 'clean', flights } })
}

test('a script of the gate that lies among the tests and passes over the new ones is found by the script as it was', async () => {
  const over = '  case $each in *two*) continue ;; esac\n  if sh'
  const { oldChecks, oldSettings } = await afterChangeOfRunner('  if sh', over, 'test 1 = 2\n')
  assert.deepEqual(oldChecks?.failing, [])
  assert.deepEqual(oldSettings, { failing: ['test/two.case.sh'], files: ['test/run.sh'] })
})

test('a list of known failures in a runner of the project is found by the runner as it was', async () => {
  const { oldChecks, oldSettings } = await afterChangeOfRunner(
    'echo "not ok - $each"; failed=1',
    'echo "not ok - $each"; grep -q "$each" test/known || failed=1',
    'test 1 = 2\n',
  )
  assert.deepEqual([oldChecks?.failing, oldSettings?.files], [[], ['test/run.sh']])
})

test('a variable that the script of the gate sets for new tests is no suspicion', async () => {
  const { oldChecks, oldSettings } = await afterChangeOfRunner('for each', 'export LIMIT=3\nfor each', 'test "$LIMIT" = 3\n')
  assert.deepEqual([oldChecks?.failing, oldSettings], [[], undefined])
})

test('a gate that failed before the run without naming a test, and still fails as it was, is no pass', async () => {
  const script = "import assert from 'node:assert'\nimport { sum } from './sum.mjs'\nassert.equal(sum(2, 2), 5)\n"
  const files = { 'package.json': manifest('node check.mjs'), 'sum.mjs': project['sum.mjs'], 'check.mjs': script }
  const test = await aWorld({ files, policy: { gates } })
  const red = { ...aResult('tests', false), output: 'AssertionError [ERR_ASSERTION]: 4 !== 5' }
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write({ 'package.json': manifest('node check.mjs & wait'), 'sum.mjs': 'export const sum = (a, b) => b + a\n' })
  commitAll(test.place, 'work')
  const flight = anEndedFlight(anEnd(1, { flips: ['S-1'] }), { story: 'S-1', gates: [aResult('tests', true)] })
  const state = { ...test.state(), baseline: [red], judgedIn: 'clean' as const, flights: [flight] }
  const { oldChecks } = await examine(test.world, 1, { ...test.deed(), state })
  assert.deepEqual([oldChecks?.failing, oldChecks?.isMissing], [['gate tests'], undefined])
})
