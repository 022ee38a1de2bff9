/** The live watch: an agent that goes in circles inside one iteration is ended while it does. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { endOf, eventsOf, finishes, keptProjectFor, verdictsOf } from './support/loop.ts'
import { runOf, survivors } from './support/processes.ts'
import { type ProjectSketch, projectFor, type Steps, type TestProject } from './support/project.ts'

const quickEnd = { process: { grace_seconds: 0.2 } }

const project = (t: TestContext, sketch: ProjectSketch): TestProject =>
  projectFor(t, { ...sketch, config: { ...quickEnd, ...sketch.config } })

const times = (count: number, ...steps: Steps): Steps => Array.from({ length: count }, () => steps).flat()
const fails = (target: string, text: string): Steps[number] => ({ tool: { name: 'Bash', target, text, failed: true } })
const edits = (from: string, to: string): Steps[number] => ({
  print: JSON.stringify({
    type: 'assistant',
    message: {
      content: [{ type: 'tool_use', id: 'e', name: 'Edit', input: { file_path: 'a.ts', old_string: from, new_string: to } }],
    },
  }),
})
const hangs = { hang: true }

/** Plays one iteration on a run of one, and gives how it ended and why. */
async function endedBy(t: TestContext, steps: Steps, config: object = {}): Promise<unknown[]> {
  const made = project(t, { script: { otherwise: steps }, config: { ...config } })
  const { code, out } = await made.run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.deepEqual(survivors(runOf(made)), [])
  return [eventsOf(made, 'iteration.ended')[0]!.exit, eventsOf(made, 'iteration.judged')[0]!.because]
}

test('the same call failing five times ends the iteration: a failed attempt, and the next prompt says so [R-LIM-6]', async (t) => {
  const circles = [...times(5, fails('npm test', '1 failed in 0.3s')), hangs]
  const made = keptProjectFor(t, { script: { iterations: [circles, finishes] }, config: quickEnd })
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(made), ['failed, idle', 'done, made'])
  const [ended] = eventsOf(made, 'iteration.ended')
  assert.equal(ended?.exit, 'circling')
  const error = ended?.signals.find((signal) => signal.kind === 'error')
  assert.equal(error?.message, 'the same tool call failed the same way 5 times: Bash npm test')
  assert.match(out, /✗ failed: the agent went in circles: the same tool call failed the same way 5 times: Bash npm test/)
  assert.match(
    made.prompt(2),
    /Iteration 1 was stopped early: the agent went in circles: .* Bash npm test\. Do not try the same again/,
  )
  assert.deepEqual(survivors(runOf(made)), [])
})

test('attempts that end in circles use up the attempts of their story [R-LIM-6] [R-ESC-2]', async (t) => {
  const made = project(t, { script: { otherwise: [...times(5, fails('npm test', '1 failed')), hangs] } })
  const { code, out } = await made.run('run', '--max-attempts', '2')
  assert.equal(code, 1, out)
  assert.deepEqual(verdictsOf(made), ['failed, idle', 'failed, idle'])
  assert.equal(endOf(made).outcome, 'stories-failed')
})

test('an edit that brings something new starts the count again; other calls in between do not [R-LIM-6]', async (t) => {
  const four = times(4, fails('npm test', '1 failed'), { tool: { name: 'Read', target: 'a.ts' } })
  assert.deepEqual(await endedBy(t, [...four, edits('A', 'B'), ...four, { say: 'A step.' }]), ['ok', 'nothing changed'])
  assert.deepEqual(await endedBy(t, [...four, ...four, hangs]), [
    'circling',
    'the agent went in circles: the same tool call failed the same way 5 times: Bash npm test',
  ])
})

test('a file that is edited back and forth ends the iteration [R-LIM-6]', async (t) => {
  assert.deepEqual(await endedBy(t, [...times(3, edits('A', 'B'), edits('B', 'A')), hangs]), [
    'circling',
    'the agent went in circles: a.ts was edited back and forth 5 times',
  ])
})

test('the threshold is a setting, and 0 turns it off [R-LIM-6]', async (t) => {
  const three = times(3, fails('npm test', '1 failed'))
  assert.deepEqual(await endedBy(t, [...three, hangs], { watch: { repeat_threshold: 3 } }), [
    'circling',
    'the agent went in circles: the same tool call failed the same way 3 times: Bash npm test',
  ])
  const circles = [...times(8, fails('npm test', '1 failed')), ...times(8, edits('A', 'B'), edits('B', 'A'))]
  assert.deepEqual(await endedBy(t, [...circles, { say: 'A step.' }], { watch: { repeat_threshold: 0 } }), [
    'ok',
    'nothing changed',
  ])
})

test('no output for idle_minutes ends the iteration; without the setting nothing does [R-LIM-6] (T29)', async (t) => {
  assert.deepEqual(await endedBy(t, [{ say: 'Thinking.' }, hangs], { watch: { idle_minutes: '1s' } }), [
    'circling',
    'the agent went in circles: no output for 1.0s',
  ])
  assert.deepEqual(await endedBy(t, [{ say: 'Thinking.' }, { sleep: '1500ms' }, { say: 'A step.' }]), ['ok', 'nothing changed'])
})

test('what an iteration committed before it went in circles is progress all the same [R-LIM-6] [R-PROG-1]', async (t) => {
  const steps = [
    { write: { path: 'a.txt', text: 'x\n' } },
    { commit: 'feat: a' },
    ...times(5, fails('npm test', '1 failed')),
    hangs,
  ]
  const made = project(t, { script: { otherwise: steps } })
  await made.run('run', '-n', '1')
  assert.deepEqual(verdictsOf(made), ['failed, made'])
})

/** Claude Code, as far as a program can be that prints what each of its requests had in it. */
function filling(t: TestContext, tokens: number[], watch: object): TestProject {
  const events = tokens.map((input, n) => ({
    type: 'assistant',
    message: { id: `m${n}`, content: [{ type: 'text', text: 'Hm.' }], usage: { input_tokens: input, output_tokens: 1 } },
  }))
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'A step.' }
  const lines = [...events, result].map((event) => `echo '${JSON.stringify(event)}'`)
  return project(t, {
    files: { '.ralph/play.sh': ['cat > /dev/null', ...lines].join('\n') },
    config: { agent: { name: 'claude', command: ['sh', '.ralph/play.sh'] }, watch },
  })
}

test('a context window that is nearly full is told once, and ends nothing [R-LIM-6]', async (t) => {
  const noticed = async (tokens: number[], watch: object): Promise<string[]> => {
    const made = filling(t, tokens, watch)
    const { code, out } = await made.run('run', '-n', '1')
    assert.equal(code, 1, out)
    assert.equal(eventsOf(made, 'iteration.ended')[0]!.exit, 'ok')
    const notices = eventsOf(made, 'noticed')
    const inLog = made.read('.ralph/thing/logs/iteration-001.log').match(/(?<=^=== ralph: ).*$/gm) ?? []
    assert.deepEqual(
      inLog,
      notices.map(({ detail }) => detail),
      'the log of the iteration has them too',
    )
    return notices.map(({ what, detail }) => `${what}: ${detail}`)
  }
  assert.deepEqual(await noticed([150_000, 184_000, 190_000], {}), ['context-near: the context window is 92 % full'])
  assert.deepEqual(await noticed([190_000], { context_percent: 0 }), [])
  assert.deepEqual(await noticed([110_000], { context_percent: 50 }), ['context-near: the context window is 55 % full'])
})
