/** A sample: `npm run test:power` cuts much more often, at random moments. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutPower } from './cut.ts'
import { scenes } from './scenes.ts'

const moments = [500, 1000, 1500, 2200, 3000]

for (const mode of Object.keys(scenes))
  test(`power cuts in a run ${mode}: HEAD can be read, what was said to pass is there, and the next run ends as without the cut`, async (t) => {
    const found = await cutPower(mode, moments)
    if (found === null && process.env['CI'] === undefined)
      return t.skip('needs root and loop devices, to mount a file system in a file')
    assert.ok(found !== null, 'a file system in a file cannot be mounted here: that needs root and loop devices')
    const wrong = found.filter(({ problems }) => problems.length > 0)
    assert.deepEqual(
      wrong.map(({ cut, problems, printed }) => `${cut}: ${problems.join('; ')}\n${printed}`),
      [],
    )
  })
