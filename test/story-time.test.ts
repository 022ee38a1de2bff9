import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commits, endOf, eventsOf, finishes, keptProjectFor, storiesOf, verdictsOf } from './support/loop.ts'
import { projectFor, type Steps } from './support/project.ts'

const works: Steps = [...commits('a.txt', '$RALPH_ITERATION\n'), { say: 'A step, number $RALPH_ITERATION.' }]

test('a story past its soft limit is told once, and goes on [R-LIM-7]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [works, works, finishes] },
    config: { gates: { story_minutes: [0.00001, 60] } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    eventsOf(project, 'story.slow').map(({ story }) => story),
    ['S-1'],
  )
  assert.match(out, /! S-1 has taken \S+s of agent and gate time; at 1h 0m it fails/)
})

test('a story at its hard limit fails, and the next has its turn; one that passes in that time passes [R-LIM-7]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [works], 'S-2': [finishes] } },
    config: { gates: { story_minutes: [0.00001, 0.00002] } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual([storiesOf(project), project.passing()], [['S-1', 'S-2'], ['S-2']])
  const [failure] = eventsOf(project, 'story.failed')
  assert.match(failure!.because, /^reached its time limit of 0\.0s \(\S+s of agent and gate time\)$/)
  assert.match(out, /✗ S-1 failed: reached its time limit/)
  assert.deepEqual(eventsOf(project, 'story.slow'), []) // it failed before it could be told
  assert.equal(project.plan().userStories[0]!['failed'] !== undefined, true)
})

test('an iteration that would overrun its story’s time is ended when that is used up, and the story fails at once [R-LIM-7]', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: [...works, { hang: true }] },
    config: { gates: { story_minutes: [0.01, 0.02] }, process: { grace_seconds: 0.2 } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ exit }) => exit),
    ['timeout'],
  )
  assert.equal(endOf(project).outcome, 'stories-failed')
  assert.match(eventsOf(project, 'story.failed')[0]!.because, /^reached its time limit of 1\.2s /)
})

test('the time of a story goes on over runs, until retry forgets it [R-LIM-7] [R-PLAN-8]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [works, works, finishes] },
    config: { gates: { story_minutes: [0.00001, 60] } },
  })
  await project.run('run', '-n', '1')
  await project.run('run', '-n', '1')
  assert.equal(eventsOf(project, 'story.slow').length, 1)
  project.write('.ralph/config.yaml', project.read('.ralph/config.yaml').replace('- 60', '- 0.00002'))
  assert.equal((await project.run('run')).code, 1)
  assert.deepEqual([storiesOf(project).length, endOf(project).outcome], [2, 'stories-failed'])
  project.write('.ralph/config.yaml', project.read('.ralph/config.yaml').replace('- 0.00002', '- 60'))
  assert.equal((await project.run('retry', 'S-1')).code, 0)
  assert.equal((await project.run('run', '--no-archive')).code, 0)
})

test('a gate past its soft limit is told of, and may still pass [R-LIM-7]', async (t) => {
  const project = projectFor(t, { config: { gates: { tests: 'sleep 0.3', tests_minutes: [0.001, 10] } } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /! gate tests has run for 0\.001 minutes; at 10 it times out/)
  assert.deepEqual(
    eventsOf(project, 'noticed').map(({ what, tell }) => [what, tell]),
    [
      ['gate-slow', false],
      ['gate-slow', false],
    ],
  ) // before the first iteration, and after it
})

test('a quality gate at its hard limit is ended with a warning, and refuses nothing [R-LIM-7]', async (t) => {
  const project = keptProjectFor(t, {
    config: {
      quality: { commands: { slow: 'sleep 600' } },
      gates: { quality_minutes: [0.001, 0.005] },
      process: { grace_seconds: 0.2 },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /! soft gate slow timed out after \S+\n/)
  assert.deepEqual(verdictsOf(project), ['done, made'])
})
