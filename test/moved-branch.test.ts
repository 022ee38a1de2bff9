/** The run's branch, moved or redirected by somebody who does not work where it is checked out: it goes back, and what the user commits stays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './support/processes.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'
import { hold, meet, stories, work } from './support/together.ts'

const told = (project: TestProject): string[] =>
  project.events().flatMap((event) => (event.kind === 'noticed' && event.what === 'branch-changed' ? [event.detail] : []))

const main = '"$(git worktree list --porcelain | head -1 | cut -c10-)"'
/** Commits aside of its branch, and moves the run's there. */
const movesTo = (branch: string, from = ''): Steps[number] => ({
  run: `git checkout -q --detach && echo x > evil.txt && git add evil.txt && git commit -qm evil && git ${from} update-ref refs/heads/${branch} $(git rev-parse HEAD) && git checkout -q -`,
})
const filesOn = (project: TestProject, branch: string): string[] => project.git('ls-tree', '--name-only', branch).split('\n')

for (const { how, from } of [
  { how: 'from there', from: '' },
  { how: 'as if from the main checkout', from: `-C ${main}` },
])
  test(`an agent in a worktree that moves the run’s branch ${how}: it is back with the first word of any agent, its commit is kept, the user’s files are whole`, async (t) => {
    const project = projectFor(t, {
      stories: stories(2),
      files: { 'users.txt': 'mine\n' },
      config: { gates: { tests: 'test ! -e evil.txt' } },
      script: {
        stories: {
          'S-1': [
            [meet('S-1', 'S-2'), movesTo('main', from), { run: 'touch "$HOME/moved"' }, hold('end'), { say: 'Looked.' }],
            work('S-1'),
          ],
          'S-2': [work('S-2', meet('S-2', 'S-1'), hold('moved'))],
        },
      },
    })
    const run = project.start('run', '--parallel', '2', '--no-archive')
    await until('the landing of S-2', () => run.output().includes('S-2 ✓') || run.child.exitCode !== null)
    assert.equal(project.git('status', '--porcelain', '-uno', '--', ':!.ralph'), '')
    project.write('../home/end', '')
    const { code, out, err } = await run.ended
    assert.equal(code, 0, out + err)
    assert.equal(told(project).length, 1, out)
    assert.match(
      told(project)[0]!,
      /^during iteration 2 main was moved to \w+ from outside .* It is back at \w+\. The commit it was moved to is kept in refs\/ralph\//,
    )
    assert.deepEqual(
      ['evil.txt', 'users.txt', 'S-1.txt', 'S-2.txt'].map((name) => filesOn(project, 'main').includes(name)),
      [false, true, true, true],
    )
    assert.match(project.git('log', '--format=%s', /refs\/ralph\/\S+/.exec(told(project)[0]!)![0].replace(/\.$/, '')), /^evil$/m)
  })

test('what the user commits in the main checkout while workers are busy stays, also beside staged files', async (t) => {
  const commits = `cd ${main} && echo mine > users.txt && git add users.txt && git commit -qm mine && echo later > staged.txt && git add staged.txt`
  const project = projectFor(t, {
    stories: stories(2),
    script: {
      stories: {
        'S-1': [work('S-1', meet('S-1', 'S-2'), { run: `(${commits})` }, { run: 'touch "$HOME/committed"' })],
        'S-2': [work('S-2', meet('S-2', 'S-1'), hold('committed'))],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(told(project), [])
  assert.match(project.git('log', '--format=%s'), /^mine$/m)
  assert.deepEqual(
    filesOn(project, 'main').filter((name) => name.endsWith('.txt')),
    ['S-1.txt', 'S-2.txt', 'users.txt'],
  )
  assert.equal(project.git('diff', '--cached', '--name-only'), 'staged.txt')
})

const redirects = 'git symbolic-ref refs/heads/feature/thing refs/heads/main'
const uncommitted = (...before: Steps): Steps => [
  ...before,
  { write: { path: '$RALPH_STORY.txt', text: 'there\n' } },
  { flip: '$RALPH_STORY' },
  { say: 'There.' },
]
for (const { who, args, sketch } of [
  {
    who: 'an agent',
    args: [],
    sketch: { script: { stories: { 'S-2': [uncommitted({ run: redirects })] }, otherwise: uncommitted() } },
  },
  {
    who: 'a gate',
    args: [],
    sketch: {
      config: { gates: { tests: `test ! -e S-2.txt || { cd $HOME/../project; ${redirects}; }` } },
      script: { otherwise: uncommitted() },
    },
  },
  {
    who: 'an agent in a worktree',
    args: ['--parallel', '2'],
    sketch: { script: { stories: { 'S-2': [uncommitted({ run: redirects })] }, otherwise: uncommitted() } },
  },
])
  test(`the run’s branch that ${who} makes a symbolic ref to main: no commit of Ralph’s lands on main`, async (t) => {
    const project = projectFor(t, { ...sketch, stories: stories(3), branch: 'feature/thing' })
    const { code, out, err } = await project.run('run', '--no-archive', ...args)
    assert.equal(code, 0, out + err)
    assert.match(told(project)[0] ?? '', /feature\/thing was made to point to main, .* It is its own branch again/)
    assert.equal(project.git('log', '--format=%s', 'main'), 'start')
    assert.deepEqual(
      filesOn(project, 'feature/thing').filter((name) => name.startsWith('S-')),
      ['S-1.txt', 'S-2.txt', 'S-3.txt'],
    )
    assert.equal(project.git('status', '--porcelain'), '')
  })

test('killed right after the branch was moved or redirected, the next run puts it back', async (t) => {
  const kills: Steps = [{ run: 'kill -9 $(ps -o ppid= -p $PPID)' }, { hang: true }]
  for (const [first, args] of [
    [[{ run: redirects }, ...kills], []],
    [
      [movesTo('feature/thing'), ...kills],
      ['--parallel', '2'],
    ],
  ] as [Steps, string[]][]) {
    const project = projectFor(t, { branch: 'feature/thing', script: { iterations: [first, uncommitted()] } })
    assert.equal((await project.run('run', ...args)).signal, 'SIGKILL')
    const { code, out, err } = await project.run('run', '--no-archive', ...args)
    assert.equal(code, 0, out + err)
    assert.match(out, /! during iteration 1 feature\/thing was (made to point to main|moved to)/)
    assert.equal(project.git('log', '--format=%s', 'main'), 'start')
    assert.deepEqual(
      filesOn(project, 'feature/thing').filter((name) => /evil|S-1/.test(name)),
      ['S-1.txt'],
    )
  }
})
