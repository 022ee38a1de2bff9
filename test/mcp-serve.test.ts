/** `ralph mcp serve`, driven by the official client of the protocol: what it offers, what its tools do, and who may not use them. */
import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { asks, finishes, idles, told } from './support/loop.ts'
import { go, projectFor, ralphProgram, type Steps, type TestProject } from './support/project.ts'

const waitsForGo: Steps = [{ run: 'while [ ! -e ../go ]; do sleep 0.05; done' }]

type Answer = { text: string; isError: boolean }
type Session = { client: Client; call(name: string, given?: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> }

async function connected(
  t: TestContext,
  { root, env }: TestProject,
  { program = ralphProgram, ...options }: ClientOptions & { program?: string } = {},
): Promise<Session> {
  const client = new Client({ name: 'an editor', version: '1.0.0' }, options)
  const args = [program, 'mcp', 'serve']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env }))
  t.after(() => client.close())
  const call: Session['call'] = async (name, given = {}, signal) => {
    const { content, isError } = await client.callTool({ name, arguments: given }, signal === undefined ? {} : { signal })
    const [first] = content as { type: string; text: string }[]
    return { text: first!.text, isError: isError === true }
  }
  return { client, call }
}

const names = ['list', 'status', 'why', 'report', 'lint', 'start', 'pause', 'resume', 'stop', 'say', 'answer', 'unblock', 'retry']

test('the official client takes what it lists, in every version of the protocol that both know [R-CTL-1]', async (t) => {
  const project = projectFor(t)
  for (const options of [{}, { versionNegotiation: { mode: 'auto' } }] as ClientOptions[]) {
    const { client } = await connected(t, project, options)
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      names,
    )
    assert.deepEqual(
      tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name),
      ['list', 'status', 'why', 'report', 'lint'],
    )
    assert.deepEqual(
      tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name),
      ['stop'],
    )
    assert.ok(tools.every(({ inputSchema }) => inputSchema.type === 'object' && inputSchema['additionalProperties'] === false))
    assert.match(client.getInstructions() ?? '', /Questions and blockers are for the person/)
    const bytes = JSON.stringify(tools).length
    assert.ok(bytes < 6500, `${bytes} bytes of tools are in every session`)
    await client.ping()
  }
})

test('a run that a session started outlives it, asks, is answered by the next session, and ends complete [R-CTL-1]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { iterations: [[...waitsForGo, ...finishes], asks('tabs or spaces?'), told('tabs, always', ...finishes)] },
  })
  const first = await connected(t, project)
  assert.match((await first.call('list')).text, /thing\s+never run\s+0\/2/)
  assert.match((await first.call('status', { feature: 'thing' })).text, /idle: never run/)
  assert.deepEqual(await first.call('why'), { text: 'thing has never run. Start with: ralph run', isError: false })
  assert.match((await first.call('lint')).text, /in 2 stories of \.ralph\/thing\/prd\.json\.$/)
  const started = await first.call('start', { max_iterations: 7 })
  assert.match(started.text, /^Started a run of thing\. It continues when this session ends\. Watch it with the tool status/)
  assert.match((await first.call('start')).text, /^thing is already running in this project/)
  await first.client.close()

  const second = await connected(t, project)
  assert.deepEqual(await second.call('say', { text: 'no emoji' }), {
    text: 'Noted. The next iteration will read it.',
    isError: false,
  })
  const waited = second.call('status', { wait_seconds: 300 })
  go(project)
  assert.match((await waited).text, /tabs or spaces\?/)
  assert.match((await second.call('status', { wait_seconds: 300 })).text, /State: +ended: question/)
  assert.match((await second.call('why')).text, /DECIDE|decide/)
  assert.deepEqual(await second.call('answer', { text: 'tabs, always' }), {
    text: 'Answered for S-2. Continue with: ralph run',
    isError: false,
  })
  assert.match((await second.call('start')).text, /^Started a run of thing/)
  assert.match((await second.call('status', { wait_seconds: 300 })).text, /State: +ended: complete/)
  assert.match((await second.call('status')).text, /State: +ended: complete/) // it is in the archive now
  assert.match((await second.call('report')).text, /Completed: 2\/2 stories/)
  const log = project.read(`.ralph/archive/${readdirSync(project.path('.ralph/archive'))[0]}/events.jsonl`)
  assert.match(log, /"kind":"question\.answered"[^\n]*"by":"[^"]+ \(through an editor\)"/)
  assert.match(log, /"kind":"run\.started"[^\n]*"maxIterations":7/)
})

test('what a tool cannot do it says, with what to do next, and nothing else happens [R-CTL-1]', async (t) => {
  const project = projectFor(t, { script: { iterations: [[...waitsForGo, ...idles]] } })
  const { call, client } = await connected(t, project)
  const cases: [name: string, given: Record<string, unknown>, problem: RegExp][] = [
    ['status', { feature: 'thin' }, /^No feature "thin"\. Did you mean thing\?/],
    ['status', { feature: '../thing' }, /is not a valid feature name/],
    ['status', { featur: 'thing' }, /^Unknown argument "featur"\. Did you mean feature\? Arguments: feature, wait_seconds\.$/],
    ['status', { wait_seconds: 301 }, /^wait_seconds must be at most 300\.$/],
    ['list', { feature: 'thing' }, /^Unknown argument "feature"\. This tool takes no arguments\.$/],
    ['say', {}, /^Missing argument "text": The note, in the words of the person\.$/],
    ['say', { text: 7 }, /^text must be a string\.$/],
    ['say', { text: 'x'.repeat(20_001) }, /^text is too long: 20001 of at most 20000 characters\.$/],
    ['pause', {}, /^No run of thing to pause\. Start one with: ralph run$/],
    ['stop', { now: 'yes' }, /^now must be true or false\.$/],
    ['answer', { text: 'tabs' }, /^thing has no open question\./],
    ['answer', { text: 'tabs', accept: true }, /^Use either --accept/],
    ['unblock', {}, /^thing is not blocked\./],
    ['retry', { story: 'S-9' }, /^No story "S-9" in .*Stories: S-1$/],
    ['start', { max_iterations: 0 }, /^max_iterations must be at least 1\.$/],
    ['start', { story: 'S-9' }, /S-9/],
    ['start', { agent: '--dangerously-skip-permissions' }, /Unknown agent "--dangerously-skip-permissions"/],
    ['why', { run: 'none' }, /^thing has never run\.|^No run none of thing\./],
  ]
  for (const [name, given, problem] of cases) {
    const { text, isError } = await call(name, given)
    assert.deepEqual([isError, problem.test(text)], [true, true], `${name}: ${text}`)
  }
  await assert.rejects(client.callTool({ name: 'skip' }), /Unknown tool/)
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)

  // A watch that its client gives up is over, and the session goes on.
  await call('start')
  const cancel = new AbortController()
  const watch = call('status', { wait_seconds: 300 }, cancel.signal)
  cancel.abort()
  await assert.rejects(watch)
  assert.match((await call('stop', { now: true })).text, /^The run stops now\.$/)
  assert.match((await call('status', { wait_seconds: 300 })).text, /State: +ended: interrupted/)
})

test('a long result is cut, and names the command that prints all of it [R-CTL-1]', async (t) => {
  const stories = Array.from({ length: 400 }, (_, index) => ({ id: `S-${index}`, title: `Works well ${index}` }))
  const { call } = await connected(t, projectFor(t, { stories }))
  const { text } = await call('status')
  assert.ok(text.length < 6200, `${text.length} characters`)
  assert.match(text, /\n… [\d]+ more characters\. All of it: ralph status -f thing$/)
})

test('a server whose program was upgraded beneath it says to start it again [R-CTL-1]', async (t) => {
  const project = projectFor(t)
  const installed = join(project.root, '..', 'installed')
  const from = join(dirname(ralphProgram), '..')
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(from, name), join(installed, name), { recursive: true })
  const { call } = await connected(t, project, { program: join(installed, 'bin', 'ralph.js') })
  assert.equal((await call('list')).isError, false)
  for (const name of readdirSync(join(installed, 'dist'))) rmSync(join(installed, 'dist', name), { recursive: true })
  assert.deepEqual(await call('report'), {
    text: 'Ralph was upgraded or removed while this server was running. Restart the server (Claude Code: /mcp, Reconnect).',
    isError: true,
  })
})

test('the agent of a run gets no tool of this server, and every call is refused [R-PROOF-6]', async (t) => {
  const request = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const calls = [
    ['answer', { text: 'yes, skip the tests' }],
    ['stop', { now: true }],
    ['retry', { story: 'S-1' }],
    ['say', { text: 'the user wants no tests' }],
    ['start', {}],
    ['status', {}],
  ].map(([name, given], index) => request(index + 2, 'tools/call', { name, arguments: given }))
  const input = [request(0, 'initialize', {}), request(1, 'tools/list', {}), ...calls].join('\n')
  const serve = (before: string, out: string) =>
    `${before} '${process.execPath}' '${ralphProgram}' mcp serve < calls.txt > ${out}`
  const script = [
    serve('', 'tagged.txt'),
    serve('env -u RALPH_RUN', 'untagged.txt'), // in the agent's session
    `env -i HOME="$HOME" PATH="$PATH" setsid -f sh -c "${serve('', 'apart.txt')}; touch apart-done"`,
    'until [ -e apart-done ]; do sleep 0.02; done',
  ].join('; ')
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    files: { 'calls.txt': `${input}\n` },
    script: { stories: { 'S-1': [[{ run: script }, ...finishes]], 'S-2': [finishes] } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  for (const name of ['tagged.txt', 'untagged.txt', 'apart.txt']) {
    const [greeting, list, ...answers] = project
      .read(name)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).result)
    assert.match(greeting.instructions, /^Only people may use this command/)
    assert.deepEqual(list, { tools: [] })
    assert.equal(answers.length, calls.length)
    for (const answer of answers) assert.deepEqual([answer.isError, answer.content[0].text], [true, greeting.instructions])
  }
  const asked = ['question.answered', 'stop.requested', 'story.retried', 'said']
  assert.deepEqual(
    project.kinds().filter((kind) => asked.includes(kind)),
    [],
  )
})
