/** An agent that asks instead of working: the first time it is told how to decide, the second time a person is called. */
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import {
  commits,
  asks as decides,
  endOf,
  eventsOf,
  finishes,
  idles,
  type KeptProject,
  keptProjectFor,
  says,
  verdictsOf,
} from './support/loop.ts'
import type { Steps } from './support/project.ts'

const asks = says('I have looked at both.\n\nShould I use tabs or spaces?')

const project = (t: TestContext, iterations: Steps[], stories = [{ id: 'S-1' }]): KeptProject =>
  keptProjectFor(t, { stories, script: { iterations } })
const isTold = (made: KeptProject, iteration: number): boolean =>
  /ended with a question, but nobody is there to answer\. Decide yourself, or, if only a person can decide, signal DECIDE/.test(
    made.prompt(iteration),
  )

test('a first question is answered in the next prompt, and is nobody’s fault (T08, B14) [R-SIG-7]', async (t) => {
  const made = project(t, [asks, finishes])
  const { code, out } = await made.run('run', '--max-stuck', '1', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(made), ['worked, idle', 'done, made'])
  assert.deepEqual(
    eventsOf(made, 'iteration.ended')[0]!.signals.map((signal) => [signal.kind, 'text' in signal ? signal.text : '']),
    [['asked', 'Should I use tabs or spaces?']],
  )
  assert.deepEqual([isTold(made, 1), isTold(made, 2)], [false, true])
  assert.equal(made.kinds().includes('breaker.changed'), false)
})

test('the second question in a row on a story becomes a DECIDE: exit 3, with the question for the person (T08) [R-SIG-7]', async (t) => {
  const made = project(t, [asks, says('Really: tabs or spaces?')])
  const { code, out } = await made.run('run')
  assert.equal(code, 3, out)
  assert.deepEqual(verdictsOf(made), ['worked, idle', 'question, idle'])
  assert.equal(endOf(made).outcome, 'question')
  assert.match(made.read('.ralph/thing/decide.txt'), /^## Question \(from iteration 2, .*\)\nReally: tabs or spaces\?\n/)
  assert.deepEqual(made.passing(), [])
  const again = await made.run('run')
  assert.equal(again.code, 3)
  assert.match(again.out + again.err, /Really: tabs or spaces\?/)
  assert.equal(eventsOf(made, 'iteration.started').length, 2)
})

test('its answer reaches the prompt, and a later question is a first one again (T08) [R-SIG-7] [R-HUM-2]', async (t) => {
  const made = project(t, [asks, asks, asks, finishes])
  assert.equal((await made.run('run')).code, 3)
  assert.equal((await made.run('answer', 'Tabs, always.')).code, 0)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(made.prompt(3), /Tabs, always\./)
  assert.deepEqual(verdictsOf(made), ['worked, idle', 'question, idle', 'worked, idle', 'done, made'])
  assert.equal(isTold(made, 4), true)
})

test('work in between starts the count again [R-SIG-7]', async (t) => {
  const made = project(t, [asks, commits('a.txt'), asks, idles, asks, asks])
  const { code, out } = await made.run('run')
  assert.equal(code, 3, out)
  assert.deepEqual(
    verdictsOf(made).map((verdict) => verdict.split(',')[0]),
    ['worked', 'worked', 'worked', 'worked', 'worked', 'question'],
  )
})

test('a question that comes with work is no call for a person [R-SIG-7]', async (t) => {
  const worksAndAsks = (text: string): Steps => [...commits('a.txt', text), ...asks]
  const leavesAndAsks: Steps = [{ write: { path: 'b.txt', text: 'x' } }, ...asks]
  const made = project(t, [worksAndAsks('1'), worksAndAsks('2'), leavesAndAsks, finishes])
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(made.kinds().filter((kind) => kind === 'iteration.judged').length, 4)
})

test('two stories that ask once each call nobody [R-SIG-7]', async (t) => {
  const stories = [{ id: 'S-1' }, { id: 'S-2' }]
  const made = project(t, [asks, finishes, asks, finishes], stories)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(made), ['worked, idle', 'done, made', 'worked, idle', 'done, made'])
})

test('a question for the reader of a document is none to the user (A22, A23) [R-SIG-7]', async (t) => {
  const talks = [
    says('The module decides what should happen when the token expires.'),
    says('Done with the step. Let me know if you need anything else?'),
    says('I added the FAQ entry:\n\n> Should I use tabs or spaces?\n\nNext comes the index.'),
  ]
  const made = project(t, talks)
  await made.run('run', '-n', '3', '--max-stuck', '0')
  assert.deepEqual(
    eventsOf(made, 'iteration.ended').flatMap(({ signals }) => signals.filter(({ kind }) => kind === 'asked')),
    [],
  )
})

const proposes = decides('The criterion says "S-1 works", the test says otherwise. AMEND: "S-1 works" => "S-1 works for 2 users"')

test('a proposed criterion is shown as a diff; accepted, it is in the plan and in the next prompt [R-PROOF-7]', async (t) => {
  const made = project(t, [proposes, finishes])
  assert.equal((await made.run('run')).code, 3)
  const diff = /test says otherwise\.\nProposed change of the criterion \(.*\):\n- S-1 works\n\+ S-1 works for 2 users\n/
  assert.match(made.read('.ralph/thing/decide.txt'), diff)
  for (const command of ['status', 'answer', 'run']) {
    const { out, err } = await made.run(command)
    assert.match(out + err, /- S-1 works\n *\+ S-1 works for 2 users/, command)
  }
  const { code, out } = await made.run('answer', '--accept')
  assert.equal(code, 0, out)
  assert.match(out, /^Accepted for S-1:\n- S-1 works\n\+ S-1 works for 2 users\nContinue with: ralph run\n$/)
  assert.match(made.read('.ralph/thing/prd.json'), /"S-1 works for 2 users"/)
  const who = userInfo().username
  assert.deepEqual(
    made.events().flatMap((event) => (event.kind === 'criterion.amended' ? [{ ...event, at: '', run: '' }] : [])),
    [{ kind: 'criterion.amended', at: '', run: '', story: 'S-1', before: 'S-1 works', after: 'S-1 works for 2 users', by: who }],
  )
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  assert.match(
    made.prompt(2),
    /\(attempt 1\)[\s\S]*- \[ \] S-1 works for 2 users[\s\S]*Answer: Accepted: the criterion "S-1 works" is now/,
  )
})

test('accepted in decide.txt, the run writes the criterion before the story goes on [R-PROOF-7]', async (t) => {
  const made = project(t, [proposes, finishes])
  assert.equal((await made.run('run')).code, 3)
  made.write('.ralph/thing/decide.txt', `${made.read('.ralph/thing/decide.txt')}accept\n`)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /S-1: the criterion "S-1 works" is now "S-1 works for 2 users", accepted by /)
  assert.match(made.prompt(2), /- \[ \] S-1 works for 2 users/)
  assert.match(made.read('.ralph/thing/prd.json'), /"S-1 works for 2 users"/)
})

test('what cannot be accepted is refused with what to do, and any other answer changes nothing [R-PROOF-7]', async (t) => {
  const made = project(t, [decides('Tabs or spaces?'), decides('Is it? AMEND: "S-1 flies" => "S-1 swims"'), proposes, finishes])
  const accepts = async (): Promise<string> => {
    const { code, err } = await made.run('answer', '--accept')
    assert.equal(code, 64)
    return err
  }
  assert.equal((await made.run('run')).code, 3)
  assert.match(
    await accepts(),
    /proposes no criterion to accept: Tabs or spaces\?\nAnswer it in words: ralph answer "<your decision>"/,
  )
  assert.equal((await made.run('answer', 'Tabs')).code, 0)
  assert.equal((await made.run('run')).code, 3)
  assert.match(
    await accepts(),
    /Cannot accept: S-1 has no criterion "S-1 flies"\. Change the plan in .* yourself, then: ralph answer/,
  )
  assert.equal((await made.run('answer', 'It walks.')).code, 0)
  assert.equal((await made.run('run')).code, 3)
  assert.equal((await made.run('answer', 'Keep the criterion.')).code, 0)
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  assert.deepEqual(eventsOf(made, 'criterion.amended'), [])
  assert.match(made.prompt(4), /\(attempt 1\)[\s\S]*- \[ \] S-1 works\n/)
})
