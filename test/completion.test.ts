import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commits, endOf, eventsOf, finishes, idles, keptProjectFor, says, storiesOf } from './support/loop.ts'
import { projectFor, type Steps } from './support/project.ts'

const done = '<promise>COMPLETE</promise>'
const claims: Steps = says(`All is done.\n${done}`)

test('a false claim does not end the run: it is refused, and the next prompt names the open stories [R-DONE-2]', async (t) => {
  const project = keptProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [claims, finishes], 'S-2': [finishes] } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const [judged] = eventsOf(project, 'iteration.judged')
  assert.deepEqual([judged?.claim, judged?.openStories], ['refused', ['S-1', 'S-2']])
  assert.match(out, /Agent claimed done; rejected: S-1, S-2 are open/)
  assert.match(out, /Claims: +1 false claim of done rejected/)
  assert.match(project.prompt(2), /claimed that everything is done. Rejected: these stories are still open: S-1, S-2/)
})

test('a claim that a gate refutes is refused by that gate’s name [R-DONE-2]', async (t) => {
  const project = keptProjectFor(t, {
    stories: null,
    script: { iterations: [claims, [...commits('made.txt'), ...claims]] },
    config: { gates: { tests: 'test -f made.txt' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(project.prompt(2), /Rejected: gate tests is red/)
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map((event) => event.claim),
    ['refused', 'accepted'],
  )
})

test('with a plan, words alone never end a run, however often they are said [R-DONE-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: claims } })
  const { code, out } = await project.run('run', '-n', '4', '--max-stuck', '0')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map((event) => event.claim),
    ['refused', 'refused', 'refused', 'refused'],
  )
})

test('two completion answers in a row are a claim; an answer that comes with a flip speaks of its story only [R-DONE-1]', async (t) => {
  const says1 = says('All tasks complete.')
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [says1, says1, [...finishes.slice(0, 3), ...says1]], 'S-2': [says1, idles, says1] } },
  })
  await project.run('run', '-n', '6', '--max-stuck', '0')
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map((event) => event.claim),
    ['none', 'refused', 'none', 'none', 'none', 'none'],
  )
})

test('exitSignal on the story makes one completion answer a claim [R-DONE-1]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', exitSignal: true }],
    script: { otherwise: says('All tasks complete.') },
  })
  await project.run('run', '-n', '1')
  assert.equal(eventsOf(project, 'iteration.judged')[0]!.claim, 'refused')
})

test('the last five of each indicator are kept and shown [R-DONE-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: claims } })
  await project.run('run', '-n', '7', '--max-stuck', '0')
  const { out } = await project.run('breaker')
  assert.match(out, /Done answers: +iterations 3, 4, 5, 6, 7\n/)
  assert.match(out, /Claims: +iterations 3, 4, 5, 6, 7\n/)
})

test('completing on the last allowed iteration is complete [R-DONE-3] [R-LIM-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: [...finishes.slice(0, 3), ...claims] } })
  const { code, out } = await project.run('run', '-n', '1', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(endOf(project).outcome, 'complete')
})

test('all stories passing ends the run without any claim, after the same gates [R-DONE-3]', async (t) => {
  const project = projectFor(t, { config: { gates: { tests: 'test -f S-1.txt' } } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(endOf(project), { outcome: 'complete', because: 'every story passes, and so does every gate' })
})

test('a plan that is complete before the first iteration is checked by the gates and needs no agent [R-DONE-3]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', passes: true }],
    config: { gates: { tests: 'touch $HOME/checked.txt' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(project.has('../home/checked.txt'), true)
  assert.deepEqual(storiesOf(project), [])
  assert.equal(project.kinds().includes('call.requested'), false)
})

test('stories that all pass under a red gate are not complete [R-DONE-3]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', passes: true }],
    script: { otherwise: claims },
    config: { gates: { tests: 'exit 1' } },
  })
  const { code, out } = await project.run('run', '-n', '2')
  assert.equal(code, 1, out)
  assert.match(endOf(project).because, /gate tests is red/)
})

test('without a plan only the signal ends a run; words that come twice are a question to a person [R-DONE-5]', async (t) => {
  const cases: [Steps[], number, number][] = [
    [[says('---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---')], 0, 1],
    [[says('All tasks complete.'), claims], 0, 2],
    [[says(`I could not do it.\n\n${done}`), says(`Nothing works. 0 of 7 done.\n${done}`), claims], 0, 3],
    [[says('All tasks complete.'), idles, says('All tasks complete.'), says('Nothing to do.')], 3, 4],
  ]
  for (const [iterations, end, used] of cases) {
    const project = projectFor(t, { stories: null, script: { iterations } })
    const { code, out } = await project.run('run', '--no-archive', '--max-stuck', '0')
    assert.deepEqual([code, storiesOf(project).length], [end, used], out)
  }
})

test('without a plan a person’s yes to plain words completes the run, once the gates pass; the agent is told how to signal', async (t) => {
  const project = keptProjectFor(t, {
    stories: null,
    script: { otherwise: says('All tasks complete.') },
    config: { gates: { tests: 'true' } },
  })
  const asked = await project.run('run')
  assert.equal(asked.code, 3, asked.out)
  assert.match(project.read('.ralph/thing/decide.txt'), /The agent says that it is done, but did not send the done signal/)
  assert.match(project.prompt(2), /Iteration 1 said that the work is done, but did not send the done signal/)
  assert.match(project.prompt(1), /Saying that the work is done is not enough: only the signal ends the run/)
  assert.equal((await project.run('answer', 'yes')).code, 0)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(storiesOf(project).length, 2)
  assert.equal(endOf(project).because, 'accepted by a person after iteration 2, and every gate passes')
})

test('an agent that says back its prompt has said nothing, whatever words of Ralph are in it [R-PROMPT-5]', async (t) => {
  const echo =
    'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>console.log(JSON.stringify({type:"result",subtype:"success",is_error:false,result:s})))'
  const project = projectFor(t, {
    stories: null,
    config: { agent: { name: 'echo', command: ['node', '-e', echo], format: 'stream-json' } },
  })
  const { code, out } = await project.run('run', '-n', '2')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').flatMap(({ signals }) => signals),
    [],
  )
})

test('of several ends the first in order holds, and there is exactly one [R-DONE-6]', async (t) => {
  const blocked = '<promise>BLOCKED:no key</promise>'
  const ends: { script: Steps; args?: string[]; code: number; outcome: string }[] = [
    // the last story passes in the iteration that says it is blocked: complete comes first
    { script: [...finishes.slice(0, 3), { say: blocked }], code: 0, outcome: 'complete' },
    // blocked on the last allowed iteration, which also would open the breaker
    { script: says(blocked), args: ['-n', '1', '--max-stuck', '1'], code: 2, outcome: 'blocked' },
    { script: says('<promise>DECIDE:A or B?</promise>'), args: ['-n', '1', '--max-stuck', '1'], code: 3, outcome: 'question' },
    // the breaker opens on the last allowed iteration
    { script: idles, args: ['-n', '1', '--max-stuck', '1'], code: 4, outcome: 'stuck' },
  ]
  for (const { script, args = [], code, outcome } of ends) {
    const project = projectFor(t, { script: { otherwise: script } })
    const ended = await project.run('run', '--no-archive', ...args)
    assert.equal(ended.code, code, ended.out)
    assert.deepEqual(
      eventsOf(project, 'run.ended').map((event) => event.outcome),
      [outcome],
    )
  }
})

test('three iterations that only test end the run with 4, and leave the breaker as it was [R-DONE-4]', async (t) => {
  const project = projectFor(t, { script: { otherwise: says('Running tests with npm test.') } })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.equal(endOf(project).outcome, 'testing-only')
  assert.equal(storiesOf(project).length, 3)
  assert.notEqual(JSON.parse((await project.run('status', '--json')).out).breaker.state, 'open')
  assert.equal((await project.run('run', '-n', '1')).code, 1) // a later run starts as ever
})
