/** Several stories at once, with reviewers, a sandbox and a project that is a part of its repository. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { projectFor, ralphProgram, type Steps } from './support/project.ts'
import { leftovers, meet, nothingLeft, work } from './support/together.ts'

const verdict = (answer: object): string =>
  JSON.stringify({ missing: [], extra: [], reason: 'Looked.', verdict: 'pass', ...answer })

test('a reviewer sees the diff of its own story in its own worktree, and what it refuses does not land', async (t) => {
  const look = (id: string, other: string): Steps => [
    { expect: { prompt: `\\+of ${id}` } },
    { run: `test -e ${id}.txt && test ! -e ${other}.txt` },
    { say: verdict({}) },
  ]
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { review: { enabled: true } },
    script: {
      stories: {
        'S-1': [work('S-1', meet('S-1', 'S-2')), [{ write: { path: 'more.txt', text: 'more\n' } }, ...work('S-1')]],
        'S-2': [work('S-2', meet('S-2', 'S-1'))],
      },
      reviews: {
        'S-1': [[{ say: verdict({ verdict: 'fail', missing: ['the half of it'], reason: 'No.' }) }], [{ say: verdict({}) }]],
        'S-2': [look('S-2', 'S-1')],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /S-1 ✗ spec review failed/)
  assert.deepEqual(
    project.events().flatMap((event) => (event.kind === 'landing.started' ? [event.story] : [])),
    ['S-2', 'S-1'],
  )
  assert.equal(project.git('ls-files', ':(glob)*.txt'), 'S-1.txt\nS-2.txt\nmore.txt')
  assert.deepEqual(leftovers(project), nothingLeft)
})

test('shut in a sandbox, each agent writes to its own worktree, and only reads the project itself', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { sandbox: { kind: 'bwrap' }, gates: { tests: 'true' } },
    script: { otherwise: [{ run: 'echo x > "$OUTSIDE/README.md" 2>/dev/null; true' }, ...work('$RALPH_STORY')] },
  })
  Object.assign(project.env, { OUTSIDE: project.root })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.read('README.md'), '# A project\n')
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
})

test('a project in a folder of its repository works in the same folder of the worktree', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], files: { 'part/.ralph/thing/prompt.md': 'Do it.\n' } })
  mkdirSync(project.path('part'), { recursive: true })
  project.git('mv', '.ralph/thing/prd.json', 'part/.ralph/thing/prd.json')
  project.git('mv', '.ralph/config.yaml', 'part/.ralph/config.yaml')
  project.git('mv', '.ralph/agent.json', 'part/.ralph/agent.json')
  project.git('rm', '-rq', '.ralph')
  project.git('commit', '-qm', 'a part')
  const args = [ralphProgram, 'run', '--parallel', '2', '--no-archive']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project.path('part'),
    env: project.env,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
  assert.deepEqual(project.git('ls-files', '*S-*.txt'), 'part/S-1.txt\npart/S-2.txt')
  assert.deepEqual(leftovers(project), nothingLeft)
})
