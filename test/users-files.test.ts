/** The user's uncommitted files stay the user's over runs, kills and failed stories; what an iteration left is its story's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failingSketch, noBadFiles, spoils } from './support/failing.ts'
import { eventsOf, leaves } from './support/loop.ts'
import { runAndDie, untilFile } from './support/processes.ts'
import { quickProjectFor, type Steps, type TestProject } from './support/project.ts'

/** Waits in the middle of its work, once, until it is stopped. */
const waits: Steps = [{ run: 'test -e .ralph/thing/logs/up || { touch .ralph/thing/logs/up; while :; do sleep 0.02; done; }' }]
const asks: Steps = [{ say: '<promise>DECIDE:red or blue?</promise>' }]
const takesAll: Steps = [{ run: 'git add -A && git commit -qm "feat: all of it"' }]

/** Runs until the agent waits, and stops it there as the user does. */
async function interrupted(made: TestProject, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  const run = made.start('run', '--no-archive')
  await untilFile(made, '.ralph/thing/logs/up')
  run.child.kill(signal)
  await run.ended
}

const committedIn = (made: TestProject, commit: string): string[] =>
  made
    .git('show', '--format=', '--name-only', commit)
    .split('\n')
    .filter((file) => !file.startsWith('.ralph/'))

test('what an iteration left when the user stopped it is committed with its story; what the user made meanwhile is not [R-ITER-6]', async (t) => {
  const made = quickProjectFor(t, {
    script: {
      iterations: [
        [{ write: { path: 'half.txt', text: 'half\n' } }, { write: { path: 'more.txt', text: 'half\n' } }, ...waits],
        leaves,
      ],
    },
  })
  made.write('mine.txt', 'mine\n')
  await interrupted(made)
  made.write('later.txt', 'mine too\n')
  made.write('more.txt', 'half, and mended by the user\n') // the story's all the same
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const [commit] = eventsOf(made, 'iteration.settled').at(-1)!.commits
  assert.deepEqual(committedIn(made, commit!), ['S-1.txt', 'half.txt', 'more.txt'])
  assert.equal(made.git('status', '--porcelain'), '?? later.txt\n?? mine.txt')
})

test('a file that an iteration left and the user committed is the user’s when it is dirty again [R-ITER-6]', async (t) => {
  const made = quickProjectFor(t, {
    script: { iterations: [[{ write: { path: 'half.txt', text: 'half\n' } }, ...waits], leaves] },
  })
  await interrupted(made)
  made.git('add', 'half.txt')
  made.git('commit', '-qm', 'mine now')
  made.write('half.txt', 'newer\n')
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  assert.equal(made.git('status', '--porcelain'), ' M half.txt')
})

test('the user’s files that a failing story committed are taken out of its commits, and are still the user’s in the next run [R-ITER-6] [R-ESC-2]', async (t) => {
  const made = quickProjectFor(t, {
    ...failingSketch,
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      ...failingSketch.script,
      stories: {
        'S-1': [
          [...spoils.slice(0, 2), ...takesAll, ...spoils.slice(3)],
          [...waits, ...spoils],
        ],
      },
    },
  })
  made.write('mine.txt', 'mine\n')
  await interrupted(made)
  assert.equal(made.git('log', '--format=%s', '--', 'mine.txt'), '')
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out)
  assert.deepEqual(made.passing(), ['S-2'])
  const [commit] = eventsOf(made, 'iteration.settled').at(-1)!.commits
  assert.deepEqual(committedIn(made, commit!), ['S-2.txt'])
  assert.deepEqual([made.git('status', '--porcelain'), made.read('mine.txt')], ['?? mine.txt', 'mine\n'])
})

test('a story that is tried again goes back to where it first began when it fails, not to what was refused [R-PLAN-8] [R-ESC-2]', async (t) => {
  const made = quickProjectFor(t, {
    ...failingSketch,
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: noBadFiles }, defaults: { max_attempts: 2 } },
  })
  assert.equal((await made.run('run', '-n', '1', '--no-archive')).code, 1)
  assert.equal((await made.run('retry', 'S-1')).code, 0)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out)
  assert.deepEqual(made.passing(), ['S-2'])
  assert.deepEqual([made.has('S-1.bad'), made.has('code')], [false, false])
})

test('another try that is asked for between a failure and its putting aside, across a kill, stands [R-PLAN-8] [R-ITER-4]', async (t) => {
  const made = quickProjectFor(t, { ...failingSketch, config: { gates: { tests: noBadFiles }, defaults: { max_attempts: 1 } } })
  assert.equal((await runAndDie(made, 'story.failed 1')).signal, 'SIGKILL')
  assert.equal((await made.run('retry', 'S-1')).code, 0)
  assert.equal((await made.run('run', '-n', '1', '--no-archive')).code, 1)
  assert.deepEqual(
    eventsOf(made, 'story.put-aside').map(({ how }) => how),
    ['reset'],
  )
  assert.equal(JSON.parse(made.read('.ralph/thing/prd.json')).userStories[0].failed, undefined)
  assert.equal((await made.run('run', '-n', '1', '--no-archive')).code, 1)
  assert.equal(eventsOf(made, 'iteration.started').length, 2)
})

for (const isPassing of [true, false]) {
  test(`the user’s files that an agent discards are there again, and it is told: in a story that ${isPassing ? 'passes' : 'fails'} [R-ITER-6]`, async (t) => {
    const wipes: Steps = [{ run: 'git reset -q --hard && git clean -qfd -e .ralph' }]
    const made = quickProjectFor(t, {
      files: { 'a.txt': 'old\n' },
      config: { gates: { tests: isPassing ? 'true' : 'false' }, defaults: { max_attempts: 1 } },
      script: { otherwise: [...wipes, ...leaves] },
    })
    made.write('a.txt', 'mine\n')
    made.write('notes.txt', 'mine\r\n')
    const { code, out } = await made.run('run', '--no-archive')
    assert.equal(code, isPassing ? 0 : 1, out)
    assert.deepEqual([made.read('a.txt'), made.read('notes.txt')], ['mine\n', 'mine\r\n'])
    assert.equal(made.git('status', '--porcelain'), ' M a.txt\n?? notes.txt')
    assert.match(
      out,
      /^Your files: {2}Uncommitted changes that are not the agent's were discarded during iteration 1, and restored: a\.txt, notes\.txt\./m,
    )
    assert.match(made.read('.ralph/thing/report.md'), /^## Your uncommitted files$/m)
  })
}

test('the user’s version of a file that a story overwrote is back, and what the story wrote is in a patch [R-ITER-6]', async (t) => {
  const made = quickProjectFor(t, {
    files: { 'a.txt': 'old\n' },
    script: { otherwise: [{ write: { path: 'a.txt', text: 'story\n' } }, { commit: 'feat: a' }, ...leaves] },
  })
  made.write('a.txt', 'mine\n')
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual([made.read('a.txt'), made.git('log', '--format=%s', '--', 'a.txt')], ['mine\n', 'start'])
  const [, patch] = /The agent's version is in (\S+\.patch)\./.exec(out)!
  made.git('apply', patch!)
  assert.equal(made.read('a.txt'), 'story\n')
})

for (const isGreen of [true, false]) {
  test(`a story that the user finished by hand after a kill is ${isGreen ? 'not done again: its gates are green' : 'set back where its gates are red'} [R-PLAN-7]`, async (t) => {
    const made = quickProjectFor(t, {
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      config: { gates: { tests: noBadFiles } },
      script: { otherwise: [{ run: 'rm -f S-2.bad' }, ...leaves] },
    })
    assert.equal((await runAndDie(made, 'iteration.settled 1', '--no-archive')).signal, 'SIGKILL')
    made.write(isGreen ? 'by-hand.txt' : 'S-2.bad', 'mine\n')
    made.git('add', '.')
    made.git('commit', '-qm', 'S-2 by hand')
    made.write('.ralph/thing/prd.json', made.read('.ralph/thing/prd.json').replaceAll('"passes": false', '"passes": true'))
    const { code, out } = await made.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual(
      eventsOf(made, 'iteration.started').map(({ mode, story }) => `${mode} ${story}`),
      ['implement S-1', 'check null', ...(isGreen ? [] : ['implement S-2'])],
    )
    assert.equal(made.read('.ralph/thing/logs/summary.csv').split('\n').length, isGreen ? 3 : 4)
    if (!isGreen) assert.match(out, /S-2 set back: tests failed/)
  })
}

test('stories that the user finished by hand after a kill in the middle of an iteration are not done again [R-PLAN-7] [R-ITER-4]', async (t) => {
  const made = quickProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: noBadFiles } },
    script: { otherwise: [...waits, ...leaves] },
  })
  await interrupted(made, 'SIGKILL')
  await untilFile(made, '.git/ralph-witness/token') // no person is faster
  made.write('by-hand.txt', 'mine\n')
  made.git('add', 'by-hand.txt')
  made.git('commit', '-qm', 'both by hand')
  made.write('.ralph/thing/prd.json', made.read('.ralph/thing/prd.json').replaceAll('"passes": false', '"passes": true'))
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ mode, story }) => `${mode} ${story}`),
    ['implement S-1', 'check null'],
  )
})

test('a story with refused work that asks a person waits on a branch: the next one is judged without it, and it gets its work back [R-HUM-4]', async (t) => {
  const made = quickProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: noBadFiles }, defaults: { decide: 'park' } },
    script: {
      iterations: [
        spoils,
        asks,
        [{ run: 'test ! -e S-1.bad && test ! -e code' }, ...leaves],
        [{ run: 'git rm -q S-1.bad && git commit -qm mended' }, ...leaves],
      ],
    },
  })
  const asked = await made.run('run', '--no-archive')
  assert.equal(asked.code, 3, asked.out)
  assert.deepEqual(made.passing(), ['S-2'])
  assert.equal(made.git('status', '--porcelain'), '')
  assert.equal((await made.run('answer', 'red')).code, 0)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(made.read('code/S-1.js'), 'committed\nuncommitted\n')
  assert.equal(made.git('status', '--porcelain'), '')
})

test('a story that is under way goes on before one that may start again: nothing begins on top of refused work [R-PLAN-5]', async (t) => {
  const made = quickProjectFor(t, {
    ...failingSketch,
    stories: [{ id: 'S-0' }, { id: 'S-1' }],
    config: { gates: { tests: noBadFiles }, defaults: { decide: 'park', max_attempts: 2 } },
    script: { iterations: [asks, spoils, spoils, leaves] },
  })
  assert.equal((await made.run('run', '-n', '2', '--no-archive')).code, 3)
  assert.equal((await made.run('answer', 'red')).code, 0)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ story }) => story),
    ['S-0', 'S-1', 'S-1', 'S-0'],
  )
  assert.deepEqual([made.passing(), made.has('S-1.bad')], [['S-0'], false])
})

test('the user’s files that a failing story committed are there again, uncommitted, when the user adds another before the next run [R-ITER-6] [R-ESC-2]', async (t) => {
  const made = quickProjectFor(t, {
    ...failingSketch,
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      ...failingSketch.script,
      stories: { 'S-1': [[...takesAll, ...waits], spoils] },
    },
  })
  made.write('mine.txt', 'mine\r\n')
  await interrupted(made)
  assert.equal(made.git('log', '--format=%s', '--', 'mine.txt'), '')
  made.write('later.txt', 'mine too\n')
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out)
  assert.deepEqual(made.passing(), ['S-2'])
  assert.equal(made.git('status', '--porcelain'), '?? later.txt\n?? mine.txt')
  assert.deepEqual([made.read('mine.txt'), made.read('later.txt')], ['mine\r\n', 'mine too\n'])
})

test('a file that the user makes between two attempts stays where it is when its story fails and is put aside [R-ITER-6] [R-ESC-2]', async (t) => {
  const made = quickProjectFor(t, {
    ...failingSketch,
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { ...failingSketch.script, stories: { 'S-1': [spoils, [...takesAll, ...spoils]] } },
  })
  assert.equal((await runAndDie(made, 'iteration.settled 1', '--no-archive')).signal, 'SIGKILL')
  made.write('mine.txt', 'mine\n')
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out)
  assert.deepEqual([made.git('status', '--porcelain'), made.read('mine.txt')], ['?? mine.txt', 'mine\n'])
})

test('a file that the user took out of git and edited, discarded by an agent, is there again [R-ITER-6]', async (t) => {
  const made = quickProjectFor(t, {
    files: { 'a.txt': 'old\n' },
    script: { otherwise: [{ run: 'git clean -qfd -e .ralph' }, ...leaves] },
  })
  made.git('rm', '-q', '--cached', 'a.txt')
  made.write('a.txt', 'mine\n')
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual([made.git('status', '--porcelain'), made.read('a.txt')], ['D  a.txt\n?? a.txt', 'mine\n'])
})
