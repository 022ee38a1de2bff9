/** `ralph monitor` in a real terminal: what it shows of live and finished runs, what its keys do, and how it leaves the terminal. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventsOf, finishes, says } from './support/loop.ts'
import { until, untilEvent } from './support/processes.ts'
import { makeProject, type ProjectSketch, prd, type Steps, type TestProject } from './support/project.ts'
import { openTerminal, type Terminal } from './support/terminal.ts'

/** The agent says many lines, then waits in the middle of its work until the test lets it go on. */
const waits: Steps = [
  { say: Array.from({ length: 60 }, (_, index) => `word ${index + 1}`).join('\n') },
  { run: 'while [ ! -f "$TMPDIR/go" ]; do sleep 0.05; done # waits for src/login.ts' },
]
const small = { columns: 80, rows: 24 }
const large = { columns: 140, rows: 50 }

type Watched = TestProject & {
  monitor(size: typeof small, ...args: string[]): Terminal
  /** Lets the agent end its wait. */
  go(): void
}

function project(t: TestContext, sketch: ProjectSketch = {}): Watched {
  const made = makeProject({
    stories: [
      { id: 'S-1', title: 'Log in' },
      { id: 'S-2', title: 'Log out' },
    ],
    script: { stories: { 'S-1': [[...waits, ...finishes]] }, otherwise: finishes },
    ...sketch,
    config: { budget: { cost_usd: 5 }, gates: { tests: 'true' }, ...sketch.config },
  })
  const base = join(made.root, '..')
  let screen: Terminal | undefined
  t.after(() => {
    screen?.close()
    made.remove()
  })
  return {
    ...made,
    monitor: (size, ...args) => (screen = openTerminal(made, ['monitor', ...args], size)),
    go: () => writeFileSync(join(base, 'go'), ''),
  }
}

/** All of these at once: a terminal paints line by line, and what lies below may still be from the last frame. */
const shows = (screen: Terminal, ...what: RegExp[]): Promise<string> =>
  until(`${what.join(' and ')} on the screen`, () => {
    const shown = screen.lines().join('\n')
    return what.every((each) => each.test(shown)) && shown
  })
const type = (screen: Terminal, text: string): void => {
  for (const key of text) screen.press(key === ' ' ? 'Space' : key)
}

for (const size of [small, large])
  test(`on ${size.columns} by ${size.rows} a live run is shown whole, from another terminal [R-MON-1]`, async (t) => {
    const made = project(t)
    const run = made.start('run', '--no-archive', '-n', '7')
    const screen = made.monitor(size)
    const shown = await shows(screen, /Bash while[\s\S]*word 60$[\s\S]*^p pause · s stop .* q leave$/m)
    assert.match(shown, /^thing · running · iteration 1 \(\d of 7 used\) · run \S+$/m)
    assert.match(shown, /^░+ 0\/2 stories · \d+(\.\d)?s · \$0\.00 of \$5\.00 · 1\/\d+ calls this hour$/m)
    assert.match(shown, /^Breaker {3}CLOSED$/m)
    assert.match(shown, /^Estimate {2}not enough history yet \(0 of 5 stories\)$/m)
    assert.match(shown, /^Now {7}S-1, attempt 1, .* · Bash while/m)
    assert.match(shown, /^ {2}Story Title +Tries +Time +Cost/m)
    assert.match(shown, /^▸ S-1 {3}Log in +\d+(\.\d)?s/m)
    assert.match(shown, /^· S-2 {3}Log out/m)
    assert.match(shown, /word 60$/m)
    assert.equal(shown.split('\n').filter((line) => /word \d+$/.test(line)).length >= 20, size === large)
    assert.match(shown, /^p pause · s stop .* q leave$/m)
    made.go()
    assert.equal((await run.ended).code, 0)
    await shows(
      screen,
      /^thing · ended: complete, \d\d:\d\d, just now/m,
      /^█+ 2\/2 stories/m,
      /^✓ S-2 {3}Log out +1 +\d\S+s? +\$0\.\d\d/m,
    )
  })

test('it follows the size of its terminal', async (t) => {
  const made = project(t)
  made.go()
  await made.run('run', '--no-archive')
  const screen = made.monitor(small)
  await shows(screen, /^✓ S-1 {3}Log in +1 /m)
  screen.resize(140, 50)
  await shows(screen, /^ {2}Story Title .* Log of iteration 2$/m)
  screen.resize(80, 24)
  await shows(screen, /^Log of iteration 2$/m, /^thing · ended: complete/m)
})

test('p pauses after this iteration, s asks first and stops', async (t) => {
  const made = project(t)
  const run = made.start('run', '--no-archive')
  const screen = made.monitor(small)
  await shows(screen, /Bash while/)
  screen.press('p')
  await shows(screen, /^thing · running, pauses after this iteration/m)
  made.go()
  await shows(screen, /^thing · paused/m)
  screen.press('s')
  await shows(screen, /^Stop the run after this iteration\? y\/n$/m)
  screen.press('n')
  await shows(screen, /^Not stopped\.$/m)
  assert.deepEqual(eventsOf(made, 'stop.requested'), [])
  screen.press('s')
  await shows(screen, /y\/n$/m)
  screen.press('y')
  assert.equal((await run.ended).code, 130)
  await shows(screen, /^thing · ended: interrupted/m)
  screen.press('p')
  await shows(screen, /^No run to pause/m)
})

test('p lets a paused run go on', async (t) => {
  const made = project(t)
  const run = made.start('run', '--no-archive')
  await untilEvent(made, 'iteration.started')
  await made.run('pause')
  made.go()
  const screen = made.monitor(small)
  await shows(screen, /^thing · paused/m)
  screen.press('p')
  assert.equal((await run.ended).code, 0)
  assert.equal(eventsOf(made, 'resume.requested').length, 1)
})

test('a question is shown and answered, and a note is said', async (t) => {
  const made = project(t, {
    config: { defaults: { decide: 'park' } },
    script: { iterations: [says('<promise>DECIDE:tabs or spaces?</promise>'), [...waits, ...finishes], finishes] },
  })
  const run = made.start('run', '--no-archive')
  const screen = made.monitor(small)
  await shows(screen, /^Asks {6}S-1: tabs or spaces\?$/m)
  await shows(screen, /^Now {7}S-2.*Bash while/m)
  screen.press('n')
  type(screen, 'be quick')
  await shows(screen, /^Note for the next iteration .*> be quick▏$/m)
  screen.press('Enter')
  await untilEvent(made, 'said')
  screen.press('a')
  type(screen, 'tabx')
  screen.press('BSpace')
  type(screen, 's q')
  await shows(screen, /^Answer to S-1 \(Esc: cancel\)> tabs q▏$/m)
  screen.press('Enter')
  await untilEvent(made, 'question.answered')
  made.go()
  assert.equal((await run.ended).code, 0)
  assert.deepEqual(
    [eventsOf(made, 'said').map(({ text }) => text), eventsOf(made, 'question.answered').map(({ text, story }) => [text, story])],
    [['be quick'], [['tabs q', 'S-1']]],
  )
})

test('of several questions one is chosen and answered, and a run shows its own limit of calls', async (t) => {
  const asks = (what: string): Steps => says(`<promise>DECIDE:${what}?</promise>`)
  const made = project(t, {
    config: { defaults: { decide: 'park' } },
    stories: ['S-1', 'S-2', 'S-3'].map((id) => ({ id })),
    script: { iterations: [asks('tabs'), asks('now'), [...waits, ...finishes]], otherwise: finishes },
  })
  const run = made.start('run', '--no-archive', '-r', '37')
  const screen = made.monitor(small)
  await shows(screen, /^Now {7}S-3.*Bash while/m)
  await shows(screen, / 3\/37 calls this hour$/m)
  screen.press('a')
  await shows(screen, /^Questions\n▸ 1 S-1: tabs\?\n {2}2 S-2: now\?$/m)
  screen.press('Down')
  await shows(screen, /^▸ 2 S-2: now\?$/m)
  insideOf(made).tmux('send-keys', 'Enter', 'y', 'e', 's') // together, as from quick fingers
  await shows(screen, /^Answer to S-2 \(Esc: cancel\)> yes▏$/m)
  screen.press('Enter')
  await untilEvent(made, 'question.answered')
  await until(
    'one question',
    () =>
      screen
        .lines()
        .filter((line) => line.startsWith('Asks'))
        .join() === 'Asks      S-1: tabs?',
  )
  screen.press('a') // there is no other
  await shows(screen, /^Answer to S-1 /m)
  type(screen, 'tabs')
  screen.press('Enter')
  await until('two answers', () => eventsOf(made, 'question.answered').length === 2)
  made.go()
  assert.equal((await run.ended).code, 0)
  assert.deepEqual(
    eventsOf(made, 'question.answered').map(({ story, text }) => [story, text]),
    [
      ['S-2', 'yes'],
      ['S-1', 'tabs'],
    ],
  )
})

test("what a story's own agent prints is read by the reader of that agent", async (t) => {
  const use = { type: 'tool_use', id: 't1', name: 'Edit', input: { file_path: 'src/login.ts' } }
  const words = JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: 'I look first.' }, use] } })
  const claude = `#!/bin/sh\necho '${words}'\nwhile [ ! -f "$TMPDIR/go" ]; do sleep 0.05; done\n`
  const made = project(t, {
    config: { agent: { name: 'mine', command: ['true'], format: 'text' }, budget: {} },
    stories: [{ id: 'S-1', agent: 'claude' }],
    files: { 'bin/claude': claude },
  })
  chmodSync(made.path('bin/claude'), 0o755)
  made.env['PATH'] = `${made.path('bin')}:${made.env['PATH']}`
  const run = made.start('run', '--no-archive', '-n', '1')
  const screen = made.monitor(small)
  await shows(screen, /^Now {7}S-1.* · Edit src\/login\.ts$/m, /^I look first\.\n {2}→ Edit src\/login\.ts$/m)
  made.go()
  assert.equal((await run.ended).code, 1)
})

test('the log scrolls, ? helps, and f shows the next feature', async (t) => {
  const made = project(t)
  made.write('.ralph/zoo/prd.json', prd('zoo', '', [{ id: 'Z-1', title: 'Feed the lion' }]))
  const run = made.start('run', '--no-archive', '-f', 'thing')
  const screen = made.monitor(small, '-f', 'thing')
  await shows(screen, /Bash while/)
  await shows(screen, /^word 60$/m)
  screen.press('PPage')
  await shows(screen, /^Log of iteration 1: \d+ lines below$/m, /^(?![\s\S]*\nword 60(?:\n|$))/)
  screen.press('NPage')
  await shows(screen, /^word 60$/m)
  screen.press('?')
  await shows(screen, /^p {12}pause after this iteration, or resume$/m)
  screen.press('x')
  await shows(screen, /^word 60$/m)
  screen.press('f')
  await shows(screen, /^zoo · never run\. Start with: ralph run$/m, /^· Z-1 {3}Feed the lion$/m)
  screen.press('Tab')
  await shows(screen, /^thing · running/m)
  made.go()
  assert.equal((await run.ended).code, 0)
})

test('Enter opens a story with its iterations, the error and the log of the chosen one; Esc goes back', async (t) => {
  const fails = [{ run: 'touch broken' }, { flip: '$RALPH_STORY' }, { say: 'Done badly.' }]
  const made = project(t, {
    config: { gates: { tests: 'test ! -e broken || { echo "not ok 3 - the total is wrong"; exit 1; }' } },
    script: { stories: { 'S-1': [fails, [{ run: 'rm broken' }, ...finishes]] }, otherwise: finishes },
  })
  await made.run('run', '--no-archive')
  const screen = made.monitor(small)
  await shows(screen, /^thing · ended: complete/m)
  screen.press('Up')
  screen.press('Up')
  screen.press('Enter')
  await shows(
    screen,
    /^S-1 Log in · passes$/m,
    /^ {2}1 {2}failed, \d\d:\d\d, just now, .*\n▸ 2 {2}done, /m,
    /^Log of iteration 2$/m,
  )
  screen.press('Up')
  await shows(screen, /^▸ 1 {2}failed/m, /^Done badly\.$/m, /^not ok 3 - the total is wrong$/m, /^Log of iteration 1$/m)
  screen.press('Escape')
  await shows(screen, /^ {2}Story Title/m, /^✓ S-2 {3}Log out/m)
})

const endings: [name: string, code: number, end: (screen: Terminal, pid: number) => void][] = [
  ['q', 0, (screen) => screen.press('q')],
  ['Ctrl+C', 0, (screen) => screen.press('C-c')],
  ['SIGHUP', 129, (_screen, pid) => process.kill(pid, 'SIGHUP')],
  ['SIGTERM', 143, (_screen, pid) => process.kill(pid, 'SIGTERM')],
]
for (const [name, code, end] of endings)
  test(`after ${name} the terminal is as it was, and the run goes on`, async (t) => {
    const made = project(t)
    const run = made.start('run', '--no-archive')
    const screen = made.monitor(small)
    await shows(screen, /Bash while/)
    const { pid, tmux } = insideOf(made)
    assert.equal(tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}'), '0 1')
    end(screen, pid)
    const shown = await shows(screen, /^\[exit \d+\]$/m)
    assert.equal(shown.trim(), `[exit ${code}]`)
    assert.equal(tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}'), '1 0')
    type(screen, 'echoed') // only a terminal that is not raw shows what is typed
    await shows(screen, /^echoed$/m)
    made.go()
    assert.equal((await run.ended).code, 0)
  })

test('without a terminal it prints how things stand, once, in plain words', async (t) => {
  const made = project(t)
  const never = await made.run('monitor')
  assert.deepEqual([never.code, never.err], [0, ''])
  assert.match(never.out, /^thing · never run\. Start with: ralph run\n/)
  made.go()
  await made.run('run')
  const { code, out, err } = await made.run('monitor') // it is in the archive now
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^thing · ended: complete/)
  assert.match(out, /^✓ S-1 {2}Log in {2}\(1 attempt, .*, \$0\.\d\d\)$/m)
  assert.doesNotMatch(out, /\u001b/)
})

/** The monitor's process while it lives, and the tmux that it is in, to be asked what its screen does not show. */
function insideOf(made: TestProject): { pid: number; tmux(...words: string[]): string } {
  const found = readdirSync('/proc').find((pid) => Number(pid) > 0 && isMonitorOf(made, pid))
  assert.ok(found, 'no monitor is alive')
  const socket = /(?:^|\0)TMUX=([^,]+)/.exec(readFileSync(`/proc/${found}/environ`, 'utf8'))![1]!
  const tmux = (...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, ...words], { env: made.env, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout.trim()
  }
  return { pid: Number(found), tmux }
}

function isMonitorOf(made: TestProject, pid: string): boolean {
  try {
    const isHere = readlinkSync(`/proc/${pid}/cwd`) === made.root
    return isHere && readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('/ralph.js\0monitor\0')
  } catch {
    return false // gone meanwhile, or not ours
  }
}
