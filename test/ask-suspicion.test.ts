/** `proof.suspicion: ask`: a story whose checks changed in a doubtful way waits for a person's yes or no. */
import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { type TestContext, test } from 'node:test'
import { type KeptProject, keptProjectFor, verdictsOf } from './support/loop.ts'
import type { Steps } from './support/project.ts'

const checks = "import { test } from 'node:test'\ntest('adds', () => {})\ntest('subtracts', () => {})\n"
const does = (text: string): Steps => [
  { write: { path: 'sum.mjs', text: 'export const sum = (a, b) => a + b\n' } },
  { write: { path: 'test/sum.test.mjs', text } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'It is there.' },
]
const skips = does(checks.replace("test('subtracts'", "test.skip('subtracts'"))
const projectOf = (t: TestContext): KeptProject =>
  keptProjectFor(t, {
    files: { 'test/sum.test.mjs': checks },
    config: { gates: { tests: 'node --test' }, proof: { suspicion: 'ask', cross_examine: 'off' }, learn: { enabled: false } },
    script: { iterations: [skips, does(`${checks}\n`)] },
  })

test('a yes lets the story pass without another call of the agent, on the account of who said it [R-PROOF-1]', async (t) => {
  const project = projectOf(t)
  assert.equal((await project.run('run')).code, 3)
  assert.deepEqual(project.passing(), [])
  const asked =
    /^S-1 passes its checks, but this is suspicious:\n- 1 test newly skipped in test\/sum\.test\.mjs \(test\.skip, line 3\)\n/m
  assert.match(project.read('.ralph/thing/decide.txt'), asked)
  assert.match((await project.run('answer', 'yes')).out, /^Accepted for S-1: it passes once its checks pass again\./)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /S-1 Story S-1 \(check, no agent\)\n.*\n +✓ checked: S-1 passed/)
  assert.deepEqual([verdictsOf(project), project.prompts().length], [['question, made', 'lost, made'], 1])
  const { proof, commits } = JSON.parse(project.read('.ralph/thing/report.json')).receipts['S-1']
  assert.deepEqual([proof.proven, proof.reservations[0].answer, commits.length], [true, `accepted by ${userInfo().username}`, 1])
})

test('a no sends the story back with the words, and costs no attempt [R-PROOF-1]', async (t) => {
  const project = projectOf(t)
  assert.equal((await project.run('run')).code, 3)
  assert.match((await project.run('answer', 'No, keep the test.')).out, /^Sent back for S-1, with your answer\./)
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  assert.match(project.prompt(2), /\(attempt 1\)[\s\S]*Question: S-1 passes its checks[\s\S]*Answer: No, keep the test\./)
  assert.deepEqual([project.passing(), verdictsOf(project)], [['S-1'], ['question, made', 'done, made']])
})
