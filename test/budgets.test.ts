/** What a run may spend: warned of in time, ended when it is spent, also in the middle of an iteration. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, eventsOf, finishes, late, verdictsOf } from './support/loop.ts'
import { runOf, survivors, withoutWaits } from './support/processes.ts'
import { quickProjectFor, type Steps, type TestProject } from './support/project.ts'

/** Honest work that is never done. */
const works = (usage: object): Steps => [
  { usage },
  { append: { path: 'a.txt', text: 'more\n' } },
  { commit: 'feat: more' },
  { say: 'A step.' },
]
const warningsOf = (made: TestProject): string[] =>
  eventsOf(made, 'budget.warned').map(({ which, because }) => `${which}: ${because}`)

/** A program that prints these events whatever it is asked, and then does what the last line of shell says. */
const prints = (events: object[], last = ''): string =>
  ['cat > /dev/null', ...events.map((event) => `echo '${JSON.stringify(event)}'`), last].join('\n')
const message = (id: string, input: number, output: number): object => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'm', content: [], usage: { input_tokens: input, output_tokens: output } },
})
const hangs = 'sleep 600 & wait'

test('a cost budget warns once at 80 %, and ends the run with 6 when it is spent [R-LIM-5]', async (t) => {
  const made = quickProjectFor(t, { script: { otherwise: works({ cost: 0.045 }) } })
  const { code, out } = await made.run('run', '--max-cost', '0.1')
  assert.equal(code, 6, out)
  assert.deepEqual(warningsOf(made), ['cost: $0.09 of $0.10 are spent'])
  assert.match(out, /! cost budget almost used: \$0\.09 of \$0\.10 are spent/)
  assert.deepEqual(endOf(made), { outcome: 'budget', because: 'budget spent: $0.14 of $0.10' })
  assert.deepEqual(verdictsOf(made), ['worked, made', 'worked, made', 'worked, made'])
  assert.match(out, /Exit: +BUDGET.* \(code 6\)/)
  assert.match(out, /Next: +ralph run {2}# first raise the budget/)
})

test('a budget of tokens counts what went in and what came out, and is the run’s: the next one has its own [R-LIM-5]', async (t) => {
  const made = quickProjectFor(t, {
    script: { otherwise: works({ input: 1200, output: 300 }) },
    config: { budget: { tokens: 3500 } },
  })
  for (const iterations of [3, 6]) {
    const { code, out } = await made.run('run')
    assert.equal(code, 6, out)
    assert.equal(endOf(made).because, 'budget spent: 4500 of 3500 tokens')
    assert.equal(verdictsOf(made).length, iterations)
  }
  assert.deepEqual(warningsOf(made), Array(2).fill('tokens: 3000 of 3500 tokens are spent'))
})

test('work that is whole when the budget is crossed is judged by its gates: complete comes before budget (T11) [R-LIM-5] [R-DONE-6]', async (t) => {
  const spends: Steps = [{ usage: { cost: 5 } }, ...finishes]
  const config = { gates: { tests: 'test -f S-1.txt' } }
  const one = quickProjectFor(t, { script: { otherwise: spends }, config })
  const alone = await one.run('run', '--max-cost', '1', '--no-archive')
  assert.equal(alone.code, 0, alone.out)
  assert.deepEqual([one.passing(), eventsOf(one, 'run.ended').map(({ outcome }) => outcome)], [['S-1'], ['complete']])

  const two = quickProjectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], script: { otherwise: spends }, config })
  const more = await two.run('run', '--max-cost', '1')
  assert.equal(more.code, 6, more.out)
  assert.deepEqual([two.passing(), verdictsOf(two)], [['S-1'], ['done, made']])
})

test('a budget of tokens that is spent in the middle of an iteration ends the agent, with all that it started [R-LIM-5]', async (t) => {
  const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' }
  const agent = prints([init, message('1', 400, 50), message('1', 400, 100), message('2', 600, 50)], hangs)
  const made = quickProjectFor(t, {
    files: { '.ralph/play.sh': agent },
    config: { agent: { name: 'counting', command: ['sh', '.ralph/play.sh'], format: 'stream-json' } },
  })
  const { code, out } = await made.run('run', '--max-tokens', '1100')
  assert.equal(code, 6, out)
  const [ended] = eventsOf(made, 'iteration.ended')
  assert.deepEqual(ended?.exit, 'over-budget')
  assert.deepEqual(ended?.usage, { inputTokens: 1000, outputTokens: 150, costUsd: null })
  assert.deepEqual(verdictsOf(made), ['interrupted, idle'])
  assert.deepEqual(endOf(made), { outcome: 'budget', because: 'budget spent: 1150 of 1100 tokens' })
  assert.match(out, /Iterations: +0 \/ 20 \(\+1 interrupted, not counted\)/)
  assert.deepEqual(survivors(runOf(made)), [])
})

test('what an iteration flipped before its budget ended it is no pass: no gate has spoken [R-LIM-5] [R-GATE-2]', async (t) => {
  const flips = `sed -i 's/"passes": false/"passes": true/' "$RALPH_PLAN"\necho '${JSON.stringify(message('1', 9000, 1))}'\n${hangs}`
  const made = quickProjectFor(t, {
    files: { '.ralph/play.sh': `cat > /dev/null\n${flips}` },
    config: { agent: { name: 'counting', command: ['sh', '.ralph/play.sh'], format: 'stream-json' } },
  })
  const { code, out } = await made.run('run', '--max-tokens', '1000')
  assert.equal(code, 6, out)
  assert.deepEqual(made.passing(), [])
})

test('where an agent tells tokens but no cost, prices make a cost budget work, inside an iteration too [R-LIM-5]', async (t) => {
  const prices = { m: { input: 1, output: 10 } }
  const perCall = prints([
    { type: 'thread.started', thread_id: 't' },
    { type: 'item.completed', item: { id: '1', type: 'agent_message', text: 'A step.' } },
    { type: 'turn.completed', usage: { input_tokens: 30_000, output_tokens: 1_000 } },
  ])
  const whole = quickProjectFor(t, {
    files: { '.ralph/play.sh': perCall },
    config: { agent: { name: 'codex', command: ['sh', '.ralph/play.sh'] }, model: 'm', prices },
  })
  const first = await whole.run('run', '--max-cost', '0.1', '--max-stuck', '0')
  assert.equal(first.code, 6, first.out)
  assert.equal(endOf(whole).because, 'budget spent: $0.12 of $0.10')
  assert.match(first.out, /Cost: +\$0\.12 for 3 implementer calls/)

  const inside = quickProjectFor(t, {
    files: { '.ralph/play.sh': prints([message('1', 50_000, 1), message('2', 51_000, 1)], hangs) },
    config: { agent: { name: 'counting', command: ['sh', '.ralph/play.sh'], format: 'stream-json' }, model: 'm', prices },
  })
  const second = await inside.run('run', '--max-cost', '0.1')
  assert.equal(second.code, 6, second.out)
  assert.equal(eventsOf(inside, 'iteration.ended')[0]!.exit, 'over-budget')
})

test('a cost budget for an agent that does not say what it costs is refused at the start [R-LIM-5]', async (t) => {
  const agents = [
    { name: 'plain', command: ['sh', '-c', 'echo hi'] },
    { name: 'codex', command: ['true'] },
  ]
  for (const agent of agents) {
    const made = quickProjectFor(t, { config: { agent, budget: { cost_usd: 1 } } })
    const { code, err } = await made.run('run')
    assert.equal(code, 78, err)
    assert.match(err, new RegExp(`the agent "${agent.name}" does not report its cost`))
    assert.equal(made.has('.ralph/thing/events.jsonl'), false)
  }
})

test('unknown cost is shown as unknown, never as 0 [R-LIM-5]', async (t) => {
  const made = quickProjectFor(t, { config: { agent: { name: 'plain', command: ['sh', '-c', 'cat > /dev/null; echo hi'] } } })
  const { out } = await made.run('run', '-n', '1')
  assert.match(out, /nothing changed \(\d.*s, cost unknown\)/)
  assert.match(out, /Cost: +unknown for 1 implementer call/)
  assert.equal(JSON.parse((await made.run('status', '--json')).out).cost.usd, null)
  assert.match(made.read('.ralph/thing/logs/summary.csv'), /,S-1,worked,,,,\d+,,,,\n$/)
})

test('a price for tokens that were never told makes no cost of 0 [R-LIM-5]', async (t) => {
  const agent = { name: 'plain', command: ['sh', '-c', 'cat > /dev/null; echo hi'] }
  const made = quickProjectFor(t, { config: { agent, model: 'm', prices: { m: { input: 1, output: 10 } } } })
  const { out } = await made.run('run', '-n', '1')
  assert.match(out, /Cost: +unknown for 1 implementer call/)
})

test('a budget of time ends the iteration that it runs out in, with nothing left behind [R-LIM-5]', async (t) => {
  const script = { otherwise: [{ child: { command: 'sleep 600', detached: true } }, late, { hang: true }] }
  const made = withoutWaits(quickProjectFor(t, { script }), '../late')
  const { code, out } = await made.run('run', '--max-duration', '1h', '-t', '10h')
  assert.equal(code, 6, out)
  assert.equal(eventsOf(made, 'iteration.ended')[0]!.exit, 'over-budget')
  assert.equal(endOf(made).outcome, 'budget')
  assert.deepEqual(verdictsOf(made), ['interrupted, idle'])
  assert.deepEqual(survivors(runOf(made)), [])
})

test('a budget of time ends a wait as well: no wait goes on after it [R-LIM-5]', async (t) => {
  const made = withoutWaits(quickProjectFor(t, { script: { otherwise: [{ limit: { until: 'in 1h' } }] } }))
  const { code, out } = await made.run('run', '--max-duration', '30m')
  assert.equal(code, 6, out)
  const [started] = eventsOf(made, 'run.started')
  const [wait] = eventsOf(made, 'wait.started')
  assert.equal(Date.parse(wait!.until) - Date.parse(started!.at), 1_800_000)
  assert.equal(endOf(made).outcome, 'budget')
})

test('an agent that reports no tokens ends after its first call under a token budget, and its tokens are unknown, not 0 [R-COST-1]', async (t) => {
  const made = quickProjectFor(t, {
    files: { '.ralph/play.sh': prints([{ type: 'thread.started', thread_id: 't' }, { type: 'turn.completed' }]) },
    config: { agent: { name: 'codex', command: ['sh', '.ralph/play.sh'] } },
  })
  const { code, out } = await made.run('run', '--max-tokens', '1000')
  assert.equal(code, 6, out)
  assert.deepEqual(endOf(made), {
    outcome: 'budget',
    because: 'the token budget cannot be kept: codex did not report the tokens of iteration 1. Use --max-duration instead',
  })
  assert.match(out, /Cost: +unknown for 1 implementer call \(tokens unknown\)/)
  const { cost } = JSON.parse((await made.run('status', '--json')).out)
  assert.deepEqual(cost, { usd: null, unpriced: 1, inputTokens: 0, outputTokens: 0, uncounted: 1 })
})

test('an agent that reports no cost after all ends after its first call under a cost budget [R-COST-1]', async (t) => {
  const made = quickProjectFor(t, {
    files: { '.ralph/play.sh': prints([message('1', 400, 50)]) },
    config: { agent: { name: 'claude', command: ['sh', '.ralph/play.sh'] } },
  })
  const { code, out } = await made.run('run', '--max-cost', '1')
  assert.equal(code, 6, out)
  assert.equal(
    endOf(made).because,
    'the cost budget cannot be kept: claude did not report the cost of iteration 1. Use --max-tokens instead, or set prices for its model',
  )
})

/** The first call has a result with its cost; what the later ones print is given. */
const firstCosts = (later: string): string =>
  [
    'cat > /dev/null',
    `echo '${JSON.stringify(message('1', 900, 100))}'`,
    'if [ "$RALPH_ITERATION" = 1 ]; then',
    `echo '${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'A step.', session_id: 's', total_cost_usd: 0.05, usage: { input_tokens: 900, output_tokens: 100 } })}'`,
    `else ${later}; fi`,
  ].join('\n')

test('calls that were ended before they said their cost count at the price of the other calls’ tokens, not as nothing [R-COST-1]', async (t) => {
  const made = withoutWaits(
    quickProjectFor(t, {
      files: { '.ralph/play.sh': firstCosts('echo > "$HOME/../late"; sleep 600 & wait') },
      config: { agent: { name: 'counting', command: ['sh', '.ralph/play.sh'], format: 'stream-json' } },
    }),
    '../late',
  )
  const { code, out } = await made.run('run', '--max-cost', '0.12', '--max-stuck', '0')
  assert.equal(code, 6, out)
  assert.deepEqual(
    eventsOf(made, 'iteration.ended').map(({ exit, usage }) => [exit, usage.costUsd]),
    [
      ['ok', 0.05],
      ['timeout', null],
      ['timeout', null],
    ],
  )
  assert.equal(endOf(made).because, 'budget spent: about $0.15 of $0.12')
  assert.match(out, /Cost: +\$0\.05 and 2 calls of unknown cost for 3 implementer calls/)
})

test('an agent that has reported once and then ends without a word of what it took ends the run under a budget [R-COST-1]', async (t) => {
  for (const budget of [
    ['--max-cost', '1'],
    ['--max-tokens', '100000'],
  ]) {
    const made = quickProjectFor(t, {
      files: {
        '.ralph/play.sh': firstCosts('true').replace(/^echo '.*\n/m, ''),
      },
      config: { agent: { name: 'counting', command: ['sh', '.ralph/play.sh'], format: 'stream-json' } },
    })
    const { code, out } = await made.run('run', ...budget, '--max-stuck', '0')
    assert.equal(code, 6, out)
    assert.match(endOf(made).because, /budget cannot be kept: counting did not report the (cost|tokens) of iteration 2/)
  }
})
