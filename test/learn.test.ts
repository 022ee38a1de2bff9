import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commits, finishes, idles } from './support/loop.ts'
import { projectFor, type TestProject } from './support/project.ts'

/** progress.txt by its entries, with what differs from run to run made alike. */
const entriesOf = (project: TestProject): string[] =>
  project
    .read('.ralph/thing/progress.txt')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/Commit: [0-9a-f]{7}/g, 'Commit: <hash>')
    .split('\n---\n')
    .map((entry) => entry.trim())

test('progress.txt has a header, an entry for each iteration in the fixed format, and a closing one [R-LEARN-1]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', title: 'Log in' }],
    script: {
      iterations: [
        idles,
        [
          ...commits('src/login.ts'),
          { write: { path: 'src/login.test.ts', text: "test('lets me in', () => {})\nit('keeps others out', () => {})\n" } },
          ...finishes.slice(2), // the tests are left uncommitted: Ralph commits them
        ],
      ],
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(entriesOf(project), [
    '# Progress Log: thing\n# Started: <time>',
    'Iteration: 1\nDate: <time>\nStory: S-1 - Log in\nStatus: in progress\nSummary: Looked around.',
    [
      'Iteration: 2',
      'Date: <time>',
      'Story: S-1 - Log in',
      'Status: complete',
      'Summary: It is there.',
      'Files Changed:',
      '  - src/login.ts',
      '  - src/login.test.ts',
      'Tests Added:',
      '  - lets me in',
      '  - keeps others out',
      'Commit: <hash>',
    ].join('\n'),
    'Iteration: 2\nDate: <time>\nStory: N/A - All complete\nStatus: ALL STORIES COMPLETE\nSummary: every story passes; no gate is configured to check it\nOutput: COMPLETE (exit 0)',
  ])
  const hashes = project.read('.ralph/thing/progress.txt').match(/(?<=Commit: )\w+/g)
  assert.deepEqual(hashes, [project.git('log', '--format=%h', '--abbrev=7', '-1', '--', 'src/login.test.ts')])
})

test("the agent's own entry is not written again [R-LEARN-1]", async (t) => {
  const own = '\n---\nIteration: 1\nDate: today\nStory: S-1 - Story S-1\nStatus: complete\nLearnings:\n  - the hinges squeak\n'
  const project = projectFor(t, {
    script: { otherwise: [{ append: { path: '.ralph/thing/progress.txt', text: own } }, ...finishes] },
  })
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  const entries = entriesOf(project)
  assert.equal(entries.filter((entry) => entry.startsWith('Iteration: 1') && !entry.includes('Story: N/A')).length, 1)
  assert.ok(entries.some((entry) => entry.includes('the hinges squeak')))
})

test('a refused story says why in its entry, and the memory goes on over runs without a second header [R-LEARN-1]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [[{ flip: 'S-1' }, { say: 'Done.' }], finishes] },
    config: { gates: { tests: 'test -f S-1.txt || { echo looking; echo "Error: S-1.txt is not there"; exit 1; }' } },
  })
  await project.run('run', '-n', '1')
  await project.run('run', '--no-archive')
  const entries = entriesOf(project)
  assert.match(
    entries[1]!,
    /Status: failed \(Agent marked S-1 done, but tests failed\)\n.*\nLearnings:\n {2}- tests: Error: S-1\.txt is not there$/s,
  )
  assert.equal(project.read('.ralph/thing/progress.txt').match(/# Progress Log/g)?.length, 1)
  assert.deepEqual(
    entries.map((entry) => /^Iteration: \d+/.exec(entry)?.[0] ?? 'header'),
    ['header', 'Iteration: 1', 'Iteration: 1', 'Iteration: 2', 'Iteration: 2'],
  )
})

test('the memory is committed with the end of the run [R-LEARN-1]', async (t) => {
  const project = projectFor(t)
  await project.run('run', '--no-archive')
  assert.equal(project.git('show', 'HEAD:.ralph/thing/progress.txt'), project.read('.ralph/thing/progress.txt').trimEnd())
  assert.equal(project.git('status', '--porcelain'), '')
})
