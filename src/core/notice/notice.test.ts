import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFlight, after, anEnd, anEndedFlight, aPlan, aPolicy, aStory, eventOf, runStarted } from '../../../sim/builders.ts'
import type { State } from '../state.ts'
import type { Decision, Outcome, Policy, Report } from '../types.ts'
import { noticeNames, shownAddress } from './names.ts'
import { noticeOfNoEnd, noticesFor } from './notice.ts'

const usual = ['stop', 'blocked', 'decide', 'breaker', 'limit']
const begun = (policy: Partial<Policy> = {}): State => after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy(policy))])
const whats = (fact: Report | Decision, on: string[], state = begun()): string[] =>
  noticesFor([eventOf(fact)], state, on).map(({ what }) => what)
const ended = (outcome: Outcome): Decision => ({ kind: 'run.ended', outcome, because: 'that is why' })

test('R-NOTE-1: the end of a run is one notice with its outcome, its reason and the next thing to do', () => {
  const state = begun()
  const event = eventOf(ended('complete'))
  assert.deepEqual(noticesFor([event], state, usual, 'review, then merge'), [
    {
      what: 'stop',
      title: `Ralph: ${state.feature}: COMPLETE`,
      text: 'that is why',
      feature: state.feature,
      run: event.run,
      at: event.at,
      outcome: 'complete',
      next: 'review, then merge',
    },
  ])
})

test('R-NOTE-1: an end goes by its most telling name of those chosen, and by "stop" where that is not chosen', () => {
  const names = (outcome: Outcome, on: string[]): string[] => whats(ended(outcome), on)
  assert.deepEqual(
    (['blocked', 'question', 'stuck', 'limited', 'budget', 'login', 'interrupted'] as const).flatMap((it) => names(it, usual)),
    ['blocked', 'decide', 'breaker', 'limit', 'limit', 'stop', 'stop'],
  )
  assert.deepEqual(names('blocked', ['stop']), ['stop'])
  assert.deepEqual(names('blocked', ['run.ended']), ['run.ended'])
  assert.deepEqual(names('complete', ['blocked', 'decide', 'breaker', 'limit']), [])
  assert.deepEqual(names('complete', []), [])
})

test('R-NOTE-1: a parked question is told at once with how to answer it; one that ends the run is told by the end', () => {
  const ends = (signals: Parameters<typeof anEnd>[1]): State['flights'] => [anEndedFlight(anEnd(1, signals))]
  const judged: Decision = {
    kind: 'iteration.judged',
    iteration: 1,
    verdict: 'question',
    progress: 'idle',
    passed: [],
    proven: false,
    refused: [],
    failedGates: [],
    claim: 'none',
    openStories: [],
    because: 'the agent asks',
  }
  const asked = (policy: Partial<Policy>): State =>
    after([judged], {
      ...begun(policy),
      flights: ends({ signals: [{ kind: 'question', text: 'X\nor \u001b[31mY\u001b[0m?', evidence: '' }] }),
    })
  const [notice, ...more] = noticesFor([eventOf(judged)], asked({ decide: 'park' }), usual)
  assert.deepEqual(
    [notice?.what, notice?.title, notice?.text, notice?.next, more],
    ['decide', 'Ralph: login: a question about A', 'X\nor Y?', 'ralph answer "<your decision>" --story A', []],
  )
  assert.deepEqual(noticesFor([eventOf(judged)], asked({ decide: 'stop' }), usual), [])
})

test('R-NOTE-1: a breaker that opens while others work, and a usage limit that is waited for, are told when they happen', () => {
  const opens: Decision = { kind: 'breaker.changed', from: 'half-open', to: 'open', because: '3 idle' }
  assert.deepEqual(whats(opens, usual), []) // the run ends for it at once
  assert.deepEqual(whats(opens, usual, { ...begun(), flights: [aFlight(2)] }), ['breaker'])
  assert.deepEqual(whats({ ...opens, to: 'half-open' }, usual, { ...begun(), flights: [aFlight(2)] }), [])
  const waits = (why: 'usage-limit' | 'rate', onLimit: Policy['onLimit']): string[] =>
    whats({ kind: 'wait.started', until: '2030-01-01T00:00:00.000Z', for: why, because: 'full' }, usual, begun({ onLimit }))
  assert.deepEqual([waits('usage-limit', 'wait'), waits('usage-limit', 'ask'), waits('rate', 'wait')], [['limit'], [], []])
  assert.deepEqual(whats({ kind: 'limit.asked', because: 'full' }, usual), ['limit'])
})

test('R-NOTE-1: any kind of event can be chosen, and its notice has its own words', () => {
  const facts: (Report | Decision)[] = [
    { kind: 'story.failed', story: 'A', hash: '', branch: '', because: '5 attempts used' },
    { kind: 'noticed', what: 'gate-slow', detail: 'tests are slow', tell: false },
    { kind: 'iteration.ended', ...anEnd(3, { summary: 'did it' }) },
    { kind: 'wait.ended' },
  ]
  const on = facts.map(({ kind }) => kind)
  assert.deepEqual(
    noticesFor(
      facts.map((fact) => eventOf(fact)),
      begun(),
      on,
    ).map(({ what, title, text }) => [what, title, text]),
    [
      ['story.failed', 'Ralph: login: story.failed', 'A: 5 attempts used'],
      ['noticed', 'Ralph: login: noticed', 'tests are slow'],
      ['iteration.ended', 'Ralph: login: iteration.ended', 'iteration 3: did it'],
      ['wait.ended', 'Ralph: login: wait.ended', ''],
    ],
  )
  assert.deepEqual(
    on.filter((kind) => !noticeNames.includes(kind)),
    [],
  )
})

test('a run without an end is told under the most telling name, and not to whoever sees it there and then', () => {
  const about = { feature: 'login', run: 'r1', at: '2026-01-09T12:00:00.000Z', hasBegun: true }
  const whatOf = (exit: number, on: string[] = usual) => noticeOfNoEnd({ exit, text: 'why', next: '' }, about, on)?.what
  assert.deepEqual(
    [2, 3, 4, 65, 69, 70, 77, 78, 64, 75, 130].map((exit) => whatOf(exit)),
    ['blocked', 'decide', 'breaker', 'stop', 'stop', 'stop', 'stop', 'stop', undefined, undefined, undefined],
  )
  assert.deepEqual([whatOf(2, ['stop']), whatOf(2, ['limit']), whatOf(70, ['blocked'])], ['stop', undefined, undefined])
  assert.deepEqual(noticeOfNoEnd({ exit: 70, text: 'oh\u0007', next: 'ralph run' }, about, usual), {
    what: 'stop',
    title: 'Ralph: login: crashed',
    text: 'a bug in Ralph, not your fault: oh',
    feature: 'login',
    run: 'r1',
    at: '2026-01-09T12:00:00.000Z',
    next: 'ralph run',
  })
})

test('the words of a notice are bounded, and without anything that could move a cursor', () => {
  const because = `\u0000a\u0007\u001b]0;title\u0007b\u202e${'c'.repeat(2000)}`
  const [notice] = noticesFor([eventOf({ ...ended('complete'), because })], begun(), usual)
  assert.equal(notice?.text, `ab${'c'.repeat(997)}…`)
})

test('an address is shown without user, password, path and query', () => {
  const shown = [
    'https://me:pw@x.org/services/T0/key?token=1#f',
    'http://127.0.0.1:80',
    'HTTPS://x.org/',
    'http://x\\key',
    'ftp://me:pw@x',
    '',
  ]
  assert.deepEqual(shown.map(shownAddress), [
    'https://x.org/***',
    'http://127.0.0.1:80',
    'HTTPS://x.org/',
    'http://x/***',
    '***',
    '',
  ])
})
