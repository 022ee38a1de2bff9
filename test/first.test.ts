import assert from 'node:assert/strict'
import { test } from 'node:test'
import { projectFor } from './support/project.ts'

test('two stories are worked through, proven by the gate, and the run ends complete', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], config: { gates: { tests: 'test -f S-1.txt' } } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  assert.match(out, /Exit: +COMPLETE \(code 0\)/)
  assert.equal(project.git('status', '--porcelain'), '')
})
