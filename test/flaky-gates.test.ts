/** Gates that fail by chance: run once more where that can change the answer, told everywhere, and never silently green. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventsOf, finishes } from './support/loop.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

/** Passes, but for the runs with these numbers: then one of three tests fails. */
const gateFailingIn = (...runs: number[]): string =>
  `echo run >> "$HOME/runs"; case " ${runs.join(' ')} " in *" $(grep -c run "$HOME/runs") "*) printf '✖ net (1ms)\\nℹ pass 2\\nℹ fail 1\\n'; exit 1;; esac; printf 'ℹ pass 3\\nℹ fail 0\\n'`

const marks: Steps = [{ flip: '$RALPH_STORY' }, { say: 'It was there.' }]
const projectOf = (t: TestContext, tests: string, script: object): TestProject =>
  projectFor(t, { script, config: { gates: { tests }, review: { enabled: false }, learn: { enabled: false } } })
const gateRuns = ({ home }: TestProject): number => readFileSync(join(home, 'runs'), 'utf8').trim().split('\n').length

test('a gate that fails where it passed before runs once more: the pass is told as flaky on screen, in why, status and report [R-PROOF-8]', async (t) => {
  const project = projectOf(t, gateFailingIn(2), { otherwise: marks })
  const { code, out } = await project.run('run', '--no-archive')
  assert.deepEqual([code, project.passing(), gateRuns(project)], [0, ['S-1'], 3])
  const words = 'gate tests is flaky: net failed and passed on the same content'
  assert.match(out, new RegExp(`runs once more\\n.*gate tests passed.*\\n.*${words}`))
  assert.match(out, /Exit: +COMPLETE \(code 0\), with a reservation about S-1/)
  assert.match((await project.run('why')).out, new RegExp(words))
  const line = /Flaky: +net \(gate tests, once in iteration 1\)/
  assert.match((await project.run('status')).out, line)
  assert.match(project.read('.ralph/thing/report.md'), /## Flaky tests\n\n- net \(gate tests, once in iteration 1\)/)
  const { flaky, receipts } = JSON.parse(project.read('.ralph/thing/report.json'))
  assert.deepEqual(flaky, [{ gate: 'tests', test: 'net', times: 1, iteration: 1 }])
  const words2 = 'passed gate tests only in a second run on the same content: net'
  assert.deepEqual(receipts['S-1'].proof.reservations, [
    { rule: 'nothing-done', file: null, line: null, words: 'changed nothing on its branch since the story began' },
    { rule: 'flaky-tests', file: null, line: null, words: words2 },
  ])
})

test('what fails at random by the agent’s own work is refused at once; it passes without a change only with a reservation [R-PROOF-8]', async (t) => {
  const project = projectOf(t, gateFailingIn(2), { stories: { 'S-1': [finishes, marks] } })
  const { code } = await project.run('run', '--no-archive')
  assert.deepEqual([code, gateRuns(project)], [0, 3])
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ passed, refused, proven }) => [passed, refused, proven]),
    [
      [[], ['S-1'], false],
      [['S-1'], [], false],
    ],
  )
})
