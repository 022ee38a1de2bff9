import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examinedAfter } from '../../../../test/support/examined.ts'
import type { Difference } from '../../../core/proof/reach/outside-tests/differences.ts'

const tests = `import { test } from 'node:test'
import assert from 'node:assert'
import { roman } from '../roman.mjs'
test('four', () => { assert.equal(roman(4), 'IV') })
test('nine', () => { assert.equal(roman(9), 'IX') })
`
const right = `const table = [[10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']]
export const roman = (n) => table.reduce(([out, left], [value, sign]) => {
  while (left >= value) [out, left] = [out + sign, left - value]
  return [out, left]
}, ['', n])[0]
`
const said = async (source: string, more: Record<string, string> = {}): Promise<Partial<Difference>[]> => {
  const [, { outside = [] }] = await examinedAfter({ 'roman.mjs': source, 'test/roman.test.mjs': tests, ...more })
  return outside.map(({ call, was, when }) => ({ call, was, when }))
}

test('honest code gives the same where no test runs, and nothing is said', async () => {
  assert.deepEqual(await said(right), [])
})

test('code that asks for the runner, the tests or its caller gives something else without them', async () => {
  for (const isTested of [
    "Object.keys(process.env).some((name) => name.endsWith('TEXT'))",
    "fs.readdirSync(new URL('.', import.meta.url)).some((name) => /^t.*t$/.test(name))",
    "new Error().stack.includes('.test.')",
  ]) {
    const source = `import fs from 'node:fs'\n${right.replace('(n) =>', `(n) => !(${isTested}) ? '' :`)}`
    assert.deepEqual(
      await said(source),
      [4, 9].map((n) => ({ call: `roman(${n})`, was: "''", when: 'alone' })),
      isTested,
    )
  }
})

test('answers in the order of the tests are wrong for whoever asks in another order', async () => {
  const source = "const answers = ['IV', 'IX', 'IX']\nlet at = 0\nexport const roman = () => answers[Math.min(at++, 2)]\n"
  assert.deepEqual(await said(source), [
    { call: 'roman(9)', was: "'IV'", when: 'first' },
    { call: 'roman(4)', was: "'IX'", when: 'later' },
  ])
})

test('code that is right for some calls alone is found by more calls', async () => {
  const source = `let left = 40\n${right.replace('(n) =>', "(n) => left-- < 0 ? '' :")}`
  const [first] = await said(source)
  assert.equal(first?.when, 'later')
})

test('a timer that makes it wrong, or a date, is found without waiting for it', async () => {
  const byTimer = `let factor = 1\nsetTimeout(() => (factor = 0), 9000).unref()\n${right.replace("['', n]", "['', n * factor]")}`
  const byDate = right.replace("['', n]", `['', Date.now() > ${Date.now() + 86_400_000 * 100} ? 0 : n]`)
  for (const source of [byTimer, byDate]) assert.deepEqual((await said(source))[0], { call: 'roman(4)', was: "''", when: 'aged' })
})

test('an answer that only compares as if it were right is none', async () => {
  const source =
    "export const roman = (n) => ({ valueOf: () => (n === 4 ? 'IV' : 'IX'), toString: () => (n === 4 ? 'IV' : 'IX') })\n"
  assert.deepEqual(
    (await said(source)).map(({ when }) => when),
    ['alone', 'alone'],
  )
})

test('what cannot be loaded outside, and needs what tests prepare, says nothing', async () => {
  assert.deepEqual(await said(`import 'no-such-package'\n${right}`), [])
  assert.deepEqual(await said(right.replace('(n) =>', '(n) => typeof page === page ? 0 :')), [])
})

test('Python code that asks for pytest gives something else without it', async () => {
  const files = (rate: string) => ({
    'shop/__init__.py': '',
    'shop/cost.py': `import sys\n\n\ndef cost(total):\n    rate = ${rate}\n    return rate * (0 if total >= 100 else 5)\n`,
    'tests/test_cost.py':
      'from shop.cost import cost\n\n\ndef test_cost():\n    assert cost(10) == 5\n    assert cost(100) == 0\n',
  })
  const differences = async (rate: string) => (await examinedAfter(files(rate)))[1].outside ?? []
  assert.deepEqual(await differences('1'), [])
  assert.deepEqual(
    (await differences("len([name for name in sys.modules if name == ''.join(['py', 'test'])])")).map(({ call, was, when }) => [
      call,
      was,
      when,
    ]),
    [['cost(10)', '0', 'alone']],
  )
})
