import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, finishes, verdictsOf } from './support/loop.ts'
import { projectFor } from './support/project.ts'

/** Claude Code allows `Bash(mvn *)` and denies `mvn x 2>&1 | tail`: one command of a pipe is not on the list. */
test('a denied command is told of and recorded, and halts nothing: the agent has other ways (D01)', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { otherwise: [{ deny: 'Bash' }, { deny: 'Bash' }, ...finishes] },
    config: { claude: { allowed_tools: 'Bash(mvn *)' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['done, made', 'done, made'])
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ signals }) => signals),
    Array(2).fill([{ kind: 'permission-denied', tool: 'Bash' }]),
  )
  assert.match(out, /^ {2}! the agent was denied Bash$/m)
  assert.equal(project.kinds().includes('breaker.changed'), false)
})

test('a run that denied tools have stopped says to allow them [R-CB-2]', async (t) => {
  const project = projectFor(t, { script: { otherwise: [{ deny: 'Bash' }, { say: 'I may not run anything.' }] } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 4, out)
  assert.match(
    out,
    /^Next: +ralph run --reset-circuit {2}# first allow the denied tools \(most agents: claude\.allowed_tools\)$/m,
  )
})
