/** A person is needed, and answers: what is kept, what is told, and what is refused. */
import assert from 'node:assert/strict'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  asks,
  endOf,
  eventsOf,
  finishes,
  idles,
  type KeptProject,
  keptProjectFor,
  says,
  storiesOf,
  verdictsOf,
} from './support/loop.ts'
import { untilEvent, withoutWaits } from './support/processes.ts'
import { type ProjectSketch, prd, projectFor, type Steps } from './support/project.ts'
import { hold } from './support/together.ts'

const blocks = (reason: string): Steps => says(`<promise>BLOCKED:${reason}</promise>`)

const project = (t: TestContext, iterations: Steps[], sketch: ProjectSketch = {}): KeptProject =>
  keptProjectFor(t, { ...sketch, script: { iterations } })

async function exits(made: KeptProject, code: number, ...args: string[]): Promise<string> {
  const ended = await made.run(...args)
  assert.equal(ended.code, code, `ralph ${args.join(' ')}: ${ended.out}${ended.err}`)
  return ended.out + ended.err
}
const run = (made: KeptProject, code: number, ...args: string[]): Promise<string> =>
  exits(made, code, 'run', '--no-archive', ...args)

for (const [word, calls, code] of [
  ['BLOCKED', blocks('no key'), 2],
  ['DECIDE', asks('tabs or spaces?'), 3],
] as const)
  test(`${word} changes neither the story's counters nor its plan entry, and costs no attempt [R-HUM-3]`, async (t) => {
    const refused: Steps = [{ write: { path: 'bad.txt', text: 'x' } }, { flip: 'S-1' }, { say: 'There.' }]
    const made = project(t, [refused, calls, idles], { config: { gates: { tests: 'test ! -e bad.txt' } } })
    const before = made.plan()
    await run(made, code)
    assert.deepEqual(made.plan(), before)
    const state = made.read('.ralph/thing/state.md')
    await (word === 'BLOCKED' ? exits(made, 0, 'unblock') : exits(made, 0, 'answer', 'tabs'))
    await run(made, 1, '-n', '1')
    assert.deepEqual(
      eventsOf(made, 'iteration.started').map(({ attempt, mode }) => [attempt, mode]),
      [
        [1, 'implement'],
        [2, 'fix'],
        [2, 'fix'],
      ],
    )
    assert.equal(made.read('.ralph/thing/state.md'), state)
    assert.equal(made.kinds().includes('breaker.changed'), false)
  })

test('a blocker is refused until ralph unblock, whose note the next prompt has [R-HUM-1]', async (t) => {
  const made = project(t, [blocks('no database password'), finishes])
  await run(made, 2)
  assert.match(
    made.read('.ralph/thing/blocked.txt'),
    /^## Blocked \(from iteration 1, \d{4}-\d\d-\d\d \d\d:\d\d\)\nno database password\n/,
  )
  const said = await run(made, 2)
  assert.match(said, /^Blocked since iteration 1: no database password\nResolve it, then: ralph unblock "<note>" \(or delete /)
  assert.deepEqual(storiesOf(made), ['S-1'])
  await exits(made, 0, 'unblock', 'it', 'is', 'in', '.env')
  assert.equal(made.has('.ralph/thing/blocked.txt'), false)
  await run(made, 0)
  assert.match(made.prompt(2), /The user has resolved the blocker: it is in \.env/)
  assert.match(await exits(made, 64, 'unblock'), /thing is not blocked/)
})

test('deleting blocked.txt resumes too; one that somebody wrote by hand holds as well [R-HUM-1]', async (t) => {
  const made = project(t, [blocks('no key'), finishes])
  await run(made, 2)
  made.git('clean', '-fqx', '.ralph/thing/blocked.txt')
  made.write('.ralph/thing/blocked.txt', 'wait for the release\n')
  await run(made, 2)
  made.git('clean', '-fqx', '.ralph/thing/blocked.txt')
  await run(made, 0)
  assert.deepEqual(
    eventsOf(made, 'unblocked').map(({ note }) => note),
    [''],
  )
  made.write('.ralph/thing/blocked.txt', 'wait for the release\n')
  assert.match(await run(made, 2), /^Blocked: wait for the release\n/)
  await exits(made, 0, 'unblock')
  await run(made, 0)
})

test('an answer stays in the prompts of its story until that passes, and is in no other [R-HUM-2]', async (t) => {
  const made = project(t, [asks('tabs or spaces?'), idles, finishes, finishes], { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  await run(made, 3)
  assert.match(await exits(made, 0, 'answer', 'tabs,', 'always'), /^Answered for S-1\. Continue with: ralph run$/m)
  assert.equal(made.has('.ralph/thing/decide.txt'), false)
  await run(made, 0)
  assert.deepEqual(storiesOf(made), ['S-1', 'S-1', 'S-1', 'S-2'])
  assert.deepEqual(
    [1, 2, 3, 4].map((n) => made.prompt(n).includes('tabs, always')),
    [false, true, true, false],
  )
})

test('a story that fails takes its answer with it [R-HUM-2]', async (t) => {
  const fails: Steps = [{ write: { path: 'bad.txt', text: 'x' } }, { commit: 'feat: bad' }, { flip: 'S-1' }, { say: 'There.' }]
  const made = project(t, [asks('tabs or spaces?'), fails, finishes], {
    config: { gates: { tests: 'test ! -e bad.txt' }, defaults: { max_attempts: 1 } },
  })
  await run(made, 3)
  await exits(made, 0, 'answer', 'tabs, always')
  await run(made, 1)
  await exits(made, 0, 'retry', 'S-1')
  await run(made, 0)
  assert.deepEqual(
    [2, 3].map((n) => made.prompt(n).includes('tabs, always')),
    [true, false],
  )
})

test('text below the line of decide.txt is the answer; the log keeps question and answer, the file goes [R-HUM-2]', async (t) => {
  const made = project(t, [asks('tabs\n---\nor spaces?'), finishes])
  await run(made, 3)
  await run(made, 3) // no words of the question are an answer
  made.write('.ralph/thing/decide.txt', `${made.read('.ralph/thing/decide.txt')}Tabs.\r\n---\r\nTruly.\r\n`)
  await run(made, 0)
  assert.deepEqual(
    eventsOf(made, 'question.answered').map(({ text, story }) => [text, story]),
    [['Tabs.\n---\nTruly.', 'S-1']],
  )
  assert.match(made.prompt(2), /Tabs\./)
  assert.equal(made.has('.ralph/thing/decide.txt'), false)
})

test('an agent that writes the answer to its own question into decide.txt has answered nothing [R-PROOF-6]', async (t) => {
  const answers = `printf '## Question (from iteration 1, x)\\ntabs or spaces?\\n\\n---\\n## Answer\\nTabs, says the user.\\n' > .ralph/thing/decide.txt`
  const made = project(t, [[{ run: answers }, ...asks('tabs or spaces?')], finishes])
  assert.match(await run(made, 3), /decide\.txt was changed during iteration 1 and was restored/)
  assert.deepEqual(eventsOf(made, 'question.answered'), [])
  assert.doesNotMatch(made.read('.ralph/thing/decide.txt'), /says the user/)
  assert.match(made.read('.ralph/thing/logs/decide-001.rejected'), /says the user/)
  await run(made, 3)
})

test('a decide.txt that a person wrote counts though no run has asked: with its answer it is in the prompts, without one it is shown and kept [R-HUM-2]', async (t) => {
  const made = project(t, [finishes, finishes], { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const asked = '## Question (from iteration 7, 2025-06-15T14:30:00Z)\nWebSockets or polling?\n\n---\n## Answer\n'
  made.write('.ralph/thing/decide.txt', asked)
  for (const how of [['--dry-run'], []])
    assert.match(
      await run(made, 3, ...how),
      /^\.ralph\/thing\/decide\.txt asks: WebSockets or polling\?\nAnswer with: ralph answer/m,
    )
  assert.equal(made.read('.ralph/thing/decide.txt'), asked)
  made.write('.ralph/thing/decide.txt', `${asked}Use polling for now.\n`)
  await run(made, 1, '-n', '1')
  assert.match(made.prompt(1), /WebSockets or polling\?[\s\S]*Use polling for now\./)
  assert.equal(made.has('.ralph/thing/decide.txt'), false)
  made.write('.ralph/thing/decide.txt', 'Ask me about the colours first\n')
  assert.match(await run(made, 3), /decide\.txt asks: Ask me about the colours first/)
  assert.match(await exits(made, 0, 'answer', 'all blue'), /^Answered\. Continue with: ralph run$/m)
  assert.equal(made.has('.ralph/thing/decide.txt'), false)
  await run(made, 0)
  assert.match(made.prompt(2), /Ask me about the colours first[\s\S]*all blue/)
})

test('a dry run counts what a person did to decide.txt and blocked.txt, as a run would [R-PROMPT-2] [R-HUM-1] [R-HUM-2]', async (t) => {
  const made = project(t, [asks('tabs or spaces?'), blocks('no key')])
  made.write('.ralph/thing/blocked.txt', 'wait for me\n')
  assert.match(await run(made, 2, '--dry-run'), /wait for me/)
  rmSync(join(made.dir, 'blocked.txt'))
  await run(made, 3)
  await run(made, 3, '--dry-run')
  appendFileSync(join(made.dir, 'decide.txt'), 'tabs, always\n')
  assert.match(await run(made, 0, '--dry-run'), /tabs, always/)
  await run(made, 2)
  await run(made, 2, '--dry-run')
  rmSync(join(made.dir, 'blocked.txt'))
  await run(made, 0, '--dry-run')
})

test('while a run of another feature is live, an answer, a note and a skip wait for the next run of theirs [R-HUM-2] [R-HUM-4]', async (t) => {
  const work = (path: string): Steps => [{ write: { path, text: 'x' } }, { commit: 'feat' }, { flip: '$RALPH_STORY' }]
  const made = projectFor(t, {
    stories: [{ id: 'S-1' }],
    files: { '.ralph/other/prd.json': prd('other', '', [{ id: 'O-1' }, { id: 'O-2' }]) },
    script: {
      stories: {
        'S-1': [[{ run: 'while [ ! -e ../go ]; do sleep 0.05; done' }, ...work('one.txt')]],
        'O-1': [asks('tabs or spaces?')],
      },
    },
  })
  assert.equal((await made.run('run', '-f', 'other')).code, 3)
  const live = made.start('run', '-f', 'thing', '--no-archive')
  await untilEvent(made, 'iteration.started')
  const asked = async (...args: string[]) => (await made.run(...args, '-f', 'other')).out
  const why = 'The next run of other takes it: a run of thing is live here.'
  assert.equal(await asked('answer', 'tabs, always'), `Answered for O-1. ${why}\n`)
  assert.equal(await asked('say', 'mind the gap'), `Noted. ${why}\n`)
  assert.deepEqual(JSON.parse(await asked('status', '--json')).questions, [])
  assert.equal(await asked('skip', 'O-2'), `Skipped O-2. ${why} Undo with: ralph retry O-2\n`)
  made.write('../go', '')
  const ended = await live.ended
  assert.equal(ended.code, 0, ended.out)
  const reads = ['tabs, always', 'mind the gap'].map((prompt) => ({ expect: { prompt } }))
  made.write('.ralph/agent.json', JSON.stringify({ stories: { 'O-1': [[...reads, ...work('two.txt')]] } }))
  const next = await made.run('run', '-f', 'other', '--no-archive')
  assert.equal(next.code, 0, next.out)
  assert.match(next.out, /^Stories: +1\/1 complete/m)
})

test('an answer without words, or to nothing, is wrong usage: 64, with what is open [R-HUM-2]', async (t) => {
  const made = project(t, [asks('tabs or spaces?'), finishes], { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  assert.match(await exits(made, 64, 'answer', 'tabs'), /thing has no open question/)
  await run(made, 3)
  const log = made.read('.ralph/thing/events.jsonl')
  for (const words of [[], [''], ['  \n '], [' ', ' ']]) await exits(made, 64, 'answer', ...words)
  assert.match(
    await exits(made, 64, 'answer', 'tabs', '--story', 'S-2'),
    /S-2 has no open question\. Open questions:\n {2}S-1: tabs or spaces\?\n/,
  )
  assert.equal(made.read('.ralph/thing/events.jsonl'), log)
})

test('nobody needs to answer for a story that a person took out, or says is done [R-HUM-2] [R-PLAN-8]', async (t) => {
  const made = project(t, [asks('red?'), asks('round?'), finishes], { stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }] })
  await run(made, 3)
  await exits(made, 0, 'skip', 'S-1')
  await run(made, 3)
  const plan = made.plan()
  const userStories = plan.userStories.map((story) => ({ ...story, passes: story.id === 'S-2' }))
  made.write('.ralph/thing/prd.json', JSON.stringify({ ...plan, userStories }, null, 2))
  assert.deepEqual(made.passing(), ['S-2'])
  await run(made, 0)
  assert.deepEqual(storiesOf(made), ['S-1', 'S-2', 'S-3'])
  assert.equal(made.has('.ralph/thing/decide.txt'), false)
})

test('under --story, skip of that story is refused with words, and retry of another does not promise that the live run comes to it [R-HUM-4]', async (t) => {
  const made = project(t, [[hold('go'), ...finishes]], { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const live = made.start('run', '--story', 'S-1', '--no-archive')
  await untilEvent(made, 'iteration.started')
  assert.match(
    await exits(made, 64, 'skip', 'S-1'),
    /Cannot skip S-1: the current run works only on it \(--story S-1\)\. End the run first: ralph stop/,
  )
  assert.match(await exits(made, 0, 'skip', 'S-2'), /Skipped S-2/)
  assert.match(await exits(made, 0, 'retry', 'S-2'), /works only on S-1 \(--story S-1\); the next run will pick up S-2/)
  made.write('../home/go', '')
  const { code, out } = await live.ended
  assert.equal(code, 0, out)
  assert.equal(made.plan().userStories[0]!['skip'], undefined)
})

test('a note is kept until an iteration has truly seen it: a throttled one has not [R-HUM-4]', async (t) => {
  const made = withoutWaits(project(t, [[{ limit: { until: 'in 1h' } }], idles, finishes]))
  await exits(made, 0, 'say', 'mind the gap')
  await run(made, 0)
  assert.deepEqual(verdictsOf(made), ['throttled, idle', 'worked, idle', 'done, made'])
  assert.deepEqual(
    [1, 2, 3].map((n) => made.prompt(n).includes('mind the gap')),
    [true, true, false],
  )
})

/** Dies by SIGKILL as soon as the log has so many events. */
async function dies(made: KeptProject, events: number): Promise<void> {
  const path = fileURLToPath(new URL('support/dies.ts', import.meta.url))
  Object.assign(made.env, { NODE_OPTIONS: `--import=${path}`, DIES_AT: `event ${events}` })
  const { ended } = made.start('run', '--no-archive')
  delete made.env['NODE_OPTIONS']
  delete made.env['DIES_AT']
  assert.equal((await ended).signal, 'SIGKILL')
}

test('a note is kept where the iteration that read it was lost [R-HUM-4] [R-ITER-4]', async (t) => {
  const made = project(t, [idles, idles, finishes])
  await exits(made, 0, 'say', 'mind the gap')
  await dies(made, 5) // said, started, call (2), iteration started
  assert.equal(made.kinds().at(-1), 'iteration.started')
  await run(made, 0)
  assert.deepEqual(verdictsOf(made), ['lost, idle', 'worked, idle', 'done, made'])
  assert.deepEqual(
    [2, 3].map((n) => made.prompt(n).includes('mind the gap')),
    [true, false],
  )
})

for (const [word, calls, code] of [
  ['BLOCKED', blocks('no key'), 2],
  ['DECIDE', asks('tabs or spaces?'), 3],
] as const)
  test(`killed after the verdict on ${word} and before the end, the run comes to that end when it is run again [R-ITER-4]`, async (t) => {
    const made = project(t, [calls, finishes])
    await dies(made, 6) // started, call (2), iteration started, ended, judged
    assert.equal(made.kinds().at(-1), 'iteration.judged')
    await run(made, code)
    assert.deepEqual(storiesOf(made), ['S-1'])
    assert.equal(endOf(made).outcome, code === 2 ? 'blocked' : 'question')
    assert.ok(made.has(`.ralph/thing/${code === 2 ? 'blocked' : 'decide'}.txt`))
    await run(made, code)
    assert.deepEqual(storiesOf(made), ['S-1'])
  })

test('without a terminal a run resumes: --fresh forgets failures and attempts, and moves the branch [R-ESC-4]', async (t) => {
  const fails: Steps = [{ write: { path: 'bad.txt', text: 'x' } }, { commit: 'feat: bad' }, { flip: 'S-1' }, { say: 'There.' }]
  const made = project(t, [fails, finishes], {
    config: { gates: { tests: 'test ! -e bad.txt' }, defaults: { max_attempts: 1 } },
  })
  await run(made, 1)
  assert.ok(made.has('.ralph/thing/state.md'))
  await run(made, 1)
  await run(made, 1, '--resume')
  assert.deepEqual(storiesOf(made), ['S-1'])
  const { branch } = made.plan().userStories[0]!['failed'] as { branch: string }
  assert.match(await run(made, 0, '--fresh'), new RegExp(`^Moved ${branch} to archive/${branch}$`, 'm'))
  assert.equal(made.git('branch', '--list', '--format=%(refname:short)', '*wip/*'), `archive/${branch}`)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ attempt, mode }) => [attempt, mode]),
    [
      [1, 'implement'],
      [1, 'implement'],
    ],
  )
  assert.equal(made.plan().userStories[0]!['failed'], undefined)
})

test('a fresh start leaves out of the count what a person took out [R-ESC-4] [R-PLAN-8]', async (t) => {
  const made = project(t, [idles, finishes], { plan: { file: 'fix_plan.md', text: '- [ ] first\n- [ ] second\n' } })
  await run(made, 1, '-n', '1')
  await exits(made, 0, 'skip', 'first')
  await run(made, 0, '--fresh')
  assert.deepEqual(storiesOf(made), ['first', 'second'])
})

test('a branch that cannot be moved stays, is told, and does not hold the fresh start [R-ESC-4]', async (t) => {
  const fails: Steps = [{ write: { path: 'bad.txt', text: 'x' } }, { commit: 'feat: bad' }, { flip: 'S-1' }, { say: 'There.' }]
  const made = project(t, [fails, finishes], {
    config: { gates: { tests: 'test ! -e bad.txt' }, defaults: { max_attempts: 1 } },
  })
  await run(made, 1)
  made.git('branch', 'archive') // no branch can be below it
  const out = await run(made, 0, '--fresh')
  assert.match(out, /^! wip\/ralph-fail-S-1-\S+ could not be moved to archive\/wip\/ralph-fail-S-1-\S+ and stays: /m)
  assert.match(made.git('branch', '--list', 'wip/*'), /wip\/ralph-fail-S-1-/)
})
