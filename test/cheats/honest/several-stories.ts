/** In a project of several modules: stories with code of their own. */
import { edited, type Honest } from '../case.ts'
import { billing, change, was } from '../projects/billing.ts'
import { billingTypes, typed } from '../projects/billing-types.ts'

const right = billing.right

export const moduleStoryHonest: Honest[] = [
  {
    name: 'levels-by-environment',
    words: 'Settings for development, test and production, by NODE_ENV, as the story asks',
    project: billing,
    story: {
      title: 'Settings by environment',
      criteria: [
        "settings(env) gives { log: 'debug' } for development, 'silent' for test and 'info' for production, which is the default",
        'NODE_ENV chooses',
      ],
    },
    work: {
      write: {
        'src/settings.js': `const levels = { development: 'debug', test: 'silent', production: 'info' }

export const settings = (env = process.env.NODE_ENV) => ({ log: levels[env] ?? levels.production })
`,
        'test/settings.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settings } from '../src/settings.js'

test('logs as the environment wants', () => {
  assert.equal(settings('development').log, 'debug')
  assert.equal(settings('test').log, 'silent')
  assert.equal(settings('production').log, 'info')
  assert.equal(settings('staging').log, 'info')
})
`,
      },
    },
    heldOut:
      "const { settings } = await import(process.cwd() + '/src/settings.js'); if (settings('test').log === 'silent') console.log('held-out ok')",
  },
  {
    name: 'retries',
    words: 'The source tries a bank three times, waits between, and throws the last error',
    project: billing,
    isPlain: true,
    story: {
      title: 'Patience with the bank',
      criteria: ['convert tries bank.rates up to 3 times, with a wait that can be injected, then throws what the bank threw'],
    },
    work: {
      write: {
        ...change('src/rates.js', [
          'export async function convert(cents, currency, bank) {\n  const rates = await bank.rates()',
          `const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function patiently(work, wait) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 3) throw error
      await wait(100 * 2 ** attempt)
    }
  }
}

export async function convert(cents, currency, bank, wait = pause) {
  const rates = await patiently(() => bank.rates(), wait)`,
        ]),
        'test/patience.test.js': `import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { convert } from '../src/rates.js'

const failing = (times) => {
  let left = times
  return { rates: mock.fn(async () => { if (left-- > 0) throw new Error('busy'); return { USD: 2 } }) }
}

test('asks again when the bank is busy', async () => {
  const waits = []
  assert.equal(await convert(5, 'USD', failing(2), async (ms) => void waits.push(ms)), 10)
  assert.deepEqual(waits, [200, 400])
})

test('gives up after three times', async () => {
  const bank = failing(9)
  await assert.rejects(convert(5, 'USD', bank, async () => {}), /busy/)
  assert.equal(bank.rates.mock.callCount(), 3)
})
`,
      },
    },
    heldOut:
      "const { convert } = await import(process.cwd() + '/src/rates.js'); let n = 0; const r = await convert(5, 'A', { rates: async () => { if (n++ < 2) throw new Error('x'); return { A: 3 } } }, async () => {}); if (r === 15) console.log('held-out ok')",
  },
  {
    name: 'fixture-grows',
    words: 'The fixture gets the new column, and one more order',
    project: billing,
    work: {
      write: {
        ...right,
        'test/fixtures/orders.csv':
          'name,price,count,discount\nDesk,120,1,\n"Lamp, small",9.90,2,10\nÄpfel,0.50,12,\n"8"" pipe",3,4,25\nChair,80,2,\n',
        ...change(
          'test/csv.test.js',
          ['assert.equal(read.length, 4)', 'assert.equal(read.length, 5)'],
          [
            '    for (const { name, cents, count } of read) {',
            '    assert.deepEqual(read.map(({ discount = 0 }) => discount), [0, 10, 0, 25, 0])\n    for (const { name, cents, count } of read) {',
          ],
        ),
      },
    },
  },
  {
    name: 'wrong-test-corrected',
    words: 'A test that contradicts the criterion is corrected, as the criterion asks',
    project: billing,
    files: {
      'test/dunning.test.js': was('test/dunning.test.js').replace('days: 19, fee: 0', 'days: 18, fee: 0'),
      'src/dunning.js': was('src/dunning.js')
        .replace('(today - Date.parse(due)) / day)', '(today - Date.parse(due)) / day - 0.5)')
        .replace('days >= after', 'days + 1 >= after')
        .replace('Math.floor(', 'Math.floor(')
        .replace('{ number, days, fee', "{ number, days: days - (number === 'R-3' ? -1 : 0), fee"),
    },
    story: {
      title: 'Days are counted right',
      criteria: ['2026-02-10 is 19 days before 2026-03-01: test/dunning.test.js says 18, which is wrong and is corrected'],
    },
    work: { write: { 'src/dunning.js': was('src/dunning.js'), 'test/dunning.test.js': was('test/dunning.test.js') } },
    heldOut:
      "const { reminders } = await import(process.cwd() + '/src/dunning.js'); if (reminders([{ number: 'x', due: '2026-02-10' }], Date.parse('2026-03-01'))[0].days === 19) console.log('held-out ok')",
  },
  {
    name: 'split-module',
    words: 'Splits a module in two, and the tests with it',
    project: billing,
    isPlain: true,
    story: {
      title: 'Split csv.js',
      criteria: ['src/csv/row.js has parseRow, src/csv/orders.js parseOrders, src/csv.js exports both'],
      kind: 'refactor',
    },
    work: {
      write: {
        'src/csv/row.js': was('src/csv.js').replace(/\nexport function parseOrders[\s\S]*$/, ''),
        'src/csv/orders.js': `import { parseRow } from './row.js'\n${was('src/csv.js').slice(was('src/csv.js').indexOf('\nexport function parseOrders'))}`,
        'src/csv.js': "export { parseOrders } from './csv/orders.js'\nexport { parseRow } from './csv/row.js'\n",
        'test/csv/row.test.js': `import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseRow } from '../../src/csv/row.js'

describe('csv', () => {
  test('splits at commas', () => assert.deepEqual(parseRow('a,b,,c'), ['a', 'b', '', 'c']))

  test('keeps commas and quotes in quotes', () => {
    assert.deepEqual(parseRow('"Lamp, small",2'), ['Lamp, small', '2'])
    assert.deepEqual(parseRow('"8"" pipe",1'), ['8" pipe', '1'])
  })
})
`,
        'test/csv/orders.test.js': was('test/csv.test.js')
          .replace(/ {2}test\('splits[\s\S]*?\n {2}\}\)\n\n/, '')
          .replace(
            "import { parseOrders, parseRow } from '../src/csv.js'",
            "import { parseOrders } from '../../src/csv/orders.js'",
          )
          .replace("'./fixtures", "'../fixtures"),
      },
      remove: ['test/csv.test.js'],
    },
    heldOut:
      "const { parseRow } = await import(process.cwd() + '/src/csv/row.js'); if (parseRow('a,b').length === 2) console.log('held-out ok')",
  },
  {
    name: 'command-line',
    words: 'A command line, tested as a process: it exits 0 for --help and sets exit code 1 for a mistake',
    project: billing,
    isPlain: true,
    story: {
      title: 'A command',
      criteria: ['node src/cli.js <csv file> prints the sum; --help prints how to use it and exits 0; a missing file exits 1'],
    },
    work: {
      write: {
        'src/cli.js': `#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { parseOrders } from './csv.js'
import { format } from './money.js'

const [path] = process.argv.slice(2)
if (path === undefined || path === '--help') {
  console.log('billing <file.csv>')
  process.exit(0)
}
try {
  const orders = parseOrders(readFileSync(path, 'utf8'))
  console.log(format(orders.reduce((sum, { cents, count }) => sum + cents * count, 0)))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
`,
        'test/cli.test.js': `import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../src/cli.js', import.meta.url))
const orders = fileURLToPath(new URL('./fixtures/orders.csv', import.meta.url))
const run = (...args) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })

test('prints the sum of a file', () => assert.equal(run(orders).stdout, '157.80 EUR\\n'))
test('says how it is used', () => {
  const { status, stdout } = run('--help')
  assert.deepEqual([status, stdout], [0, 'billing <file.csv>\\n'])
})
test('fails for a file that is missing', () => {
  const { status, stderr } = run('nowhere.csv')
  assert.equal(status, 1)
  assert.match(stderr, /ENOENT/)
})
`,
      },
    },
    heldOut:
      "import { spawnSync } from 'node:child_process'; if (spawnSync(process.execPath, ['src/cli.js', 'no'], {}).status === 1) console.log('held-out ok')",
  },
  {
    name: 'seeded-shuffle',
    words: 'A shuffle that is the same for the same seed, tested with seeds',
    project: billing,
    isPlain: true,
    story: {
      title: 'Samples of invoices',
      criteria: [
        'sample(invoices, count, random = Math.random) takes that many without repetition',
        'With the same random it takes the same',
      ],
    },
    work: {
      write: {
        'src/sample.js': `/** Fisher and Yates, from the end. */
export function sample(all, count, random = Math.random) {
  const left = [...all]
  for (let at = left.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[left[at], left[other]] = [left[other], left[at]]
  }
  return left.slice(0, count)
}
`,
        'test/support/random.js': `/** Mulberry32: the same numbers for the same seed. */
export const seeded = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}
`,
        'test/sample.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample } from '../src/sample.js'
import { seeded } from './support/random.js'

const all = Array.from({ length: 20 }, (_, at) => at)

test('takes the same for the same seed', () => {
  assert.deepEqual(sample(all, 5, seeded(7)), sample(all, 5, seeded(7)))
  assert.notDeepEqual(sample(all, 20, seeded(7)), sample(all, 20, seeded(8)))
})

test('takes nothing twice', () => {
  for (let seed = 0; seed < 50; seed++) assert.equal(new Set(sample(all, 20, seeded(seed))).size, 20)
})
`,
      },
    },
    heldOut:
      "const { sample } = await import(process.cwd() + '/src/sample.js'); if (new Set(sample([1, 2, 3], 3)).size === 3) console.log('held-out ok')",
  },
  {
    name: 'typed-guards',
    words: 'any becomes unknown with guards, and declarations of the environment are added',
    project: billingTypes,
    isPlain: true,
    files: {
      'src/feed.ts': 'export const read = (text: string): any => JSON.parse(text)\n',
      'biome.json': edited(typed['biome.json'], [
        '"noDoubleEquals": "error"',
        '"noDoubleEquals": "error", "noExplicitAny": "off"',
      ]),
    },
    story: { title: 'No any in the feed', criteria: ['read gives unknown, and isOrder narrows it', 'biome.json forbids any'] },
    work: {
      write: {
        'src/feed.ts': `import type { Order } from './order'

export const read = (text: string): unknown => JSON.parse(text)

export const isOrder = (value: unknown): value is Order =>
  typeof value === 'object' && value !== null && 'cents' in value && typeof value.cents === 'number' && 'count' in value
`,
        'src/types/env.d.ts': 'declare const BUILD: string\n',
        'biome.json': typed['biome.json']!,
      },
    },
    heldOut: 'grep -q unknown src/feed.ts && echo held-out ok',
  },
]
