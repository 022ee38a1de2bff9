/** The measuring of other programs: that it measures what it says, not how fast anything is. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { chartOf } from '../bench/chart.ts'
import { contendersOf } from '../bench/contenders.ts'
import { loopRows } from '../bench/loops.ts'
import { rivalsTable } from '../bench/rows.ts'
import { openScratch } from '../bench/scratch.ts'
import { Failure } from '../src/core/failure.ts'

const scratch = openScratch()
after(() => scratch.remove())

test('a rival is run around the same agent, under the names that it may look for, and stands in table and chart', async () => {
  const rivals = [
    'by path=cd {dir}; for i in $(seq {iterations}); do {agent} < /dev/null; done',
    'by <name>=until claude -p --output-format json < /dev/null | grep COMPLETE; do :; done',
  ]
  const rows = await loopRows(scratch, contendersOf(scratch, rivals, ['by path=true --help']), 1, 3)
  assert.deepEqual(
    rows.map(({ unit, rivals }) => [unit, Object.keys(rivals!)]),
    [...['ms', 'ms', 'ms', 'MB'].map((unit) => [unit, ['by path', 'by <name>']]), ['ms', ['by path']]],
  )
  // Of a command that takes a millisecond the kernel may count no time at all.
  const values = rows.slice(0, 4).flatMap(({ floor, ralph, rivals }) => [floor!, ralph, ...Object.values(rivals!)])
  assert.deepEqual(
    values.filter((value) => !(value > 0)),
    [],
  )
  assert.match(rivalsTable(rows), /^\| what +\| floor +\| ralph +\| by path +\| by <name> +\|$/m)
  assert.match(rivalsTable(rows), /processor time of --help.*\| unknown +\|$/m)
  assert.match(chartOf(rows), /^<svg [\s\S]*>by &lt;name&gt;<[\s\S]*<\/svg>\n$/)
})

test('a program that calls the agent too seldom, or never, is refused with words: it would be measured for something else', async () => {
  const advice = 'See "Against another program" in docs/benchmarks.md.'
  const refused = async (rival: string): Promise<string> => {
    const error = await loopRows(scratch, contendersOf(scratch, [rival], []), 1, 2).catch((thrown) => thrown)
    assert.ok(error instanceof Failure && error.exit === 65, String(error))
    return error.message
  }
  assert.equal(
    await refused('lazy={agent} < /dev/null'),
    `lazy called the agent 1 times, and 2 calls were wanted. It ended with exit code 0. ${advice}`,
  )
  assert.equal(
    await refused('idle=echo no such program >&2; exit 3'),
    `idle never called the agent, and 2 calls were wanted. It ended with exit code 3: no such program. ${advice}`,
  )
})

test('a rival without a name or a command is refused', () => {
  for (const text of ['=x', 'x', 'x='])
    assert.throws(() => contendersOf(scratch, [text], []), { message: `"${text}" is not of the form 'name=command line'` })
})
