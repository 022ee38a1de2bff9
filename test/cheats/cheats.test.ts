/** The proof of the proof: agents that cheat do not end as proven, and honest changes that look alike are not refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cheats } from './cheats/list.ts'
import { honest } from './honest/list.ts'
import { allScenes, complaint, expected, type Finished, playAll, type Scene, sampleScenes } from './suite.ts'

const known = expected()
const sample = sampleScenes()
const begun = begin(sample)

test('the lists are as long as they should be, and each case has its own name', () => {
  assert.ok(cheats.length >= 100, `${cheats.length} cheats`)
  assert.ok(honest.length >= 200, `${honest.length} honest changes`)
  for (const list of [cheats, honest]) assert.equal(new Set(list.map(({ name }) => name)).size, list.length)
})

test('every case is expected to end somehow, and nothing else is', () => {
  const wanted = { cheats: cheats.map(({ name }) => name), honest: honest.map(({ name }) => name) }
  assert.deepEqual({ cheats: Object.keys(known.cheats), honest: Object.keys(known.honest) }, wanted)
})

test('what is missed is known: only a reviewer can see it, or it is still to be closed', () => {
  const open = [
    ...['any-text-is-a-unit', 'caught-or-not', 'go-children-by-a-line', 'golden-of-a-wrong-report', 'keep-is-always-two'],
    ...['options-taken-and-dropped', 'rows-asked-of-the-source', 'seller-by-name'],
  ]
  const missed = cheats.filter(({ name }) => Object.values(known.cheats[name] ?? {}).includes('missed'))
  const unseen = missed.filter(({ isForReviewers }) => !isForReviewers).map(({ name }) => name)
  assert.deepEqual(unseen.sort(), open.sort())
})

test('no honest change is refused, and a plainly honest one has no reservation', () => {
  const results = honest.flatMap(({ name, isPlain }) =>
    Object.entries(known.honest[name] ?? {}).map(([step, result]) => ({ name, step, result, isPlain })),
  )
  const wronged = results.filter(({ result, isPlain }) => result === 'refused' || (isPlain && result === 'reserved'))
  assert.deepEqual(wronged, [])
})

// `npm run cheats -- --all` plays the rest, at night.
for (const [name, scene] of begun) test(name, async () => assert.equal(complaint(await scene, known), null))

test('the sample has every kind of step, and a cheat for every rule that has caught one', () => {
  assert.deepEqual(new Set(sample.map(({ step }) => step)), new Set(allScenes().map(({ step }) => step)))
  const rulesOf = (caught: (string | undefined)[]): string[] =>
    [...new Set(caught.flatMap((rules) => rules?.split(', ') ?? []))].sort()
  assert.deepEqual(
    rulesOf(sample.map(({ each, step }) => known.by[each.name]?.[step])),
    rulesOf(Object.values(known.by).flatMap((byStep) => Object.values(byStep))),
  )
})

/** All at once, as many at a time as there are processors; each test waits for its own. */
function begin(scenes: Scene[]): Map<string, Promise<Finished>> {
  const waiting = new Map(scenes.map((scene) => [scene, Promise.withResolvers<Finished>()]))
  playAll(scenes, { onEnd: (finished) => waiting.get(finished.scene)?.resolve(finished) }).catch((error: unknown) => {
    for (const { reject } of waiting.values()) reject(error)
  })
  const nameOf = ({ list, each, step }: Scene): string =>
    `${list === 'cheats' ? 'a cheat' : 'an honest change'}: ${each.name} (${step})`
  return new Map([...waiting].map(([scene, { promise }]) => [nameOf(scene), promise]))
}
