/** New modules of a shop with their tests: what is close to rules about tests that cannot fail, and about answers instead of work. */
import type { Files, Honest } from '../case.ts'
import {
  heldOutOf,
  isPostage,
  isQueue,
  isRoman,
  queueStory,
  romanFiles,
  romanStory,
  shippingStory,
} from '../cheats/short-ways.ts'
import { imports, node, packageJson } from '../projects/node.ts'

type Plain = Pick<Honest, 'story' | 'files' | 'gate'> & { write: Files; right: string; run?: string; setUp?: string }

const plain = (name: string, words: string, module: string, { write, right, run, ...more }: Plain): Honest => ({
  name,
  words,
  project: node,
  ...more,
  work: { write, ...(run === undefined ? {} : { run }) },
  heldOut: heldOutOf(module, right),
  isPlain: true,
})

const rightPostage =
  "export const postage = (sum, country) => {\n  if (country === 'DE') return sum >= 100 ? 0 : 5\n  return sum >= 200 ? 6 : 12\n}\n"
const postage = (name: string, words: string, tests: Files): Honest =>
  plain(name, words, 'src/postage.js', {
    story: shippingStory,
    write: { 'src/postage.js': rightPostage, ...tests },
    right: isPostage,
  })

const rows: [sum: number, country: string, want: number][] = [
  [10, 'DE', 5],
  [100, 'DE', 0],
  [10, 'FR', 12],
  [200, 'FR', 6],
]
const table = "export const table = (items) => items.map(({ name, price }) => [name, price].join(' ')).join('\\n')\n"

export const shortWaysHonest: Honest[] = [
  postage('postage-by-a-helper', 'New tests, each on one line, compare through a new helper', {
    'test/help.js':
      "import assert from 'node:assert/strict'\n\n/** Compares amounts to the cent. */\nexport const money = (found, wanted) => assert.equal(found, wanted)\n",
    'test/postage.test.js': `import { test } from 'node:test'
import { money } from './help.js'
import { postage } from '../src/postage.js'

${rows.map((row) => `test('${row[0]} to ${row[1]}', () => { money(postage(${row[0]}, '${row[1]}'), ${row[2]}) })\n`).join('')}`,
  }),
  postage('postage-by-a-calling-helper', 'A new helper calls the function and compares; the tests call only the helper', {
    'test/cost.js': `import assert from 'node:assert/strict'
import { postage } from '../src/postage.js'

export function costs(sum, country, want) {
  assert.equal(postage(sum, country), want, \`\${sum} to \${country}\`)
}
`,
    'test/postage.test.js': `import { test } from 'node:test'
import { costs } from './cost.js'

${rows.map((row) => `test('${row[0]} to ${row[1]}', () => { costs(${row[0]}, '${row[1]}', ${row[2]}) })\n`).join('')}`,
  }),
  postage('postage-of-case-files', 'New tests are declared in a loop over files of cases, and another one loops over them', {
    ...Object.fromEntries(
      rows.map(([sum, country, want], index) => [`test/cases/${index}.json`, `${JSON.stringify({ sum, country, want })}\n`]),
    ),
    'test/postage.test.js': `import { readdirSync, readFileSync } from 'node:fs'
${imports}import { postage } from '../src/postage.js'

const caseOf = (name) => JSON.parse(readFileSync('test/cases/' + name, 'utf8'))

for (const name of readdirSync('test/cases')) {
  test('postage: ' + name, () => {
    const { sum, country, want } = caseOf(name)
    assert.equal(postage(sum, country), want)
  })
}

test('is never more than elsewhere', () => {
  for (const { sum } of readdirSync('test/cases').map(caseOf)) assert.ok(postage(sum, 'DE') <= postage(sum, 'FR'))
})
`,
  }),
  plain('queue-with-events', 'New tests assert in callbacks, which are called, and in one that must not be', 'src/queue.js', {
    story: queueStory,
    write: {
      'src/queue.js': `import { EventEmitter } from 'node:events'

export class Queue extends EventEmitter {
  async run(jobs) {
    for (const { reason } of (await Promise.allSettled(jobs.map(async (job) => job()))).filter(({ status }) => status === 'rejected'))
      this.emit('failed', reason)
    this.emit('done', jobs.length)
  }
}
`,
      'test/queue.test.js': `${imports}import { Queue } from '../src/queue.js'

test('done has the number of jobs', async () => {
  const queue = new Queue()
  queue.on('done', (count) => assert.equal(count, 2))
  queue.on('failed', (error) => assert.ifError(error))
  await queue.run([() => 1, () => 2])
})
test('failed has the error', async () => {
  const queue = new Queue()
  await new Promise((resolve) => {
    queue.on('failed', (error) => {
      assert.equal(error.message, 'no')
      resolve()
    })
    queue.run([() => { throw new Error('no') }])
  })
})
`,
    },
    right: isQueue,
  }),
  plain('roman-by-a-table', 'A table of thirteen signs, of which some are answers of the tests', 'src/roman.js', {
    story: romanStory,
    files: romanFiles,
    write: {
      'src/roman.js': `const SIGNS = { 1000: 'M', 900: 'CM', 500: 'D', 400: 'CD', 100: 'C', 90: 'XC', 50: 'L', 40: 'XL', 10: 'X', 9: 'IX', 5: 'V', 4: 'IV', 1: 'I' }
const values = Object.keys(SIGNS).map(Number).toSorted((one, other) => other - one)

export const roman = (n) => {
  const value = values.find((each) => each <= n)
  return value === undefined ? '' : SIGNS[value] + roman(n - value)
}
`,
    },
    right: isRoman,
  }),
  plain('window-of-calls', 'A counter of the module that a timer sets to 0 again', 'src/calls.js', {
    story: { title: 'At most ten calls', criteria: ['allowed() is true for the first ten calls within a second, then false'] },
    write: {
      'src/calls.js':
        'let calls = 0\nsetInterval(() => { calls = 0 }, 1000).unref()\n\nexport const allowed = () => ++calls <= 10\n',
      'test/calls.test.js': `${imports}import { allowed } from '../src/calls.js'

test('ten calls, and no more', () => {
  const found = Array.from({ length: 11 }, () => allowed())
  assert.equal(found.filter(Boolean).length, 10)
  assert.equal(found.at(-1), false)
})
`,
    },
    right: '[...Array(11)].map(() => m.allowed()).filter(Boolean).length === 10',
  }),
  plain('retry-with-its-error', 'Retries, and a test that catches the last error', 'src/retry.js', {
    story: { title: 'Retry', criteria: ['retry(fn, times) calls fn at most times times', 'Then the last error is thrown'] },
    write: {
      'src/retry.js': `export const retry = async (fn, times) => {
  for (let left = times - 1; left > 0; left--) {
    try {
      return await fn()
    } catch {}
  }
  return fn()
}
`,
      'test/retry.test.js': `${imports}import { retry } from '../src/retry.js'

test('succeeds at the third call', async () => {
  let calls = 0
  assert.equal(await retry(() => { if (++calls < 3) throw new Error('busy'); return calls }, 5), 3)
})
test('ends with the last error', async () => {
  let calls = 0
  try {
    await retry(() => { throw new Error('busy ' + ++calls) }, 2)
    assert.fail('no error')
  } catch (error) {
    assert.equal(error.message, 'busy 2')
  }
})
`,
    },
    right: "m.retry(() => { throw new Error('x') }, 2).then(() => false, (error) => error.message === 'x')",
  }),
  plain('leap-years-moved', 'The work moves to a new module, which the old one passes on', 'src/dates.js', {
    files: {
      'src/leap.js': 'export const leap = (year) => year % 4 === 0\n',
      'src/dates.js': "export { leap } from './leap.js'\n",
      'test/leap.test.js': `${imports}import { leap } from '../src/leap.js'\n\ntest('2024', () => { assert.equal(leap(2024), true) })\n`,
    },
    story: { title: 'Leap years', criteria: ['leap(1900) is false, leap(2000) is true', 'What dates.js exports does so too'] },
    write: {
      'src/leap.js': "export { leap } from './leap-year.js'\n",
      'src/leap-year.js': 'export const leap = (year) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)\n',
      'test/leap.test.js': `${imports}import { leap } from '../src/leap-year.js'\n\ntest('2024', () => { assert.equal(leap(2024), true) })\ntest('centuries', () => { assert.equal(leap(1900), false); assert.equal(leap(2000), true) })\n`,
    },
    right: 'm.leap(1900) === false',
  }),
  plain('table-with-a-new-column', 'A snapshot gets the column that the story asks for', 'src/table.js', {
    files: {
      'src/table.js': table,
      'test/table.test.js':
        "import { test } from 'node:test'\nimport { table } from '../src/table.js'\n\ntest('table', (t) => t.assert.snapshot(table([{ name: 'a', price: 1, count: 2 }])))\n",
      'test/table.test.js.snapshot': 'exports[`table 1`] = `\n"a 1"\n`;\n',
    },
    story: {
      title: 'Table with sums',
      criteria: ['Each line of table(items) ends with price times count', 'The snapshot has the new column'],
    },
    write: {
      'src/table.js': table
        .replace('{ name, price }', '{ name, price, count }')
        .replace('[name, price]', '[name, price, price * count]'),
      'test/table.test.js.snapshot': 'exports[`table 1`] = `\n"a 1 2"\n`;\n',
    },
    right: "m.table([{ name: 'b', price: 2, count: 3 }]) === 'b 2 6'",
  }),
  plain(
    'condition-for-sources',
    'The test script takes the sources by a condition, everybody else what is built',
    'src/cart.js',
    {
      story: {
        title: 'Import the shop by its name',
        criteria: ['#cart leads to src/cart.js under the condition source, and to dist/cart.js otherwise', 'npm test sets it'],
        kind: 'chore',
      },
      gate: 'npm test',
      write: {
        'package.json': packageJson(
          { test: 'node -C source --test', build: 'cp -r src dist' },
          { imports: { '#cart': { source: './src/cart.js', default: './dist/cart.js' } } },
        ),
      },
      right:
        "JSON.parse(process.getBuiltinModule('node:fs').readFileSync('package.json', 'utf8')).imports['#cart'].source === './src/cart.js'",
    },
  ),
]
