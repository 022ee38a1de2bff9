/** kill -9 of Ralph at every kind of event of a run, or every event: the next `ralph run` reaches the end that the undisturbed run reaches. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventOf, Event as LogEvent } from '../src/core/types.ts'
import { isLong, sampleOf } from './support/long.ts'
import { runAndDie, runOf, survivors } from './support/processes.ts'
import { makeProject, type ProjectSketch, projectFor, type TestProject } from './support/project.ts'

/** A refused flip, a story that takes two attempts, work left for Ralph to commit, a refused and an accepted claim. */
const sketch: ProjectSketch = {
  stories: [{ id: 'S-1' }, { id: 'S-2' }],
  config: { gates: { tests: 'test ! -f broken' } },
  script: {
    stories: {
      'S-1': [
        [{ write: { path: 'broken', text: 'x\n' } }, { commit: 'feat: half of S-1' }, { flip: 'S-1' }, { say: 'Done.' }],
        [
          { run: 'git rm -q --ignore-unmatch broken' },
          { write: { path: 'one.txt', text: '1\n' } },
          { flip: 'S-1' },
          { say: 'Mended.' },
        ],
      ],
      'S-2': [
        [{ write: { path: 'two.txt', text: '1\n' } }, { commit: 'feat: half of S-2' }, { say: '<promise>COMPLETE</promise>' }],
        [{ write: { path: 'two.txt', text: '2\n' } }, { flip: 'S-2' }, { say: 'Now.\n\n<promise>COMPLETE</promise>' }],
      ],
    },
  },
}

const calm = undisturbed()

test('killed at an event of any kind of its log and run again, a run ends as if nothing had happened [R-ITER-4, X09, T45, E08]', async () => {
  const { kinds, expected } = await calm

  const hit = new Set<string>()
  const wrong: string[] = []
  const chosen = [...kinds.entries()].filter(([index, kind]) => isLong || kinds.indexOf(kind) === index)
  await inTurn(chosen, async ([index, kind]) => {
    const { last, problems } = await killedAndRunAgain(`event ${index + 1}`, expected)
    hit.add(last)
    wrong.push(...problems.map((problem) => `killed at event ${index + 1}, ${kind}: ${problem}`))
  })
  assert.deepEqual(wrong, [])
  assert.deepEqual([...hit].sort(), [...new Set(kinds)].sort())
})

test('killed between two changes to files, locks or processes, it does too [R-ITER-4]', async () => {
  const { expected } = await calm
  const wrong: string[] = []
  let kills = 0
  const deeds = Array.from({ length: 190 }, (_, index) => index + 1) // a run makes about that many
  const chosen = sampleOf(deeds, 6)
  await inTurn(chosen, async (deed) => {
    const { last, problems } = await killedAndRunAgain(`deed ${deed}`, expected)
    kills += last === '' ? 0 : 1
    wrong.push(...problems.map((problem) => `killed at deed ${deed}, after ${last}: ${problem}`))
  })
  assert.deepEqual(wrong, [])
  assert.ok(kills > 0.8 * chosen.length, `only ${kills} kills`)
})

for (const [word, exit, file] of [
  ['BLOCKED:no key', 2, 'blocked.txt'],
  ['DECIDE:red or blue?', 3, 'decide.txt'],
] as const) {
  test(`killed after ${word.split(':')[0]} is in the log and before the last files are written, the next run writes them and refuses [R-HUM-1, R-HUM-2]`, async (t) => {
    const project = projectFor(t, { script: { otherwise: [{ say: `<promise>${word}</promise>` }] } })
    const events = 8 // started, call (2), iteration (4), ended
    assert.equal((await runAndDie(project, `event ${events}`, '--no-archive')).signal, 'SIGKILL')
    assert.equal(project.kinds().at(-1), 'run.ended')
    assert.equal(project.has(`.ralph/thing/${file}`), file === 'decide.txt') // a question is there as soon as it is asked
    assert.equal(project.has('.ralph/thing/report.md'), false)
    const { code, err } = await project.run('run')
    assert.equal(code, exit, err)
    assert.match(project.read(`.ralph/thing/${file}`), new RegExp(word.split(':')[1]!.replace('?', '\\?')))
    assert.equal(project.kinds().length, events)
    assert.match(project.read('.ralph/thing/logs/summary.csv'), /^1,implement,.*,S-1,(blocked|question),/m)
  })
}

/** What every disturbed run is compared with. */
async function undisturbed(): Promise<{ kinds: string[]; expected: Record<string, string> }> {
  const project = makeProject(sketch)
  try {
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out + err)
    assert.deepEqual(
      project.events().flatMap((event) => (event.kind === 'iteration.judged' ? [`${event.verdict} ${event.claim}`] : [])),
      ['failed none', 'done none', 'worked refused', 'done accepted'],
    )
    return { kinds: project.kinds(), expected: endOf(project) }
  } finally {
    project.remove()
  }
}

async function killedAndRunAgain(at: string, expected: Record<string, string>): Promise<{ last: string; problems: string[] }> {
  const project = makeProject(sketch)
  try {
    const killed = await runAndDie(project, at, '--no-archive')
    if (killed.signal !== 'SIGKILL' && at.startsWith('deed')) return { last: '', problems: [] } // it had ended before
    assert.equal(killed.signal, 'SIGKILL', `it was to die at ${at}: ${killed.out}${killed.err}`)
    const last = project.has('.ralph/thing/events.jsonl') ? (project.kinds().at(-1) ?? 'nothing') : 'nothing'
    const again = await project.run('run', '--no-archive')
    if (again.code !== 0) return { last, problems: [`exit ${again.code}: ${again.out}${again.err}`] }
    return { last, problems: [...differences(endOf(project), expected), ...lostOrDoubled(project)] }
  } finally {
    project.remove()
  }
}

/** A few at once: most of a run's time is waiting. */
async function inTurn<T>(list: T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...list]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all([worker(), worker(), worker()])
}

/** What the user has in the end. */
function endOf(project: TestProject): Record<string, string> {
  return {
    passing: project.passing().join(),
    files: project.git('ls-tree', '-r', '--name-only', 'HEAD'),
    two: project.git('show', 'HEAD:two.txt'),
    status: project.git('status', '--porcelain'),
    // An agent whose iteration was lost may commit the same again; what Ralph commits comes once (below).
    work: [...new Set(project.git('log', '--format=%s', '--reverse', '--grep=^feat').split('\n'))].join('\n'),
  }
}

const differences = (found: Record<string, string>, expected: Record<string, string>): string[] =>
  Object.keys(expected).flatMap((key) => differ(key, [found[key]!], [expected[key]!]))

/** Every way in which the log, the repository and the views can contradict each other. */
function lostOrDoubled(project: TestProject): string[] {
  const events = project.events()
  const of = <K extends LogEvent['kind']>(kind: K) => events.filter((event): event is EventOf<K> => event.kind === kind)
  const settled = of('iteration.settled')
  const commits = [...of('iteration.ended'), ...settled].flatMap((event) => event.commits)
  const history = project.git('rev-list', 'HEAD').split('\n')
  const numbers = of('iteration.started').map((event) => String(event.iteration))
  const rows = project.read(`.ralph/thing/logs/summary.csv`).trim().split('\n').slice(1)
  const entries = project.read('.ralph/thing/progress.txt').split('\n---\n').slice(1)
  const receipts = JSON.parse(project.read('.ralph/thing/report.json')).receipts as Record<string, { commits: string[] }>
  const withWork = project.git('log', '--format=%H', '--grep=^feat').split('\n')
  return [
    ...commits.filter((commit) => !history.includes(commit)).map((commit) => `commit ${commit} is not on the branch`),
    ...twice(project.git('log', '--format=%s', '--grep=^feat: S-').split('\n')).map((subject) => `committed twice: ${subject}`),
    ...twice(numbers).map((number) => `iteration ${number} twice`),
    ...twice(settled.map((event) => String(event.iteration))).map((number) => `iteration ${number} settled twice`),
    ...differ(
      'rows of summary.csv',
      rows.map((row) => row.split(',')[0]!),
      numbers,
    ),
    ...differ(
      'entries of progress.txt',
      entries.filter((entry) => !isClosing(entry)).map((entry) => /^Iteration: (\d+)/.exec(entry)![1]!),
      numbers,
    ),
    ...differ(
      'closing entries',
      entries.filter(isClosing).map((entry) => /^Status: (.+)$/m.exec(entry)![1]!),
      ['ALL STORIES COMPLETE'],
    ),
    ...withWork.filter((commit) => !commits.includes(commit)).map((commit) => `${commit} is in no event`),
    ...Object.entries(receipts)
      .filter(([, { commits: proven }]) => proven.length === 0)
      .map(([id]) => `the receipt of ${id} has no commit`),
    ...survivors(runOf(project)).map(({ command }) => `still runs: ${command}`),
  ]
}

/** It ends the run, and is about no story. */
const isClosing = (entry: string): boolean => /^Story: N\/A( - All complete)?$/m.test(entry)

const twice = (list: string[]): string[] => list.filter((item, index) => list.indexOf(item) !== index)
const differ = (what: string, found: string[], expected: string[]): string[] =>
  found.join() === expected.join() ? [] : [`${what}: ${found.join()} instead of ${expected.join()}`]
