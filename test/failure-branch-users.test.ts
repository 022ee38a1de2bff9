/** What the user had uncommitted when a failed story began is there afterwards as it was, whatever the story did to it. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { failingSketch, failureBranches, noBadFiles, pictureOf, spoils } from './support/failing.ts'
import { eventsOf } from './support/loop.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

type Case = {
  what: string
  /** Committed before. */
  files: Record<string, string>
  /** What the user is in the middle of. */
  begun(project: TestProject): void
  /** What the story does to it, besides its own work. */
  spoiled: Steps
  status: string[]
}

const cases: Case[] = [
  {
    what: 'a staged file, changed again after that',
    files: { 'a.txt': 'old\n' },
    begun(project) {
      project.write('a.txt', 'staged\n')
      project.git('add', 'a.txt')
      project.write('a.txt', 'staged\r\nand more') // mixed line ends, and none at the end
    },
    spoiled: [{ write: { path: 'a.txt', text: 'spoiled\n' } }, { run: 'git add a.txt' }],
    status: ['MM a.txt'],
  },
  {
    what: 'unstaged changes, a deleted file among them',
    files: { 'a.txt': 'old\n', 'gone.txt': 'old\n' },
    begun(project) {
      project.write('a.txt', 'mine\n')
      rmSync(project.path('gone.txt'))
    },
    spoiled: [{ append: { path: 'a.txt', text: 'spoiled\n' } }, { write: { path: 'gone.txt', text: 'back\n' } }],
    status: [' M a.txt', ' D gone.txt'],
  },
  {
    what: 'untracked files and folders',
    files: {},
    begun(project) {
      project.write('notes.txt', 'mine\n')
      project.write('deep/er/notes.txt', 'mine\n')
    },
    spoiled: [{ write: { path: 'notes.txt', text: 'spoiled\n' } }, { remove: 'deep' }],
    status: ['?? deep/', '?? notes.txt'],
  },
]

for (const { what, files, begun, spoiled, status } of cases) {
  for (const isTaken of [false, true]) {
    const how = isTaken ? 'that the story committed as its own' : 'that the story changed and left'
    test(`${what}, ${how}: as before, and a question to the user [R-ESC-2]`, async (t) => {
      const steps: Steps = isTaken ? [...spoiled, ...spoils] : [...spoils.slice(0, 3), ...spoiled, ...spoils.slice(3)]
      const project = projectFor(t, { ...failingSketch, files, script: { stories: { 'S-1': [steps] } } })
      begun(project)
      const picture = () => users(pictureOf(project), [...Object.keys(files), 'notes.txt', 'deep/er/notes.txt'])
      const before = picture()
      assert.deepEqual(
        before.status.filter((line) => !line.startsWith('!!')),
        status,
      )
      const { code, out } = await project.run('run')
      assert.equal(code, 3, out)
      assert.deepEqual(picture(), before)
    })
  }
}

/** Without the work of the story. */
const users = ({ files, status }: ReturnType<typeof pictureOf>, names: string[]) => ({
  files: Object.entries(files).filter(([name]) => names.includes(name)),
  status: status.filter((line) => names.some((name) => name.startsWith(line.slice(3)))),
})

test('ignored files stay as they are, and are on no branch [R-ESC-2]', async (t) => {
  const project = projectFor(t, { ...failingSketch, files: { '.gitignore': '*.env\nout/\n' } })
  project.write('key.env', 'KEY=1\n')
  project.write('out/made', 'x')
  const before = pictureOf(project)
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(pictureOf(project), before)
  const [branch] = failureBranches(project)
  assert.deepEqual(project.git('ls-tree', '-r', '--name-only', branch!, '--', 'key.env', 'out'), '')
})

test('a submodule with changes of its own is left alone, and a file of the story in it too [R-ESC-2]', async (t) => {
  const project = projectFor(t, {
    ...failingSketch,
    script: { stories: { 'S-1': [[{ append: { path: 'lib/made.txt', text: 'by the story\n' } }, ...spoils]] } },
  })
  const inner = join(project.root, '..', 'inner')
  project.write('../inner/lib.txt', 'lib\n')
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qm', 'lib'],
  ])
    project.git('-C', inner, ...args)
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib')
  project.git('commit', '-q', '-m', 'with a submodule')
  project.write('lib/lib.txt', 'dirty\n')
  project.write('lib/new.txt', 'untracked\n')
  const before = pictureOf(project)
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  const after = pictureOf(project)
  assert.deepEqual(after, { ...before, files: { ...before.files, 'lib/made.txt': 'by the story\n'.repeat(2) } })
  assert.equal(project.git('-C', 'lib', 'status', '--porcelain'), ' M lib.txt\n?? made.txt\n?? new.txt')
})

test('what the user had uncommitted is also there for the next story, and is not committed with it [R-ESC-2]', async (t) => {
  const project = projectFor(t, { ...failingSketch, stories: [{ id: 'S-1' }, { id: 'S-2' }], files: { 'a.txt': 'old\n' } })
  project.write('a.txt', 'mine\n')
  project.write('notes.txt', 'mine\n')
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(project.passing(), ['S-2'])
  assert.equal(project.git('status', '--porcelain'), ' M a.txt\n?? notes.txt')
  assert.deepEqual([project.read('a.txt'), project.read('notes.txt')], ['mine\n', 'mine\n'])
  const [commit] = eventsOf(project, 'iteration.settled').at(-1)!.commits
  assert.equal(project.git('show', '--format=', '--name-only', commit!), 'S-2.txt')
})

test('a story that was interrupted, and fails in a later run, goes back to where it began [R-ESC-2] [R-ITER-4]', async (t) => {
  const project = projectFor(t, { ...failingSketch, config: { gates: { tests: noBadFiles }, defaults: { max_attempts: 2 } } })
  project.write('notes.txt', 'mine\n')
  const before = pictureOf(project)
  assert.equal((await project.run('run', '-n', '1')).code, 1)
  assert.notDeepEqual(pictureOf(project), before)
  assert.equal((await project.run('run')).code, 1)
  assert.deepEqual(
    eventsOf(project, 'story.put-aside').map(({ how }) => how),
    ['reset'],
  )
  assert.deepEqual(pictureOf(project), before)
})
