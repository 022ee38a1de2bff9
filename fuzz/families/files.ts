/** Small files that other processes, people and agents leave for a run: requests, counts, locks, reports, status. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { realAgentNames } from '../../src/adapters/agents/list.ts'
import { readReport } from '../../src/adapters/project/agent-report-file.ts'
import { knownProjects } from '../../src/adapters/project/known-projects.ts'
import { readLock, takeLock } from '../../src/adapters/project/lock.ts'
import { askForCall, callsThisHour, noteLimit } from '../../src/adapters/project/rate-limit.ts'
import { placeRequest, takeRequests } from '../../src/adapters/project/signed-inbox.ts'
import { initialState } from '../../src/core/evolve/initial.ts'
import { EXIT, Failure } from '../../src/core/failure.ts'
import { readingOf } from '../../src/core/reading/status-report.ts'
import { statusNow } from '../../src/run/history/status-now.ts'
import { emptyAccount, statusFile as wholeStatus } from '../../src/views/status/account.ts'
import { statusLines } from '../../src/views/status/lines.ts'
import { asBytes, family, orRefusal, scratch } from '../family.ts'
import { mutatedBytes, mutatedJson, nastyText } from '../nasty.ts'

const now = '2026-01-09T12:00:00.000Z'
const text = (document: fc.Arbitrary<unknown>, words: string[] = []): fc.Arbitrary<string> =>
  mutatedBytes(
    fc.oneof(document, mutatedJson(document)).map((value) => JSON.stringify(value) ?? ''),
    words,
  )

const request = fc.oneof<fc.Arbitrary<object>[]>(
  ...['breaker.reset', 'pause.requested', 'resume.requested'].map((kind) => fc.constant({ kind })),
  fc.record({ kind: fc.constantFrom('said', 'question.answered'), text: nastyText }),
  fc.record({ kind: fc.constant('unblocked'), note: nastyText }),
  fc.record({ kind: fc.constant('stop.requested'), by: fc.constant('x'), now: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('story.retried', 'story.skipped'), story: nastyText }),
)
const kinds: Record<string, Record<string, string>> = {
  'breaker.reset': {},
  'pause.requested': {},
  'resume.requested': {},
  said: { text: 'string' },
  'question.answered': { text: 'string' },
  unblocked: { note: 'string' },
  'stop.requested': { by: 'string', now: 'boolean' },
  'story.retried': { story: 'string' },
  'story.skipped': { story: 'string' },
}

/** What a text is, where a command could have been asked to send it. */
function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(asBytes(text).toString())
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

export const inbox = family<{ files: string[] }>({
  name: 'inbox',
  what: 'requests to a live run: files in inbox/',
  weight: 2,
  inputs: fc.record({
    files: fc.array(text(request, ['"kind":"run.ended"', '"passes":true', '"kind":"iteration.judged"']), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  check({ files }) {
    const dir = join(scratch(), 'inbox-of')
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(join(dir, 'inbox'), { recursive: true })
    for (const [place, bytes] of files.entries()) writeFileSync(join(dir, 'inbox', `${place}.json`), asBytes(bytes))
    assert.deepEqual(takeRequests(dir, dir).requests, [], 'what nobody signed does not count')
    const bad = readdirSync(join(dir, 'logs')).length
    assert.equal(bad, files.length, 'each is put aside')
    for (const [place, bytes] of files.entries()) {
      const report = objectIn(bytes)
      if (report !== null) placeRequest(dir, dir, `${place}.json`, report)
    }
    const { requests: taken, refused } = takeRequests(dir, dir)
    for (const { id, report } of taken) {
      const fields = Object.hasOwn(kinds, report.kind) ? kinds[report.kind] : undefined
      assert.ok(fields, `${report.kind} is nothing that a person may ask`)
      for (const [name, type] of Object.entries(fields)) assert.equal(typeof (report as Record<string, unknown>)[name], type)
      assert.equal((report as { id?: unknown }).id, id)
    }
    assert.equal(
      taken.length + refused.length,
      files.filter((bytes) => objectIn(bytes) !== null).length,
      'each is taken or put aside',
    )
    assert.deepEqual(takeRequests(dir, dir).requests, taken, 'they stay until they are finished')
  },
})

const agent = fc.oneof(fc.constantFrom(...realAgentNames), nastyText)
const calls = fc.record({
  calls: fc.array(
    fc.record({ at: fc.oneof(fc.constantFrom(now, '2026-01-09T11:30:00.000Z', '2026-01-09T13:30:00.000Z'), nastyText), agent }),
    { maxLength: 4 },
  ),
  limits: fc.dictionary(
    agent,
    fc.oneof(fc.constantFrom(now, '2026-01-09T13:00:00.000Z', '+275760-09-13T00:00:00.000Z'), nastyText),
    { maxKeys: 2 },
  ),
})

export const callsFile = family<{ bytes: string; agent: string; limit: number }>({
  name: 'calls',
  what: 'calls.json: calls of the last hour and known limits',
  weight: 1,
  inputs: fc.record({ bytes: text(calls), agent, limit: fc.nat({ max: 3 }) }),
  async check({ bytes, agent: name, limit }) {
    const home = join(scratch(), 'home')
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'calls.json'), asBytes(bytes))
    assert.ok(callsThisHour(home, name, now) >= 0)
    const granted = await orRefusal(() => askForCall(home, { limitPerHour: limit, agent: name, now }))
    if (granted instanceof Failure) {
      assert.match(granted.message, /has version .* update Ralph/)
      return assert.equal(granted.exit, EXIT.data)
    }
    if (!granted.granted) assert.ok(Date.parse(granted.until) > Date.parse(now), `waits until ${granted.until}`)
    const until = '2026-01-09T12:30:00.000Z'
    noteLimit(home, name, until)
    const next = askForCall(home, { limitPerHour: 0, agent: name, now })
    assert.deepEqual(next, { granted: false, until, by: 'usage-limit' }, 'a limit that was noted holds')
    assert.equal(next.note, undefined, 'what was just written makes sense')
  },
})

const held = fc.record({
  pid: fc.constantFrom(1, process.pid, 2 ** 30),
  start: fc.option(nastyText),
  host: fc.constantFrom(hostname(), 'elsewhere'),
  feature: nastyText,
  run: nastyText,
  purpose: fc.constantFrom('run', 'command'),
  at: fc.oneof(fc.constant(now), nastyText),
})

export const lockFile = family<{ bytes: string }>({
  name: 'lock',
  what: 'the lock file: who holds it, whether they live',
  weight: 1,
  // A live command's lock would be waited for.
  inputs: fc.record({ bytes: text(held).filter((bytes) => !/command/.test(bytes)) }),
  async check({ bytes }) {
    const path = join(scratch(), 'lock')
    rmSync(`${path}.takeover`, { force: true })
    writeFileSync(path, asBytes(bytes))
    const holder = readLock(path)
    const lock = await orRefusal(() =>
      holder?.isLive && holder.purpose !== 'run' ? holder : takeLock(path, { feature: 'f', run: 'r', purpose: 'run' }),
    )
    if (lock instanceof Failure) {
      assert.equal(lock.exit, EXIT.busy)
      assert.ok(holder?.isLive, 'only a live holder is in the way')
    } else if ('release' in lock) {
      lock.release()
      assert.equal(readLock(path), null)
    }
  },
})

const report = fc.record(
  {
    status: fc.constantFrom('complete', 'in_progress', 'blocked', 'testing'),
    summary: nastyText,
    exit_signal: fc.constantFrom(true, false, null),
    blocked_reason: nastyText,
    question: fc.constantFrom('', null, 'Which?'),
  },
  { requiredKeys: ['status'] },
)

export const reportFile = family<{ bytes: string }>({
  name: 'report',
  what: "the status report that an agent's tool leaves",
  weight: 2,
  inputs: fc.record({ bytes: text(report, ['"exit_signal":true', '"status":"complete"']) }),
  check({ bytes }) {
    const path = join(scratch(), 'report.json')
    writeFileSync(path, asBytes(bytes))
    const read = readReport(path)
    assert.notEqual(read, null)
    if (typeof read === 'string') return assert.notEqual(read, '')
    const { signals, exitSignal } = readingOf(read!)
    const said = JSON.parse(asBytes(bytes).toString('utf8'))
    if (exitSignal) assert.equal(said.exit_signal, true)
    if (signals.some((signal) => signal.kind === 'claimed-done')) assert.equal(said.status, 'complete')
  },
})

const status = fc
  .record({ run: nastyText, state: fc.constantFrom('ended', 'running', 'idle'), because: nastyText })
  .map((more) => ({
    ...wholeStatus({ state: initialState, account: emptyAccount() }, 'run.started', [], 100),
    ...more,
    costs: {
      ...{
        calls: 1,
        ms: 100,
        costUsd: 0.5,
        unpriced: 0,
        provenStories: 1,
        perProvenStoryUsd: 0.5,
        failedAttempts: 1,
        failedUsd: null,
      },
      byKind: [{ mode: 'implement', role: 'implementer', calls: 1, ms: 100, tokens: 10, costUsd: 0.5 }],
    },
    forecast: {
      ...{ kind: 'told', stories: 1, from: 5, iterations: { p50: 1, p90: 2 } },
      ...{ ms: { p50: 1, p90: 2 }, costUsd: { p50: 1, p90: 2 } },
    },
    finished: [{ iterations: 1, ms: 100, costUsd: 0.5 }],
    stories: {
      complete: 1,
      total: 1,
      unproven: 0,
      list: [{ id: 'S-1', title: 'One', state: 'passes', attempts: 2, proven: true }],
    },
    questions: [{ story: null, question: 'Which?', iteration: 1 }],
  }))

export const statusFile = family<{ bytes: string; projects: string }>({
  name: 'status',
  what: 'status.json and projects.txt, which are shown, and made again where they make no sense',
  weight: 1,
  inputs: fc.record({ bytes: text(status), projects: mutatedBytes(fc.constantFrom('', '/tmp/a\n/tmp/b\n')) }),
  async check({ bytes, projects }) {
    const [root, home] = [join(scratch(), 'shown'), join(scratch(), 'shown-home')]
    const dir = join(root, '.ralph', 'thing')
    mkdirSync(dir, { recursive: true })
    mkdirSync(home, { recursive: true })
    writeFileSync(join(dir, 'status.json'), asBytes(bytes))
    const shown = await statusNow({ root, home, feature: 'thing', dir, label: '.ralph/thing' }, {})
    assert.ok(statusLines(shown, now).length > 0)
    writeFileSync(join(home, 'projects.txt'), asBytes(projects))
    for (const known of knownProjects(home)) assert.ok(existsSync(join(known, '.ralph')))
  },
})
