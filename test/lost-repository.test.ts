/** A repository that is lost or damaged: a project that had one is not one without, and what can be read is gone on with. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runAndDie, until } from './support/processes.ts'
import { projectFor, type Steps } from './support/project.ts'
import { hold, meet } from './support/together.ts'

const work: Steps = [
  { write: { path: '$RALPH_STORY.txt', text: 'x\n' } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'Done.' },
]
const stories = [{ id: 'S-1' }, { id: 'S-2' }]

test('an agent that takes .git away: 65 with words, also for the next run; with .git back it goes on', async (t) => {
  const project = projectFor(t, {
    stories,
    script: { stories: { 'S-2': [[...work, { run: 'mv .git "$HOME/away"' }]] }, otherwise: work },
  })
  const first = await project.run('run', '--no-archive')
  assert.equal(first.code, 65, first.out + first.err)
  assert.match(first.err, /^ralph: The git repository of \S+ is gone: \S+\.git no longer exists\. .* then run again\.\n$/)
  const second = await project.run('run', '--no-archive')
  assert.equal(second.code, 65, second.out + second.err)
  assert.match(second.err, /was in a git repository when the last run began, but no longer is\. Restore \.git/)
  assert.doesNotMatch(second.out, /running without branches/)
  renameSync(join(project.home, 'away'), project.path('.git'))
  const third = await project.run('run', '--no-archive')
  assert.equal(third.code, 0, third.out + third.err)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
})

test('an agent that begins a new repository in place of the old: the history is missed, and nothing goes on there', async (t) => {
  const anew = 'mv .git "$HOME/away"; git init -q -b main; git add -A; git -c user.name=x -c user.email=x@x commit -qm anew'
  const project = projectFor(t, { stories, script: { stories: { 'S-2': [[...work, { run: anew }]] }, otherwise: work } })
  for (let run = 1; run <= 2; run++) {
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 65, out + err)
    assert.match(err, /\w+, the commit that this run continued from, is no longer in the repository in \S+: \.git was replaced/)
  }
})

test('a person who clones the repository anew, without the commits of a killed run: it goes on, and does again what is not there', async (t) => {
  const project = projectFor(t, { stories, script: { otherwise: work } })
  const clone = join(project.home, 'clone')
  project.git('clone', '-q', '--no-local', '.', clone)
  assert.equal((await runAndDie(project, 'event 10', '--no-archive')).signal, 'SIGKILL')
  assert.deepEqual([project.kinds().at(-1), project.passing()], ['iteration.started', ['S-1']])
  rmSync(project.path('.git'), { recursive: true })
  renameSync(join(clone, '.git'), project.path('.git'))
  project.git('clean', '-fdq', '-e', '.ralph')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /! \w+, the last commit of this run, is no longer in the repository: .* The run continues from \w+\./)
  assert.match(out, /S-1 reopened: \w+ is no longer on main\. The repository does not have it: do the work again\./)
  assert.equal(project.git('ls-tree', '--name-only', 'HEAD', 'S-1.txt', 'S-2.txt').split('\n').length, 2)
})

test('a repository around the project is not taken for the one that is gone', async (t) => {
  const project = projectFor(t, { stories, script: { stories: { 'S-2': [[...work, { run: 'rm -rf .git' }]] }, otherwise: work } })
  const outer = dirname(project.root)
  project.git('init', '-q', outer)
  t.after(() => rmSync(outer, { recursive: true, force: true }))
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 65, out + err)
  assert.match(err, /is gone: .*\.git no longer exists/)
  assert.equal(project.git('for-each-ref'), '')
})

test('after a power cut HEAD is at an empty object: it goes on from the newest commit that can be read, and no file is lost', async (t) => {
  const leaves: Steps = [{ write: { path: '$RALPH_STORY.txt', text: 'x\n' } }, { flip: '$RALPH_STORY' }, { say: 'Done.' }]
  const project = projectFor(t, {
    stories: [...stories, { id: 'S-3' }],
    script: { stories: { 'S-2': [[...leaves.slice(0, 1), meet('S-2'), hold('on')], leaves] }, otherwise: leaves },
  })
  const { child, ended } = project.start('run', '--no-archive')
  await until('S-2 at work', () => existsSync(join(project.home, 'here-S-2')))
  child.kill('SIGKILL')
  await ended
  writeFileSync(join(project.home, 'on'), '')
  for (const id of project.git('rev-list', '--objects', '--no-object-names', 'HEAD', '--not', 'HEAD~2').split('\n')) {
    const path = project.path(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`)
    chmodSync(path, 0o644)
    truncateSync(path)
  }
  project.write('.git/refs/ralph/thing-S-9.lock', '')
  const again = await project.run('run', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
  assert.match(
    again.out,
    /! The git repository was damaged, as after a power cut, and was repaired: \d+ objects in .git could not be read; main is at/,
  )
  assert.match(again.out, /S-1 reopened/)
  assert.equal(project.git('ls-tree', '--name-only', 'HEAD', 'S-1.txt', 'S-2.txt', 'S-3.txt').split('\n').length, 3)
  assert.equal(project.git('fsck', '--no-dangling', '--no-reflogs'), '')
})
