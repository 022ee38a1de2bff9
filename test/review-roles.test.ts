/** Who reviews and whether, what it costs and counts for, and the review of the whole. */
import assert from 'node:assert/strict'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { endOf, eventsOf, finishes, verdictsOf } from './support/loop.ts'
import { runOf, survivors, until } from './support/processes.ts'
import { type ProjectSketch, projectFor, type Steps } from './support/project.ts'
import {
  addClaude,
  ends,
  misses,
  passes,
  type ReviewedProject,
  reviewedProjectFor,
  reviewsOf,
  rowsOf,
} from './support/reviews.ts'

const reviewed = (t: TestContext, reviews: Record<string, Steps[]>, sketch: ProjectSketch = {}): ReviewedProject =>
  reviewedProjectFor(t, { ...sketch, script: { otherwise: finishes, reviews, ...sketch.script } })

const scripted = { stories: [{ id: 'S-1' }], script: { otherwise: finishes, reviews: { 'S-1': [passes] } } }
const plain = { name: 'plain', command: ['sh', '-c', `sed -i 's/"passes": false/"passes": true/' .ralph/thing/prd.json`] }
const onOrOff: [string, ProjectSketch, string[], boolean][] = [
  ['is on by default for an agent that can be held to a form', scripted, [], true],
  ['is off by default for a plain command', { config: { agent: plain } }, [], false],
  ['is turned off by --skip-review', scripted, ['--skip-review'], false],
  ['is turned off by the settings', { ...scripted, config: { review: { enabled: false } } }, [], false],
]
for (const [what, sketch, args, isOn] of onOrOff) {
  test(`the review ${what}, and the start of the run says so [R-GATE-1] [R-GATE-8]`, async (t) => {
    const project = projectFor(t, sketch)
    const out = await ends(project, 0, ...args)
    assert.match(
      out,
      isOn
        ? /^agent scripted, a new session each iteration, no gate, spec review by scripted$/m
        : /^agent \w+, a new session each iteration, no gate, no reviewer$/m,
    )
    assert.deepEqual(reviewsOf(project), isOn ? ['spec S-1: pass'] : [])
  })
}

test('--skip-review leaves out the reviews of quality and of the whole too [R-CMD-1]', async (t) => {
  const project = reviewed(
    t,
    { final: [misses('all')] },
    { config: { review: { final: ['played'] }, quality: { review: true } } },
  )
  await ends(project, 0, '--skip-review')
  assert.deepEqual(reviewsOf(project), [])
})

test('another agent with its own model reviews where one is named, and the receipt and the summary say so [R-GATE-5] [R-GATE-8]', async (t) => {
  const project = reviewed(t, {}, { config: { roles: { reviewer: { agent: 'claude', model: 'opus' } }, model: 'small' } })
  const claude = addClaude(project)
  const out = await ends(project, 0)
  assert.match(out, /^agent played, a new session each iteration, no gate, spec review by claude$/m)
  assert.match(claude.args(), /--model opus .*--json-schema \{.*--permission-mode dontAsk/)
  assert.match(claude.asked(), /# Review of story S-1 of the feature thing\n/)
  assert.match(
    out,
    /Cost: +\$0\.51 for 2 calls \(1,300 tokens in, 310 out\)\n {2}implementer: \$0\.01, 1 call, .*\n {2}reviewer: +\$0\.50, 1 call, /,
  )
  const { receipts, totals } = JSON.parse(project.read('.ralph/thing/report.json'))
  assert.deepEqual(
    [receipts['S-1'].agent, receipts['S-1'].costUsd, receipts['S-1'].gates[0].command],
    ['played', 0.51, 'review by claude'],
  )
  assert.deepEqual([totals.byRole.reviewer.calls, totals.byRole.reviewer.costUsd], [1, 0.5])
})

test('a reviewer that is not installed is told before anything runs [R-GATE-8]', async (t) => {
  const project = reviewed(t, {}, { config: { roles: { reviewer: { agent: 'gemini' } } } })
  Object.assign(project.env, { PATH: '/usr/bin:/bin' })
  const { code, err } = await project.run('run')
  assert.equal(code, 69, err)
  assert.match(err, /The agent "gemini" needs the program gemini, which was not found\./)
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
})

test('a budget that a reviewer gives no figures for is refused before anything runs [R-GATE-8] [R-LIM-5]', async (t) => {
  const project = reviewed(t, {}, { config: { roles: { reviewer: { agent: 'codex', model: 'gpt' } } } })
  project.write('../bin/codex', '')
  chmodSync(project.path('../bin/codex'), 0o755)
  Object.assign(project.env, { PATH: `${project.path('../bin')}:${project.env['PATH']}` })
  const { code, err } = await project.run('run', '--max-cost', '5')
  assert.equal(code, 78, err)
  assert.match(err, /A cost budget is set, but the agent "codex" does not report its cost\. Set model and prices for it/)
})

test('summary.csv has a row for each call of a reviewer, after that of its iteration [R-TEL-1]', async (t) => {
  const costly: Steps = [{ usage: { input: 70, output: 7, cost: 0.25 } }, ...passes]
  const project = reviewed(t, { 'S-1': [[{ say: 'Hm.' }], costly] })
  await ends(project, 0)
  const rows = project
    .read('.ralph/thing/logs/summary.csv')
    .trimEnd()
    .split('\n')
    .map((row) => row.split(','))
  const [header, ...calls] = rows
  const columns = [
    'iteration',
    'mode',
    'stories_complete',
    'stories_total',
    'story',
    'outcome',
    'input_tokens',
    'output_tokens',
    'cost_usd',
  ]
  assert.deepEqual(
    calls.map((row) => columns.map((column) => row[header!.indexOf(column)]).join(' ')),
    ['1 implement 1 1 S-1 done 1200 300 0.0100', '1 review 1 1 S-1 unread 1200 300 0.0100', '1 review 1 1 S-1 pass 70 7 0.2500'],
  )
})

test('a review counts for the calls of the hour: at the limit it is waited for, with the work done [R-GATE-8] [R-LIM-3]', async (t) => {
  const project = reviewed(t, { 'S-1': [passes] })
  const run = project.start('run', '--no-archive', '-r', '1')
  const wait = await until('a wait', () => project.has('.ralph/thing/events.jsonl') && eventsOf(project, 'wait.started')[0])
  assert.deepEqual([wait.for, wait.because], ['rate', 'hourly call limit reached; raise it with -r'])
  assert.deepEqual(
    eventsOf(project, 'call.requested').map(({ role }) => role),
    ['implementer', 'reviewer'],
  )
  run.child.kill('SIGINT')
  assert.equal((await run.ended).code, 130)
  assert.deepEqual(project.passing(), [])
  const { calls } = JSON.parse(readFileSync(join(project.home, '.ralph', 'calls.json'), 'utf8'))
  assert.equal(calls.length, 1)
  await ends(project, 0, '-r', '10')
})

test('what a review costs counts for the budget: the run ends with 6 after it [R-GATE-8] [R-LIM-5]', async (t) => {
  const costly: Steps = [{ usage: { input: 70, output: 7, cost: 0.9 } }, ...passes]
  const project = reviewed(t, { 'S-1': [costly] }, { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const out = await ends(project, 6, '--max-cost', '0.5')
  assert.match(endOf(project).because, /^budget spent: \$0\.91 of \$0\.50/)
  assert.match(out, /Cost: +\$0\.91 for 2 calls/)
  assert.deepEqual([project.passing(), rowsOf(project)], [['S-1'], ['1 implement S-1 done', '1 review S-1 pass']])
})

test('a budget that the implementer has spent is none for its reviewer: no call, and no pass [R-GATE-8] [R-LIM-5]', async (t) => {
  const project = reviewed(t, {}, { script: { otherwise: [{ usage: { input: 900, output: 100, cost: 1 } }, ...finishes] } })
  await ends(project, 6, '--max-tokens', '1000')
  assert.deepEqual([reviewsOf(project), project.passing()], [[], []])
  assert.match(endOf(project).because, /^budget spent: 1000 of 1000 tokens/)
})

/** What Claude Code prints on the way. */
const spends = (tokens: number): Steps => [
  {
    print: JSON.stringify({
      type: 'assistant',
      message: {
        id: 'm1',
        role: 'assistant',
        content: [{ type: 'text', text: 'Let me see.' }],
        usage: { input_tokens: tokens, output_tokens: 1 },
      },
    }),
  },
  { hang: true },
]

test('a review that crosses the budget is ended at once, its work is no pass, and the run ends with 6 [R-GATE-8] [R-LIM-5]', async (t) => {
  const project = reviewed(t, { 'S-1': [spends(5000)] })
  await ends(project, 6, '--max-tokens', '6000')
  assert.deepEqual([reviewsOf(project), verdictsOf(project)], [['spec S-1: over-budget'], ['interrupted, made']])
  assert.deepEqual([project.passing(), survivors(runOf(project))], [[], []])
  assert.deepEqual(rowsOf(project), ['1 implement S-1 interrupted', '1 review S-1 interrupted'])
  assert.match(endOf(project).because, /^budget spent: 6501 of 6000 tokens/)
  await ends(reviewed(t, {}), 0)
})

test('the whole is reviewed by each final reviewer before exit 0; what one finds leads to a fix, and all look again [R-GATE-1]', async (t) => {
  const project = reviewed(
    t,
    { final: [passes, passes] },
    {
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      config: { review: { enabled: true, final: ['played', 'claude'] }, gates: { tests: 'true' } },
      script: {
        iterations: [
          finishes,
          finishes,
          [{ write: { path: 'manual.md', text: 'Read me.\n' } }, { commit: 'docs: manual' }, { say: 'Written.' }],
        ],
      },
    },
  )
  const claude = addClaude(project, 'test -f manual.md')
  const out = await ends(project, 0)
  assert.match(
    out,
    /^agent played, a new session each iteration, gate tests, spec review by played, final review by played, claude$/m,
  )
  assert.deepEqual(reviewsOf(project), [
    ...['spec S-1: pass', 'spec S-2: pass'],
    ...['final whole: pass', 'final whole: fail', 'final whole: pass', 'final whole: pass'],
  ])
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map(({ story, mode }) => `${mode} ${story}`),
    ['implement S-1', 'implement S-2', 'fix null'],
  )
  assert.match(project.prompt(3), /Every story passes, but these gates fail: final\./)
  assert.match(project.prompt(3), /Missing: claude looked: test -f manual\.md/)
  assert.match(claude.asked(), /# Review of the feature thing\n[\s\S]*S-1 - Story S-1\nS-2 - Story S-2\n/)
  assert.match(
    claude.asked(),
    /## What was changed since the feature began\nFiles \(3\):\n~~~text\nS-1\.txt\nS-2\.txt\nmanual\.md\n/,
  )
  assert.equal(project.git('for-each-ref', 'refs/ralph/'), '')
})

test('the last iteration may be used up when the whole is reviewed; one that fails then ends with 1 [R-GATE-1]', async (t) => {
  const project = reviewed(t, { final: [misses('a manual')] }, { config: { review: { enabled: true, final: ['played'] } } })
  const out = await ends(project, 1, '-n', '1')
  assert.match(endOf(project).because, /^1 of 1 iterations used, and gate final is red$/)
  assert.match(out, /✗ final review failed .*\n {6}Missing: a manual\n/)
})

test('over two runs the whole is all that was done since the first began [R-GATE-1]', async (t) => {
  const project = reviewed(
    t,
    {},
    {
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      config: { review: { enabled: true, final: ['played'] } },
    },
  )
  await ends(project, 1, '-n', '1')
  await ends(project, 0)
  assert.match(project.asked('final', 1), /Files \(2\):\n~~~text\nS-1\.txt\nS-2\.txt\n/)
})

test('without a plan a claim is reviewed as a whole before it counts [R-GATE-1] [R-DONE-5]', async (t) => {
  const claims: Steps = [{ say: 'Done.\n<promise>COMPLETE</promise>' }]
  const project = reviewed(
    t,
    { final: [misses('the work'), passes] },
    {
      stories: null,
      config: { review: { enabled: true, final: ['played'] } },
      script: { iterations: [claims, [{ write: { path: 'work.txt', text: 'x\n' } }, { commit: 'feat: work' }, ...claims]] },
    },
  )
  await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['final whole: fail', 'final whole: pass'])
  assert.match(project.prompt(2), /Missing: the work/)
  assert.match(project.asked('final', 2), /The instructions are in `\.ralph\/thing\/prompt\.md`/)
})

const finalCalls: [string, number, string][] = [
  ['blocked', 2, 'blocked.txt'],
  ['question', 3, 'decide.txt'],
]
for (const [verdict, exit, file] of finalCalls) {
  test(`${verdict} in the review of the whole calls a person: exit ${exit} [R-GATE-1]`, async (t) => {
    const answer = JSON.stringify({ missing: [], extra: [], reason: 'Whose?', verdict })
    const project = reviewed(
      t,
      { final: [[{ say: answer }], passes] },
      { config: { review: { enabled: true, final: ['played'] } } },
    )
    await ends(project, exit)
    assert.match(project.read(`.ralph/thing/${file}`), /the final reviewer: Whose\?/)
    assert.deepEqual(project.passing(), ['S-1'])
    await (exit === 2 ? project.run('unblock', 'Mine.') : project.run('answer', 'Mine.'))
    await ends(project, 0)
  })
}
