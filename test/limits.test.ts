import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commits, endOf, eventsOf, finishes, idles, keptProjectFor, late, storiesOf, verdictsOf } from './support/loop.ts'
import { until, withoutWaits } from './support/processes.ts'
import { projectFor, type Steps } from './support/project.ts'

const quickEnd = { process: { grace_seconds: 0.2 } }
const hangs: Steps = [{ say: 'Thinking.' }, { hang: true }]

test('max_iterations used up with stories open: exit 1, and the open ones are named, without a stack trace (T56) [R-LIM-1]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], script: { otherwise: idles } })
  const { code, out, err } = await project.run('run', '-n', '2')
  assert.equal(code, 1, out)
  assert.equal(storiesOf(project).length, 2)
  assert.deepEqual(endOf(project), { outcome: 'incomplete', because: '2 of 2 iterations used, still open: S-1, S-2' })
  assert.match(out, /Exit: +INCOMPLETE \(code 1\)/)
  assert.equal(err, '')
})

test('the summary counts stories that pass and those that are unproven apart, not iterations (T57) [R-TEL-6]', async (t) => {
  const project = projectFor(t, { script: { iterations: [idles, finishes] } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /^Iterations: +2 \/ 20$/m)
  assert.match(out, /^Stories: +1\/1 complete \(1 unproven\), 1 attempted$/m)
})

test('a run may use its iterations again: the limit counts the run, the numbers go on [R-LIM-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles } })
  await project.run('run', '-n', '1')
  await project.run('run', '-n', '1')
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map((event) => event.iteration),
    [1, 2],
  )
})

test('zero iterations are wrong usage, and nothing is written [R-LIM-1]', async (t) => {
  const project = projectFor(t)
  for (const args of [
    ['-n', '0'],
    ['--max-iterations', '-1'],
    ['-n', 'many'],
  ]) {
    const { code, err } = await project.run('run', ...args)
    assert.equal(code, 64, err)
    assert.match(err, /max-iterations/)
  }
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
})

test('a timeout is a failed iteration, warned of at 80 %, and told to the next one [R-LIM-2]', async (t) => {
  const project = withoutWaits(
    keptProjectFor(t, { script: { iterations: [[late, ...hangs], idles] }, config: quickEnd }),
    '../late',
  )
  const { code, out } = await project.run('run', '-n', '2', '-t', '1h')
  assert.equal(code, 1, out)
  assert.deepEqual(verdictsOf(project), ['failed, idle', 'worked, idle'])
  const [first] = eventsOf(project, 'iteration.ended')
  assert.deepEqual([first?.exit, first?.signals], ['timeout', []]) // and no limit of the provider
  assert.match(out, /iteration 1 has used 80 % of its time/)
  assert.match(out, /failed: timed out after \S+/)
  assert.match(project.prompt(2), /Iteration 1 timed out/)
})

test('what a timed-out iteration committed is progress all the same [R-LIM-2]', async (t) => {
  const script = { otherwise: [...commits('a.txt'), late, ...hangs] }
  const project = withoutWaits(projectFor(t, { script, config: quickEnd }), '../late')
  const { code } = await project.run('run', '-n', '1', '-t', '1h')
  assert.equal(code, 1)
  assert.deepEqual(verdictsOf(project), ['failed, made'])
})

test('the multiplier scales the time limit; a bare number means minutes [R-LIM-2]', async (t) => {
  const project = projectFor(t, { script: { otherwise: hangs }, config: quickEnd })
  const { code } = await project.run('run', '-n', '1', '-t', '100', '--timeout-multiplier', '0.0001')
  assert.equal(code, 1)
  assert.equal(eventsOf(project, 'iteration.ended')[0]!.exit, 'timeout')
})

test('what is no duration is wrong usage and says how one is written [R-LIM-2]', async (t) => {
  const project = projectFor(t)
  for (const wrong of ['soon', '0', '5 parsecs']) {
    const { code, err } = await project.run('run', '-t', wrong)
    assert.equal(code, 64, err)
    assert.match(err, /timeout/)
  }
})

test('at the hourly limit it waits for the next free call, with the moment in the log, says so also with --quiet, and goes on [R-LIM-3]', async (t) => {
  const project = withoutWaits(projectFor(t))
  const at = new Date(Date.now() - 1_800_000).toISOString()
  project.write('../home/.ralph/calls.json', JSON.stringify({ calls: [{ at, agent: 'scripted' }], limits: {} }))
  const { code, out } = await project.run('run', '--rate-limit', '1', '--no-archive', '--quiet')
  assert.equal(code, 0, out)
  const [wait] = eventsOf(project, 'wait.started')
  assert.deepEqual([wait?.for, wait?.until], ['rate', new Date(Date.parse(at) + 3_600_000).toISOString()])
  const lift = 'To continue at once: press Ctrl\\+C, then: ralph run -r 0 \\(no limit\\)'
  assert.match(out, new RegExp(`^ {2}… waiting .* until .*: hourly call limit reached\\. ${lift}$`, 'm'))
})

test('calls of the last hour count over runs; older ones do not; 0 turns the limit off [R-LIM-3]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }] })
  const old = new Date(Date.now() - 3_700_000).toISOString()
  project.write('../home/.ralph/calls.json', JSON.stringify({ calls: [{ at: old, agent: 'scripted' }], limits: {} }))
  assert.equal((await project.run('run', '-n', '1', '--calls', '1')).code, 1)
  assert.equal((await project.run('run', '-n', '1', '-r', '0')).code, 1)
  assert.equal(project.kinds().includes('wait.started'), false)
  const run = project.start('run', '-r', '1')
  await until('it waits', () => run.output().includes('waiting'))
  run.child.kill('SIGTERM')
  assert.equal((await run.ended).code, 143)
  assert.equal(storiesOf(project).length, 2)
})

test('a time budget longer than any timer is no time at all used up [R-LIM-5]', async (t) => {
  const project = projectFor(t)
  const { code, out, err } = await project.run('run', '--max-duration', '1000h')
  assert.deepEqual([code, err], [0, ''], out)
})

test('a limit that ends in forty days is waited for once, not a thousand times [R-LIM-4]', async (t) => {
  const project = projectFor(t, { script: { otherwise: [{ limit: { until: '40d' } }] }, config: quickEnd })
  const run = project.start('run', '--on-limit', 'wait')
  await until('the wait', () => project.has('.ralph/thing/events.jsonl') && eventsOf(project, 'wait.started').length > 0)
  assert.match((await project.run('status')).out, /waiting/)
  run.child.kill('SIGTERM')
  assert.equal((await run.ended).code, 143)
  assert.equal(eventsOf(project, 'wait.started').length, 1)
})
