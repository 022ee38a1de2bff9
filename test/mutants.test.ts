/** Mutants in a whole run: the reviewer is told which bugs no test noticed, and its answers are in the receipt [R-PROOF-10]. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quickProjectFor } from './support/project.ts'

const check =
  "import { equal } from 'node:assert'\nimport { test } from 'node:test'\nimport { isFree } from '../src/price.mjs'\ntest('free', () => equal(isFree(200), true))\n"
const survives = 'return sum > 100" → "return sum >= 100'

test('a bug that no test notices is a question to the reviewer, and it and the answer are in the report', async (t) => {
  const project = quickProjectFor(t, {
    config: {
      gates: { tests: `${process.execPath} --test --test-reporter=tap` },
      proof: { mutants: 9 },
      review: { enabled: true },
    },
    script: {
      stories: {
        'S-1': [
          [
            { write: { path: 'src/price.mjs', text: 'export function isFree(sum) {\n  return sum > 100\n}\n' } },
            { write: { path: 'test/price.test.mjs', text: check } },
            { commit: 'feat: free' },
            { flip: 'S-1' },
            { say: 'It is there.' },
          ],
        ],
      },
      reviews: {
        'S-1': [
          [
            { expect: { prompt: `Bugs that no gate noticed[\\s\\S]*src/price.mjs:2: "${survives}"` } },
            { say: JSON.stringify({ missing: [], extra: [], answers: ['one', 'two'], reason: '', verdict: 'pass' }) },
          ],
        ],
      },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const report = JSON.parse(project.read('.ralph/thing/report.json'))
  const { mutants } = report.receipts['S-1'].proof
  assert.deepEqual([mutants.tried, mutants.killed, mutants.survivors.length], [3, 1, 2])
  assert.deepEqual(
    mutants.survivors.map(({ file, line, answer }: Record<string, unknown>) => [file, line, answer]),
    [
      ['src/price.mjs', 2, 'one'],
      ['src/price.mjs', 2, 'two'],
    ],
  )
  assert.match(project.read('.ralph/thing/report.md'), /2 of 3 mutants survived: src\/price\.mjs:2/)
  assert.match(out, /! the gates miss 2 of 3 small bugs in the changed lines\n {6}src\/price\.mjs:2/)
})
