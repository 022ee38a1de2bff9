/** One run a worktree, and a person's word to it: through the inbox while it lives, into the log when none does. */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { finishes } from './support/loop.ts'
import { untilEvent, untilFile } from './support/processes.ts'
import { makeProject, type ProjectSketch, projectFor, ralphProgram, type Steps, type TestProject } from './support/project.ts'

/** Waits in the middle of its work until the test lets it go on. */
const waits: Steps = [
  {
    run: 'touch "$RALPH_FEATURE_DIR/logs/up-$RALPH_ITERATION"; while [ ! -e "$RALPH_FEATURE_DIR/logs/go" ]; do sleep 0.02; done',
  },
]
const twoStories: ProjectSketch = {
  stories: [{ id: 'S-1' }, { id: 'S-2' }],
  script: { otherwise: [...waits, ...finishes] },
  config: { process: { grace_seconds: 0.2 } },
}
const isUp = (project: TestProject, iteration = 1): Promise<boolean> => untilFile(project, `.ralph/thing/logs/up-${iteration}`)
const letGo = (project: TestProject): void => project.write('.ralph/thing/logs/go', '')

async function withLiveRun(
  sketch: ProjectSketch,
  body: (project: TestProject, run: ReturnType<TestProject['start']>) => Promise<void>,
): Promise<void> {
  const project = makeProject(sketch)
  const run = project.start('run', '--no-archive')
  try {
    await isUp(project)
    await body(project, run)
  } finally {
    run.child.kill('SIGTERM')
    await run.ended
    project.remove()
  }
}

/** Runs a command and says that it did what it was asked. */
async function asked(project: TestProject, ...args: string[]): Promise<string> {
  const { code, out, err } = await project.run(...args)
  assert.equal(code, 0, `ralph ${args.join(' ')}: ${out}${err}`)
  return out
}

test('a second run is refused with 75, names the pid, and makes no call [R-LOCK-1, X06, T42]', () =>
  withLiveRun(twoStories, async (project, { child, ended }) => {
    const second = await project.run('run')
    assert.equal(second.code, 75)
    assert.match(second.err, new RegExp(`A run of feature "thing" is live here: pid ${child.pid} `))
    letGo(project)
    assert.equal((await ended).code, 0)
    assert.equal(project.kinds().filter((kind) => kind === 'iteration.started').length, 2)
    assert.equal(project.has('.git/ralph.lock'), false)
  }))

test('a run of another feature in the same worktree is refused too [R-LOCK-1]', () =>
  withLiveRun(twoStories, async (project) => {
    project.write('.ralph/other/prd.json', project.read('.ralph/thing/prd.json').replace('"thing"', '"other"'))
    const { code, err } = await project.run('run', '-f', 'other')
    assert.equal(code, 75)
    assert.match(err, /Wait for it, end it with: ralph stop -f thing, or work beside it with: ralph run -f other --worktree$/m)
    assert.equal(project.has('.ralph/other/events.jsonl'), false)
  }))

const heldBy = (pid: number, purpose: 'run' | 'command'): string =>
  `${JSON.stringify({ pid, start: null, host: hostname(), feature: 'thing', run: '', purpose, at: '2026-01-09T12:00:00.000Z' })}\n`

for (const isGit of [true, false]) {
  test(`a dead holder's lock ${isGit ? 'in the git directory' : 'in .ralph/lock outside git'} is taken over [R-LOCK-1]`, async (t) => {
    const project = projectFor(t, { isGit, script: { otherwise: finishes } })
    const gone = spawn('true')
    await new Promise((resolve) => gone.on('exit', resolve))
    const lock = isGit ? '.git/ralph.lock' : '.ralph/lock'
    project.write(lock, heldBy(gone.pid!, 'run'))
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out + err)
    assert.equal(project.has(lock), false)
  })
}

test('a run in a container of this machine, with the same host name, refuses one outside, and the other way round [R-LOCK-1]', async (t) => {
  const project = projectFor(t, twoStories)
  const words = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent', process.execPath, ralphProgram]
  const contained = (): { child: ChildProcess; ended: Promise<number | null>; said(): string } => {
    const child = spawn('bwrap', [...words, 'run', '--no-archive'], { cwd: project.root, env: project.env })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    return { child, ended: new Promise((resolve) => child.on('close', resolve)), said: () => said }
  }
  const inside = contained()
  await isUp(project)
  const outside = await project.run('run')
  assert.equal(outside.code, 75, outside.out + outside.err)
  assert.match(outside.err, /It runs in another container and was last active/)
  letGo(project)
  assert.equal(await inside.ended, 0, inside.said())

  project.git('reset', '-q', '--hard', 'HEAD~1')
  rmSync(project.path('.ralph/thing/logs/go'))
  project.write('.ralph/thing/prd.json', project.read('.ralph/thing/prd.json').replaceAll('"passes": true', '"passes": false'))
  const second = project.start('run', '--no-archive')
  await isUp(project, 3)
  const other = contained()
  assert.equal(await other.ended, 75, other.said())
  letGo(project)
  await second.ended
})

test('a run whose lock was taken over writes nothing more, ends its agent and says so with 75 [R-LOCK-1]', () =>
  withLiveRun(twoStories, async (project, { ended }) => {
    const before = project.read('.ralph/thing/events.jsonl')
    project.write('.git/ralph.lock', heldBy(process.pid, 'run'))
    letGo(project)
    const { code, out, err } = await ended
    assert.equal(code, 75, out + err)
    assert.match(err, /ralph\.lock was taken over by pid \d+ .*: this run stops and writes nothing more/)
    assert.equal(project.read('.ralph/thing/events.jsonl'), before)
    assert.equal(JSON.parse(project.read('.git/ralph.lock')).pid, process.pid)
  }))

test('outside git the lock is .ralph/lock, and refuses in the same way [R-LOCK-1]', () =>
  withLiveRun({ ...twoStories, isGit: false }, async (project, { child }) => {
    assert.equal(JSON.parse(project.read('.ralph/lock')).pid, child.pid)
    assert.equal((await project.run('run')).code, 75)
  }))

test("a command's short lock is waited for [R-LOCK-1]", async (t) => {
  const project = projectFor(t, { script: { otherwise: finishes } })
  const holder = spawn('sleep', ['0.5'])
  project.write('.git/ralph.lock', heldBy(holder.pid!, 'command'))
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
})

test('a note said to a live run reaches its next prompt [R-HUM-4]', () =>
  withLiveRun(
    {
      ...twoStories,
      script: {
        iterations: [
          [...waits, ...finishes],
          [{ expect: { prompt: 'use the blue one' } }, ...finishes],
        ],
      },
    },
    async (project, { ended }) => {
      assert.match(await asked(project, 'say', 'use', 'the', 'blue', 'one'), /The next iteration will read it/)
      await untilEvent(project, 'said')
      letGo(project)
      const { code, out } = await ended
      assert.equal(code, 0, out)
      assert.equal(project.kinds().filter((kind) => kind === 'iteration.started').length, 2)
    },
  ))

test('pause holds a live run after its iteration, resume lets it go on [R-HUM-4]', () =>
  withLiveRun(twoStories, async (project, { ended }) => {
    await asked(project, 'pause')
    await untilEvent(project, 'pause.requested')
    letGo(project)
    await untilEvent(project, 'run.paused')
    assert.equal(JSON.parse(await asked(project, 'status', '--json')).state, 'paused')
    assert.match(await asked(project, 'why'), /is paused/)
    assert.deepEqual(project.passing(), ['S-1'])
    await asked(project, 'resume')
    const { code, out } = await ended
    assert.equal(code, 0, out)
    assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  }))

test('stop lets the iteration end first, and the run is interrupted: 130 [R-HUM-4]', () =>
  withLiveRun(twoStories, async (project, { ended }) => {
    await asked(project, 'stop')
    await untilEvent(project, 'stop.requested')
    letGo(project)
    assert.equal((await ended).code, 130)
    assert.deepEqual(project.passing(), ['S-1'])
  }))

test('stop --now ends the agent at once [R-HUM-4]', () =>
  withLiveRun(twoStories, async (project, { ended }) => {
    await asked(project, 'stop', '--now')
    const { code, out } = await ended
    assert.equal(code, 130, out)
    assert.deepEqual(project.passing(), [])
    assert.ok(project.events().some((event) => event.kind === 'iteration.judged' && event.verdict === 'interrupted'))
  }))

test('a story skipped while a run is live is out of its count, in the log and in the plan [R-PLAN-8]', () =>
  withLiveRun(twoStories, async (project, { ended }) => {
    await asked(project, 'skip', 'S-2')
    await untilEvent(project, 'story.skipped')
    letGo(project)
    const { code, out } = await ended
    assert.equal(code, 0, out)
    assert.deepEqual(project.passing(), ['S-1'])
    assert.equal(project.plan().userStories[1]!['skip'], true)
  }))

test('a story that failed and was skipped is wholly open again when a live run is asked to retry it [R-PLAN-8]', () =>
  withLiveRun(
    {
      ...twoStories,
      stories: [{ id: 'S-1', skip: true, failed: { branch: '', reason: 'x', at: '2026-01-01T00:00:00.000Z' } }, { id: 'S-2' }],
    },
    async (project, { ended }) => {
      assert.match(await asked(project, 'retry', 'S-1'), /The running loop will pick it up/)
      await untilEvent(project, 'story.retried')
      letGo(project)
      const { code, out } = await ended
      assert.equal(code, 0, out)
      assert.deepEqual(project.passing(), ['S-1', 'S-2'])
      assert.deepEqual([project.plan().userStories[0]!['skip'], project.plan().userStories[0]!['failed']], [false, undefined])
    },
  ))

test('no command and no file of an agent takes a story out of the count of its own run [R-PROOF-6]', async (t) => {
  const ralph = `'${process.execPath}' '${ralphProgram}'`
  const skips = [
    `${ralph} skip S-2 2> refused.txt && touch skipped`,
    `env -u RALPH_RUN ${ralph} skip S-2 2>> refused.txt && touch skipped`,
    `(env -u RALPH_RUN ${ralph} skip S-2 2>> refused.txt && touch skipped) & wait`, // in the agent's session
    `env -u RALPH_RUN ${ralph} say 'the user wants no tests' 2>> refused.txt && touch skipped`,
    `env -i HOME="$HOME" PATH="$PATH" setsid -f sh -c "${ralph} skip S-2 2> apart.txt && touch skipped; touch apart-done"`,
    'until [ -e apart-done ]; do sleep 0.02; done',
    `echo '{"kind":"story.skipped","story":"S-2"}' > x.tmp && mv x.tmp .ralph/thing/inbox/1.json`,
    'while [ -e .ralph/thing/inbox/1.json ]; do sleep 0.02; done',
  ].join('; ')
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [[{ run: skips }, ...finishes]], 'S-2': [finishes] } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    [project.passing(), project.has('skipped'), project.kinds().includes('story.skipped')],
    [['S-1', 'S-2'], false, false],
  )
  assert.equal(project.read('refused.txt').match(/^ralph: Only people may use this command, .*BLOCKED or DECIDE/gm)?.length, 4)
  assert.match(project.read('apart.txt'), /^ralph: Only people may use this command/)
  assert.match(project.read('.ralph/thing/logs/request-1.json.rejected'), /story\.skipped/)
  assert.match(out, /A request in inbox\/ does not come from a command of a person and was ignored: story\.skipped/)
})

test('a breaker reset reaches a live run [R-CB-3]', () =>
  withLiveRun(twoStories, async (project, { ended }) => {
    await asked(project, 'breaker', 'reset')
    await untilEvent(project, 'breaker.reset')
    letGo(project)
    assert.equal((await ended).code, 0)
  }))

test('without a live run, pause, resume and stop have nothing to act on: 64 [R-HUM-4]', async (t) => {
  const project = projectFor(t)
  for (const command of [['pause'], ['resume'], ['stop'], ['stop', '--now']]) {
    const { code, err } = await project.run(...command)
    assert.equal(code, 64, command.join(' '))
    assert.match(err, new RegExp(`No run of thing to ${command[0]}\\.`))
  }
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
})

test('without a live run, say, skip, retry and breaker reset are written to the log, and the next run takes them up [R-HUM-4, R-PLAN-8]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { otherwise: [{ expect: { prompt: 'mind the gap' } }, ...finishes] },
  })
  await asked(project, 'say', 'mind the gap')
  await asked(project, 'skip', 'S-2')
  await asked(project, 'skip', 'S-1')
  await asked(project, 'retry', 'S-1')
  await asked(project, 'breaker', 'reset')
  assert.deepEqual(project.kinds(), ['said', 'story.skipped', 'story.skipped', 'story.retried', 'breaker.reset'])
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(project.passing(), ['S-1'])
  const unknown = await project.run('retry', 'S-11')
  assert.equal(unknown.code, 64)
  assert.match(unknown.err, /No story "S-11".* Did you mean S-1\?/)
})

test('a request that was dropped before a kill is taken up once by the resumed run [R-ITER-4]', async (t) => {
  const project = projectFor(t, { script: { otherwise: [...waits, ...finishes] } })
  const first = project.start('run')
  await isUp(project)
  first.child.kill('SIGSTOP') // so that it cannot take the request up
  await asked(project, 'say', 'once')
  first.child.kill('SIGKILL')
  await first.ended
  letGo(project)
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  assert.equal(project.kinds().filter((kind) => kind === 'said').length, 1)
  assert.deepEqual(readdirSync(project.path('.ralph/thing/inbox')), [])
})
