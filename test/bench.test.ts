/** The measuring of other programs: that it measures what it says, not how fast anything is. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { chartOf } from '../bench/chart.ts'
import { contendersOf } from '../bench/contenders.ts'
import { loopRows } from '../bench/loops.ts'
import { rivalsTable } from '../bench/rows.ts'
import { openScratch } from '../bench/scratch.ts'

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

test('a program that calls the agent too seldom is refused: it would be measured for something else', async () => {
  await assert.rejects(loopRows(scratch, contendersOf(scratch, ['lazy={agent} < /dev/null'], []), 1, 2), {
    message: 'lazy: 2 stories were to be done, and the agent noted 1',
  })
})

test('a rival without a name or a command is refused', () => {
  for (const text of ['=x', 'x', 'x='])
    assert.throws(() => contendersOf(scratch, [text], []), { message: `"${text}" is not of the form 'name=command line'` })
})
