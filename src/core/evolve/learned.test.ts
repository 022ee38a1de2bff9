import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aLesson, aPlan, aPolicy, aStory, committed, runStarted } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { decide } from '../decide/decide.ts'
import type { State } from '../state.ts'
import type { Decision, Ended } from '../types.ts'

const learn = { agent: 'cheap', aggregateEvery: 2 }
const plan = aPlan([aStory('A'), aStory('B', { priority: 2 })])
const passes = ({ iteration, story }: { iteration: number; story: string | null }): Partial<Ended> =>
  committed(iteration, `t${iteration}`, { flips: [story!] })
const about = (decisions: Decision[]): string[] =>
  decisions.flatMap((decision) => {
    if (decision.kind === 'call.requested') return [`call ${decision.role}`]
    return /^(learning|gathering|skill|run\.ended)/.test(decision.kind) ? [decision.kind] : []
  })

test('each finished story is learned from before the next begins, and lessons are gathered after some of them [R-LEARN-2] [R-LEARN-3]', () => {
  const { decisions, state } = play({ plan, policy: { learn }, agent: passes })
  assert.deepEqual(about(decisions), [
    'call implementer',
    'call learner',
    'learning.started',
    'call implementer',
    'call learner',
    'learning.started',
    'gathering.started',
    'call learner',
    'skill.started',
    'run.ended',
  ])
  assert.deepEqual([state.outcome?.outcome, state.learning.finished, state.learning.captured], ['complete', 2, 2])
  assert.deepEqual([state.totals.calls, state.totals.byRole.learner.calls, state.totals.costUsd.toFixed(2)], [5, 3, '0.12'])
})

test('without a learner nothing is asked, and a run that was told to stop learns nothing any more', () => {
  assert.deepEqual(about(play({ plan, agent: passes }).decisions), ['call implementer', 'call implementer', 'run.ended'])
  const finished = { ...after([runStarted(plan, aPolicy({ learn }))]), stop: { by: 'user' as const, now: false } }
  const due: State = { ...finished, learning: { ...finished.learning, due: [{ story: 'A', outcome: 'success', iteration: 1 }] } }
  assert.deepEqual(
    decide(due).map(({ kind }) => kind),
    ['run.ended'],
  )
})

test('a call that the rate limit refuses is left out: nobody waits an hour for a lesson', () => {
  const state = after([
    runStarted(plan, aPolicy({ learn })),
    { kind: 'call.requested', call: 1, role: 'learner', agent: 'cheap', because: '' },
    { kind: 'call.refused', call: 1, until: '2030-01-01T00:00:00.000Z', by: 'rate' },
  ])
  assert.deepEqual([state.refusedCall, state.limit, state.learning.due], [undefined, undefined, []])
})

test('an answer that cannot be read is asked for once more; one that was lost is not', () => {
  const begun: State = after([runStarted(plan, aPolicy({ learn }))])
  const due = { ...begun, learning: { ...begun.learning, due: [{ story: 'A', outcome: 'success' as const, iteration: 1 }] } }
  const { file: _file, ...unread } = aLesson('A', { problem: 'no JSON' })
  const once = after([{ kind: 'learning.ended', ...unread }], due)
  assert.deepEqual([once.learning.unread, once.learning.due.length], ['no JSON', 1])
  const twice = after([{ kind: 'learning.ended', ...unread }], once)
  assert.deepEqual([twice.learning.unread, twice.learning.due.length], [undefined, 0])
  const lost = after([{ kind: 'learning.ended', ...unread, isLost: true }], due)
  assert.deepEqual([lost.learning.unread, lost.learning.due.length], [undefined, 0])
})

test('after ten uses and ten without, what goes with fewer passes is retired, said once, and what helps stays [R-LEARN-5]', () => {
  const begun = after([runStarted(plan)])
  const used = (uses: State['learning']['uses']): State => ({
    ...begun,
    learning: { ...begun.learning, uses, all: { times: 24, passed: 14 } },
  })
  const retired = (state: State): string[] =>
    decide(state).flatMap((decision) =>
      decision.kind === 'lesson.retired'
        ? [`${decision.lesson}: ${decision.because}`]
        : decision.kind === 'skill.retired'
          ? [`skill ${decision.skill}`]
          : [],
    )
  assert.deepEqual(retired(used({ a: { times: 10, passed: 2 } })), [
    'a: 20 % of 10 iterations with it passed a story, 86 % of 14 without it',
  ])
  assert.deepEqual(retired(used({ 'skill testing': { times: 12, passed: 1 } })), ['skill testing'])
  assert.deepEqual(retired(used({ a: { times: 10, passed: 9 }, b: { times: 9, passed: 0 } })), [])
  const said = after([{ kind: 'lesson.retired', lesson: 'a', because: '' }], used({ a: { times: 10, passed: 2 } }))
  assert.deepEqual(retired(said), [])
})

test('an iteration with lessons and skills counts as a use of each, with what came of it', () => {
  const { state } = play({
    plan: aPlan([aStory('A')]),
    agent: ({ iteration }) =>
      iteration === 1 ? { lessons: ['x'] } : committed(2, 't2', { flips: ['A'], lessons: ['x'], skills: ['testing'] }),
  })
  assert.deepEqual(state.learning.uses, { x: { times: 2, passed: 1 }, 'skill testing': { times: 1, passed: 1 } })
  assert.deepEqual(state.learning.all, { times: 2, passed: 1 })
})

test('stories of other features count toward the next gathering [R-LEARN-3]', () => {
  const gathered = (unlearned?: number): string[] => {
    const begins = { ...runStarted(aPlan([aStory('A')]), aPolicy({ learn: { agent: 'cheap', aggregateEvery: 5 } })) }
    const state = after([unlearned === undefined ? begins : ({ ...begins, unlearned } as typeof begins)])
    const learned = after([{ kind: 'learning.ended', ...aLesson('A') }], {
      ...state,
      learning: { ...state.learning, sinceGathered: state.learning.sinceGathered + 1, running: 'learning', due: [] },
    })
    return decide(learned).map(({ kind }) => kind)
  }
  assert.deepEqual([gathered(), gathered(3), gathered(4)], [['call.requested'], ['call.requested'], ['gathering.started']])
})

test('lessons are collected once more before a run with new ones ends, also for skills [R-LEARN-3 R-LEARN-4]', () => {
  const few = { agent: 'cheap', aggregateEvery: 5, atEnd: true as const }
  const { decisions, state } = play({ plan, policy: { learn: few }, agent: passes })
  assert.deepEqual(
    decisions.find(({ kind }) => kind === 'gathering.started'),
    {
      kind: 'gathering.started',
      finished: 2,
      because: 'new lessons, and the run is about to end',
    },
  )
  assert.deepEqual([state.learning.sinceGathered, state.learning.hasNews, state.outcome?.outcome], [0, undefined, 'complete'])
})

test('a learner that answers with nothing has captured nothing [R-LEARN-2]', () => {
  const begun: State = after([runStarted(plan, aPolicy({ learn }))])
  const empty = after([{ kind: 'learning.ended', ...aLesson('A', { lessons: 0 }) }], begun)
  assert.deepEqual([empty.learning.captured, empty.learning.hasNews], [0, undefined])
})
