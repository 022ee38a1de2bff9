/** How a run looks: in a real terminal, and where there is none. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { commits } from './support/loop.ts'
import { until } from './support/processes.ts'
import { go, makeProject, type Steps, type TestProject } from './support/project.ts'
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

const ended = (screen: Terminal): boolean => screen.lines().some((line) => line.startsWith('[exit '))

for (const [columns, expected] of [
  [120, /^ {2}▸ S-1, attempt 2 · Bash while \[ ! -f .*… · \d+(\.\d)?s · \$0\.01$/],
  [40, /^ {2}▸ S-1, attempt 2 · \d+(\.\d)?s · \$0\.01$/], // there is no room for the tool
] as const)
  test(`on ${columns} columns one live line shows what is going on, and leaves nothing behind`, async (t) => {
    const { made, screen } = onScreen(t, ['run', '--no-archive'], columns)
    const line = await until('one live line, of the second attempt', () => {
      const [first = '', ...others] = screen.lines().filter((shown) => shown.includes('▸'))
      return others.length === 0 && expected.test(first) && first
    })
    assert.ok(line.length < columns)
    go(made)
    await until('the run has ended', () => ended(screen))
    const lines = screen.lines().join('\n')
    assert.doesNotMatch(lines, /▸/)
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

test('without a terminal there are plain lines and no escape codes, whatever the agent prints', async (t) => {
  const made = project()
  t.after(made.remove)
  go(made)
  const { code, out, err } = await made.run('run', '--no-archive', '--verbose')
  assert.deepEqual([code, err], [0, ''], out)
  assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f]/)
  assert.match(out, /^ {2}│ It is there\. Red, and a bell\.$/m)
  assert.doesNotMatch(out, /▸/)
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
