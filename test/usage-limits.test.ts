/** What a run does when the provider says no: it waits, ends or asks, tries again, and tells the other runs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { after, aPlan, aPolicy, aStory, eventOf, runStarted } from '../sim/builders.ts'
import { play } from '../sim/play.ts'
import { decide } from '../src/core/decide/decide.ts'
import { evolve } from '../src/core/evolve/evolve.ts'
import { endOf, eventsOf, finishes, idles, verdictsOf } from './support/loop.ts'
import { until, untilEvent, withoutWaits } from './support/processes.ts'
import { makeProject, projectFor, type Steps, type TestProject } from './support/project.ts'
import { openTerminal } from './support/terminal.ts'

const limited = (reset?: string): Steps => [{ limit: reset === undefined ? {} : { until: reset } }]

/** What every run of the user knows. */
const shared = (made: TestProject): { calls: { agent: string }[]; limits: Record<string, string> } =>
  JSON.parse(readFileSync(join(made.home, '.ralph', 'calls.json'), 'utf8'))

/** When the agent said that the limit is over, as the log has it. */
const resetOf = (made: TestProject): string | undefined => {
  const throttled = eventsOf(made, 'iteration.ended')[0]?.signals.find((signal) => signal.kind === 'throttled')
  return throttled?.until
}

test('unattended, a usage limit is waited for until its reset; its iteration counts for nothing (T26) [R-LIM-4] [R-CB-4]', async (t) => {
  const made = withoutWaits(projectFor(t, { script: { iterations: [limited('in 1h'), finishes] } }))
  const { code, out } = await made.run('run', '-n', '1', '--no-archive')
  assert.equal(code, 0, out)
  const [wait] = eventsOf(made, 'wait.started')
  assert.deepEqual([wait?.for, wait?.until], ['usage-limit', resetOf(made)])
  assert.match(wait!.because, /^the provider's usage limit: /)
  assert.match(out, /… waiting .* the provider's usage limit/)
  assert.deepEqual(verdictsOf(made), ['throttled, idle', 'done, made'])
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ iteration, attempt }) => [iteration, attempt]),
    [
      [1, 1],
      [2, 1],
    ],
  )
  assert.match(out, /Iterations: +1 \/ 1 \(\+1 interrupted, not counted\)/)
  assert.equal(made.kinds().includes('limit.asked'), false)
  assert.equal(made.kinds().includes('breaker.changed'), false)
})

test('on_limit exit ends the run with 5; one call was enough to learn it, and a rerun makes none (T23) [R-LIM-4]', async (t) => {
  const made = projectFor(t, { script: { otherwise: limited('in 1h') }, config: { defaults: { on_limit: 'exit' } } })
  const first = await made.run('run')
  assert.equal(first.code, 5, first.out)
  const reset = resetOf(made)!
  assert.deepEqual(endOf(made), {
    outcome: 'limited',
    because: `the provider's usage limit: usage limit reached (five_hour) (until ${reset})`,
  })
  const second = await made.run('run')
  assert.equal(second.code, 5, second.out)
  assert.equal(endOf(made).because, `the provider's usage limit: another run hit it (until ${reset})`)
  assert.equal(eventsOf(made, 'iteration.started').length, 1)
  assert.deepEqual([shared(made).calls.length, shared(made).limits], [1, { scripted: reset }])
})

test('a limit that one run learned holds the run of another project too: both wait, and the second makes no call (T24) [R-LIM-4]', async (t) => {
  const one = projectFor(t, { script: { otherwise: limited('in 1h') } })
  const other = projectFor(t, {})
  other.env['RALPH_HOME'] = join(one.home, '.ralph')
  const runs = [one.start('run')]
  await untilEvent(one, 'wait.started')
  runs.push(other.start('run'))
  await untilEvent(other, 'wait.started')
  assert.equal(eventsOf(other, 'wait.started')[0]!.until, resetOf(one))
  assert.equal(other.kinds().includes('iteration.started'), false)
  assert.deepEqual(
    shared(one).calls.map(({ agent }) => agent),
    ['scripted'],
  )
  for (const { child, ended } of runs) {
    child.kill('SIGTERM')
    assert.equal((await ended).code, 143)
  }
})

test('a limit that does not say when it ends is waited for an hour [R-LIM-4]', async (t) => {
  const made = projectFor(t, { script: { otherwise: limited() } })
  const run = made.start('run', '--on-limit', 'wait')
  await untilEvent(made, 'wait.started')
  const events = made.events()
  const at = events.findIndex((event) => event.kind === 'wait.started')
  const wait = eventsOf(made, 'wait.started')[0]!
  assert.equal(Date.parse(wait.until) - Date.parse(events[at - 1]!.at), 3_600_000)
  run.child.kill('SIGINT')
  assert.equal((await run.ended).code, 130)
})

/** The question is on the screen: what the person presses, and how the run goes on from there. */
async function answered(t: TestContext, key: string) {
  const made = withoutWaits(makeProject({ script: { iterations: [limited('in 1h'), finishes] } }))
  const screen = openTerminal(made, ['run', '--no-archive'], { columns: 120, rows: 40 })
  t.after(() => {
    screen.close()
    made.remove()
  })
  await until('the question', () => screen.lines().some((line) => /\[w\] wait {2}\[e\] end/.test(line)))
  screen.press('x') // no answer
  screen.press(key)
  const end = await until('the end', () => screen.lines().find((line) => line.startsWith('[exit ')))
  const answer = eventsOf(made, 'limit.answered').map(({ choice, by }) => `${choice} by ${by}`)
  return { end, answer, kinds: made.kinds(), lines: screen.lines().join('\n') }
}

test('on a terminal it asks; w waits for the reset and goes on [R-LIM-4]', async (t) => {
  const { end, answer, lines } = await answered(t, 'w')
  assert.deepEqual([end, answer], ['[exit 0]', ['wait by user']])
  assert.match(lines, /\? the provider's usage limit: .* Wait until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d, or end here\?/)
  assert.match(lines, /ends automatically in 30 s/)
})

test('on a terminal it asks; e ends the run with 5 [R-LIM-4]', async (t) => {
  const { end, answer, kinds } = await answered(t, 'e')
  assert.deepEqual([end, answer], ['[exit 5]', ['exit by user']])
  assert.equal(kinds.includes('wait.started'), false)
})

test('Ctrl+C at the question interrupts the run like anywhere else [R-LIM-4] [R-INT-1]', async (t) => {
  const { end, answer } = await answered(t, 'C-c')
  assert.deepEqual([end, answer], ['[exit 130]', []])
})

test('asked where nobody can answer, it ends with 5 at once [R-LIM-4]', async (t) => {
  const made = projectFor(t, { script: { otherwise: limited('in 1h') } })
  const { code, out } = await made.run('run', '--on-limit', 'ask')
  assert.equal(code, 5, out)
  assert.deepEqual(
    eventsOf(made, 'limit.answered').map(({ choice, by }) => [choice, by]),
    [['exit', 'silence']],
  )
})

const limitedBy = (until: string) => ({
  exit: 'failed' as const,
  signals: [{ kind: 'throttled' as const, by: 'usage-limit' as const, message: 'resets 9pm', until }],
})

test('silence at the question ends the run with the reset in its reason [R-LIM-4]', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    policy: { onLimit: 'ask' },
    agent: () => limitedBy('2030-01-01T00:00:00.000Z'),
  })
  assert.deepEqual(state.outcome, {
    outcome: 'limited',
    because: "the provider's usage limit: resets 9pm (until 2030-01-01T00:00:00.000Z)",
  })
  assert.deepEqual([state.used, state.breaker.counts['no-progress'].times, state.stories['A']?.attempts], [0, 0, 0])
})

test('whoever answers w after the limit has passed waits no longer [R-LIM-4]', () => {
  const asked = { message: 'resets 9pm', until: '2026-01-05T08:00:10.000Z', choice: 'asked' as const }
  const state = { ...after([runStarted(aPlan([aStory('A')]), aPolicy({ onLimit: 'ask' }))]), limit: asked }
  const answer = { kind: 'limit.answered', choice: 'wait', by: 'user' } as const
  const next = (at: string) => decide(evolve(state, eventOf(answer, at))).map((decision) => decision.kind)
  assert.deepEqual(next('2026-01-05T08:00:09.000Z'), ['wait.started'])
  assert.deepEqual(next('2026-01-05T08:00:20.000Z'), ['call.requested'])
})

test("the provider's own retry-after is waited for, the breaker stays as it is, and the work goes on (T20) [R-CB-4]", async (t) => {
  const busy: Steps = [{ stderr: 'API Error: 429 too many requests, retry after 1s' }, { exit: 1 }]
  const made = projectFor(t, { script: { iterations: [busy, busy, finishes] } })
  const { code, out } = await made.run('run', '-n', '1', '--max-stuck', '1', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(made), ['throttled, idle', 'throttled, idle', 'done, made'])
  const waits = eventsOf(made, 'wait.started')
  const resets = eventsOf(made, 'iteration.ended').flatMap(({ signals }) =>
    signals.flatMap((signal) => (signal.kind === 'throttled' ? [signal.until] : [])),
  )
  assert.deepEqual(
    waits.map((wait) => [wait.for, wait.until]),
    resets.map((reset) => ['retry', reset]),
  )
  assert.equal(made.kinds().includes('breaker.changed'), false)
})

test('a provider that stays unavailable is given up after max_retries: exit 5, and the story is untouched [R-CB-4]', async (t) => {
  const busy: Steps = [{ stderr: 'API Error: 529 Overloaded. Please try again in 1s.' }, { exit: 1 }]
  const made = projectFor(t, { script: { otherwise: busy } })
  const { code, out } = await made.run('run', '--max-retries', '1')
  assert.equal(code, 5, out)
  assert.deepEqual(verdictsOf(made), ['throttled, idle', 'throttled, idle'])
  assert.deepEqual(endOf(made).outcome, 'limited')
  assert.match(endOf(made).because, /^the provider is still unavailable after a retry: API Error: 529/)
  assert.match(out, /Iterations: +0 \/ 20 \(\+2 interrupted, not counted\)/)
  assert.deepEqual(made.passing(), [])
})

test('without a time of its own, the pauses grow to a quarter of an hour, and five retries are all [R-CB-4]', () => {
  const agent = () => ({
    exit: 'failed' as const,
    signals: [{ kind: 'throttled' as const, by: 'unreachable' as const, message: 'ECONNREFUSED' }],
  })
  const { state, decisions } = play({ plan: aPlan([aStory('A')]), agent })
  const pauses = decisions.flatMap((decision) =>
    decision.kind === 'wait.started' ? [(Date.parse(decision.until) - Date.parse(state.runStartedAt)) / 1000] : [],
  )
  const nominal = [5, 15, 60, 300, 900]
  assert.equal(pauses.length, nominal.length)
  for (const [n, seconds] of nominal.entries())
    assert.ok(pauses[n]! >= 0.8 * seconds && pauses[n]! <= 1.2 * seconds, `pause ${n + 1}: ${pauses[n]} s`)
  assert.deepEqual(state.outcome, {
    outcome: 'limited',
    because: 'the provider is still unavailable after 5 retries: ECONNREFUSED',
  })
})

test('a success in between makes retries start again [R-CB-4]', () => {
  const busy = { exit: 'failed' as const, signals: [{ kind: 'throttled' as const, by: 'rate' as const, message: '429' }] }
  const { state, judged } = play({
    plan: aPlan([aStory('A')]),
    policy: { maxRetries: 1, maxIterations: 3, maxStuck: 0 },
    agent: ({ iteration }) => (iteration % 2 === 1 ? busy : {}),
  })
  assert.deepEqual(
    judged.map(({ verdict }) => verdict),
    ['throttled', 'worked', 'throttled', 'worked', 'throttled', 'worked'],
  )
  assert.deepEqual([state.outcome?.outcome, state.used], ['incomplete', 3])
})

test('a refused login is tried once more and then ends the run with 77 and what to do [R-LIM-8]', async (t) => {
  const made = projectFor(t, { script: { otherwise: [{ login: true }] } })
  const { code, out } = await made.run('run')
  assert.equal(code, 77, out)
  assert.deepEqual(verdictsOf(made), ['throttled, idle', 'throttled, idle'])
  assert.equal(endOf(made).outcome, 'login')
  assert.match(endOf(made).because, /^the agent's login or key is rejected: Invalid API key/)
  assert.match(out, /Next: +ralph run {2}# first log in to the agent or set its API key/)
  assert.match(out, /Iterations: +0 \/ 20/)
  assert.deepEqual(shared(made).limits, {})
})

test('a limit in the last words of an agent that prints plain text is one: it failed, or said nothing else (T18) [R-LIM-4]', async (t) => {
  const limit = "You've hit your session limit · resets 11pm (Europe/Paris)"
  const scripts: [string, number][] = [
    [`echo "${limit}"; exit 1`, 5],
    [`echo "${limit}" >&2; exit 1`, 5],
    [`echo "${limit}"`, 5],
    [`echo "The page says:"; echo "${limit}"`, 1],
    [`echo "${limit}"; echo "I have written that test."; exit 1`, 1],
  ]
  const codes: (number | null)[] = []
  for (const [script] of scripts) {
    const made = projectFor(t, { config: { agent: { name: 'mine', command: ['sh', '.ralph/agent.sh'] } } })
    made.write('.ralph/agent.sh', `cat > /dev/null; ${script}\n`)
    codes.push((await made.run('run', '-n', '1', '--on-limit', 'exit')).code)
  }
  assert.deepEqual(
    codes,
    scripts.map(([, code]) => code),
  )
})

test('talk about limits, in tools or in the answer, is no limit (T21, M03) [R-LIM-4]', async (t) => {
  const words = "You've hit your session limit · resets 11pm"
  const answers: Steps[] = [
    [{ tool: { name: 'Bash', target: 'grep -rn limit', text: words, failed: true } }, { say: 'That is what the page says.' }],
    [{ say: 'I use @upstash/ratelimit now; parser.ts:429 was wrong about "usage limit reached".' }],
    [{ say: words }, { say: 'That is the text that the page shows.' }],
    [{ sub: words }, { say: 'My helper has met a limit.' }],
    [{ write: { path: 'a.md', text: words } }, { read: 'a.md' }, { fail: { text: 'I could not finish.' } }],
  ]
  const made = projectFor(t, { script: { iterations: [...answers, idles] } })
  const { code, out } = await made.run('run', '-n', String(answers.length), '--max-stuck', '0')
  assert.equal(code, 1, out)
  assert.deepEqual(shared(made).limits, {})
  assert.deepEqual(
    eventsOf(made, 'iteration.ended').flatMap(({ signals }) => signals.filter(({ kind }) => kind === 'throttled')),
    [],
  )
})
