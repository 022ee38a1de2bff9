/** Several stories at once, when things go wrong: a dirty target, a removed worktree, a failed story, Ctrl+C, a kill, limits. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sampleOf } from './support/long.ts'
import { runAndDie, runOf, survivors, until } from './support/processes.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'
import { eventsOf, hold, leftovers, meet, nothingLeft, onBranch, stories, work } from './support/together.ts'

const isHere = (project: TestProject, name: string): Promise<boolean> =>
  until(`${name} at work`, () => existsSync(join(project.home, `here-${name}`)))

test("the user's uncommitted changes in the way: the story does not pass, its work is kept, and room makes it land [T51]", async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    files: { 'a.txt': 'a\n' },
    script: {
      stories: {
        'S-1': [[{ write: { path: 'a.txt', text: 'by S-1\n' } }, { commit: 'feat: S-1' }, { flip: 'S-1' }, { say: 'Done.' }]],
      },
      otherwise: work('$RALPH_STORY'),
    },
  })
  project.write('a.txt', "the user's\n")
  const first = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(first.code, 2, first.out + first.err)
  assert.match(project.read('.ralph/thing/blocked.txt'), /cannot land in .*: error: Your local changes to the following files/)
  assert.deepEqual(project.passing(), ['S-2'])
  assert.equal(project.read('a.txt'), "the user's\n")
  const { worktrees, branches } = leftovers(project)
  assert.deepEqual([worktrees.length, branches], [1, ['wip/ralph-work-thing-S-1']])
  assert.match(first.out, /Worktree: {4}S-1 in .*worktrees.*S-1 \(wip\/ralph-work-thing-S-1\)/)
  assert.equal(project.git('show', 'wip/ralph-work-thing-S-1:a.txt'), 'by S-1')

  project.git('checkout', '-q', 'a.txt')
  assert.equal((await project.run('unblock', 'made room')).code, 0)
  const second = await project.run('run', '--no-archive') // with one worker: what was begun apart ends apart
  assert.equal(second.code, 0, second.out + second.err)
  assert.deepEqual([project.passing(), project.read('a.txt')], [['S-1', 'S-2'], 'by S-1\n'])
  assert.deepEqual(leftovers(project), nothingLeft)
})

test('a worktree that is removed from outside ends its agent, frees its worker, and the story is tried again [T53]', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    script: { stories: { 'S-1': [work('S-1', meet('S-1'), hold('never')), work('S-1')] }, otherwise: work('$RALPH_STORY') },
  })
  const { ended } = project.start('run', '--parallel', '2', '--no-archive')
  await isHere(project, 'S-1')
  const [path] = leftovers(project).worktrees.filter((worktree) => worktree.endsWith('/S-1'))
  rmSync(path!, { recursive: true })
  const { code, out, err } = await ended
  assert.equal(code, 0, out + err)
  assert.match(out, /S-1 ✗ failed: the agent failed: its worktree .*S-1 was removed/)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  assert.deepEqual(survivors(runOf(project)), [])
  assert.deepEqual(leftovers(project), nothingLeft)
})

test('a story that fails for good keeps its worktree, on the branch that has all its work, and both are named', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    config: { gates: { tests: 'test ! -e broken' }, defaults: { max_attempts: 2 } },
    script: {
      stories: {
        'S-1': [
          [
            { write: { path: 'broken', text: 'x\n' } },
            { write: { path: 'left.txt', text: 'lying\n' } },
            { flip: 'S-1' },
            { say: 'Done.' },
          ],
        ],
      },
      otherwise: work('$RALPH_STORY'),
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 1, out + err)
  const { worktrees, branches } = leftovers(project)
  assert.equal(branches.length, 1)
  assert.match(branches[0]!, /^wip\/ralph-fail-S-1-\d{8}-\d{6}$/)
  assert.equal(project.git('show', `${branches[0]}:left.txt`), 'lying')
  assert.match(project.git('show', `${branches[0]}:.ralph/thing/state.md`), /S-1/)
  assert.ok(out.includes(`S-1 in ${worktrees[0]} (${branches[0]})`), out)
  assert.deepEqual([project.has('broken'), project.git('status', '--porcelain')], [false, ''])
  assert.deepEqual(project.passing(), ['S-2'])

  // Tried again, the worktree makes room for a new one; the branch stays.
  project.write('.ralph/agent.json', JSON.stringify({ otherwise: work('$RALPH_STORY') }))
  assert.equal((await project.run('retry', 'S-1')).code, 0)
  const again = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
  assert.deepEqual(leftovers(project), { worktrees: [], branches })
})

test('what a kill left goes with the next run: a branch without its worktree, a worktree half made; not a branch with other work', async (t) => {
  const project = projectFor(t, { stories: stories(3), script: { otherwise: work('$RALPH_STORY') } })
  const first = await project.run('run', '--parallel', '2', '--no-archive', '--max-iterations', '2')
  assert.deepEqual([project.passing(), leftovers(project)], [['S-1', 'S-2'], nothingLeft], first.out + first.err)
  project.git('branch', 'wip/ralph-work-thing-S-1')
  project.git('branch', 'wip/ralph-work-thing-S-2', project.git('commit-tree', '-m', 'other work', 'HEAD^{tree}'))
  const made = join(project.home, '.ralph', 'worktrees')
  project.git('worktree', 'add', '-q', '--no-checkout', '--detach', join(made, readdirSync(made)[0]!, 'thing', 'S-3'))
  const second = await project.run('run', '--no-archive') // with one worker the third is worked on in the project itself
  assert.equal(second.code, 0, second.out + second.err)
  assert.deepEqual(leftovers(project), { worktrees: [], branches: ['wip/ralph-work-thing-S-2'] })
})

test('Ctrl+C ends every agent; what they had done so far is there for the next run', async (t) => {
  const half = (id: string): Steps => [
    { write: { path: `${id}-half.txt`, text: '1\n' } },
    { commit: `feat: half of ${id}` },
    meet(id),
    hold('never'),
  ]
  const rest = (id: string): Steps => [{ run: `test -e ${id}-half.txt` }, ...work(id)]
  const project = projectFor(t, {
    stories: stories(3),
    script: { stories: Object.fromEntries(['S-1', 'S-2', 'S-3'].map((id) => [id, [half(id)]])) },
  })
  const { child, ended } = project.start('run', '--parallel', '3', '--no-archive')
  await Promise.all(['S-1', 'S-2', 'S-3'].map((id) => isHere(project, id)))
  child.kill('SIGINT')
  const { code, out, err } = await ended
  assert.equal(code, 130, out + err)
  assert.deepEqual(survivors(runOf(project)), [])
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ verdict }) => verdict),
    ['interrupted', 'interrupted', 'interrupted'],
  )
  assert.equal(leftovers(project).worktrees.length, 3)
  assert.equal(project.git('status', '--porcelain'), '')

  project.write(
    '.ralph/agent.json',
    JSON.stringify({ stories: Object.fromEntries(['S-1', 'S-2', 'S-3'].map((id) => [id, [rest(id)]])) }),
  )
  project.git('commit', '-qam', 'another script')
  const again = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
  assert.equal(project.git('ls-files', '*-half.txt'), 'S-1-half.txt\nS-2-half.txt\nS-3-half.txt')
  assert.deepEqual(leftovers(project), nothingLeft)
})

test('one call limit for all workers: no more calls start than the hour has left', async (t) => {
  const project = projectFor(t, { stories: stories(4) })
  const { child, ended } = project.start('run', '--parallel', '4', '-r', '2', '--no-archive')
  await until('the limit', () => project.has('.ralph/thing/events.jsonl') && project.kinds().includes('wait.started'))
  await until('both home', () => eventsOf(project, 'iteration.settled').length === 2)
  child.kill('SIGINT')
  assert.equal((await ended).code, 130)
  assert.equal(eventsOf(project, 'call.granted').length, 2)
})

test('one budget for all workers: what they spend together ends them', async (t) => {
  const spend = (id: string): Steps => [meet(id, 'S-1', 'S-2'), { usage: { input: 100, output: 10, cost: 0.6 } }, ...work(id)]
  const project = projectFor(t, {
    stories: stories(4),
    script: { stories: Object.fromEntries(['S-1', 'S-2', 'S-3', 'S-4'].map((id) => [id, [spend(id)]])) },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--max-cost', '1', '--no-archive')
  assert.equal(code, 6, out + err)
  assert.match(out, /Because: {5}budget spent: \$1\.[28]0 of \$1\.00/)
  assert.ok(eventsOf(project, 'iteration.started').length < 4)
})

test('killed while stories land and settle, and run again, every story is there once [R-ITER-4]', async (t) => {
  const sketch = { stories: stories(4), config: { gates: { tests: 'true' } } }
  const all = [
    'landing.started 2',
    'landing.started 5',
    'landing.started 9',
    'landing.ended 1',
    'iteration.judged 4',
    'iteration.started 6',
    'gates.ended 2',
  ]
  for (const at of sampleOf(all, 4)) {
    const project = projectFor(t, sketch)
    assert.equal((await runAndDie(project, at, '--parallel', '3', '--no-archive')).signal, 'SIGKILL', at)
    const again = await project.run('run', '--parallel', '3', '--no-archive')
    assert.equal(again.code, 0, `${at}: ${again.out}${again.err}`)
    const ids = stories(4).map(({ id }) => id)
    assert.deepEqual([project.passing(), onBranch(project)], [ids, ids], at)
    assert.deepEqual(leftovers(project), nothingLeft, at)
    assert.equal(project.git('status', '--porcelain'), '', at)
    assert.deepEqual(survivors(runOf(project)), [], at)
  }
})
