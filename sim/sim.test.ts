import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKnownNow } from '../src/core/evolve/older-events.ts'
import { replay, runIn } from '../src/core/replay/replay.ts'
import type { Event, Policy } from '../src/core/types.ts'
import { problemsOf } from '../test/support/json-schema.ts'
import { eventsSchema } from '../tools/events-schema.ts'
import { type Journey, journeyOf } from './world.ts'

const sound = (seed: number): Promise<Journey> =>
  journeyOf(seed).catch((error: Error) => assert.fail(`seed ${seed}: ${error.message}\n  node sim/main.ts --seed ${seed}`))

const breaksNothing = async (seed: number): Promise<void> => {
  await sound(seed)
}

/** Of the first worlds, for the tests that look at what happened in them. */
const journeys: Journey[] = []

test('1,000 worlds break no invariant', async () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const journey = await sound(seed)
    if (seed <= 200) journeys.push(journey)
  }
})

test('the same seed gives the same log, byte for byte', async () => {
  for (const [index, { log }] of journeys.slice(0, 50).entries())
    assert.equal((await journeyOf(index + 1)).log.join('\n'), log.join('\n'))
})

test('any run of any world, replayed with its own settings, comes to exactly the recorded decisions and state', () => {
  for (const { where, before, recorded } of runsOf(journeys)) {
    const played = replay(before, recorded, (policy) => policy)
    assert.equal(played.split, undefined, where)
    assert.deepEqual(asWritten(played.decisions), asWritten(recorded.filter((event) => 'because' in event)), where)
    assert.deepEqual(asWritten(played.replayed), asWritten(played.recorded), where)
  }
})

test('in any world, other settings are kept to, and there is one end at most', () => {
  const changes: Partial<Policy>[] = [
    { maxIterations: 2 },
    { maxIterations: 99 },
    { maxStuck: 1, maxAttempts: 1, maxRetries: 0 },
    { gates: [], review: { final: [] }, learn: undefined },
    { decide: 'park', onLimit: 'exit', baseline: 'tolerate' },
    { budget: { costUsd: 0.02, tokens: null, durationMs: 600_000 } },
  ]
  for (const { where, before, recorded } of runsOf(journeys.slice(0, 50))) {
    for (const change of changes) {
      const played = replay(before, recorded, (policy) => ({ ...policy, ...change }))
      const how = `${where}, ${JSON.stringify(change)}`
      const ends = played.decisions.filter(({ kind }) => kind === 'run.ended').length
      assert.equal(ends, played.end.kind === 'ended' ? 1 : 0, how)
      assert.ok(played.replayed.used <= played.replayed.policy.maxIterations, how)
    }
  }
})

test('every event of 200 worlds fits the schema, field by field', () => {
  const { $defs } = eventsSchema()
  const kinds = new Set<string>()
  const wrong = new Set<string>()
  for (const [index, { log }] of journeys.entries())
    for (const line of log) {
      const event = JSON.parse(line) as Event
      kinds.add(event.kind)
      for (const problem of problemsOf(event, { $ref: `#/$defs/${event.kind}` }, $defs, event.kind))
        wrong.add(`seed ${index + 1}: ${problem}`)
    }
  assert.deepEqual([...wrong].slice(0, 5), [])
  assert.ok(kinds.size > 30, `only ${kinds.size} kinds were seen`)
})

test('what the user wrote to the agents’ file while Ralph was dead is there after its story was put aside', () =>
  breaksNothing(4209))

test('what is there when Ralph dies before an agent has written anything is the user’s', () => breaksNothing(4598))

test('a fix in a file that the user has uncommitted counts once the user has committed it', () => breaksNothing(9689))

test('the held-out check may be only in the second run of the gates', () => breaksNothing(3560))

test('a held-out check that fails is never known from before the run', () => breaksNothing(7344))

test('a call that was asked for before the provider was away for good changes nothing', () => breaksNothing(5142))

test('a skipped story whose work cannot be moved to a branch stays as it is; once a person retries it, it is finished', async () => {
  const { log, outcomes } = await journeyOf(1955)
  const ofRuns = (run: string): string => log.filter((line) => line.includes(`"run":"${run}"`)).join('\n')
  assert.match(ofRuns('calm'), /"kind":"story.put-aside".*"how":"kept".*"problem":/)
  assert.match(ofRuns('retried'), /"kind":"iteration.judged".*"passed":\["S1"\]/)
  assert.equal(outcomes.at(-1), 'complete')
})

test('a fix in a file that the user wrote while Ralph was dead counts once the user has committed it', () => breaksNothing(13920))

test('a suspicion that the cross-examination clears does not spare a story its held-out check', () => breaksNothing(12184))

test('a story that begins again with older commits gives back the user’s file as it was before them', () => breaksNothing(20866))

test('an agent that stands in for the named one does not go on in its session', () => breaksNothing(8426))

test('a review that was under way when its story was retried goes on from the one before', () => breaksNothing(7634))

test('a finding that a person dismisses while a reviewer works does not count in its answer', () => breaksNothing(16168))

test('a story whose last attempt was failed by the run before gets another one when a person retries it', async () => {
  const { log, outcomes } = await journeyOf(23943)
  assert.ok(log.some((line) => /"run":"calm".*"kind":"story.failed"/.test(line)))
  assert.deepEqual(outcomes.slice(-2), ['stories-failed', 'complete'])
})

const asWritten = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function runsOf(worlds: Journey[]): ({ where: string } & NonNullable<ReturnType<typeof runIn>>)[] {
  return worlds.flatMap(({ log }, index) => {
    const events = log.map((line) => asKnownNow(JSON.parse(line) as Event))
    const names = [...new Set(events.map(({ run }) => run))]
    return names.map((name) => ({ where: `seed ${index + 1}, run ${name}`, ...runIn(events, name)! }))
  })
}
