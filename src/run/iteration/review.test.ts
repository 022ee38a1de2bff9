import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, anEndedFlight } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { ReviewEnded } from '../../core/types/results.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import { runReview, saveWhole, wholeKey } from './review.ts'

const answer = (verdict: string, more = {}): string =>
  JSON.stringify({ verdict, reason: 'because', missing: [], extra: [], ...more }).replaceAll('"', '\\"')

async function reviewed(
  script: string,
  prepare: (test: TestWorld) => Promise<void> | void = () => {},
): Promise<ReviewEnded & { test: TestWorld }> {
  const test = await aWorld({ settings: { agent: { name: 'mine', command: ['sh', '-c', script] } } })
  await prepare(test)
  const flight = anEndedFlight(anEnd(1, { flips: ['S-1'] }), { story: 'S-1' })
  const state = { ...test.state(), flights: [flight] }
  const started = {
    kind: 'review.started',
    iteration: 1,
    review: 'spec',
    story: 'S-1',
    agent: 'mine',
    call: 2,
    because: '',
  } as const
  return { ...(await runReview(test.world, started, { ...test.deed(), state })), test }
}

test('a reviewer that lets the story pass is one more green result', async () => {
  const { result, exit, problem } = await reviewed(`cat > /dev/null; echo "${answer('pass')}"`)
  assert.deepEqual([exit, problem, result?.passed, result?.name, result?.story], ['ok', undefined, true, 'spec', 'S-1'])
})

test('a reviewer that misses something is a red result with what it misses', async () => {
  const { result } = await reviewed(`cat > /dev/null; echo "${answer('fail', { missing: ['no test for login'] })}"`)
  assert.equal(result?.passed, false)
  assert.match(result?.output ?? '', /no test for login/)
})

test('an answer that cannot be read is no result, and says why', async () => {
  const { result, problem } = await reviewed('cat > /dev/null; echo "looks good to me"')
  assert.equal(result, undefined)
  assert.match(problem ?? '', /no valid JSON object with a "verdict"/)
})

test('a reviewer whose program fails is told by its error, not by its missing answer', async () => {
  const { problem } = await reviewed('cat > /dev/null; echo "Error: no key"; exit 1')
  assert.equal(problem, 'The reviewer failed: Error: no key')
})

test('a reviewer that changes files is not heard, whatever it answers', async () => {
  const { result, test } = await reviewed(`cat > /dev/null; echo x > sneaked.txt; echo "${answer('pass')}"`)
  assert.equal(result?.passed, false)
  assert.match(result?.output ?? '', /changed files in its checkout \(sneaked\.txt\)/)
  assert.equal(test.place.sh('status', '--porcelain'), '')
})

test('a reviewer beside which somebody changes the settings of agents is no judge: it is asked again [R-PROOF-6]', async () => {
  const script = `cat > /dev/null; mkdir -p "$HOME/.claude"; echo '{}' > "$HOME/.claude/settings.json"; echo "${answer('pass')}"`
  const { result, problem, test } = await reviewed(script)
  assert.equal(result, undefined)
  assert.match(
    problem ?? '',
    /\.claude\/settings\.json changed while the reviewer worked, so it may not have reached your provider/,
  )
  assert.match(test.noticed('agent-settings-restored').join(), /settings\.json was added/)
})

test('a reviewer is shown what the story changed since it began', async () => {
  const { result } = await reviewed(
    `if grep -q 'brand new line'; then echo "${answer('pass')}"; else echo none; fi`,
    async (test) => {
      await test.place.git.save(beginningOf(test.world, null), [])
      test.place.write({ 'a.txt': 'brand new line\n' })
      commitAll(test.place, 'work')
    },
  )
  assert.equal(result?.passed, true)
})

test('a reviewer knows in which role it is called', async () => {
  const script = `cat > /dev/null; test "$RALPH_ROLE $RALPH_REVIEW $RALPH_STORY $RALPH_TRY" = "reviewer spec S-1 1" && echo "${answer('pass')}"`
  assert.equal((await reviewed(script)).result?.passed, true)
})

test('where a reviewer will look at the whole, the feature’s beginning is kept once for all its runs', async () => {
  const { world, place, state } = await aWorld()
  await saveWhole(world, { ...state(), run: '' })
  const saved = await place.git.savedAt(wholeKey(world))
  assert.ok(saved)
  place.write({ 'a.txt': '1\n' })
  commitAll(place, 'later')
  await saveWhole(world, state())
  assert.equal(await place.git.savedAt(wholeKey(world)), saved)
})
