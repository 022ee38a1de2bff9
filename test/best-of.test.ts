/** `best_of`: several attempts on one story, each in its own worktree; the best lands, and the others are on branches. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sampleOf } from './support/long.ts'
import { endOf, eventsOf, verdictsOf } from './support/loop.ts'
import { runAndDie } from './support/processes.ts'
import { type ProjectSketch, projectFor, type Steps, type TestProject } from './support/project.ts'
import { leftovers } from './support/together.ts'

/** A solution of so many lines, in its own words. */
const solves = (who: string, lines: number, ...more: Steps): Steps => [
  ...more,
  {
    write: { path: 'a.js', text: Array.from({ length: lines }, (_, at) => `export const ${who}${at} = ${at}\n`).join('') },
  },
  { commit: `feat: ${who}` },
  { flip: 'S-1' },
  { say: 'It is there.' },
]
const breaks = (who: string): Steps => solves(who, 1, { write: { path: 'broken', text: 'x\n' } })

function bestOfThree(t: TestContext, attempts: Steps[], { config, ...sketch }: ProjectSketch = {}): TestProject {
  const defaults = { max_attempts: 1, best_of: 3, ...(config?.['defaults'] as object) }
  return projectFor(t, {
    ...sketch,
    config: { gates: { tests: 'test ! -e broken' }, ...config, defaults },
    script: { stories: { 'S-1': attempts } },
  })
}

const timeless = (branches: string[]): string[] => branches.map((branch) => branch.replace(/\d{8}-\d{6}/, 'then'))
const worksOn = (made: TestProject, branches: string[]): string[] =>
  branches.map((branch) => /const ([a-z]+)/.exec(made.git('show', `${branch}:a.js`))?.[1] ?? '')
const isOnMain = (made: TestProject, who: string): boolean => made.git('log', '--format=%s', 'main').includes(`feat: ${who}`)

test('of three attempts one fails its gates and two pass: the smaller one lands, and the others are on branches that all views name [R-COST-6]', async (t) => {
  const made = bestOfThree(t, [solves('large', 30), breaks('broken'), solves('small', 3)])
  const { code, out, err } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(made.read('a.js'), /small0/)
  assert.deepEqual(verdictsOf(made), ['failed, made', 'done, made', 'worked, made'])
  const { worktrees, branches: unsorted } = leftovers(made)
  const branches = unsorted.toSorted((one, other) => (one.slice(-1) < other.slice(-1) ? -1 : 1))
  assert.deepEqual([worktrees, timeless(branches)], [[], ['wip/ralph-fail-S-1-then-1', 'wip/ralph-fail-S-1-then-2']])
  assert.deepEqual(worksOn(made, branches), ['large', 'broken'])
  assert.deepEqual(
    ['large', 'broken', 'small'].map((who) => isOnMain(made, who)),
    [false, false, true],
  )
  const [landing] = eventsOf(made, 'landing.started')
  assert.match(landing?.because ?? '', /iteration 3 is the best of 2 that pass \(1: gated, 30 lines; 3: gated, 3 lines\)/)
  const views = await Promise.all([made.run('why'), made.run('status'), made.run('report')])
  for (const view of views) for (const branch of branches) assert.ok(view.out.includes(branch), view.out)
})

test('an attempt that takes two iterations is as large as all that it changed, and lands if that is less [R-COST-6]', async (t) => {
  const begins: Steps = [
    { write: { path: 'begun.js', text: 'export const begun = 1\n' } },
    { commit: 'feat: begun' },
    { say: 'A step.' },
  ]
  const made = bestOfThree(t, [begins, solves('small', 3), solves('large', 30)], { config: { defaults: { best_of: 2 } } })
  const { code, out, err } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  const [landing] = eventsOf(made, 'landing.started')
  assert.match(landing?.because ?? '', /iteration 2 is the best of 2 that pass \(2: gated, 4 lines; 3: gated, 30 lines\)/)
  assert.match(made.read('a.js'), /small0/)
})

test('before its last attempt a story gets one at a time; its failed work moves out of the way of the three [R-COST-6]', async (t) => {
  const made = bestOfThree(t, [breaks('first'), solves('large', 9), solves('small', 2), solves('middle', 5)], {
    config: { defaults: { max_attempts: 2 } },
  })
  const { code, out, err } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ candidate, worker, attempt }) => [candidate, worker, attempt]),
    [
      [undefined, undefined, 1],
      [1, 1, 2],
      [2, 2, 3],
      [3, 3, 4],
    ],
  )
  const { branches } = leftovers(made)
  assert.deepEqual(worksOn(made, branches).sort(), ['first', 'large', 'middle'])
  assert.deepEqual([made.has('broken'), isOnMain(made, 'small'), made.git('status', '--porcelain')], [false, true, ''])
  assert.ok((await made.run('why')).out.includes(branches.find((branch) => !/-\d$/.test(branch) || /\d{6}$/.test(branch)) ?? '?'))
})

test('an attempt that the budget has no room for is not made: the best of the others lands [R-COST-6]', async (t) => {
  const made = bestOfThree(t, [
    solves('large', 9, { usage: { cost: 0.4 } }),
    solves('small', 2, { usage: { cost: 0.4 } }),
    solves('never', 1, { usage: { cost: 0.4 } }),
  ])
  const { code, out, err } = await made.run('run', '--no-archive', '--max-cost', '1')
  assert.equal(code, 0, out + err)
  assert.deepEqual([eventsOf(made, 'iteration.started').length, isOnMain(made, 'small')], [2, true])
  assert.deepEqual(worksOn(made, leftovers(made).branches), ['large'])
})

test('iterations that are used up end the contest: the best so far lands [R-COST-6]', async (t) => {
  const made = bestOfThree(t, [solves('small', 2), solves('large', 9)])
  const { code, out, err } = await made.run('run', '--no-archive', '-n', '2')
  assert.equal(code, 0, out + err)
  assert.deepEqual([eventsOf(made, 'iteration.started').length, isOnMain(made, 'small')], [2, true])
})

test('three attempts that all fail are the failure of the story; each is on its branch, and a retry has a fresh three [R-COST-6]', async (t) => {
  const made = bestOfThree(t, [breaks('one'), breaks('two'), breaks('three')])
  const { code, out, err } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out + err)
  const { worktrees, branches } = leftovers(made)
  assert.deepEqual([worktrees, worksOn(made, branches)], [[], ['one', 'two', 'three']])
  assert.match(endOf(made).because, /failed: S-1/)
  const [failed] = eventsOf(made, 'story.failed')
  assert.deepEqual(
    [failed?.branch, failed?.because.split(';')[0]],
    [branches[2], 'its only attempt failed, the last with 3 candidates'],
  )
  assert.equal(made.git('status', '--porcelain'), '')

  made.write('.ralph/agent.json', JSON.stringify({ otherwise: solves('good', 2) }))
  assert.equal((await made.run('retry', 'S-1')).code, 0)
  const again = await made.run('run', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ candidate }) => candidate),
    [1, 2, 3, 1, 2, 3],
  )
})

test('a story asks for several attempts itself, from the first on, and listed models take turns [R-COST-6]', async (t) => {
  const stories = [{ id: 'S-1', bestOf: 2 }]
  const said: Steps = [{ run: 'echo "$RALPH_MODEL" >> "$HOME/models"' }]
  const made = bestOfThree(t, [solves('one', 3, ...said), solves('two', 2, ...said)], {
    stories,
    config: { models: ['strong'], defaults: { max_attempts: 5, best_of: 1 } },
  })
  const { code, out, err } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ model }) => model),
    [undefined, 'strong'],
  )
  assert.equal(made.read('../home/models'), '\nstrong\n')
  assert.deepEqual([isOnMain(made, 'two'), worksOn(made, leftovers(made).branches)], [true, ['one']])
})

test('without git, with a git repository too old, or with stories that the agent picks, best_of is refused before anything starts [R-COST-6]', async (t) => {
  const bare = bestOfThree(t, [], { isGit: false })
  const first = await bare.run('run')
  assert.deepEqual([first.code, /best_of: 3 attempts on one story need a git repository/.test(first.err)], [78, true], first.err)
  const picking = bestOfThree(t, [], { config: { defaults: { pick: 'agent' } } })
  const second = await picking.run('run')
  assert.deepEqual([second.code, /best_of needs stories that Ralph picks/.test(second.err)], [78, true], second.err)
})

const contest = (t: TestContext): TestProject => bestOfThree(t, [solves('large', 30), solves('small', 3), breaks('broken')])

test('killed at any event of a contest, or while its losers are moved away, the next run loses no attempt and lands the best [R-COST-6] [R-ITER-4]', async (t) => {
  const calm = contest(t)
  await calm.run('run', '--no-archive')
  const events = Array.from({ length: calm.kinds().length - 2 }, (_, at) => `event ${at + 2}`)
  const deeds = Array.from({ length: 40 }, (_, at) => `iteration.settled ${at + 1}`)
  const problems: string[] = []
  for (const place of [...sampleOf(events, 5), ...sampleOf(deeds, 3)]) {
    const made = contest(t)
    if ((await runAndDie(made, place, '--no-archive')).signal !== 'SIGKILL') continue
    const { code, out, err } = await made.run('run', '--no-archive')
    const { worktrees, branches } = leftovers(made)
    const found = {
      code,
      passing: made.passing(),
      isSmall: isOnMain(made, 'small'),
      worktrees,
      others: worksOn(made, branches).sort(),
    }
    const wanted = { code: 0, passing: ['S-1'], isSmall: true, worktrees: [], others: ['broken', 'large'] }
    if (!isDeepStrictEqual(found, wanted)) problems.push(`${place}: ${JSON.stringify(found)} ${out}${err}`)
    made.remove()
  }
  assert.deepEqual(problems, [])
})
