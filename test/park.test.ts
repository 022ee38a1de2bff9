/** decide: park. A question waits beside the work that does not need its answer. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { asks, endOf, eventsOf, finishes, type KeptProject, keptProjectFor, storiesOf, verdictsOf } from './support/loop.ts'
import { until, untilFile } from './support/processes.ts'
import type { Steps, StorySketch } from './support/project.ts'

/** Waits in the middle of its work until the test lets it go on. */
const waits: Steps = [{ run: 'touch .ralph/thing/logs/up; while [ ! -e .ralph/thing/logs/go ]; do sleep 0.02; done' }]
const isUp = (made: KeptProject): Promise<boolean> => untilFile(made, '.ralph/thing/logs/up')
const letGo = (made: KeptProject): void => made.write('.ralph/thing/logs/go', '')
const decideFile = '.ralph/thing/decide.txt'

const project = (t: TestContext, stories: StorySketch[], iterations: Steps[]): KeptProject =>
  keptProjectFor(t, { stories, script: { iterations }, config: { defaults: { decide: 'park' } } })

async function done(made: KeptProject, ...args: string[]): Promise<string> {
  const { code, out, err } = await made.run(...args)
  assert.equal(code, 0, `ralph ${args.join(' ')}: ${out}${err}`)
  return out
}

const three: StorySketch[] = [{ id: 'S-1' }, { id: 'S-2', dependsOn: ['S-1'] }, { id: 'S-3' }]

test('the run goes on with what does not need the answer, and ends with 3 when nothing else can start [R-HUM-4]', async (t) => {
  const made = project(t, three, [asks('red or blue?'), finishes])
  const { code, out } = await made.run('run')
  assert.equal(code, 3, out)
  assert.deepEqual(storiesOf(made), ['S-1', 'S-3'])
  assert.deepEqual(endOf(made), { outcome: 'question', because: 'iteration 1 asks: red or blue?' })
  assert.deepEqual(made.passing(), ['S-3'])
  assert.equal((await made.run('run')).code, 3)
  assert.match(await done(made, 'answer', 'blue'), /^Answered for S-1\. Continue with: ralph run$/m)
  await done(made, 'run', '--no-archive')
  assert.deepEqual(storiesOf(made), ['S-1', 'S-3', 'S-1', 'S-2'])
  assert.match(made.prompt(3), /red or blue\?[\s\S]*blue/)
})

test('decide.txt is there as soon as a story asks, and grows with the next question; status and why show both [R-HUM-4]', async (t) => {
  const made = project(t, [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }], [asks('red?'), asks('round?'), [...waits, ...finishes]])
  const run = made.start('run')
  await isUp(made)
  assert.match(
    made.read(decideFile),
    /^## Question \(S-1, from iteration 1, \S+\)\nred\?\n\n---\n## Answer\n\n## Question \(S-2, from iteration 2, \S+\)\nround\?\n\n---\n## Answer\n$/,
  )
  const status = await done(made, 'status')
  assert.match(status, /^Asks: {8}S-1: red\? .*\nAsks: {8}S-2: round\? /m)
  assert.match(status, /^ {2}\? S-1 .*\n {2}\? S-2 .*\n {2}▸ S-3 /m)
  const why = await done(made, 'why')
  assert.match(why, /^Run \S+ is running: .*\nAsks: {5}S-1: red\?\nAsks: {5}S-2: round\?\n/m)
  assert.match(why, /^Next: {5}ralph answer "<your decision>"$/m)
  assert.deepEqual(JSON.parse(await done(made, 'why', '--json')).questions, [
    { story: 'S-1', question: 'red?' },
    { story: 'S-2', question: 'round?' },
  ])
  letGo(made)
  assert.equal((await run.ended).code, 3)
  assert.doesNotMatch(await done(made, 'why'), /^Asks:/m, 'the question is the cause')
  assert.equal((await made.run('answer', 'no', '--story', 'S-3')).code, 64)
})

test('an answer to a live run lets its parked story go on; each prompt has its own answer and no other [R-HUM-4] [R-HUM-2]', async (t) => {
  const stories = [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }]
  const made = project(t, stories, [asks('red?'), asks('round?'), [...waits, ...finishes], finishes])
  const run = made.start('run', '--no-archive')
  await isUp(made)
  assert.match(
    await done(made, 'answer', 'quite square', '--story', 'S-2'),
    /^Answered for S-2\. The running loop will use it\.$/m,
  )
  await until('the answer in the log', () => eventsOf(made, 'question.answered').length === 1)
  await until('one question left in the file', () => !made.read(decideFile).includes('round?'))
  assert.match(made.read(decideFile), /^## Question \(from iteration 1, \S+\)\nred\?\n\n---\n## Answer\n$/)
  await done(made, 'answer', 'deep red')
  await until('the file gone', () => !made.has(decideFile))
  letGo(made)
  assert.equal((await run.ended).code, 0, run.output())
  assert.deepEqual(storiesOf(made), ['S-1', 'S-2', 'S-3', 'S-1', 'S-2'])
  const told = [3, 4, 5].map((n) => [made.prompt(n).includes('deep red'), made.prompt(n).includes('quite square')])
  assert.deepEqual(told, [
    [false, false],
    [true, false],
    [false, true],
  ])
})

test("what is written into decide.txt while an agent runs could be the agent's: kept, told, and no answer [R-PROOF-6]", async (t) => {
  const forges = { run: `printf 'Red it is.\\n' >> ${decideFile}` }
  const made = project(t, [{ id: 'S-1' }, { id: 'S-2' }], [asks('red?'), [forges, ...finishes], finishes])
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 3, out)
  assert.deepEqual([eventsOf(made, 'question.answered'), storiesOf(made)], [[], ['S-1', 'S-2']])
  assert.match(made.read(decideFile), /^## Question \(from iteration 1, \S+\)\nred\?\n\n---\n## Answer\n$/)
  assert.match(made.read('.ralph/thing/logs/decide-002.rejected'), /Red it is\./)
  assert.match(
    out,
    /decide\.txt was changed during iteration 2 and was restored, because .* If it was your answer: ralph answer "…"/,
  )
  await done(made, 'answer', 'blue')
  await done(made, 'run', '--no-archive')
  assert.match(made.prompt(3), /blue/)
  assert.doesNotMatch(made.prompt(3), /Red it is/)
})

test("an answer typed into the file of a paused run is the person's, and is not lost when another question is answered [R-HUM-2]", async (t) => {
  const stories = [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }, { id: 'S-4' }]
  const made = project(t, stories, [asks('red?'), asks('round?'), [...waits, ...finishes], finishes])
  const run = made.start('run', '--no-archive')
  await isUp(made)
  await done(made, 'pause')
  letGo(made)
  await until('the pause', () => eventsOf(made, 'run.paused').length === 1)
  made.write(decideFile, made.read(decideFile).replace('## Answer\n', '## Answer\nRed it is.\n'))
  await done(made, 'answer', 'square', '--story', 'S-2')
  await until('one question left in the file', () => !made.read(decideFile).includes('round?'))
  await done(made, 'resume')
  assert.equal((await run.ended).code, 0, run.output())
  assert.deepEqual(
    eventsOf(made, 'question.answered').map(({ text, story }) => [text, story]),
    [
      ['square', 'S-2'],
      ['Red it is.', 'S-1'],
    ],
  )
  assert.match(made.prompt(4), /Red it is\./)
  assert.equal(made.has(decideFile), false)
})

test("what was written before a kill in mid-iteration could be the agent's too [R-PROOF-6] [R-ITER-4]", async (t) => {
  const forges = { run: `printf 'Red it is.\\n' >> ${decideFile}` }
  const made = project(t, [{ id: 'S-1' }, { id: 'S-2' }], [asks('red?'), [forges, ...waits], finishes])
  const first = made.start('run')
  await isUp(made)
  first.child.kill('SIGKILL')
  await first.ended
  const { code, out } = await made.run('run')
  assert.equal(code, 3, out)
  assert.deepEqual([eventsOf(made, 'question.answered'), made.read(decideFile).includes('Red')], [[], false])
  assert.match(made.read('.ralph/thing/logs/decide-002.rejected'), /Red it is\./)
})

test('a run that was killed while a question is parked has it still, and its file [R-HUM-4] [R-ITER-4]', async (t) => {
  const made = project(t, [{ id: 'S-1' }, { id: 'S-2' }], [asks('red?'), waits, finishes])
  const first = made.start('run')
  await isUp(made)
  first.child.kill('SIGKILL')
  await first.ended
  const { code, out } = await made.run('run')
  assert.equal(code, 3, out)
  assert.deepEqual(storiesOf(made), ['S-1', 'S-2', 'S-2'])
  assert.match(made.read(decideFile), /red\?/)
})

test('a story that came into the plan since lets the run go on [R-HUM-4]', async (t) => {
  const made = project(t, [{ id: 'S-1' }], [asks('red?'), finishes])
  assert.equal((await made.run('run')).code, 3)
  const plan = made.plan()
  const added = { ...plan.userStories[0], id: 'S-2', title: 'Another', priority: 2 }
  made.write('.ralph/thing/prd.json', JSON.stringify({ ...plan, userStories: [...plan.userStories, added] }, null, 2))
  assert.equal((await made.run('run')).code, 3)
  assert.deepEqual([storiesOf(made), made.passing()], [['S-1', 'S-2'], ['S-2']])
})

test('--decide stop ends at the first question, whatever else could start [R-HUM-2]', async (t) => {
  const made = project(t, three, [asks('red or blue?'), finishes])
  assert.equal((await made.run('run', '--decide', 'stop')).code, 3)
  assert.deepEqual(verdictsOf(made), ['question, idle'])
})
