import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { chmodSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { endOf, eventsOf, finishes, says } from './support/loop.ts'
import { runOf, survivors, until } from './support/processes.ts'
import { type ProjectSketch, projectFor, type TestProject } from './support/project.ts'
import { type Receiver, receiver } from './support/receiver.ts'
import { openTerminal } from './support/terminal.ts'

/** With credentials in its address, which nobody may see. */
const hookFor = async (t: TestContext, answer: (response: ServerResponse) => void) => {
  const hook = await receiver(t, answer)
  return { ...hook, url: `http://me:secret-word@${hook.host}/hook-key` }
}

const takes = (response: ServerResponse): void => void response.writeHead(204).end()

const project = (t: TestContext, notify: object, sketch: ProjectSketch = {}): TestProject => {
  return projectFor(t, { ...sketch, config: { ...sketch.config, notify } })
}
const failures = (p: TestProject): string[] =>
  eventsOf(p, 'noticed').flatMap((event) => (event.what === 'notice-failed' ? [event.detail] : []))

test('a webhook gets the end of a run, signed, with what to do next and without credentials [R-NOTE-1]', async (t) => {
  const { got, url } = await hookFor(t, takes)
  const p = project(
    t,
    { webhook: { url, secret_env: 'HOOK_KEY' } },
    { script: { otherwise: says('<promise>BLOCKED:the token ghp_abcdefghijklmnopqrstuvwx is refused</promise>') } },
  )
  p.env['HOOK_KEY'] = 'the signing key'
  const { code, out } = await p.run('run')
  assert.equal(code, 2, out)
  const [{ headers, body } = assert.fail('nothing came'), ...more] = got
  const { at, run, ...words } = JSON.parse(body)
  assert.deepEqual(
    [words, more],
    [
      {
        what: 'blocked',
        title: 'Ralph: thing: BLOCKED',
        text: 'iteration 1: the token ghp_*** is refused',
        feature: 'thing',
        outcome: 'blocked',
        next: 'ralph unblock "<note>" && ralph run  # first resolve what .ralph/thing/blocked.txt says',
      },
      [],
    ],
  )
  const end = eventsOf(p, 'run.ended').at(-1)!
  assert.deepEqual([at, run, failures(p)], [end.at, end.run, []])
  const signed = `${headers['x-ralph-timestamp']}.${body}`
  assert.equal(headers['x-ralph-signature'], `sha256=${createHmac('sha256', 'the signing key').update(signed).digest('hex')}`)
})

test('a command gets each event that was chosen, and what it leaves running is ended [R-NOTE-1]', async (t) => {
  const command = 'cat >> "$TMPDIR/notices"; sleep 600 > /dev/null 2>&1 &\nprintf "%s\\n" "$RALPH_NOTICE_WHAT" >> "$TMPDIR/names"'
  const p = project(t, { command, on: ['iteration.judged', 'stop'] })
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const notices = p
    .read('../notices')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(notices.map(({ what, text, outcome }) => [what, text, outcome]).sort(), [
    ['iteration.judged', 'iteration 1: S-1 passed', undefined],
    ['stop', endOf(p).because, 'complete'],
  ])
  assert.deepEqual(p.read('../names').trim().split('\n').sort(), ['iteration.judged', 'stop'])
  assert.deepEqual([failures(p), survivors(runOf(p))], [[], []])
})

test('receivers that refuse, hang and answer 500 change nothing about a run but one line each in its log [R-NOTE-1]', async (t) => {
  const closed = await hookFor(t, takes)
  closed.close()
  const hanging = await hookFor(t, () => {})
  const broken = await hookFor(t, (response) => void response.writeHead(500).end())
  const cases: [string, string][] = [
    [closed.url, 'connection refused'],
    [hanging.url, 'no answer yet'],
    [broken.url, 'it answered 500'],
  ]
  await Promise.all(
    cases.map(async ([url, why]) => {
      const p = project(
        t,
        { webhook: { url }, on: ['iteration.started', 'iteration.judged', 'stop'] },
        { stories: [{ id: 'S-1' }, { id: 'S-2' }], script: { otherwise: finishes } },
      )
      const { code, out, err } = await p.run('run', '--no-archive')
      assert.equal(code, 0, out)
      assert.deepEqual([endOf(p).outcome, p.passing()], ['complete', ['S-1', 'S-2']])
      const [told = '', ...more] = failures(p)
      assert.deepEqual(more, [])
      assert.ok(told.includes(`did not accept the notice "`) && told.includes(why), told)
      const kinds = p.kinds()
      assert.deepEqual(kinds.filter((kind) => kind === 'run.ended').length, 1)
      assert.deepEqual(p.events().at(-1)!.at, eventsOf(p, 'run.ended')[0]!.at) // the end is where it was
      const everywhere = out + err + p.read('.ralph/thing/events.jsonl') + (await p.run('config', 'show')).out
      assert.deepEqual([everywhere.includes('secret-word'), everywhere.includes('hook-key')], [false, false])
      assert.equal((await p.run('status')).code, 0)
      assert.match((await p.run('why')).out, /ended COMPLETE/)
    }),
  )
})

test('a command that fails and a desktop that cannot show are told once each, and the run is complete [R-NOTE-1]', async (t) => {
  const p = project(
    t,
    { command: 'echo no mail today >&2; exit 3', desktop: true, on: ['iteration.started', 'stop'] },
    { files: { 'bin/notify-send': '#!/bin/sh\necho no bus; exit 1\n' } },
  )
  chmodSync(p.path('bin/notify-send'), 0o755)
  p.env['PATH'] = `${p.path('bin')}:${p.env['PATH']}`
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(failures(p).sort(), [
    'The command of notify.command failed on the notice "iteration.started" (exit 3): no mail today. Try it by hand, or fix it',
    'The desktop does not show notices: notify-send failed (exit 1): no bus. Install notify-send (libnotify) and have a desktop session, or set notify.desktop to false',
  ])
  assert.match(out, /! The command of notify\.command failed on the notice "iteration\.started" \(exit 3\): no mail today/)
})

/** What came of a run that has no end of its own; its exit may be earlier than its notice. */
const only = async ({ got }: Receiver): Promise<Record<string, string>> => {
  const { at: _at, run: _run, ...words } = JSON.parse((await until('a notice', () => got[0])).body)
  return words
}

test('a run that is refused at its start sends what it would have sent at its end [R-NOTE-1]', async (t) => {
  const hook = await hookFor(t, takes)
  const p = project(t, { webhook: { url: hook.url } }, { script: { otherwise: says('<promise>BLOCKED:no key</promise>') } })
  assert.equal((await p.run('run')).code, 2)
  assert.equal(hook.got.splice(0).length, 1)
  assert.equal((await p.run('run')).code, 2)
  assert.deepEqual(await only(hook), {
    what: 'blocked',
    title: 'Ralph: thing: did not start',
    text: 'Blocked since iteration 1: no key',
    feature: 'thing',
    next: 'Resolve it, then: ralph unblock "<note>" (or delete .ralph/thing/blocked.txt), and run again.',
  })
})

test('a run that cannot start says so, masked; one that was asked for in the wrong way does not [R-NOTE-1]', async (t) => {
  const hook = await hookFor(t, takes)
  const p = project(t, { webhook: { url: hook.url }, on: ['stop'] })
  assert.equal((await p.run('run', '--story', 'S-9')).code, 64)
  p.write('.ralph/thing/prd.json', '{ "feature": "ghp_abcdefghijklmnopqrstuvwx" ')
  assert.equal((await p.run('run', '--dry-run')).code, 65)
  const { code, err } = await p.run('run')
  assert.equal(code, 65)
  const { text, ...words } = await only(hook)
  assert.deepEqual(words, { what: 'stop', title: 'Ralph: thing: did not start', feature: 'thing' })
  assert.equal(`ralph: ${text}\n`, err.replace('ghp_abcdefghijklmnopqrstuvwx', 'ghp_***'))
})

test('a fault of Ralph itself and a run that breaks off are told, and a receiver that hangs delays no exit [R-NOTE-1]', async (t) => {
  const hook = await hookFor(t, () => {})
  const p = project(t, { webhook: { url: hook.url } })
  // No input is known to cause one: a timer of the run fails.
  const fails = `if (ms === 60_000 && process.argv[2] === 'run') throw new Error('no timers today')`
  p.write('fault.mjs', `const own = setInterval\nglobalThis.setInterval = (tick, ms) => { ${fails}; return own(tick, ms) }\n`)
  p.env['NODE_OPTIONS'] = `--import=${p.path('fault.mjs')}`
  assert.equal((await p.run('run')).code, 70) // while the receiver still has its first try
  const next = 'see the message on its terminal, then continue with: ralph run'
  assert.deepEqual(await only(hook), {
    what: 'stop',
    title: 'Ralph: thing: crashed',
    text: 'a bug in Ralph, not your fault: no timers today',
    feature: 'thing',
    next,
  })

  const other = await hookFor(t, takes)
  const loses = { run: 'rm -rf .git' }
  const broken = project(t, { webhook: { url: other.url } }, { script: { otherwise: [loses] } })
  assert.equal((await broken.run('run')).code, 65)
  const { text, ...words } = await only(other)
  assert.match(text!, /repository/)
  assert.deepEqual(words, {
    what: 'stop',
    title: 'Ralph: thing: crashed',
    feature: 'thing',
    next,
  })
})

test('the bell rings on a terminal alone [R-NOTE-1]', async (t) => {
  const p = project(t, { bell: true })
  const piped = await p.run('run', '--no-archive')
  assert.deepEqual([piped.code, (piped.out + piped.err).includes('\u0007')], [0, false])
  const ringing = project(t, { bell: true })
  const terminal = openTerminal(ringing, ['run', '--no-archive'], { columns: 100, rows: 40 })
  try {
    await until('the end', () => terminal.lines().includes('[exit 0]'))
    assert.equal(terminal.told('window_bell_flag'), '1')
  } finally {
    terminal.close()
  }
})

test('a kind of event that there is not is refused before anything runs [R-NOTE-1]', async (t) => {
  const p = project(t, { on: ['stopp'] })
  const { code, err } = await p.run('run')
  assert.equal(code, 78)
  assert.match(err, /"notify\.on\.0" is "stopp"; expected .*; did you mean "stop"\?/)
})
