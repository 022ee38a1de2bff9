/** kill -9 of Ralph while the work of a failed story is put aside: the next `ralph run` finishes it, and nothing is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failingSketch, failureBranches, linesOf, pictureOf } from './support/failing.ts'
import { sampleOf } from './support/long.ts'
import { eventsOf } from './support/loop.ts'
import { runAndDie, runOf, survivors } from './support/processes.ts'
import { makeProject, type TestProject } from './support/project.ts'

/** S-1 fails while its user has things of each kind lying about; S-2 passes after it. */
function busyProject(): TestProject {
  const project = makeProject({
    ...failingSketch,
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    files: { 'a.txt': 'old\n', 'b.txt': 'old\n', '.gitignore': '*.env\n' },
  })
  project.write('a.txt', 'staged\n')
  project.git('add', 'a.txt')
  for (const name of ['b.txt', 'notes.txt', 'key.env']) project.write(name, 'mine\n')
  return project
}

const calm = undisturbed()

test('killed at any event around the failure and run again, a run ends as if nothing had happened [R-ESC-2, R-ITER-4]', async () => {
  const { expected, kinds } = await calm
  const first = kinds.lastIndexOf('iteration.judged', kinds.indexOf('story.failed')) + 1
  const last = kinds.indexOf('iteration.started', first) + 1
  assert.deepEqual(kinds.slice(first, last - 3), ['iteration.settled', 'story.failed', 'story.put-aside'])
  const places = Array.from({ length: last - first + 1 }, (_, index) => `event ${first + index}`)
  assert.deepEqual(await problemsAt(places, expected, places.length), [])
})

test('killed between two changes to files, refs or processes after the failure is decided, it does too [R-ESC-2, R-ITER-4]', async () => {
  const { expected } = await calm
  // A run makes about 60 of them until the next story begins; each git process is one.
  const all = Array.from({ length: 60 }, (_, index) => `story.failed ${1 + index}`)
  const places = sampleOf(all, 4)
  assert.deepEqual(await problemsAt(places, expected, 0.8 * places.length), [])
})

test('killed twice on the way, it does too [R-ESC-2, R-ITER-4]', async (t) => {
  const { expected } = await calm
  const project = busyProject()
  t.after(project.remove)
  assert.equal((await runAndDie(project, 'story.failed 25')).signal, 'SIGKILL')
  assert.equal((await runAndDie(project, 'run.resumed 30')).signal, 'SIGKILL')
  await project.run('run')
  assert.deepEqual(endOf(project), expected)
})

/** What every disturbed run is compared with. */
async function undisturbed() {
  const project = busyProject()
  try {
    const before = pictureOf(project)
    const { code, out } = await project.run('run')
    assert.equal(code, 1, out)
    const expected = endOf(project)
    assert.deepEqual(
      [expected.picture.index.filter((line) => !line.includes('S-2')), withoutNew(expected.picture.files)],
      [before.index, before.files],
    )
    return { expected, kinds: project.kinds() }
  } finally {
    project.remove()
  }
}

const withoutNew = ({ 'S-2.txt': _new, ...files }: Record<string, string>) => files

/** What is wrong with the end after each of these kills; so many must have hit. */
async function problemsAt(places: string[], expected: ReturnType<typeof endOf>, fewest: number): Promise<string[]> {
  const left = [...places]
  const problems: string[] = []
  let kills = 0
  const worker = async (): Promise<void> => {
    for (let place = left.shift(); place !== undefined; place = left.shift()) {
      const project = busyProject()
      try {
        if ((await runAndDie(project, place)).signal !== 'SIGKILL') continue // it had ended before
        kills++
        const again = await project.run('run')
        problems.push(...problemsOf(project, again.out + again.err, expected).map((problem) => `killed at ${place}: ${problem}`))
      } finally {
        project.remove()
      }
    }
  }
  await Promise.all([worker(), worker()])
  assert.ok(kills >= fewest, `only ${kills} kills`)
  return problems
}

function problemsOf(project: TestProject, printed: string, expected: ReturnType<typeof endOf>): string[] {
  const problems: string[] = []
  try {
    assert.deepEqual(endOf(project), expected)
  } catch (error) {
    problems.push(`${(error as Error).message}\n${printed}`)
  }
  return [...problems, ...survivors(runOf(project)).map(({ command }) => `still runs: ${command}`)]
}

/** What the user has in the end. */
function endOf(project: TestProject) {
  const branches = failureBranches(project)
  return {
    outcome: eventsOf(project, 'run.ended').map(({ outcome, because }) => `${outcome}: ${because}`),
    passing: project.passing(),
    failed: (project.plan().userStories[0]!['failed'] as { branch: string } | undefined)?.branch === branches[0],
    asides: eventsOf(project, 'story.put-aside').map(({ how }) => how),
    picture: pictureOf(project),
    commits: linesOf(project.git('log', '--format=%s', '--reverse', 'main')).filter((subject) => !subject.startsWith('chore')),
    branches: branches.map((branch) => ({
      commits: linesOf(project.git('log', '--format=%s', '--reverse', branch)),
      files: project.git('ls-tree', '-r', branch, '--', 'code', 'S-1.bad', 'a.txt', 'b.txt', 'notes.txt', 'key.env'),
      hasState: project.git('ls-tree', '--name-only', branch, '--', '.ralph/thing/state.md') !== '',
    })),
    report: /^- Branch: wip\/ralph-fail-S-1-/m.test(project.read('.ralph/thing/report.md')),
  }
}
