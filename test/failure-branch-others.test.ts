/** A failed story where others had their hands in the repository: their work stays, and what cannot be moved safely is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failingSketch, failureBranches, noBadFiles, pictureOf } from './support/failing.ts'
import { endOf, eventsOf, storiesOf } from './support/loop.ts'
import { projectFor, type Steps } from './support/project.ts'

test('with pick: agent another story may have committed in between: the failed one is reverted, the other stays [R-ESC-2]', async (t) => {
  const project = projectFor(t, {
    stories: [
      { id: 'S-1', gates: { one: 'false' } },
      { id: 'S-2', gates: { two: 'test -f S-2.txt' } },
    ],
    script: {
      iterations: [
        flipping('S-1', [{ write: { path: 'one.js', text: '1\n' } }, { commit: 'feat: one' }]),
        flipping('S-2', [{ write: { path: 'S-2.txt', text: '2\n' } }, { commit: 'feat: two' }]),
        flipping('S-1', [{ append: { path: 'one.js', text: '2\n' } }, { commit: 'feat: one again' }]),
      ],
    },
    config: { defaults: { max_attempts: 2, pick: 'agent' } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(project.passing(), ['S-2'])
  assert.deepEqual(
    eventsOf(project, 'story.put-aside').map(({ how }) => how),
    ['reverted'],
  )
  assert.deepEqual([project.has('one.js'), project.has('S-2.txt')], [false, true])
  const [branch] = failureBranches(project)
  assert.equal(project.git('show', `${branch}:one.js`), '1\n2')
  assert.match(project.git('show', `${branch}:.ralph/thing/state.md`), /^---\ntask_id: "S-1"\niteration: 2\n/)
  assert.equal(project.git('status', '--porcelain'), '')
})

test("a user's commit between two runs stays; the failed story's commits before and after it are reverted [R-ESC-2]", async (t) => {
  const project = projectFor(t, failingSketch)
  await project.run('run', '-n', '1')
  project.git('stash', '--include-untracked') // the user tidies up, and goes on with something else
  project.git('stash', 'drop')
  project.write('mine.txt', 'mine\n')
  project.git('add', 'mine.txt')
  project.git('commit', '-q', '-m', 'mine', '--', 'mine.txt')
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'story.put-aside').map(({ how }) => how),
    ['reverted'],
  )
  assert.deepEqual(Object.keys(pictureOf(project).files), ['README.md', 'mine.txt'])
  assert.equal(project.git('status', '--porcelain'), '')
  const [branch] = failureBranches(project)
  assert.deepEqual(
    ['S-1.bad', 'code/S-1.js', 'mine.txt'].map((path) => project.git('show', `${branch}:${path}`)),
    ['x\nx', 'committed\ncommitted\nuncommitted', 'mine'],
  )
})

test('what the user edited between two runs is not undone [R-ESC-2]', async (t) => {
  const project = projectFor(t, { ...failingSketch, files: { 'app.js': 'old\n' } })
  await project.run('run', '-n', '1')
  project.write('app.js', 'by the user\n')
  project.write('notes.txt', 'of the user\n')
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual([project.read('app.js'), project.read('notes.txt')], ['by the user\n', 'of the user\n'])
  assert.equal(failureBranches(project).length, 1)
})

for (const [what, steps, problem] of [
  [
    'a merge is left open',
    [
      {
        run: 'git branch other HEAD~1; git switch -q other; echo o > S-1.bad; git add -A; git commit -qm other; git switch -q main; git merge other || true',
      },
    ],
    /a merge is open in .*\./,
  ],
] as const) {
  test(`where ${what}, nothing is moved, and the summary says so [R-ESC-2]`, async (t) => {
    const project = projectFor(t, {
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      script: {
        stories: {
          'S-1': [
            [{ write: { path: 'S-1.bad', text: 'x\n' } }, { commit: 'feat: one' }, ...steps, { flip: 'S-1' }, { say: 'Done.' }],
          ],
        },
      },
      config: { gates: { tests: noBadFiles }, defaults: { max_attempts: 1 } },
    })
    const { code, out } = await project.run('run')
    assert.equal(code, 1, out)
    assert.deepEqual(storiesOf(project), ['S-1'])
    assert.match(endOf(project).because, problem)
    assert.match(out, new RegExp(`^Because: .*the work of S-1 could not be moved to a branch: .*${problem.source}`, 'm'))
    assert.deepEqual(failureBranches(project), [])
    assert.equal(project.has('S-1.bad'), true)
    assert.equal((project.plan().userStories[0]!['failed'] as { branch: string }).branch, '')
    assert.match(project.read('.ralph/thing/report.md'), /^- Branch: - \(its work stays where it is\)$/m)
  })
}

test('the work of an agent that left the branch is put aside all the same: HEAD is back by then [R-ESC-2]', async (t) => {
  const leaves = [{ run: 'git switch -q -c elsewhere' }, { write: { path: 'S-1.bad', text: 'x\n' } }, { commit: 'feat: one' }]
  const project = projectFor(t, {
    script: { stories: { 'S-1': [[...leaves, { flip: 'S-1' }, { say: 'Done.' }]] } },
    config: { gates: { tests: noBadFiles }, defaults: { max_attempts: 1 } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual([failureBranches(project).length, project.has('S-1.bad')], [1, false])
  assert.equal(project.git('branch', '--show-current'), 'main')
})

test('where reverting conflicts with what others committed, nothing is moved, and the summary says so [R-ESC-2]', async (t) => {
  const project = projectFor(t, {
    script: {
      stories: {
        'S-1': [
          [
            { append: { path: 'S-1.bad', text: '$RALPH_ITERATION\n' } },
            { commit: 'feat: one' },
            { flip: 'S-1' },
            { say: 'Done.' },
          ],
        ],
      },
    },
    config: { gates: { tests: noBadFiles }, defaults: { max_attempts: 2 } },
  })
  await project.run('run', '-n', '1')
  project.write('S-1.bad', "the user's\n")
  project.git('commit', '-q', '-a', '-m', 'mine')
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.match(
    out,
    /^Because: .*could not be moved to a branch: reverting [0-9a-f]{10} conflicts with later commits: revert the story's commits by hand/m,
  )
  assert.deepEqual(failureBranches(project), [])
  assert.equal(project.read('S-1.bad'), "the user's\n2\n")
})

const flipping = (id: string, steps: Steps): Steps => [...steps, { flip: id }, { say: `${id} is done.` }]
