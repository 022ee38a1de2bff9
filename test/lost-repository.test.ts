/** A project that had a git repository and lost it, in mid-run or between two runs, is not one without: it stops with words. */
import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { makeProject, type Steps } from './support/project.ts'

const work: Steps = [
  { write: { path: '$RALPH_STORY.txt', text: 'x\n' } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'Done.' },
]
const stories = [{ id: 'S-1' }, { id: 'S-2' }]

test('an agent that takes .git away: 65 with words, also for the next run; with .git back it goes on', async (t) => {
  const project = makeProject({
    stories,
    script: { stories: { 'S-2': [[...work, { run: 'mv .git "$HOME/away"' }]] }, otherwise: work },
  })
  t.after(project.remove)
  const first = await project.run('run', '--no-archive')
  assert.equal(first.code, 65, first.out + first.err)
  assert.match(first.err, /^ralph: The git repository of \S+ is gone: there is no \S+\.git any more\. .* then run again\.\n$/)
  const second = await project.run('run', '--no-archive')
  assert.equal(second.code, 65, second.out + second.err)
  assert.match(second.err, /was in a git repository when the last run began, and is not any more\. Restore its \.git/)
  assert.doesNotMatch(second.out, /runs without branches/)
  renameSync(join(project.home, 'away'), project.path('.git'))
  const third = await project.run('run', '--no-archive')
  assert.equal(third.code, 0, third.out + third.err)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
})

test('an agent that begins a new repository in place of the old: the history is missed, and nothing goes on there', async (t) => {
  const anew = 'mv .git "$HOME/away"; git init -q -b main; git add -A; git -c user.name=x -c user.email=x@x commit -qm anew'
  const project = makeProject({ stories, script: { stories: { 'S-2': [[...work, { run: anew }]] }, otherwise: work } })
  t.after(project.remove)
  for (let run = 1; run <= 2; run++) {
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 65, out + err)
    assert.match(err, /does not have \w+ any more, the commit that this run went on from: its \.git was replaced/)
  }
})

test('a repository around the project is not taken for the one that is gone', async (t) => {
  const project = makeProject({ stories, script: { stories: { 'S-2': [[...work, { run: 'rm -rf .git' }]] }, otherwise: work } })
  t.after(project.remove)
  const outer = dirname(project.root)
  project.git('init', '-q', outer)
  t.after(() => rmSync(outer, { recursive: true, force: true }))
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 65, out + err)
  assert.match(err, /is gone: there is no/)
  assert.equal(project.git('for-each-ref'), '')
})
