/** Whole runs with an agent of the Agent Client Protocol: through the built bridge, with all that it starts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { errorHash } from '../src/core/reading/reading.ts'
import { endOf, eventsOf, verdictsOf } from './support/loop.ts'
import { runOf, survivors, untilFile } from './support/processes.ts'
import { makeProject, type ProjectSketch, type TestProject } from './support/project.ts'

const fixture = fileURLToPath(new URL('fixtures/acp-agent.mjs', import.meta.url))
const options = ['allow_always', 'allow_once', 'reject_once'].map((kind) => ({ optionId: kind, kind, name: kind }))
const asksFor = (command: string) => ({
  ask: 'session/request_permission',
  params: { toolCall: { toolCallId: 't-1', kind: 'execute', title: command, rawInput: { command } }, options },
})
const says = (text: string) => ({ update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } })
const ends = { end: { result: { stopReason: 'end_turn', usage: { inputTokens: 90, outputTokens: 10, totalTokens: 100 } } } }
const work = [
  'echo there > "$RALPH_STORY.txt"',
  'git add "$RALPH_STORY.txt"',
  'git commit -q -m "feat: $RALPH_STORY"',
  `sed -i '0,/"passes": false/s//"passes": true/' "$RALPH_PLAN"`,
].join(' && ')

async function withAgent(steps: object[], sketch: ProjectSketch, body: (project: TestProject) => Promise<void>): Promise<void> {
  const command = [process.execPath, fixture, JSON.stringify({ steps })]
  const project = makeProject({
    ...sketch,
    config: { agent: { name: 'mine', command, format: 'acp' }, process: { grace_seconds: 0.5 }, ...sketch.config },
  })
  try {
    await body(project)
  } finally {
    project.remove()
  }
}

test('two stories are done over the protocol, with what they used [R-TEL-1]', () =>
  withAgent([{ sh: work }, says('It is there.'), ends], { stories: [{ id: 'S-1' }, { id: 'S-2' }] }, async (project) => {
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual(
      [project.passing(), verdictsOf(project)],
      [
        ['S-1', 'S-2'],
        ['done, made', 'done, made'],
      ],
    )
    assert.deepEqual(
      eventsOf(project, 'iteration.ended').map(({ exit, summary, usage, session }) => [exit, summary, usage, session]),
      Array(2).fill(['ok', 'It is there.', { inputTokens: 90, outputTokens: 10, costUsd: null }, 'session-1']),
    )
  }))

test('a tool that is not allowed is refused and recorded', () =>
  withAgent([asksFor('git status'), asksFor('make install'), says('I could not.'), ends], {}, async (project) => {
    await project.run('run', '-n', '1')
    const [ended] = eventsOf(project, 'iteration.ended')
    assert.deepEqual(ended!.signals, [{ kind: 'permission-denied', tool: 'execute' }])
  }))

test('SIGTERM ends the bridge, the agent and what it started [R-ITER-1]', () =>
  withAgent([{ sh: 'setsid sleep 300 & touch begun; wait' }], {}, async (project) => {
    const { child, ended } = project.start('run')
    await untilFile(project, 'begun')
    assert.notDeepEqual(survivors(runOf(project)), [])
    child.kill('SIGTERM')
    const { code, out } = await ended
    assert.equal(code, 143, out)
    assert.equal(endOf(project).outcome, 'interrupted')
    assert.deepEqual(survivors(runOf(project)), [])
  }))

test('an error of the agent is a failed iteration with its words [R-ITER-5]', () =>
  withAgent([{ end: { error: { code: -32603, message: 'Internal error: no such model' } } }], {}, async (project) => {
    const { code, out } = await project.run('run', '-n', '1')
    assert.equal(code, 1, out)
    assert.deepEqual(
      eventsOf(project, 'iteration.ended').map(({ exit, signals }) => [exit, signals.map(({ kind, ...rest }) => [kind, rest])]),
      [['failed', [['error', { hash: errorHash('no such model'), message: 'no such model' }]]]],
    )
  }))

test('an agent whose program is missing is told before anything runs, not its bridge', () =>
  withAgent([], { config: { agent: { name: 'mine', command: ['no-such-agent', '--acp'], format: 'acp' } } }, async (project) => {
    const { code, err } = await project.run('run')
    assert.deepEqual([code, project.has('.ralph/thing/events.jsonl')], [69, false])
    assert.match(err, /The agent "mine" needs the program no-such-agent, which was not found\./)
  }))
