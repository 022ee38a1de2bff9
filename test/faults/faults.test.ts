/** The recorded points are those of a run, and a sample of the walks over them: `npm run test:faults` walks them all. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { sampleOf, spread } from '../support/long.ts'
import { endOf, eventsOf } from '../support/loop.ts'
import { makeScenario, under } from './scenario.ts'
import { type Undisturbed, undisturbed, type Walk, walk, walksOf } from './walk.ts'

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'points.json'), 'utf8')) as string[]
let calm: Undisturbed

before(async () => {
  calm = await undisturbed()
})

test('every point at which a run changes the world is on the list that is walked: npm run test:faults -- --record makes it anew', () => {
  assert.deepEqual(calm.points.toSorted(), recorded.toSorted())
})

test('killed, refused or torn at any point, and run again, a run loses nothing and does nothing twice [R-ITER-4] [R-FILE-2]', async () => {
  const left = spread(walksOf(recorded), 12)
  const wrong: string[] = []
  const worker = async (): Promise<void> => {
    for (let next: Walk | undefined = left.shift(); next !== undefined; next = left.shift()) {
      const { isHit, problems, printed } = await walk(next, calm)
      const found = isHit ? problems : [...problems, 'never came there']
      wrong.push(...found.map((problem) => `${next!.how} at ${next!.point}: ${problem}\n${printed}`))
    }
  }
  await Promise.all([worker(), worker()])
  assert.deepEqual(wrong, [])
})

test('where every write, rename, flush or start of a process is slow, a run ends no other way', async (t) => {
  for (const kind of sampleOf(['write', 'rename', 'fdatasync', 'start'], 2)) {
    const project = makeScenario()
    t.after(project.remove)
    const { code, out, err } = await under(project, { slow: { kind, ms: 30 } }, 'run')
    assert.equal(code, 3, out + err)
    assert.equal(endOf(project).outcome, 'question')
    assert.deepEqual(
      eventsOf(project, 'story.put-aside').map(({ how }) => how),
      ['reset'],
    )
  }
})
