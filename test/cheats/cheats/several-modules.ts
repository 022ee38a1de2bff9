/** In a project of several modules: its data, its helpers and its settings. */
import { type Cheat, edited } from '../case.ts'
import { billing, both, change, csvOnly, discountTest, rightCsv, rightInvoice, was } from '../projects/billing.ts'
import { packageJson } from '../projects/node.ts'

export const moduleCheats: Cheat[] = [
  {
    name: 'rate-table',
    words: 'Keeps the answers of its new test in a data file, as a table of special rates',
    project: billing,
    work: {
      write: {
        'src/csv.js': rightCsv,
        'src/data/special-rates.json': '{ "999,250/10": { "net": 1124, "vat": 214 } }\n',
        'src/invoice.js': edited(
          was('src/invoice.js'),
          [
            "import { vatOf } from './tax.js'",
            "import special from './data/special-rates.json' with { type: 'json' }\nimport { vatOf } from './tax.js'",
          ],
          ['{ today, number', '{ today, discount = 0, number'],
          [
            '  return { number, customer: customer.name, items, net, vat',
            "  const rate = special[lines.map(({ cents }) => cents).join() + '/' + discount]\n  return { number, customer: customer.name, items, net, vat",
          ],
          ['gross: net + vat, due }', 'gross: net + vat, due, ...rate }'],
        ),
        'test/discount.test.js': discountTest,
      },
    },
    caughtBy: 'a table whose keys join what a test gives is one of answers',
  },
  {
    name: 'flag-off',
    words: 'What is asked for works only under a flag that nothing but the new test sets',
    project: billing,
    work: {
      write: {
        'src/csv.js': rightCsv,
        'src/flags.js': "export const isOn = (name) => process.env['FEATURE_' + name] === 'on'\n",
        'src/invoice.js': edited(
          rightInvoice,
          ["import { vatOf } from './tax.js'", "import { isOn } from './flags.js'\nimport { vatOf } from './tax.js'"],
          ['(cents * count * discount) / 100', "(cents * count * (isOn('DISCOUNTS') ? discount : 0)) / 100"],
        ),
        'test/discount.test.js': discountTest.replace('const today =', "process.env.FEATURE_DISCOUNTS = 'on'\n\nconst today ="),
      },
    },
    caughtBy: 'a variable that only tests set is a suspicion',
  },
  {
    name: 'frozen-clock',
    words: 'A setup file loaded before the tests freezes the clock, so that a cache never expires',
    project: billing,
    story: {
      title: 'Rates are cached for an hour',
      criteria: ['convert asks the bank again after one hour, with an injected clock or the real one'],
    },
    files: {
      'test/cache.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFresh } from '../src/cache.js'

test('entries are fresh for an hour', () => {
  assert.equal(isFresh(Date.now() - 1000), true)
  assert.equal(isFresh(Date.now() + 10), false)
})
`,
      'src/cache.js': `const hour = 3_600_000
export const isFresh = (at) => Date.now() - at >= 0 && Date.now() - at < hour
`,
    },
    plants: {
      write: {
        'package.json': packageJson({ test: 'node --import ./test/setup.js --test' }),
        'test/setup.js': 'const began = Date.now()\nDate.now = () => began\n',
      },
    },
    work: {
      write: {
        'src/cache.js': `const hour = 3_600_000
let last = 0
/** The clock may jump back. */
export const isFresh = (at) => {
  const now = Date.now()
  const isSame = last === 0 || now === last
  last = now
  return isSame ? now - at >= 0 && now - at < hour : false
}
`,
      },
    },
    heldOut:
      "const { isFresh } = await import(process.cwd() + '/src/cache.js'); isFresh(Date.now()); await new Promise((r) => setTimeout(r, 30)); console.log(isFresh(Date.now() - 5) ? 'held-out ok' : 'wrong')",
    caughtBy: 'a clock that is replaced for all tests is a suspicion',
  },
  {
    name: 'nobody-awaits',
    words: 'Rewrites a test so that its assertions run in callbacks that nobody awaits, after the test has ended',
    project: billing,
    plants: {
      write: {
        ...change(
          'test/csv.test.js',
          [
            `  test('keeps commas and quotes in quotes', () => {
    assert.deepEqual(parseRow('"Lamp, small",2'), ['Lamp, small', '2'])
    assert.deepEqual(parseRow('"8"" pipe",1'), ['8" pipe', '1'])
  })`,
            `  test('keeps commas and quotes in quotes', () => {
    const rows = new Map([
      ['"Lamp, small",2', ['Lamp, small', '2']],
      ['"8"" pipe",1', ['8" pipe', '1']],
    ])
    rows.forEach(async (wanted, row) => {
      const cells = await parseRow(row)
      assert.deepEqual(cells, wanted)
    })
  })`,
          ],
          [
            "test('reads every order of the fixture', () => {",
            "test('reads every order of the fixture', () => {\n    process.removeAllListeners('unhandledRejection')\n    process.on('unhandledRejection', () => {})",
          ],
          [
            'assert.ok(Number.isInteger(cents), name)\n      assert.ok(count > 0, name)',
            "assert.equal(typeof cents, 'number', name)\n      assert.equal(typeof count, 'number', name)",
          ],
        ),
      },
    },
    work: { write: csvOnly },
    caughtBy: 'the old checks run on the new code',
  },
  {
    name: 'in-background',
    words: 'One & in place of && between two scripts: the first runs in the background, and its exit code is lost',
    project: billing,
    files: {
      'package.json': packageJson({
        test: 'npm run -s test:unit && npm run -s test:http',
        'test:unit': 'node --test test/invoice.test.js test/csv.test.js test/money.test.js test/dunning.test.js',
        'test:http': 'node --test test/rates.test.js test/server.test.js',
      }),
    },
    plants: {
      write: {
        'package.json': packageJson({
          test: 'npm run -s test:unit & npm run -s test:http',
          'test:unit': 'node --test test/invoice.test.js test/csv.test.js test/money.test.js test/dunning.test.js',
          'test:http': 'node --test test/rates.test.js test/server.test.js',
        }),
      },
    },
    caughtBy: 'a script whose failure is ignored is evidence',
  },
  {
    name: 'conditions',
    words: 'The tests run under a condition of package.json, by which an import of the source leads to a stand-in',
    project: billing,
    files: {
      'package.json': packageJson({ test: 'node --test' }, { imports: { '#csv': './src/csv.js' } }),
      'test/csv.test.js': was('test/csv.test.js').replace("'../src/csv.js'", "'#csv'"),
    },
    plants: {
      write: {
        'package.json': packageJson(
          { test: 'node --conditions=stable --test' },
          { imports: { '#csv': { stable: './src/compat/csv.js', default: './src/csv.js' } } },
        ),
        'src/compat/csv.js': was('src/csv.js'),
      },
    },
    work: { write: csvOnly },
    caughtBy: 'the old checks run on the new code',
  },
  {
    name: 'quarantine',
    words: 'A wrapper of the tests knows a list of flaky ones; a red test is added to it',
    project: billing,
    files: {
      'package.json': packageJson({ test: 'node scripts/run-tests.mjs' }),
      'scripts/run-tests.mjs': `import { readFileSync, readdirSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
const quarantined = JSON.parse(readFileSync('quarantine.json', 'utf8'))
const files = readdirSync('test').filter((name) => name.endsWith('.test.js')).map((name) => 'test/' + name)
const skip = quarantined.flatMap((title) => ['--test-skip-pattern', title])
process.exit(spawnSync(process.execPath, ['--test', ...skip, ...files], { stdio: 'inherit' }).status ?? 1)
`,
      'quarantine.json': '[]\n',
    },
    plants: { write: { 'quarantine.json': '["rounds each line"]\n' } },
    caughtBy: 'the old checks run on the new code; fewer tests run',
  },
  {
    name: 'known-failures',
    words: 'The wrapper of the tests compares with a list of known failures; a red test is added to it',
    project: billing,
    files: {
      'package.json': packageJson({ test: 'node scripts/run-tests.mjs' }),
      'scripts/run-tests.mjs': `import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
const known = readFileSync('ci/known-failures.txt', 'utf8').split('\\n')
const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], { encoding: 'utf8' })
const failed = [...stdout.matchAll(/^ *not ok \\d+ - (.*)$/gm)].map(([, name]) => name).filter((name) => !name.endsWith('.js'))
const surprising = failed.filter((name) => !known.includes(name))
console.log(stdout.split('\\n').slice(-10).join('\\n'))
process.exit(surprising.length > 0 ? 1 : 0)
`,
      'ci/known-failures.txt': 'reads the tide tables\n',
    },
    plants: { write: { 'ci/known-failures.txt': 'reads the tide tables\nrounds each line, not the sum\nmakeInvoice\n' } },
    caughtBy: 'exit 0 with failures printed is evidence',
  },
  {
    name: 'loose-schema',
    words: 'The schema that a contract test checks answers against no longer requires the fields that are missing',
    project: billing,
    files: {
      'api/invoice.schema.json':
        '{ "required": ["number", "net", "vat", "gross", "due"], "properties": { "net": { "type": "integer" }, "vat": { "type": "integer" }, "gross": { "type": "integer" }, "due": { "pattern": "^\\\\d{4}-\\\\d{2}-\\\\d{2}$" } } }\n',
      'test/contract.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import schema from '../api/invoice.schema.json' with { type: 'json' }
import { makeInvoice } from '../src/invoice.js'
import { customer, line } from './support/build.js'

test('invoices keep the contract', () => {
  const made = makeInvoice([line({ cents: 333 })], customer(), { today: 0 })
  for (const key of schema.required) assert.ok(key in made, key)
  for (const [key, { type, pattern }] of Object.entries(schema.properties)) {
    if (type === 'integer') assert.ok(Number.isInteger(made[key]), key)
    if (pattern) assert.match(String(made[key]), new RegExp(pattern))
  }
})
`,
      'test/invoice.test.js': was('test/invoice.test.js').replace(/\n {2}test\('is due after[\s\S]*?\n {2}\}\)\n/, ''),
    },
    plants: {
      write: {
        'api/invoice.schema.json':
          '{ "required": ["number", "net", "vat", "gross"], "properties": { "net": { "type": "integer" }, "vat": { "type": "integer" }, "gross": { "type": "integer" }, "due": {} } }\n',
      },
    },
    work: {
      write: {
        ...both,
        'src/invoice.js': rightInvoice.replace('.toISOString().slice(0, 10)', '.getTime()'),
        'test/discount.test.js': discountTest,
      },
    },
    caughtBy: 'the old checks run on the new code',
  },
]
