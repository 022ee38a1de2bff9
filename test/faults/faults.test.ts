/** The recorded points are those of a run, and a sample of the walks in every mode: `npm run test:faults` walks them all. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { sampleOf, spread } from '../support/long.ts'
import { endOf, eventsOf } from '../support/loop.ts'
import { under } from './scene.ts'
import { sequential } from './scenes/sequential.ts'
import { scenes } from './scenes.ts'
import { type Undisturbed, undisturbed, type Walk, walk, walksOf } from './walk.ts'

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'points.json'), 'utf8')) as string[]

let calm: Undisturbed
before(async () => {
  calm = await undisturbed(sequential)
})

test('every point at which a run changes the world is on the list: npm run test:faults -- --record makes it anew', async () => {
  assert.deepEqual(calm.points.toSorted(), recorded.toSorted())
})

for (const scene of scenes)
  test(`killed, refused or torn at any point, and typed again, what the scene "${scene.name}" does loses nothing and does nothing twice [R-ITER-4] [R-FILE-2]`, async () => {
    const without = scene === sequential ? calm : await undisturbed(scene)
    const left = spread(walksOf(without), scene === sequential ? 8 : 2)
    const wrong: string[] = []
    const worker = async (): Promise<void> => {
      for (let next: Walk | undefined = left.shift(); next !== undefined; next = left.shift()) {
        const { how, point } = next
        const { isHit, problems, printed } = await walk(next, without)
        const found = isHit || scene.isUnordered ? problems : [...problems, 'never came there']
        wrong.push(...found.map((problem) => `${how} at ${point}: ${problem}\n${printed}`))
      }
    }
    await Promise.all([worker(), worker()])
    assert.deepEqual(wrong, [])
  })

test('where every write, rename, flush or start of a process is slow, a run ends no other way', async (t) => {
  for (const kind of sampleOf(['write', 'rename', 'fdatasync', 'start'], 2)) {
    const project = sequential.make()
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
