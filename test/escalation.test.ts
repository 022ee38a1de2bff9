/** A story that does not succeed: what its next attempt is told, which model takes it, and when Ralph gives it up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, finishes, keptProjectFor, storiesOf } from './support/loop.ts'
import { untilFile } from './support/processes.ts'
import { projectFor, type Steps } from './support/project.ts'

/** Green until the story's file is there; then red with what `error` prints. */
const redFor = (error: string): string => `test ! -f S-1.txt || { ${error}; exit 1; }`
const assertion = redFor('echo "AssertionError: expected 401, received 200"; echo "    at app.mjs:1:7"')

/** Attempt n adds line n, commits, flips; and says how it went about it. */
const attempt = (number: number): Steps => [
  { run: `cp "$RALPH_FEATURE_DIR/state.md" ../state-${number}.md 2>&- || true` },
  { append: { path: 'S-1.txt', text: `${number}\n` } },
  { commit: `feat: way ${number}` },
  { flip: 'S-1' },
  { say: `I went way ${number}.` },
]
const attempts = (count: number): Steps[] => Array.from({ length: count }, (_, index) => attempt(index + 1))

test('three failures alike bring a strategy shift, the next a second one, then the story is stopped, whatever attempts are left [R-ESC-1]', async (t) => {
  const project = keptProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': attempts(9), 'S-2': [finishes] } },
    config: { gates: { tests: assertion }, defaults: { max_attempts: 9 } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-1', 'S-1', 'S-1', 'S-1', 'S-2'])
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map(({ shift, shifts }) => [shift, shifts]),
    [
      ['', 0],
      ['', 0],
      ['', 0],
      ['3 attempts failed with the same error', 1],
      ['4 attempts failed with the same error', 2],
      ['', 0],
    ],
  )
  assert.deepEqual(
    [1, 2, 3, 6].map((iteration) => shiftIn(project.prompt(iteration))),
    ['', '', '', ''],
  )
  assert.equal(shiftIn(project.prompt(4)), shiftText(1, '3', [1, 2, 3]))
  assert.equal(shiftIn(project.prompt(5)), shiftText(2, '4', [2, 3, 4]))
  assert.deepEqual(
    eventsOf(project, 'story.failed').map(({ story, because }) => [story, because]),
    [['S-1', 'the same error 5 times, also after 2 strategy shifts; last failure: Agent marked S-1 done, but tests failed']],
  )
})

test('at five attempts the cap and the second shift fall together [R-ESC-2]', async (t) => {
  const project = projectFor(t, { script: { stories: { 'S-1': attempts(9) } }, config: { gates: { tests: assertion } } })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.equal(storiesOf(project).length, 5)
  assert.match(eventsOf(project, 'story.failed')[0]!.because, /^failed after 5 attempts; /)
})

test('another error in between is no third time: no shift, until the same one came three times in all [R-ESC-1]', async (t) => {
  // Ways 1, 2 and 4 end in one error, way 3 in another.
  const error = 'case $(tail -n 1 S-1.txt) in 3) echo "Error: no such user";; *) echo "Error: expected 401";; esac'
  const project = keptProjectFor(t, {
    script: { stories: { 'S-1': attempts(5) } },
    config: { gates: { tests: redFor(error) } },
  })
  assert.equal((await project.run('run')).code, 1)
  const started = eventsOf(project, 'iteration.started')
  assert.deepEqual(
    started.map(({ shift }) => shift),
    ['', '', '', '', '3 attempts failed with the same error'],
  )
  assert.equal(shiftIn(project.prompt(4)), '')
  assert.match(shiftIn(project.prompt(5)), /- what iteration 2 did.*\n- what iteration 4 did/)
  assert.doesNotMatch(shiftIn(project.prompt(5)), /what iteration 3 did/)
})

test('what differs from attempt to attempt in the same error, such as times and line numbers, does not hide it [R-ESC-1]', async (t) => {
  const error = 'n=$(wc -l < S-1.txt); echo "Error: expected 401 at app.mjs:$n:7 ($((n * 17))ms)"'
  const project = projectFor(t, { script: { stories: { 'S-1': attempts(4) } }, config: { gates: { tests: redFor(error) } } })
  await project.run('run', '-n', '4')
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map(({ shifts }) => shifts),
    [0, 0, 0, 1],
  )
})

test('an error that says something is missing brings the files of its trace and where the name does occur [R-ESC-1]', async (t) => {
  const project = keptProjectFor(t, {
    files: {
      'lib/text.mjs': 'export const parseText = (text) => text\n',
      'lib/dates.mjs': '// days and times\nexport const parseDate = (text) => new Date(text)\n',
    },
    script: {
      stories: {
        'S-1': [
          [
            { write: { path: 'S-1.txt', text: 'x\n' } },
            { write: { path: 'main.mjs', text: "import { parseDate } from './lib/text.mjs'\nparseDate('now')\n" } },
            { flip: 'S-1' },
            { say: 'Done.' },
          ],
        ],
      },
    },
    config: { gates: { tests: redFor('node main.mjs') } },
  })
  await project.run('run', '-n', '4')
  assert.doesNotMatch(project.prompt(3), /### (Files named in the trace|Where the missing names occur)/)
  assert.match(
    shiftIn(project.prompt(4)),
    /\n### Files named in the trace\n`main\.mjs`, line 1:\n~~~text\n1 \| import \{ parseDate \} from '\.\/lib\/text\.mjs'\n/,
  )
  assert.match(
    shiftIn(project.prompt(4)),
    /\n### Where the missing names occur\n`parseDate`:\n- lib\/dates\.mjs:2: export const parseDate = /,
  )
  const dry = await project.run('run', '--dry-run')
  assert.match(dry.out, /\n### Where the missing names occur\n`parseDate`:\n- lib\/dates\.mjs:2: /)
})

test('an assertion that fails is no missing thing: its shift shows no files [R-ESC-1]', async (t) => {
  const project = keptProjectFor(t, {
    files: { 'app.mjs': 'export const status = 200\n' },
    script: { stories: { 'S-1': attempts(4) } },
    config: { gates: { tests: assertion } },
  })
  await project.run('run', '-n', '4')
  assert.match(project.prompt(4), /AssertionError: expected 401, received 200\n {4}at app\.mjs:1:7/)
  assert.equal(shiftIn(project.prompt(4)), shiftText(1, '3', [1, 2, 3]))
})

test('state.md says at each step how the story stands, with its last three attempts [R-STATE-1]', async (t) => {
  const project = projectFor(t, { script: { stories: { 'S-1': attempts(5) } }, config: { gates: { tests: assertion } } })
  await project.run('run')
  assert.equal(project.has('../state-1.md'), false)
  assert.deepEqual(
    ['../state-2.md', '../state-3.md', '../state-4.md', '../state-5.md', '.ralph/thing/state.md'].map((name) =>
      withoutChance(project.read(name)),
    ),
    [
      stateText({ iteration: 1, stuck: 1, shifts: 0, history: [[1, 'no']] }),
      stateText({ iteration: 2, stuck: 2, shifts: 0, history: [[1, 'no'], [2, 'no']] }), // biome-ignore format: a row each
      stateText({ iteration: 3, stuck: 3, shifts: 0, history: [[1, 'no'], [2, 'no'], [3, 'no']] }), // biome-ignore format: a row each
      stateText({ iteration: 4, stuck: 4, shifts: 1, history: [[2, 'no'], [3, 'no'], [4, 'yes']] }), // biome-ignore format: a row each
      stateText({ iteration: 5, stuck: 5, shifts: 2, history: [[3, 'no'], [4, 'yes'], [5, 'yes']] }), // biome-ignore format: a row each
    ],
  )
})

test('state.md goes when its story passes, and not because another one does [R-STATE-1]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }],
    script: {
      stories: {
        'S-1': [attempt(1), [{ delete: 'S-1.txt' }, { write: { path: 'one', text: '1' } }, { flip: 'S-1' }, { say: 'Now.' }]],
      },
      otherwise: [{ run: 'test ! -f "$RALPH_FEATURE_DIR/state.md" || echo $RALPH_STORY >> ../seen.txt' }, ...finishes],
    },
    config: { gates: { tests: assertion }, quality_checks: { two: 'test ! -f S-2.txt' }, defaults: { max_attempts: 1 } },
  })
  await project.run('run', '--max-attempts', '2', '-n', '2')
  assert.deepEqual([project.passing(), project.has('.ralph/thing/state.md')], [['S-1'], false])
  assert.equal((await project.run('run')).code, 1)
  assert.deepEqual(project.passing(), ['S-1', 'S-3'])
  assert.match(project.read('.ralph/thing/state.md'), /^---\ntask_id: "S-2"\n/)
  assert.equal(project.read('../seen.txt'), 'S-3\n')
})

test('an interrupt leaves state.md as it is [R-STATE-1]', async (t) => {
  const project = projectFor(t, {
    script: { stories: { 'S-1': [attempt(1), [{ write: { path: 'begun', text: '' } }, { hang: true }]] } },
    config: { gates: { tests: assertion } },
  })
  const { child, ended } = project.start('run')
  await untilFile(project, 'begun')
  const before = project.read('.ralph/thing/state.md')
  child.kill('SIGINT')
  assert.equal((await ended).code, 130)
  assert.equal(project.read('.ralph/thing/state.md'), before)
  assert.equal(withoutChance(before), stateText({ iteration: 1, stuck: 1, shifts: 0, history: [[1, 'no']] }))
})

test('stronger models take over at the first and the second shift; a story may have its own before [R-ESC-5]', async (t) => {
  const notesModel: Steps = [{ run: 'echo "$RALPH_STORY $RALPH_MODEL" >> ../models.txt' }]
  const fails = (id: string): Steps => [
    ...notesModel,
    { append: { path: 'S-1.txt', text: `${id}\n` } },
    { flip: id },
    { say: `${id} done.` },
  ]
  const project = projectFor(t, {
    stories: [{ id: 'A' }, { id: 'B', model: 'own' }],
    script: { stories: { A: [fails('A')], B: [fails('B')] } },
    config: {
      model: 'plain',
      models: ['strong', 'stronger'],
      gates: { tests: redFor('echo "Error: wrong in $(tail -n 1 S-1.txt)"') },
    },
  })
  assert.equal((await project.run('run')).code, 1)
  assert.deepEqual(project.read('../models.txt').trim().split('\n'), [
    ...['A plain', 'A plain', 'A plain', 'A strong', 'A stronger'],
    ...['B own', 'B own', 'B own', 'B strong', 'B stronger'],
  ])
})

test("the agent's command line has the stronger model of a shift, and a story's own agent has its own model or none [R-ESC-5]", async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2', agent: 'second', model: 'opus' }, { id: 'S-3', agent: 'second' }],
    files: { 'bin/claude': '#!/bin/sh\n', 'bin/codex': '#!/bin/sh\n' },
    script: { stories: { 'S-1': attempts(3) } },
    config: { gates: { tests: assertion }, model: 'sonnet', models: ['opus', 'fable'] },
  })
  for (const name of ['claude', 'codex']) project.git('update-index', '--chmod=+x', `bin/${name}`)
  project.git('checkout', '-q', '--', 'bin')
  project.write('.ralph/thing/prd.json', project.read('.ralph/thing/prd.json').replaceAll('"second"', '"codex"'))
  project.env['PATH'] = `${project.path('bin')}:${project.env['PATH']}`
  const commandOf = async (...args: string[]): Promise<string> => {
    const { out, err } = await project.run('run', '--agent', 'claude', '--dry-run', ...args)
    return /^Command .*\n(.*)$/m.exec(out)?.[1] ?? err
  }
  assert.match(await commandOf(), /bin\/claude .*--model sonnet\b|^ *claude .*--model sonnet\b/)
  assert.match(await commandOf('--story', 'S-2'), /codex .*-m opus\b|codex .*--model opus\b/)
  assert.doesNotMatch(await commandOf('--story', 'S-3'), /sonnet|opus|fable/)
  await project.run('run', '-n', '3')
  assert.match(await commandOf(), /claude .*--model opus\b/)
})

function shiftIn(prompt: string): string {
  return /^## Try another approach[\s\S]*?(?=\n\n## )/m.exec(prompt)?.[0] ?? ''
}

const shiftText = (number: number, times: string, iterations: number[]): string =>
  [
    `## Try another approach (strategy shift ${number} of 2)`,
    `${times} attempts failed with the same error. What was tried does not work, and more of the same will not work either. Find out why it failed, then take a fundamentally different approach.`,
    `Do NOT try again:\n${iterations.map((n) => `- what iteration ${n} did (it changed S-1.txt): I went way ${n}.`).join('\n')}`,
    'The error each time is the one quoted above.',
  ].join('\n\n')

type StateSketch = { iteration: number; stuck: number; shifts: number; history: [number, string][] }

const stateText = ({ iteration, stuck, shifts, history }: StateSketch): string =>
  `---
task_id: "S-1"
iteration: ${iteration}
max_iterations: 5
last_gate: "tests"
exit_code: 1
error_hash: "HASH"
timestamp: TIME
stuck_count: ${stuck}
strategy_shifts: ${shifts}
files_modified:
  - "S-1.txt"
---

## Test Output (verbatim)
\`\`\`
AssertionError: expected 401, received 200
    at app.mjs:1:7
\`\`\`

## Attempt History
| # | Gate | Error Hash | Strategy Shift |
|---|------|------------|----------------|
${history.map(([number, shift]) => `| ${number} | tests | HASH | ${shift} |`).join('\n')}
`

const withoutChance = (text: string): string =>
  text.replace(/^timestamp: \d{4}-.*Z$/m, 'timestamp: TIME').replaceAll(/\b[0-9a-f]{8,64}\b/g, 'HASH')
