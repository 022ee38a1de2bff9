/** Git's own housekeeping in a run whose agents never commit: Ralph asks for it now and then, beside the next iteration. */

import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectFor } from './support/project.ts'

/** Their ids begin with 17: in that folder git counts, to know whether packing is worth it. */
const files = Object.fromEntries([153, 176, 246, 294].map((n) => [`file-${n}.txt`, `content ${n}\n`]))
const pack = 'git count-objects -v | grep "^packs: 1$"'

test('after 200 iterations without a commit of an agent, git is asked to pack while the next one works', async (t) => {
  const leaves = { run: 'echo "$RALPH_ITERATION" > left.txt' }
  const waits = { run: `[ "$RALPH_ITERATION" -le 200 ] || until ${pack} || [ $((n += 1)) -gt 400 ]; do sleep 0.05; done` }
  const project = projectFor(t, { files, script: { otherwise: [leaves, waits, { say: 'Looked around.' }] } })
  project.git('config', 'gc.auto', '1')

  assert.equal((await project.run('run', '-n', '1')).code, 1)
  const log = join(project.dir, 'events.jsonl')
  writeFileSync(log, readFileSync(log, 'utf8').replace(/"iteration":1(?=[,}])/g, '"iteration":199'))
  rmSync(project.path('.git/ralph-log-copies'), { recursive: true }) // it would tell another story
  assert.equal((await project.run('run', '-n', '2')).code, 1)

  assert.match(project.git('count-objects', '-v'), /^packs: 1$/m)
  const settled = project.events().filter(({ kind }) => kind === 'iteration.settled')
  assert.deepEqual(
    settled.map((event) => 'iteration' in event && event.iteration),
    [199, 200, 201],
  )
})
