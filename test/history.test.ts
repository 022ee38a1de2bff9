/** What an agent or a gate does to the repository behind everybody's back is noticed, told, and never committed as work. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { eventsOf, finishes } from './support/loop.ts'
import { type makeProject, projectFor, type Steps } from './support/project.ts'

const noticed = (project: ReturnType<typeof makeProject>) => eventsOf(project, 'noticed').map(({ what }) => what)
const twoStories = [{ id: 'S-1' }, { id: 'S-2' }]

test('commits that an iteration takes off the branch are noticed, and come back [R-DONE-2]', async (t) => {
  const takesBack: Steps = [{ run: 'git reset -q --hard HEAD~2' }, ...finishes]
  const project = projectFor(t, { stories: twoStories, script: { stories: { 'S-1': [finishes], 'S-2': [takesBack] } } })
  const { out } = await project.run('run', '--no-archive')
  assert.deepEqual(noticed(project), ['text-restored', 'branch-changed']) // the reset took its uncommitted notes, too
  assert.match(project.read('.ralph/thing/progress.txt'), /S-1/)
  assert.match(out, /! iteration 2 took commits off main: .* They were restored and merged with the new commits\./)
})

test('an amended commit is noticed too, and ordinary commits are not', async (t) => {
  const amends: Steps = [{ run: 'git commit -q --amend -m other' }, ...finishes]
  const project = projectFor(t, { stories: twoStories, script: { stories: { 'S-1': [finishes], 'S-2': [amends] } } })
  await project.run('run', '--no-archive')
  assert.deepEqual(noticed(project), ['branch-changed'])
})

test('an iteration that leaves the repository on another branch is noticed, and the next is told [R-CMD-2]', async (t) => {
  const wanders: Steps = [{ run: 'git switch -q -c side' }, { say: 'I looked around.' }]
  const returns: Steps = [
    { expect: { prompt: 'on side instead of feature/thing. HEAD is on feature/thing again.' } },
    ...finishes,
  ]
  const project = projectFor(t, { branch: 'feature/thing', script: { stories: { 'S-1': [wanders, returns] } } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(noticed(project), ['branch-changed'])
})

test('what a gate leaves behind is in no commit of a story, until an agent writes to it [R-ITER-6]', async (t) => {
  const works = (id: string): Steps => [{ write: { path: `${id}.txt`, text: 'work\n' } }, { say: 'Half.' }]
  const leaves = (id: string): Steps[] => [works(id), [{ flip: id }, { say: 'There.' }]]
  const project = projectFor(t, {
    stories: twoStories,
    script: { stories: { 'S-1': leaves('S-1'), 'S-2': leaves('S-2') } },
    config: { gates: { tests: 'test -f junk.txt || echo junk > junk.txt' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(project.git('status', '--porcelain').split('\n'), ['?? junk.txt'])
})

test('a feature made by hand, without .gitignore, has its logs and events committed nowhere', async (t) => {
  const project = projectFor(t)
  rmSync(project.path('.ralph/.gitignore'))
  project.git('commit', '-qam', 'no ignores')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    project
      .git('ls-files', '.ralph')
      .split('\n')
      .filter((file) => /events|status|logs/.test(file)),
    [],
  )
})

test('an unknown agent on the command line is wrong usage: 64 [R-CMD-1]', async (t) => {
  const project = projectFor(t)
  const { code, err } = await project.run('run', '--agent', 'nosuch')
  assert.equal(code, 64)
  assert.match(err, /^ralph: Unknown agent "nosuch"/)
})
