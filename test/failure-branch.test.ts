/** A story that failed: all of its work on a branch, the repository as it was, and the run goes on. */
import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { failingSketch, failureBranches, linesOf, noBadFiles, pictureOf, spoils } from './support/failing.ts'
import { endOf, eventsOf, storiesOf } from './support/loop.ts'
import { projectFor, type TestProject } from './support/project.ts'

test('at the cap everything of the story is on a branch with state.md, and the repository is as it was [R-ESC-2]', async (t) => {
  const project = projectFor(t, failingSketch)
  const before = pictureOf(project)
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-1'])
  assert.deepEqual(pictureOf(project), before)
  assert.equal(project.git('status', '--porcelain'), '')
  assert.deepEqual(subjects(project, 'main'), ['start', 'chore(ralph): S-1 failed', 'chore(ralph): thing stories-failed'])

  const [branch, ...more] = failureBranches(project)
  assert.match(branch!, /^wip\/ralph-fail-S-1-\d{8}-\d{6}$/)
  assert.deepEqual(more, [])
  assert.deepEqual(subjects(project, branch!), ['start', 'feat: half of S-1', 'feat: half of S-1', 'Ralph Loop failed: S-1'])
  const { hash } = eventsOf(project, 'story.failed')[0]!
  assert.equal(
    project.git('log', '-1', '--format=%B', branch!).trim(),
    `Ralph Loop failed: S-1\n\nIterations: 2/2\nLast gate: tests\nError hash: ${hash}\n\nSee .ralph/thing/state.md for full history`,
  )
  const kept = (path: string) => `${project.git('show', `${branch}:${path}`)}\n`
  assert.equal(kept('code/S-1.js'), 'committed\nuncommitted\n'.repeat(2))
  assert.equal(kept('code/new-S-1.js'), 'untracked\n'.repeat(2))
  assert.equal(kept('.ralph/thing/state.md'), project.read('.ralph/thing/state.md'))

  const { failed, passes } = project.plan().userStories[0]!
  const { at, because } = eventsOf(project, 'story.failed')[0]!
  assert.deepEqual({ failed, passes }, { failed: { branch, reason: because, at }, passes: false })
  assert.deepEqual(
    eventsOf(project, 'story.put-aside').map(({ story, branch, how }) => ({ story, branch, how })),
    [{ story: 'S-1', branch, how: 'reset' }],
  )
  assert.ok(out.includes(`saved its work on ${branch}; `))
})

test('the run goes on with the story that does not depend on the failed one, and ends with 1 though every gate is green [R-ESC-2] [R-ESC-3]', async (t) => {
  const project = projectFor(t, {
    ...failingSketch,
    stories: [{ id: 'S-0' }, { id: 'S-1', title: 'Log in' }, { id: 'S-2', dependsOn: ['S-1'] }, { id: 'S-3' }],
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(storiesOf(project), ['S-0', 'S-1', 'S-1', 'S-3'])
  assert.deepEqual(project.passing(), ['S-0', 'S-3'])
  assert.deepEqual(
    subjects(project, 'main').filter((subject) => !subject.startsWith('chore')),
    ['start', 'feat: S-0 - Story S-0', 'feat: S-3 - Story S-3'],
  )
  assert.equal(project.git('status', '--porcelain'), '')
  assert.equal(
    eventsOf(project, 'gates.ended')
      .at(-1)!
      .results.every(({ passed }) => passed),
    true,
  )
  assert.deepEqual(endOf(project), { outcome: 'stories-failed', because: 'failed: S-1; S-2 cannot start because of S-1' })

  const [branch] = failureBranches(project)
  const { hash, because, at } = eventsOf(project, 'story.failed')[0]!
  const report = project.read('.ralph/thing/report.md')
  assert.match(report, /^## Completed: 2\/4 stories$/m)
  assert.equal(
    report.slice(report.indexOf('## Failed')),
    `## Failed stories (a person is needed)

### S-1: Log in
- Attempts: 2/2
- Last gate: tests
- Branch: ${branch}
- Error: Error: S-1.bad is bad
- Reason: ${because}
- Stuck: No
- Quality warnings: 0
`,
  )
  assert.deepEqual(JSON.parse(project.read('.ralph/thing/report.json')).failed, [
    {
      id: 'S-1',
      title: 'Log in',
      branch,
      reason: because,
      at,
      attempts: 2,
      maxAttempts: 2,
      lastGate: 'tests',
      error: 'Error: S-1.bad is bad',
      errorHash: hash,
      strategyShifts: 0,
      isStuck: false,
      qualityWarnings: 0,
    },
  ])
})

test('outside git the work stays where it is, and that is said [R-ESC-2]', async (t) => {
  const project = projectFor(t, {
    ...failingSketch,
    isGit: false,
    stories: [{ id: 'S-1', gates: { own: noBadFiles } }, { id: 'S-2' }],
    script: { ...failingSketch.script, stories: { 'S-1': [spoils.filter((step) => !('commit' in step))] } },
    config: { defaults: { max_attempts: 2 } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.equal(project.read('code/new-S-1.js'), 'untracked\n'.repeat(2))
  assert.match(out, /^ {2}! left the work of S-1 in place$/m)
  assert.match(project.read('.ralph/thing/report.md'), /^- Branch: - \(its work stays where it is\)$/m)
  assert.deepEqual(project.passing(), ['S-2'])
})

test('git.push takes the branch to the remote; one that refuses is only told [R-ESC-2]', async (t) => {
  for (const isRefusing of [false, true]) {
    const project = projectFor(t, { ...failingSketch, config: { ...failingSketch.config, git: { push: true } } })
    const remote = join(project.root, '..', 'remote.git')
    project.git('init', '-q', '--bare', remote)
    project.git('remote', 'add', 'origin', remote)
    if (isRefusing) {
      project.write('../remote.git/hooks/pre-receive', '#!/bin/sh\necho "no pushes on Sundays"\nexit 1\n')
      chmodSync(join(remote, 'hooks', 'pre-receive'), 0o755)
    }
    const { code, out } = await project.run('run')
    assert.equal(code, 1, out)
    const [branch] = failureBranches(project)
    const there = project.git('--git-dir', remote, 'for-each-ref', '--format=%(objectname) %(refname:short)')
    const told = eventsOf(project, 'noticed').filter(({ what }) => what === 'push-failed')
    assert.equal(there, isRefusing ? '' : `${project.git('rev-parse', branch!)} ${branch}`)
    assert.equal(told.length, isRefusing ? 1 : 0)
    if (isRefusing) assert.match(told[0]!.detail, /^wip\/ralph-fail-S-1-\S+ could not be pushed: [\s\S]*no pushes on Sundays/)
    assert.equal(out.includes('could not be pushed'), isRefusing)
  }
})

test('ralph retry clears the failure, and the story begins again from the clean state [R-PLAN-8]', async (t) => {
  const project = projectFor(t, failingSketch)
  const before = pictureOf(project)
  await project.run('run')
  assert.equal((await project.run('run')).code, 1)
  assert.equal(storiesOf(project).length, 2) // nothing is left to start
  const { code, out } = await project.run('retry', 'S-1')
  assert.equal(code, 0)
  assert.match(out, /^Reopened S-1 with all its attempts\. Continue with: ralph run$/m)
  assert.equal('failed' in project.plan().userStories[0]!, false)
  assert.deepEqual(pictureOf(project), before)
  project.git('branch', '-m', failureBranches(project)[0]!, 'wip/first') // the second failure may come in the same second
  assert.equal((await project.run('run')).code, 1)
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map(({ attempt, saves }) => [attempt, saves]),
    [
      [1, true],
      [2, undefined],
      [1, true],
      [2, undefined],
    ],
  )
  assert.deepEqual(pictureOf(project), before)
  const branches = failureBranches(project)
  assert.deepEqual(
    branches.map((branch) => project.git('show', `${branch}:code/new-S-1.js`)),
    Array(2).fill('untracked\nuntracked'),
  )
})

const subjects = (project: TestProject, branch: string): string[] =>
  linesOf(project.git('log', '--reverse', '--format=%s', branch))
