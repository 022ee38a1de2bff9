import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventsOf, finishes, idles, makeKeptProject, verdictsOf } from './support/loop.ts'
import { type ProjectSketch, projectFor, type Steps, type TestProject } from './support/project.ts'

const sumTest = `test('adds', () => assert.equal(sum(1, 2), 3))\ntest('subtracts', () => assert.equal(sum(1, -2), -1))\n`
const checkScript = 'git --version\nls -d .\n'
const files = { 'test/sum.test.js': sumTest, 'check.sh': checkScript }
const longMessage = 'a message that goes on and on '.repeat(30)

/** Ways to weaken a check, how each is told, and what puts it right again. `isCertain`: no honest story needs it. */
const ways: { what: string; weakens: Steps; mends: Steps; said: string; isCertain?: true }[] = [
  {
    what: 'a deleted test file',
    weakens: [{ delete: 'test/sum.test.js' }, { commit: 'chore: tidy' }],
    mends: [{ write: { path: 'test/sum.test.js', text: sumTest } }, { commit: 'fix: tests' }],
    said: 'deleted the test file test/sum.test.js',
  },
  {
    what: 'a deleted test file that nobody committed',
    weakens: [{ delete: 'test/sum.test.js' }],
    mends: [{ write: { path: 'test/sum.test.js', text: sumTest } }],
    said: 'deleted the test file test/sum.test.js',
  },
  {
    what: 'a newly skipped test',
    weakens: [
      { write: { path: 'test/sum.test.js', text: sumTest.replace("test('subtracts'", "test.skip('subtracts'") } },
      { commit: 'test: later' },
    ],
    mends: [{ write: { path: 'test/sum.test.js', text: sumTest } }, { commit: 'fix: tests' }],
    said: '1 test newly skipped in test/sum.test.js',
  },
  {
    what: 'an edited script of a gate',
    weakens: [{ write: { path: 'check.sh', text: 'ls -d .\n' } }, { commit: 'chore: faster' }],
    mends: [{ write: { path: 'check.sh', text: checkScript } }, { commit: 'fix: gate' }],
    said: 'changed check.sh, which gate tests runs',
  },
  {
    what: 'a commit past the hooks, behind a long message',
    weakens: [{ run: `echo more >> notes.txt && git add -A && git commit -q -m "${longMessage}" --no-verify` }],
    mends: [{ append: { path: 'notes.txt', text: 'more\n' } }, { commit: 'docs: notes' }],
    said: 'bypassed the hooks in a commit (git commit --no-verify)',
    isCertain: true,
  },
  {
    what: 'a file that changes how scripts are run',
    weakens: [{ write: { path: '.npmrc', text: 'script-shell=/bin/true\n' } }, { commit: 'chore: npm' }],
    mends: [{ delete: '.npmrc' }, { commit: 'fix: npm' }],
    said: 'changed how scripts are run in .npmrc (script-shell=, line 1)',
    isCertain: true,
  },
]
const projectWith = (sketch: ProjectSketch, tamper: 'warn' | 'refuse') =>
  makeKeptProject({ files, ...sketch, config: { gates: { tests: 'sh check.sh', tamper }, ...sketch.config } })
const weakenedIn = (project: TestProject): (string[] | undefined)[] =>
  eventsOf(project, 'iteration.ended').map(({ findings }) => findings?.map(({ words }) => words))
const begins = (text: string) => new RegExp(text.replaceAll(/[().]/g, '\\$&'))

for (const { what, weakens, said } of ways.filter(({ isCertain }) => !isCertain)) {
  test(`${what} is recorded and told to the user and the next prompt; the flip stands [R-GATE-7] (T15, T17)`, async (t) => {
    const project = projectWith(
      {
        stories: [{ id: 'S-1' }, { id: 'S-2' }],
        script: { stories: { 'S-1': [[...weakens, ...finishes]], 'S-2': [finishes] } },
      },
      'warn',
    )
    t.after(project.remove)
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.match(weakenedIn(project)[0]?.join('\n') ?? '', begins(said))
    assert.match(out, begins(`! weakened check: ${said}`))
    assert.match(project.prompt(2), begins(`Checks were weakened in iteration 1: ${said}`))
    assert.equal(weakenedIn(project)[1], undefined) // the next story begins with what is there
  })
}

for (const { what, weakens, mends, said, isCertain } of ways) {
  const tamper = isCertain ? 'warn' : 'refuse'
  test(`with gates.tamper ${tamper}, ${what} refuses the flip until it is put back [R-GATE-7] (T15, T17)`, async (t) => {
    const project = projectWith(
      {
        script: {
          iterations: [
            [...weakens, ...finishes],
            [...mends, ...finishes],
          ],
        },
      },
      tamper,
    )
    t.after(project.remove)
    project.write('.git/hooks/pre-commit', '#!/bin/sh\nexit 0\n')
    chmodSync(project.path('.git/hooks/pre-commit'), 0o755)
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual(
      eventsOf(project, 'iteration.judged').map(({ verdict, failedGates }) => [verdict, failedGates]),
      [
        ['failed', ['tamper']],
        ['done', []],
      ],
    )
    assert.match(project.prompt(2), /### Iteration 1: Agent marked S-1 done, but a check was weakened/)
    assert.match(project.prompt(2), new RegExp(`~~~text\\n(.+\\n)?${begins(said).source}`))
    assert.match(project.prompt(2), /Restore the checks, and make the code pass them\./)
  })
}

test('a check that was weakened in an earlier iteration of the same story refuses its flip later [R-GATE-7]', async (t) => {
  const deletes: Steps = [{ delete: 'test/sum.test.js' }, { commit: 'chore: tidy' }, { say: 'Tidied.' }]
  const restores: Steps = [{ write: { path: 'test/sum.test.js', text: sumTest } }, { commit: 'fix: tests' }]
  const project = projectWith({ script: { iterations: [deletes, idles, finishes, [...restores, ...finishes]] } }, 'refuse')
  t.after(project.remove)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['worked, made', 'worked, idle', 'failed, made', 'done, made'])
  assert.match(project.prompt(2), /Checks were weakened in iteration 1: deleted the test file test\/sum\.test\.js/)
})

test('new tests, changed tests and tests that moved are no weakening [R-GATE-7]', async (t) => {
  const works: Steps = [
    { run: 'git mv test/sum.test.js test/sums.test.js' },
    { append: { path: 'test/sums.test.js', text: "test('is there', () => assert.ok(sum))\n" } },
    { write: { path: 'test/new.test.js', text: "test('new', () => assert.ok(true))\n" } },
    { commit: 'test: more' },
  ]
  const project = projectWith({ script: { otherwise: [...works, ...finishes] } }, 'refuse')
  t.after(project.remove)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(weakenedIn(project), [undefined])
})

test("a gate's script is guarded where the project is a folder of its repository: git's paths begin at the top [R-GATE-7]", async (t) => {
  const top = mkdtempSync(join(tmpdir(), 'ralph-top-'))
  const weakens: Steps = [{ write: { path: 'check.sh', text: 'ls -d .\n' } }, { commit: 'chore: faster' }, ...finishes]
  const project = projectWith({ at: join(top, 'app'), isGit: false, script: { otherwise: weakens } }, 'warn')
  t.after(() => rmSync(top, { recursive: true, force: true }))
  t.after(project.remove)
  const steps = ['init -q ..', 'config user.name A', 'config user.email a@localhost', 'add -A', 'commit -q -m start']
  for (const step of steps) project.git(...step.split(' '))
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(weakenedIn(project), [['changed app/check.sh, which gate tests runs: it no longer runs git --version']])
})

test('what the user had deleted before the run is not held against a story [R-GATE-7]', async (t) => {
  const project = projectWith({ script: { otherwise: finishes } }, 'refuse')
  t.after(project.remove)
  project.git('rm', '-q', '--cached', 'test/sum.test.js')
  project.git('commit', '-q', '-m', 'mine')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
})

test('the reviewer is shown what was weakened [R-GATE-7]', async (t) => {
  const passes = JSON.stringify({ missing: [], extra: [], reason: 'Fine.', verdict: 'pass' })
  const project = projectFor(t, {
    files,
    script: {
      otherwise: [{ delete: 'test/sum.test.js' }, { commit: 'chore: tidy' }, ...finishes],
      reviews: {
        'S-1': [[{ expect: { prompt: 'Suspicions[\\s\\S]*deleted the test file test/sum\\.test\\.js' } }, { say: passes }]],
      },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    eventsOf(project, 'review.ended').map(({ result }) => result?.passed),
    [true],
  )
})
