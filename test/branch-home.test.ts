/** The run's branch: whatever agents, gates or people do to HEAD, exit 0 means that the work of every story that passed is on it. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until, untilFile } from './support/processes.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'
import { hold, meet } from './support/together.ts'

const work = (id: string, ...before: Steps): Steps => [
  ...before,
  { write: { path: `${id}.txt`, text: `${id}\n` } },
  { commit: `feat: ${id}` },
  { flip: id },
  { say: 'Done.' },
]
const stories = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `S-${at + 1}` }))

/** From outside, with git alone: every commit that the log says brought a story is on the branch, and so are the files. */
function assertOnBranch(project: TestProject, branch: string, ids: string[]): void {
  const receipts = project.events().flatMap((event) => {
    if (event.kind === 'iteration.settled') return event.commits
    return event.kind === 'iteration.ended' && event.flips.length > 0 && event.astray === undefined ? event.commits : []
  })
  const on = project.git('rev-list', branch).split('\n')
  assert.deepEqual(
    receipts.filter((commit) => !on.includes(commit)),
    [],
  )
  const files = project.git('ls-tree', '--name-only', branch).split('\n')
  assert.deepEqual(
    ids.filter((id) => !files.includes(`${id}.txt`)),
    [],
  )
  assert.equal(project.git('branch', '--show-current'), branch)
}

test('an agent that commits on a branch of its own or on a detached HEAD: its commits come onto the branch', async (t) => {
  const project = projectFor(t, {
    stories: stories(3),
    branch: 'feature/thing',
    script: {
      stories: {
        'S-1': [work('S-1', { run: 'git switch -q -c elsewhere' })],
        'S-2': [work('S-2', { expect: { prompt: 'HEAD is on feature/thing again' } }, { run: 'git checkout -q --detach' })],
        'S-3': [work('S-3')],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /iteration 1 left the repository on elsewhere instead of feature\/thing\. HEAD is on feature\/thing again/)
  assertOnBranch(project, 'feature/thing', ['S-1', 'S-2', 'S-3'])
  assert.equal(project.git('for-each-ref', 'refs/ralph'), '')
})

test('an agent that commits on main, which has gone another way: its flip is refused, HEAD goes back, and the next attempt is told', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    branch: 'feature/thing',
    script: {
      stories: {
        'S-1': [work('S-1')],
        'S-2': [
          work('S-2', { run: 'git checkout -q main' }),
          work('S-2', { expect: { prompt: 'its commits are not on feature/thing, but on main' } }),
        ],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(
    project.events().flatMap((event) => (event.kind === 'iteration.judged' ? [event.verdict] : [])),
    ['done', 'failed', 'done'],
  )
  assertOnBranch(project, 'feature/thing', ['S-1', 'S-2'])
  assert.match(project.git('log', '--format=%s', 'main'), /^feat: S-2\nstart$/)
})

test('an agent that resets the branch by commits of others, and commits on top: nothing is lost', async (t) => {
  const project = projectFor(t, {
    stories: stories(4),
    config: { gates: { tests: 'true' } },
    script: {
      stories: {
        'S-3': [[{ run: 'git reset -q --hard HEAD~3' }, { say: 'That was wrong.' }], work('S-3')],
        'S-4': [work('S-4', { run: 'git reset -q --hard HEAD~4' })],
      },
      otherwise: work('$RALPH_STORY'),
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /iteration 3 took commits off main: .* They were restored\./)
  assert.match(out, /iteration 5 took commits off main: .* merged with the new commits\./)
  assertOnBranch(project, 'main', ['S-1', 'S-2', 'S-3', 'S-4'])
  assert.equal(project.git('status', '--porcelain'), '')
})

/** The project itself: gates run in a checkout of their own. */
const there = '$HOME/../project'

test('a branch that somebody else checks out in mid-run: it stops with words, commits nothing there, and goes on from the branch', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    config: {
      gates: {
        tests: `test ! -e S-2.txt || { cd ${there}; test -e .git/gone || { touch .git/gone; git checkout -q -f other; }; }`,
      },
    },
    script: { otherwise: work('$RALPH_STORY') },
  })
  project.git('branch', 'other')
  const first = await project.run('run', '--no-archive')
  assert.equal(first.code, 65, first.out + first.err)
  assert.match(first.err, /is on other, but this run works on main\. Switch back \(git switch main\), then run again/)
  assert.equal(project.git('log', '--format=%s', 'other'), 'start')
  const still = await project.run('run', '--no-archive')
  assert.equal(still.code, 65, still.out + still.err)
  project.git('checkout', '-q', '.')
  project.git('switch', '-q', 'main')
  const again = await project.run('run', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
  assertOnBranch(project, 'main', ['S-1', 'S-2'])
})

test('commits that are taken off while the last gates run: not complete, and the story is open again', async (t) => {
  const off = 'git reset -q --hard HEAD~2'
  const project = projectFor(t, {
    stories: stories(2),
    config: { git: { commit_state: false }, gates: { tests: `cd ${there}; test ! -e .git/now || { rm .git/now; ${off}; }` } },
    script: {
      stories: {
        'S-2': [
          [{ run: 'echo x >> .gitignore; git add -A; git commit -qm more' }, ...work('S-2'), { run: 'touch .git/now' }],
          work('S-2'),
        ],
      },
      otherwise: work('$RALPH_STORY'),
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /is no longer on main: something removed it/)
  assert.equal(project.git('ls-tree', '--name-only', 'HEAD', 'S-1.txt', 'S-2.txt'), 'S-1.txt\nS-2.txt')
})

test('commits of an earlier story that are gone at the end: that story is open again, told, and done once more', async (t) => {
  const project = projectFor(t, {
    stories: stories(3),
    config: { git: { commit_state: false } },
    script: {
      stories: { 'S-2': [work('S-2'), work('S-2', { expect: { prompt: 'S-2 is open again: ' } })] },
      otherwise: work('$RALPH_STORY'),
    },
  })
  const first = await project.run('run', '--no-archive', '-n', '2')
  assert.deepEqual([first.code, project.passing()], [1, ['S-1', 'S-2']], first.out + first.err)
  const plan = project.read('.ralph/thing/prd.json')
  const kept = project.git('rev-parse', 'HEAD')
  project.git('reset', '-q', '--hard', 'HEAD~1')
  project.write('.ralph/thing/prd.json', plan)
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, new RegExp(`S-2 reopened: ${kept.slice(0, 10)} is no longer on main\\. refs/ralph/\\S+ still has it`))
  assert.equal(project.git('ls-tree', '--name-only', 'HEAD', 'S-1.txt', 'S-2.txt', 'S-3.txt').split('\n').length, 3)
})

test('killed after it left the branch, what an agent committed comes onto the branch all the same', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    branch: 'feature/thing',
    script: {
      stories: {
        'S-1': [work('S-1')],
        'S-2': [[...work('S-2', { run: 'git checkout -q --detach' }), meet('S-2'), hold('never')]],
      },
    },
  })
  const { child, ended } = project.start('run', '--no-archive')
  await until('S-2 at work', () => existsSync(join(project.home, 'here-S-2')))
  child.kill('SIGKILL')
  await ended
  const again = await project.run('run', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
  assertOnBranch(project, 'feature/thing', ['S-1', 'S-2'])
})

test('what a fix leaves uncommitted when every story passes is committed before the run is complete', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', passes: true }],
    branch: 'feature/thing',
    files: { 'impl.txt': 'old\n' },
    config: { gates: { tests: 'grep -q new impl.txt' } },
    script: { otherwise: [{ run: 'echo new > impl.txt' }, { say: 'The gate is green now.' }] },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.git('show', 'feature/thing:impl.txt'), 'new')
  assert.equal(project.git('status', '--porcelain'), '')
})

test('without a plan, what the agent leaves uncommitted is committed before the run is complete', async (t) => {
  const project = projectFor(t, {
    stories: null,
    files: { 'impl.txt': 'old\n', '.ralph/thing/prompt.md': 'Make it new.\n' },
    config: { gates: { tests: 'grep -q new impl.txt' } },
    script: { otherwise: [{ run: 'echo new > impl.txt' }, { say: 'Done. <promise>COMPLETE</promise>' }] },
  })
  project.write('mine.txt', 'of the user\n')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.git('show', 'HEAD:impl.txt'), 'new')
  assert.equal(project.git('status', '--porcelain'), '?? mine.txt')
  assert.equal(project.events().filter(({ kind }) => kind === 'iteration.started').length, 1) // it costs no other call
})

test('a branch that the user makes and commits on while an agent works: it stops with words, and the commit stays there alone', async (t) => {
  const waits = 'touch .git/up; while ! test -e .git/go; do sleep 0.02; done'
  const project = projectFor(t, {
    stories: stories(2),
    script: { otherwise: [{ run: `test -e .git/go || { ${waits}; }` }, ...work('$RALPH_STORY')] },
  })
  const run = project.start('run', '--no-archive')
  await untilFile(project, '.git/up')
  project.git('switch', '-q', '-c', 'mine')
  project.write('mine.txt', 'mine\n')
  project.git('add', 'mine.txt')
  project.git('commit', '-qm', 'mine')
  project.write('.git/go', '')
  const first = await run.ended
  assert.equal(first.code, 65, first.out + first.err)
  assert.match(first.err, /is on mine, but this run works on main\. Switch back \(git switch main\), then run again/)
  const still = await project.run('run', '--no-archive')
  assert.equal(still.code, 65, still.out + still.err)
  assert.equal(project.git('branch', '--show-current'), 'mine')
  project.git('switch', '-q', '-f', 'main')
  const again = await project.run('run', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
  assertOnBranch(project, 'main', ['S-1', 'S-2'])
  assert.doesNotMatch(project.git('log', '--format=%s', 'main'), /^mine$/m)
  assert.match(project.git('log', '--format=%s', 'mine'), /^mine$/m)
})
