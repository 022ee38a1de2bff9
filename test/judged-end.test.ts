/** A run ends complete only when what is on the branch was seen green: not what lies in the work tree, nor what an earlier run left there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from './support/loop.ts'
import { untilFile } from './support/processes.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

const ends: Steps = [{ flip: '$RALPH_STORY' }, { say: 'Done.' }]
/** Work that no commit has. */
const hides: Steps = [
  { write: { path: 'gen/lib.sh', text: 'exit 0\n' } },
  { append: { path: 'work.txt', text: 'more\n' } },
  { commit: 'feat: it' },
]
const needsHidden = { gates: { tests: 'sh gen/lib.sh' }, process: { grace_seconds: 0.2 }, defaults: { max_attempts: 2 } }

async function assertNotComplete(project: TestProject, ...args: string[]): Promise<void> {
  const { code, out } = await project.run('run', '--no-archive', '-n', '1', ...args)
  assert.notEqual(code, 0, out)
}

test('work in an ignored file that one run refused is no part of the place in the next run: it is refused again [R-PROOF-2]', async (t) => {
  const files = { '.gitignore': 'gen/\n' }
  const project = projectFor(t, { files, config: needsHidden, script: { otherwise: [...hides, ...ends] } })
  await assertNotComplete(project)
  await assertNotComplete(project)
  assert.deepEqual(project.passing(), [])
  assert.deepEqual(
    eventsOf(project, 'gates.ended').filter(({ ignored }) => ignored !== undefined),
    [],
  )
})

test('work in an ignored file of an iteration that was stopped is no part of the place in the next run [R-PROOF-2]', async (t) => {
  const waits: Steps = [{ run: 'touch .ralph/thing/logs/up; while :; do sleep 0.02; done' }]
  const script = { iterations: [[...hides, ...waits], ends] }
  const project = projectFor(t, { files: { '.gitignore': 'gen/\n' }, config: needsHidden, script })
  const run = project.start('run', '--no-archive')
  await untilFile(project, '.ralph/thing/logs/up')
  run.child.kill('SIGINT')
  assert.equal((await run.ended).code, 130)
  await assertNotComplete(project)
  assert.deepEqual(project.passing(), [])
})

test('every story passes when the run begins, and the gate is green only with an uncommitted file of the user: not complete [R-PROOF-2]', async (t) => {
  const stories = [{ id: 'S-1', passes: true }]
  const project = projectFor(t, {
    stories,
    config: { gates: { tests: 'test -e need' } },
    script: { otherwise: [{ say: 'Looked.' }] },
  })
  project.write('need', '')
  await assertNotComplete(project)
  assert.match(eventsOf(project, 'gates.ended')[0]!.results[0]!.output, /need.*commit or stash/s)
})

test('a fix that a stopped run left uncommitted is committed before the next run ends complete [R-PROOF-2]', async (t) => {
  const mends: Steps = [
    { write: { path: 'need', text: '' } },
    { run: 'test -e .ralph/thing/logs/up || { touch .ralph/thing/logs/up; while :; do sleep 0.02; done; }' },
  ]
  const project = projectFor(t, {
    stories: [{ id: 'S-1', passes: true }],
    config: { gates: { tests: 'test -e need' }, process: { grace_seconds: 0.2 } },
    script: { otherwise: [...mends, { say: 'Fixed.' }] },
  })
  const run = project.start('run', '--no-archive')
  await untilFile(project, '.ralph/thing/logs/up')
  run.child.kill('SIGINT')
  await run.ended
  const { code, out } = await project.run('run', '--no-archive')
  assert.deepEqual([code, project.git('ls-files', 'need')], [0, 'need'], out)
})

test('with git.auto_commit off, a story whose work is not committed is refused, and the next prompt says why [R-PROOF-2]', async (t) => {
  const project = projectFor(t, {
    config: { gates: { tests: 'test ! -e work || test -e need' }, git: { auto_commit: false } },
    script: {
      iterations: [
        [
          { write: { path: 'work', text: '' } },
          { run: 'git add work; git commit -qm work' },
          { write: { path: 'need', text: '' } },
          ...ends,
        ],
        [{ expect: { prompt: 'git.auto_commit is off: need' } }, { commit: 'feat: need' }, ...ends],
      ],
    },
  })
  const { code, out } = await project.run('run', '--no-archive', '-n', '2')
  assert.deepEqual([code, project.git('ls-files', 'need')], [0, 'need'], out)
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ refused }) => refused),
    [['S-1'], []],
  )
})

const makes = (path: string): Steps => [{ write: { path, text: '' } }, { commit: `feat: ${path}` }, ...ends]
const breaksFirst: Steps = [{ run: 'git rm -q S-1.txt; echo 2 > S-2.txt' }, { commit: 'feat: S-2.txt' }, ...ends]
const stories = [{ id: 'S-1', gates: { own: 'test -e S-1.txt' } }, { id: 'S-2' }]

test('a story’s own gate that a later story has made red keeps the run from being complete, and a fix is asked for [R-GATE-1]', async (t) => {
  const fixes: Steps = [{ expect: { prompt: 'own' } }, { write: { path: 'S-1.txt', text: '' } }, { say: 'It is back.' }]
  const script = { iterations: [makes('S-1.txt'), breaksFirst, fixes] }
  const project = projectFor(t, { stories, config: { gates: { tests: 'true' } }, script })
  const { code, out } = await project.run('run', '--no-archive', '-n', '3')
  assert.deepEqual([code, project.git('ls-files', 'S-1.txt')], [0, 'S-1.txt'], out)
  assert.match(eventsOf(project, 'iteration.started')[2]!.because, /every story passes, but gate own is red/)
})

test('with only a story’s own gate, one that a later story has made red keeps the run from being complete [R-GATE-1]', async (t) => {
  const project = projectFor(t, { stories, script: { iterations: [makes('S-1.txt'), breaksFirst] } })
  const { code, out } = await project.run('run', '--no-archive', '-n', '2')
  assert.deepEqual([code, project.passing()], [1, ['S-1', 'S-2']], out)
  assert.match(out, /no gate for S-2: they pass on the agent's word alone/)
  assert.match(out, /2 of 2 iterations.*, and gate own is red/)
})

test('a rebase that the agent leaves open at the branch’s own commits: the story is refused until it is over [R-PROOF-6]', async (t) => {
  const opens = `git checkout -qb other; echo 1 > README.md; git commit -qam 1; git checkout -q main; echo 2 > README.md; git commit -qam 2; GIT_EDITOR=true git rebase -q other; git add -A; true`
  const script = {
    iterations: [
      [{ write: { path: 'S-1.txt', text: '' } }, { commit: 'feat: it' }, { run: opens }, ...ends],
      [{ expect: { prompt: 'a rebase is open' } }, ...ends],
    ],
  }
  const project = projectFor(t, { config: { gates: { tests: 'true' } }, script })
  const { out } = await project.run('run', '--no-archive', '-n', '2')
  const judged = eventsOf(project, 'iteration.judged').map(({ refused, failedGates }) => [...refused, ...failedGates])
  assert.deepEqual(
    judged,
    [
      ['S-1', 'branch'],
      ['S-1', 'branch'],
    ],
    out,
  )
})

test('a merge that is open when every story passes: the run stops with words instead of ending complete [R-PROOF-6]', async (t) => {
  const config = { gates: { tests: 'git rev-parse HEAD > $HOME/../project/.git/MERGE_HEAD' } }
  const project = projectFor(t, { stories: [{ id: 'S-1', passes: true }], config })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 65, out)
  assert.match(out + err, /a merge is open in .*git merge --abort.*then run again/)
})

test('a file that the gate needs among more ignored files than an event lists, old and new: the story is refused [R-PROOF-2]', async (t) => {
  const files = { '.gitignore': '*.tmp\nzz.sh\n' }
  const many = { run: 'i=0; while [ $i -lt 505 ]; do i=$((i+1)); : > new$i.tmp; done; echo "exit 0" > zz.sh; echo 1 > work.txt' }
  const script = { otherwise: [many, ...ends] }
  const project = projectFor(t, { files, config: { gates: { tests: 'sh zz.sh' } }, script })
  for (let i = 0; i < 505; i++) project.write(`old${i}.tmp`, '')
  await assertNotComplete(project)
  await assertNotComplete(project)
  assert.deepEqual(project.passing(), [])
})
