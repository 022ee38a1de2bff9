/** Branches, and whose work is committed: the plan's branch, the agent's leftovers, and never what the user had lying there. */

import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { leaves } from './support/loop.ts'
import { type ProjectSketch, projectFor, type TestProject } from './support/project.ts'

const branch = 'feature/thing'

const projectWith = (t: TestContext, sketch: ProjectSketch = {}): TestProject =>
  projectFor(t, { script: { otherwise: leaves }, ...sketch })

async function assertComplete(project: TestProject): Promise<string> {
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  return out
}

test("the plan's branch is made from where HEAD is, and uncommitted work comes along [R-CMD-2, Z02]", async (t) => {
  const project = projectWith(t, { branch })
  project.git('checkout', '-q', '-b', 'stage')
  project.write('stage.txt', 'on stage\n')
  project.git('add', '-A')
  project.git('commit', '-q', '-m', 'stage')
  project.write('mine.txt', 'not committed\n')
  const stage = project.git('rev-parse', 'HEAD')
  assert.match(await assertComplete(project), /Created branch feature\/thing/)
  assert.equal(project.git('branch', '--show-current'), branch)
  assert.equal(project.git('rev-parse', 'stage'), stage)
  assert.equal(project.git('merge-base', 'stage', branch), stage)
  assert.equal(project.git('status', '--porcelain'), '?? mine.txt')
})

test('it switches to an existing branch from a clean tree, and reads the plan there [R-CMD-2]', async (t) => {
  const project = projectWith(t, { branch, stories: [{ id: 'S-1' }] })
  project.git('checkout', '-q', '-b', branch)
  project.write('.ralph/thing/prd.json', project.read('.ralph/thing/prd.json').replaceAll('S-1', 'B-1'))
  project.git('commit', '-qam', 'the plan of the branch')
  project.git('checkout', '-q', 'main')
  assert.match(await assertComplete(project), /Switched to feature\/thing/)
  assert.equal(project.git('branch', '--show-current'), branch)
  assert.deepEqual(project.passing(), ['B-1'])
  assert.equal(project.git('log', '--format=%s', 'main'), 'start')
})

test('from a dirty tree it does not switch to an existing branch: 65, and nothing is touched [R-CMD-2]', async (t) => {
  const project = projectWith(t, { branch })
  project.git('branch', branch)
  project.write('README.md', 'changed\n')
  const { code, err } = await project.run('run')
  assert.equal(code, 65)
  assert.match(err, /The plan's branch feature\/thing exists, and the work tree \(on main\) has uncommitted changes/)
  assert.equal(project.git('branch', '--show-current'), 'main')
  assert.equal(project.git('status', '--porcelain'), ' M README.md')
  const started = project.has('.ralph/thing/events.jsonl') ? project.kinds() : []
  assert.deepEqual(started, [])
})

test('an empty branchName stays where it is, also on a detached HEAD [R-CMD-2]', async (t) => {
  const project = projectWith(t)
  project.git('checkout', '-q', '--detach')
  await assertComplete(project)
  assert.equal(project.git('branch', '--show-current'), '')
  assert.match(
    project.git('log', '--format=%s'),
    /^chore\(ralph\): thing complete\nchore\(ralph\): S-1 passes\nfeat: S-1 - Story S-1\nstart$/,
  )
  assert.equal(project.git('log', '--format=%s', 'main'), 'start')
})

test('from a detached HEAD the branch is made there; with branch.auto_create off it is not [R-CMD-2]', async (t) => {
  const project = projectWith(t, { branch })
  project.git('checkout', '-q', '--detach')
  await assertComplete(project)
  assert.equal(project.git('branch', '--show-current'), branch)

  const stays = projectWith(t, { branch, config: { branch: { auto_create: false } } })
  await assertComplete(stays)
  assert.equal(stays.git('branch', '--list'), '* main')
})

test('a name that git refuses for a branch: 65 in its own words, and no iteration [R-CMD-2]', async (t) => {
  const project = projectWith(t, { branch: 'bad..name' })
  const { code, err } = await project.run('run')
  assert.equal(code, 65)
  assert.match(err, /git could not create bad\.\.name: .* change branchName in the plan/s)
  assert.doesNotMatch(err, /\n\s+at /)
})

test('an agent that leaves the branch is told, and HEAD is back, also where the plan names none', async (t) => {
  const project = projectWith(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      stories: {
        'S-1': [[{ run: 'git switch -q -c elsewhere' }, ...leaves]],
        'S-2': [[{ expect: { prompt: 'on elsewhere instead of main' } }, ...leaves]],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /iteration 1 left the repository on elsewhere instead of main\. HEAD is on main again\./)
  assert.equal(project.git('branch', '--show-current'), 'main')
})

test('a repository that an agent makes inside the project is not committed with the story, and that is told', async (t) => {
  const project = projectWith(t, { script: { otherwise: [{ run: 'git init -q app && echo 1 > app/a.js' }, ...leaves] } })
  const out = await assertComplete(project)
  assert.match(out, /app\/ is a nested repository: nothing in it is committed with S-1\. Remove the inner \.git/)
  assert.equal(project.git('status', '--short'), '?? app/')
})

test('leftovers of a passed story are committed in its name, but not what was dirty before the run [R-ITER-6]', async (t) => {
  const project = projectWith(t, { files: { 'tracked.txt': 'old\n' } })
  project.write('untracked.txt', 'mine\n')
  project.write('tracked.txt', 'half done\n')
  project.write('staged.txt', 'staged\n')
  project.git('add', 'staged.txt')
  await assertComplete(project)
  assert.equal(project.git('log', '-1', '--format=%s', '--', 'S-1.txt'), 'feat: S-1 - Story S-1')
  assert.deepEqual(project.git('status', '--porcelain').split('\n').sort(), [
    ' M tracked.txt',
    '?? untracked.txt',
    'A  staged.txt',
  ])
  assert.equal(project.read('tracked.txt'), 'half done\n')
})

test('with git.auto_commit off, leftovers stay in the tree, and the run says so [R-ITER-6]', async (t) => {
  const project = projectWith(t, { config: { git: { auto_commit: false } } })
  assert.match(await assertComplete(project), /git\.auto_commit is off: S-1\.txt is not committed with S-1/)
  assert.equal(project.git('status', '--porcelain'), '?? S-1.txt')
})

test('a file that changed in the very second of the last commit is seen and committed [R-ITER-6]', async (t) => {
  const sameSecond = "touch -d '2026-01-09 12:00:00' same.txt .git/index"
  const project = projectWith(t, {
    files: { 'same.txt': '1\n' },
    script: {
      otherwise: [
        // git takes size and second for the content, unless the file is as young as the index.
        { run: `touch -d '2026-01-09 12:00:00' same.txt; git add same.txt; ${sameSecond}` },
        { write: { path: 'same.txt', text: '2\n' } },
        { run: sameSecond },
        { flip: 'S-1' },
        { say: 'Two.' },
      ],
    },
  })
  project.git('config', 'core.trustctime', 'false')
  await assertComplete(project)
  assert.equal(project.git('show', 'HEAD:same.txt'), '2')
  assert.equal(project.git('status', '--porcelain'), '')
})

test('work that a hook refuses to commit does not pass: the next attempt is told why, and the same story passes once it may [R-ITER-6]', async (t) => {
  const project = projectWith(t, {
    script: {
      stories: {
        'S-1': [
          [{ write: { path: 'S-1.txt', text: 'there\n' } }, { flip: 'S-1' }, { say: 'Done.' }],
          [
            { expect: { prompt: 'the linter says no' } },
            { write: { path: 'S-1.txt', text: 'mended\n' } },
            { flip: 'S-1' },
            { say: 'Mended.' },
          ],
        ],
      },
    },
  })
  project.write('.git/hooks/pre-commit', '#!/bin/sh\ngrep -q mended S-1.txt && exit 0\necho the linter says no\nexit 1\n')
  chmodSync(project.path('.git/hooks/pre-commit'), 0o755)
  const out = await assertComplete(project)
  assert.match(out, /not passed: git could not commit the work: .*the linter says no/)
  assert.equal(project.git('status', '--porcelain'), '')
})

test('.ralph never counts: an iteration that only writes there is idle [R-ITER-6, R-PROG-1]', async (t) => {
  const project = projectWith(t, {
    script: { otherwise: [{ append: { path: '.ralph/thing/specs/notes.md', text: 'thinking\n' } }, { commit: 'docs: notes' }] },
  })
  const { code, out } = await project.run('run', '--max-stuck', '2')
  assert.equal(code, 4, out)
  assert.deepEqual(
    project.events().flatMap((event) => (event.kind === 'iteration.judged' ? [event.progress] : [])),
    ['idle', 'idle'],
  )
})
