import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aStart } from '../../../sim/builders.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { Ended } from '../../core/types.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import { logPath } from './call-result.ts'
import { runIteration } from './iteration.ts'

type Sketch = NonNullable<Parameters<typeof aWorld>[0]>

/** A world whose agent is this shell script. */
const withAgent = (script: string, sketch: Sketch = {}): Promise<TestWorld> =>
  aWorld({
    ...sketch,
    settings: { agent: { name: 'mine', command: ['sh', '-c', `cat > /dev/null\n${script}`] }, ...sketch.settings },
  })
const iteration = (test: TestWorld, more: Partial<ReturnType<typeof aStart>> = {}): Promise<Ended> =>
  runIteration(test.world, aStart(1, 'S-1', more), test.deed())

test('an iteration reports what its agent committed, marked and said', async () => {
  const test = await withAgent(
    'echo work > $RALPH_STORY.txt; git add S-1.txt; git commit -qm "feat: S-1"; sed -i "0,/\\"passes\\": false/s//\\"passes\\": true/" $RALPH_PLAN; echo "All of it is there."',
  )
  const { exit, exitCode, commits, files, flips, summary, repo } = await iteration(test)
  assert.deepEqual([exit, exitCode, files, flips, summary], ['ok', 0, ['S-1.txt'], ['S-1'], 'All of it is there.'])
  assert.deepEqual([commits, repo.head], [[test.place.sh('rev-parse', 'HEAD')], test.place.sh('rev-parse', 'HEAD')])
})

test('its beginning is kept where the decision says so, before the agent can change anything', async () => {
  const test = await withAgent('echo x > x.txt')
  await iteration(test, { saves: true })
  assert.equal(await test.place.git.isSaved(beginningOf(test.world, 'S-1')), true)
})

test('an agent that fails has the error that it printed as its error', async () => {
  const test = await withAgent('echo "Error: no such table: users"; exit 3')
  const { exit, exitCode, signals } = await iteration(test)
  assert.deepEqual([exit, exitCode], ['failed', 3])
  assert.deepEqual(
    signals.flatMap((signal) => (signal.kind === 'error' ? [signal.message] : [])),
    ['Error: no such table: users'],
  )
})

test('an agent whose program is not there is a failed iteration, not a fault', async () => {
  const test = await aWorld({ settings: { agent: { name: 'mine', command: ['no-such-program-here'] } } })
  assert.equal((await iteration(test)).exit, 'failed')
})

test('stopped before it began, nothing is run', async () => {
  const test = await withAgent('echo x > x.txt')
  const { exit } = await runIteration(test.world, aStart(1, 'S-1'), { ...test.deed(), stop: AbortSignal.abort() })
  assert.equal(exit, 'stopped')
})

test('a signal counts with the iteration’s code, and not without it', async () => {
  const said = (text: string) => withAgent(`echo '${text}'`)
  const kinds = ({ signals }: Ended): string[] => signals.map(({ kind }) => kind)
  const blocked = await iteration(await said('<promise code="bcdf">BLOCKED: no account</promise>'))
  assert.ok(kinds(blocked).includes('blocked'))
  assert.ok(!kinds(await iteration(await said('<promise>BLOCKED: no account</promise>'))).includes('blocked'))
})

test('what the agent discarded of the user’s is back when it ends', async () => {
  const test = await withAgent('git checkout -q -- mine.txt', { files: { 'mine.txt': '0\n' } })
  test.place.write({ 'mine.txt': 'half done\n' })
  await iteration(test)
  assert.equal(readFileSync(join(test.place.top, 'mine.txt'), 'utf8'), 'half done\n')
})

test('work that it committed on another branch comes to the run’s branch', async () => {
  const test = await withAgent('git switch -qc own; echo w > w.txt; git add w.txt; git commit -qm w')
  const { commits } = await iteration(test)
  assert.equal(test.place.sh('rev-parse', '--abbrev-ref', 'HEAD'), 'main')
  assert.equal(test.place.sh('show', 'main:w.txt'), 'w')
  assert.equal(commits.length > 0, true)
  assert.equal(test.noticed('branch-changed').length > 0, true)
})

test('what is reported of the repository is how it was after HEAD came back, not before', async () => {
  const test = await withAgent('git switch -q --orphan own; echo o > o.txt; git add o.txt; git commit -qm o')
  const { repo } = await iteration(test)
  assert.equal(test.place.sh('rev-parse', '--abbrev-ref', 'HEAD'), 'main')
  assert.equal(repo.head, test.place.sh('rev-parse', 'main'))
})

test('settings that it made are gone, and its log says so after its own words', async () => {
  const test = await withAgent('echo "gates: {}" > .ralph/config.yaml; echo bye')
  await iteration(test)
  assert.equal(existsSync(join(test.place.top, '.ralph', 'config.yaml')), false)
  const log = readFileSync(logPath(test.world, 1), 'utf8')
  assert.match(log, /bye[\s\S]*config\.yaml was created/)
})

test('whether it wrote its own entry into progress.txt is reported', async () => {
  const entry = String.raw`printf -- '---\nIteration: 1\nStory: S-1 - Story S-1\n' >> .ralph/thing/progress.txt`
  assert.equal((await iteration(await withAgent(entry))).wroteProgress, true)
  assert.equal((await iteration(await withAgent('true'))).wroteProgress, false)
})

test('the end of its session is kept for the learner', async () => {
  const test = await withAgent('echo "looked at the schema"')
  await iteration(test)
  assert.match(test.world.sessions.get(1)?.lines().join('\n') ?? '', /looked at the schema/)
})

test('a password in its last words is in no event', async () => {
  const { masker } = await import('../../adapters/mask/mask.ts')
  const test = await withAgent('echo "the key is hush-hush-1"')
  const world = { ...test.world, mask: masker({ MY_TOKEN: 'hush-hush-1' }) }
  const ended = await runIteration(world, aStart(1, 'S-1'), test.deed())
  assert.doesNotMatch(JSON.stringify(ended), /hush/)
})

test('a marker file that appears in it is a claim that all is done; an old one is none', async () => {
  const settings = { 'completion.marker_file': 'DONE' }
  const claims = async (test: TestWorld): Promise<unknown[]> =>
    (await iteration(test)).signals.flatMap((signal) => (signal.kind === 'claimed-done' ? [signal.by] : []))
  assert.deepEqual(await claims(await withAgent('touch DONE', { settings })), ['marker'])
  assert.deepEqual(await claims(await withAgent('true', { settings, files: { DONE: '' } })), [])
})

test('a test that it skipped is reported as a weakened check', async () => {
  const files = { 'a.test.js': "test('adds', () => {})\ntest('subtracts', () => {})\n" }
  const test = await withAgent("sed -i \"s/^test('adds'/test.skip('adds'/\" a.test.js; git commit -qam x", { files })
  const { findings = [] } = await iteration(test)
  assert.deepEqual(
    findings.map(({ rule, file }) => [rule, file]),
    [['test-skipped', 'a.test.js']],
  )
})

test('outside a repository an iteration is measured by its files', async () => {
  const test = await withAgent('echo x > x.txt', { isGit: false })
  const { commits, repo, trees } = await iteration(test)
  assert.deepEqual([commits, trees.length, repo.head], [[], 1, null])
})
