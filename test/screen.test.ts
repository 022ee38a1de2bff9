/** How a run looks: in a real terminal, and where there is none. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { commits } from './support/loop.ts'
import { until } from './support/processes.ts'
import { go, makeProject, ralphProgram, type Steps, type TestProject } from './support/project.ts'
import { openTerminal, type Terminal } from './support/terminal.ts'

/** The agent waits in the middle of its work until the test has looked. */
const waits: Steps = [
  { run: 'while [ ! -f "$TMPDIR/go" ]; do sleep 0.05; done # and a comment that is longer than most terminals are wide' },
]
const finishes: Steps = [{ flip: '$RALPH_STORY' }, { say: 'It is there. \u001b[31mRed\u001b[0m, and a bell\u0007.' }]

function project(): TestProject {
  return makeProject({
    stories: [{ id: 'S-1', title: 'A story whose title is rather long, so that it does not fit' }, { id: 'S-2' }],
    config: { gates: { tests: 'true' } },
    script: {
      stories: {
        'S-1': [
          [...commits('a.txt'), { say: 'Half of it.' }],
          [...waits, ...commits('a.txt'), ...finishes],
        ],
        'S-2': [[...commits('b.txt'), ...finishes]],
      },
    },
  })
}

/** The terminal goes before the project: its socket lies in the project's folder. */
function onScreen(t: TestContext, args: string[], columns: number, variables: Record<string, string> = {}) {
  const made = project()
  Object.assign(made.env, variables)
  const screen = openTerminal(made, args, { columns, rows: 40 })
  t.after(() => {
    screen.close()
    made.remove()
  })
  return { made, screen }
}

const spinner = /[⠋-⠿]/
const ended = (screen: Terminal): boolean => screen.lines().some((line) => line.startsWith('[exit '))

for (const [columns, expected] of [
  [120, /^[⠋-⠿] 0\/2 S-1 · \d:\d\d\/15:00 · Bash while \[ ! -f .*… · \$0\.01$/],
  [32, /^[⠋-⠿] 0\/2 S-1 · \d:\d\d\/15:00 · \$0\.01$/], // there is no room for the tool
] as const)
  test(`on ${columns} columns one live line shows what is going on, and leaves nothing behind`, async (t) => {
    const { made, screen } = onScreen(t, ['run', '--no-archive'], columns)
    const line = await until('one live line, of the second attempt', () => {
      const [first = '', ...others] = screen.lines().filter((shown) => spinner.test(shown))
      return others.length === 0 && expected.test(first) && first
    })
    assert.ok(line.length < columns)
    go(made)
    await until('the run has ended', () => ended(screen))
    const lines = screen.lines().join('\n')
    assert.doesNotMatch(lines, spinner)
    assert.match(lines, /^Exit: +COMPLETE \(code 0\)$/m)
    assert.match(lines, /^\[exit 0\]$/m)
  })

test('a terminal gets colours, unless NO_COLOR asks for none', async (t) => {
  for (const [variables, hasColours] of [
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ] as const) {
    const { made, screen } = onScreen(t, ['run', '--no-archive'], 100, variables)
    go(made)
    await until('the run has ended', () => ended(screen))
    assert.equal(screen.coloured().includes('\u001b['), hasColours)
    assert.equal(/\u001b\[32m\S* {2}✓ gate tests passed/.test(screen.coloured()), hasColours)
  }
})

test('a terminal that becomes narrower or wider keeps no pieces of the live line', async (t) => {
  const { made, screen } = onScreen(t, ['run', '--no-archive'], 120)
  const live = () => screen.lines().filter((shown) => spinner.test(shown) || shown.includes('comment that is'))
  const isOne = (...[first, ...others]: string[]) =>
    others.length === 0 && /^\S 0\/2 S-1 .* Bash .*… · \$0\.01$/.test(first ?? '')
  await until('the live line', () => isOne(...live()))
  for (const columns of [50, 100, 60, 70]) {
    screen.resize(columns, 40)
    await until(`one live line on ${columns} columns`, () => isOne(...live()))
  }
  go(made)
  await until('the run has ended', () => ended(screen))
  assert.deepEqual(live(), [])
})

test('on 60 columns and without UTF-8 every command wraps between words and uses ASCII', async (t) => {
  const made = project()
  Object.assign(made.env, { LC_ALL: 'C' })
  go(made)
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  const program = `'${process.execPath}' '${ralphProgram}'`
  const before = ['status', 'why', 'breaker', 'report', 'doctor', 'learn'].map((name) => `${program} ${name}; `).join('')
  const screen = openTerminal(made, ['run'], { columns: 60, rows: 200 }, { before })
  t.after(() => {
    screen.close()
    made.remove()
  })
  await until('all have ended', () => ended(screen))
  const lines = screen.lines()
  assert.deepEqual(
    lines.filter((line) => /[^\u0020-\u007e]/.test(line)),
    [],
  )
  assert.match(lines.join('\n'), /^ {2}\+ S-1 {2}A story whose title is rather long, so that it does\n {9}not fit/m)
  assert.match(screen.coloured(), /\u001b\[32m/)
})

test('doctor leaves nothing of the line that showed its long gate on a narrow terminal', async (t) => {
  const tests = `while [ ! -e go ]; do sleep 0.1; done; : ${'a command that is longer than a terminal '.repeat(4)}`
  const made = makeProject({ config: { gates: { tests } } })
  const screen = openTerminal(made, ['doctor'], { columns: 60, rows: 60 })
  t.after(() => {
    screen.close()
    made.remove()
  })
  const isLive = (line: string): boolean => /^. gate tests · \d+:\d\d\/\d+:\d\d · while \[ ! -e go/.test(line)
  await until('the gate is shown', () => screen.lines().some(isLive))
  made.write('go', '')
  await until('it has ended', () => ended(screen))
  assert.deepEqual(
    screen.lines().filter((line) => line.includes('gate tests ·')),
    [],
  )
})

test('without a terminal there are plain lines and no escape codes, whatever the agent prints', async (t) => {
  const made = project()
  t.after(made.remove)
  go(made)
  const { code, out, err } = await made.run('run', '--no-archive', '--verbose')
  assert.deepEqual([code, err], [0, ''], out)
  assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f]/)
  assert.match(out, /^ {2}│ It is there\. Red, and a bell\.$/m)
  assert.doesNotMatch(out, spinner)
})

test('a reader that goes away ends no run, and the exit code is that of the run', async (t) => {
  const made = project()
  t.after(made.remove)
  go(made)
  const run = made.start('run', '--no-archive', '--verbose')
  run.child.stdout!.destroy()
  const { code, err } = await run.ended
  assert.deepEqual([code, err, made.passing()], [0, '', ['S-1', 'S-2']])
})
