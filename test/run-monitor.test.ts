/** `ralph run --monitor` in a real terminal: beside the run in tmux, in a tmux of its own, in place without tmux, and nowhere without a terminal. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventsOf, finishes, says } from './support/loop.ts'
import { until, untilEvent } from './support/processes.ts'
import { makeProject, type ProjectSketch, type TestProject } from './support/project.ts'
import { type Around, openTerminal, type Terminal } from './support/terminal.ts'

const size = { columns: 160, rows: 40 } // paths of temporary folders can be long

type Run = TestProject & { screen(around?: Around, ...args: string[]): Terminal; go(): void }

/** Its agent waits in the middle of its work until the test lets it go on. */
function project(t: TestContext, sketch: ProjectSketch = {}): Run {
  const waits = { run: 'while [ ! -f "$TMPDIR/go" ]; do sleep 0.05; done # waits for src/login.ts' }
  const made = makeProject({ script: { otherwise: [waits, ...finishes] }, ...sketch })
  let screen: Terminal | undefined
  t.after(() => {
    screen?.close()
    made.remove()
  })
  return {
    ...made,
    screen: (around, ...args) => (screen = openTerminal(made, ['run', '--no-archive', '--monitor', ...args], size, around)),
    go: () => writeFileSync(join(made.root, '..', 'go'), ''),
  }
}

const shows = (screen: Terminal, what: RegExp, pane?: string): Promise<string> =>
  until(`${what} on the screen`, () => {
    const shown = screen.lines(pane).join('\n')
    return what.test(shown) && shown
  })

/** A shell outside tmux, whose programs are those that a run needs. */
function without(made: TestProject, ...left: string[]): Around {
  const bin = join(made.root, '..', 'bin')
  mkdirSync(bin)
  for (const name of ['sh', 'git', 'sleep', 'tmux', 'env', 'mv'].filter((each) => !left.includes(each))) {
    const found = made.env['PATH']!.split(':').find((folder) => existsSync(join(folder, name)))
    symlinkSync(join(found!, name), join(bin, name))
  }
  return { before: `unset TMUX TMUX_PANE; PATH='${bin}'; export PATH; ` }
}

test('inside tmux it opens a pane beside the run, wherever panes are counted from, and stays when the run has ended [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen({
    set: [
      ['base-index', '1'],
      ['pane-base-index', '1'],
    ],
  })
  const [own, beside] = await until('two panes', () => {
    const panes = screen.panes()
    return panes.length === 2 && panes
  })
  await shows(screen, /^thing · running · .*\n(?:.*\n)*Now {7}S-1.*Bash while/m, beside)
  await shows(screen, /[⠋-⠿] 0\/\d S-1 ·/, own)
  assert.equal(screen.told('pane_id'), own) // Ctrl+C is for the run
  made.go()
  await shows(screen, /^\[exit 0\]$/m, own)
  await shows(screen, /^thing · ended: complete/m, beside)
  screen.press('q', beside)
  await until('one pane', () => screen.panes().length === 1)
})

test('a run that is refused opens no pane [R-MON-1]', async (t) => {
  const made = project(t, { script: { otherwise: says('<promise>BLOCKED:no password</promise>') } })
  await made.run('run')
  const screen = made.screen()
  await shows(screen, /^\[exit 2\]$/m)
  assert.equal(screen.panes().length, 1)
})

test('outside tmux it starts one of its own, and gives back what the run printed and its exit code [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen(without(made))
  for (const what of [/^Now {7}S-1.*Bash while/m, /^Iteration 1 of 20: S-1/m, /^ Ctrl\+C stops the run/m])
    await shows(screen, what)
  made.go()
  const after = await shows(screen, /^\[exit 0\]$/m)
  assert.match(after, /^Iteration 1 of 20: S-1 Story S-1\n(?:.*\n)*.*COMPLETE/m)
  assert.equal(screen.told('alternate_on'), '0')
})

test('in a tmux of its own Ctrl+C stops the run, and the exit code says so [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen(without(made))
  await shows(screen, /^Now {7}S-1.*Bash while/m)
  screen.press('C-c')
  await shows(screen, /^\[exit 130\]$/m)
  assert.deepEqual(
    eventsOf(made, 'stop.requested').map(({ by }) => by),
    ['SIGINT'],
  )
})

test('who leaves its tmux waits for the end of the run, and gets its exit code [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen(without(made))
  await shows(screen, /^Now {7}S-1.*Bash while/m)
  screen.press('C-b')
  screen.press('d')
  await shows(
    screen,
    /^The run continues; this command waits for its end\. Ctrl\+C stops the run\.\nBack to its screen: tmux -S \S+ attach$/m,
  )
  made.go()
  await shows(screen, /^\[exit 0\]$/m)
})

test('a tmux of its own that loses its terminal ends with its run stopped [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen({ ...without(made), set: [['remain-on-exit', 'on']] })
  await shows(screen, /^Now {7}S-1.*Bash while/m)
  process.kill(Number(screen.told('pane_pid')), 'SIGHUP') // the shell, and its terminal with it
  await untilEvent(made, 'run.ended')
  assert.deepEqual(
    eventsOf(made, 'stop.requested').map(({ by }) => by),
    ['SIGHUP'],
  )
  await until('nothing left of it', () => !readdirSync(join(made.root, '..')).some((name) => name.startsWith('ralph-tmux-')))
})

test('without tmux it takes the terminal, and gives it back with all lines of the run at the end [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen(without(made, 'tmux'))
  await shows(screen, /^Now {7}S-1.*Bash while/m)
  assert.equal(screen.told('alternate_on'), '1')
  made.go()
  const after = await shows(screen, /^\[exit 0\]$/m)
  assert.match(after, /^Iteration 1 of 20: S-1 Story S-1\n(?:.*\n)*.*COMPLETE/m)
  assert.equal(screen.told('cursor_flag'), '1')
  assert.equal(screen.told('alternate_on'), '0')
})

test('in place, Ctrl+C stops the run, once for all [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen(without(made, 'tmux'))
  await shows(screen, /^Now {7}S-1.*Bash while/m)
  screen.press('C-c')
  await shows(screen, /^\[exit 130\]$/m)
  assert.equal(screen.told('alternate_on'), '0')
  for (const key of 'echoed') screen.press(key) // only a terminal that is not raw shows what is typed
  await shows(screen, /^echoed$/m)
})

test('in place, q leaves the monitor, and the lines of the run are back [R-MON-1]', async (t) => {
  const made = project(t)
  const screen = made.screen(without(made, 'tmux'))
  await shows(screen, /^Now {7}S-1.*Bash while/m)
  screen.press('q')
  await shows(screen, /[⠋-⠿] 0\/\d S-1 ·/)
  made.go()
  await shows(screen, /^\[exit 0\]$/m)
})

test('without a terminal --monitor is refused before anything is done [R-MON-1]', async (t) => {
  const made = project(t)
  const { code, err } = await made.run('run', '--monitor')
  assert.deepEqual(
    [code, err, made.has('.ralph/thing/events.jsonl')],
    [64, 'ralph: --monitor needs a terminal. Remove it, and run "ralph monitor" in a terminal instead.\n', false],
  )
})
