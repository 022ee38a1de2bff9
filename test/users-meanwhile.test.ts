/** Files that the user makes while no agent works, in whatever the run is at then: the user's, and never an iteration's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, leaves } from './support/loop.ts'
import { runAndDie, untilEvent, untilFile } from './support/processes.ts'
import { type ProjectSketch, quickProjectFor, type Steps, type TestProject } from './support/project.ts'

const meanwhile: { when: string; act(made: TestProject): Promise<unknown>; config?: ProjectSketch['config'] }[] = [
  {
    when: 'while the run is paused',
    async act(made) {
      const run = made.start('run', '--no-archive')
      await untilFile(made, '.ralph/thing/logs/up')
      assert.equal((await made.run('pause')).code, 0)
      made.write('.git/go', '')
      await untilEvent(made, 'run.paused')
      made.write('mine.txt', 'mine\n')
      assert.equal((await made.run('resume')).code, 0)
      const { code, out } = await run.ended
      assert.equal(code, 0, out)
    },
  },
  {
    when: 'while gates run',
    config: {
      gates: {
        tests: 'test ! -e S-1.txt || { cd $HOME/../project; test -e .git/once || { touch .git/once; echo mine > mine.txt; }; }',
      },
    },
    async act(made) {
      made.write('.git/go', '')
      const { code, out } = await made.run('run', '--no-archive')
      assert.equal(code, 0, out)
    },
  },
  {
    when: 'after a kill between two iterations',
    async act(made) {
      made.write('.git/go', '')
      assert.equal((await runAndDie(made, 'iteration.settled 1', '--no-archive')).signal, 'SIGKILL')
      made.write('mine.txt', 'mine\n')
      const { code, out } = await made.run('run', '--no-archive')
      assert.equal(code, 0, out)
    },
  },
]
test('a file that the user makes after a kill in the middle of an iteration is the user’s; what the iteration left is its story’s [R-ITER-6] [R-ITER-4]', async (t) => {
  const waits: Steps = [{ run: 'test -e .git/up || { touch .git/up; while :; do sleep 0.02; done; }' }]
  const made = quickProjectFor(t, {
    script: { otherwise: [{ write: { path: 'half.txt', text: 'half\n' } }, ...waits, ...leaves] },
  })
  const run = made.start('run', '--no-archive')
  await untilFile(made, '.git/up')
  run.child.kill('SIGKILL')
  await run.ended
  await untilFile(made, '.git/ralph-witness/status')
  made.write('mine.txt', 'mine\n')
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const [commit] = eventsOf(made, 'iteration.settled').at(-1)!.commits
  assert.equal(made.git('show', '--format=', '--name-only', commit!, '--', ':!.ralph'), 'S-1.txt\nhalf.txt')
  assert.equal(made.git('status', '--porcelain'), '?? mine.txt')
})

test('commits that the user makes during an iteration and in a pause are not counted as its story’s: they stay when it fails [R-ITER-6]', async (t) => {
  const waits: Steps = [{ run: 'touch .git/up; while ! test -e .git/go; do sleep 0.02; done; echo more >> work.txt' }]
  const made = quickProjectFor(t, {
    script: { otherwise: [...waits, ...leaves] },
    config: { gates: { tests: 'false' }, defaults: { max_attempts: 2, max_iterations: 3 } },
  })
  const commit = (name: string): void => {
    made.write(name, 'mine\n')
    made.git('add', name)
    made.git('commit', '-q', '-m', name, '--', name)
  }
  const run = made.start('run', '--no-archive')
  await untilFile(made, '.git/up')
  commit('during.txt')
  assert.equal((await made.run('pause')).code, 0)
  made.write('.git/go', '')
  await untilEvent(made, 'run.paused')
  commit('paused.txt')
  assert.equal((await made.run('resume')).code, 0)
  assert.equal((await run.ended).code, 1)
  assert.equal(eventsOf(made, 'story.put-aside').length, 1)
  assert.equal(made.git('ls-files', '--', ':!.ralph', ':!README.md'), 'during.txt\npaused.txt')
})

test('files that the user makes or edits while gates run are not taken for the story’s when it fails: they stay; what it had committed itself goes', async (t) => {
  const users = 'echo mine > mine.txt; echo mine >> README.md; echo staged > staged.txt; git add staged.txt'
  const made = quickProjectFor(t, {
    script: { otherwise: [{ write: { path: 'own.txt', text: 'own\n' } }, { commit: 'own' }, ...leaves] },
    config: {
      gates: { tests: `test ! -e own.txt || { cd $HOME/../project; ${users}; echo formatted > own.txt; false; }` },
      defaults: { max_attempts: 1, max_iterations: 2 },
    },
  })
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out)
  assert.match(out, /mine\.txt.* changed while gates or reviewers checked S-1, and may be yours/)
  assert.equal(made.git('status', '--porcelain').trim(), 'M README.md\nA  staged.txt\n?? mine.txt')
  const { branch } = eventsOf(made, 'story.put-aside')[0]!
  assert.equal(made.git('diff', '--name-only', 'main', branch, '--', ':!.ralph'), 'S-1.txt\nown.txt')
})

for (const { when, act, config } of meanwhile) {
  test(`a file that the user makes ${when} is not the next iteration’s: it is in no commit, and there again when an agent discards it [R-ITER-6]`, async (t) => {
    const waitsToGo: Steps = [
      { run: 'touch .ralph/thing/logs/up; while ! test -e .git/go; do sleep 0.02; done' },
      { run: 'test "$RALPH_STORY" = S-1 || git clean -qfd -e .ralph' },
    ]
    const made = quickProjectFor(t, {
      stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }],
      ...(config === undefined ? {} : { config }),
      script: { stories: { 'S-3': [leaves] }, otherwise: [...waitsToGo, ...leaves] },
    })
    await act(made)
    assert.deepEqual([made.git('status', '--porcelain'), made.read('mine.txt')], ['?? mine.txt', 'mine\n'])
    assert.equal(made.git('log', '--branches', '--format=%s', '--', 'mine.txt'), '')
  })
}
