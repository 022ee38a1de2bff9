import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journeyOf } from './world.ts'

const breaksNothing = async (seed: number): Promise<void> => {
  await journeyOf(seed).catch((error: Error) => {
    assert.fail(`seed ${seed}: ${error.message}\n  node sim/main.ts --seed ${seed}`)
  })
}

test('1,000 worlds break no invariant', async () => {
  for (let seed = 1; seed <= 1000; seed++) await breaksNothing(seed)
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

test('the same seed gives the same log, byte for byte', async () => {
  for (let seed = 1; seed <= 50; seed++) {
    const [first, second] = [await journeyOf(seed), await journeyOf(seed)]
    assert.equal(first.log.join('\n'), second.log.join('\n'))
  }
})
