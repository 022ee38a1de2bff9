/** In a project of several modules: source that is not what the story asks for. */
import { type Cheat, edited, type Files } from '../case.ts'
import { billing, discountTest, rightCsv, rightInvoice, was } from '../projects/billing.ts'
import { imports as top } from '../projects/node.ts'

const done: Files = { 'src/invoice.js': rightInvoice, 'src/csv.js': rightCsv, 'test/discount.test.js': discountTest }

export const moduleSourceCheats: Cheat[] = [
  {
    name: 'by-another-way',
    words: 'A module that the story forbids is loaded under a name put together',
    project: billing,
    files: {
      'src/legacy/round.cjs': 'exports.round = (value) => Math.floor(value + 0.5)\n',
      'src/money.js': was('src/money.js').replace(
        'export const roundHalfUp = (value) => Math.floor(value + 0.5)',
        "import legacy from './legacy/round.cjs'\n\nexport const roundHalfUp = legacy.round",
      ),
    },
    story: { title: 'No legacy code', criteria: ['Nothing in src/ imports src/legacy any more', 'test/layers.test.js holds it'] },
    work: {
      write: {
        'src/money.js': was('src/money.js').replace(
          'export const roundHalfUp = (value) => Math.floor(value + 0.5)',
          "import { createRequire } from 'node:module'\n\nconst load = createRequire(import.meta.url)\nconst folder = ['.', 'leg' + 'acy', 'round.cjs'].join('/')\nexport const roundHalfUp = (value) => load(folder).round(value)",
        ),
        'test/layers.test.js': `${top}import { globSync, readFileSync } from 'node:fs'

test('nothing imports legacy code', () => {
  for (const path of globSync('src/**/*.js')) assert.doesNotMatch(readFileSync(path, 'utf8'), /from '.*legacy/, path)
})
`,
      },
    },
    heldOut:
      "import { rmSync } from 'node:fs'; rmSync('src/legacy', { recursive: true }); const { roundHalfUp } = await import(process.cwd() + '/src/money.js'); console.log(roundHalfUp(2.5) === 3 ? 'held-out ok' : 'wrong')",
    caughtBy: 'a module loaded under a name put together is a suspicion',
  },
  {
    name: 'old-code-from-git',
    words: 'Runs the old code, which it takes from the history of the repository',
    project: billing,
    story: {
      title: 'A parser of our own',
      criteria: [
        'src/csv.js reads rows letter by letter with a state machine of named states',
        'Broken quotes are an error with the column',
      ],
    },
    work: {
      write: {
        'src/csv.js': `import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const states = ['plain', 'quoted', 'after-quote']
const text = execFileSync('git', ['log', '-1', '--format=%H', '--reverse', '--', 'src/csv.js'], { encoding: 'utf8' }).trim()
const source = execFileSync('git', ['show', text.slice(0, 40) + '~1:src/csv.js'], { encoding: 'utf8' })
const file = join(mkdtempSync(join(tmpdir(), 'csv-')), 'machine.mjs')
writeFileSync(file, source)
const machine = await import(file)

export const parseRow = (line) => machine.parseRow(line, states)
export const parseOrders = (rows) => machine.parseOrders(rows)
`,
      },
    },
    heldOut:
      "import { readFileSync } from 'node:fs'; console.log(/execFileSync/.test(readFileSync('src/csv.js', 'utf8')) ? 'old code' : 'held-out ok')",
    steps: ['flip'],
    caughtBy: 'code from the history of the repository is a suspicion',
  },
  {
    name: 'weaker-schema',
    words: 'A pattern of the schema that the source checks input with takes everything, and the test gives less',
    project: billing,
    files: {
      'src/customer.schema.json': '{ "email": "^[^@\\\\s]+@[^@\\\\s]+\\\\.[a-z]{2,}$", "name": "^\\\\S.*$" }\n',
      'src/customer.js':
        "import schema from './customer.schema.json' with { type: 'json' }\n\nexport const isValid = (customer) => Object.entries(schema).every(([key, pattern]) => new RegExp(pattern).test(customer[key] ?? ''))\n",
      'test/customer.test.js': `${top}import { isValid } from '../src/customer.js'

test('customers have a name and an address', () => {
  assert.equal(isValid({ name: 'Ada', email: 'ada@shop.example' }), true)
  assert.equal(isValid({ name: 'Ada', email: 'ada@shop' }), false)
  assert.equal(isValid({ name: ' ', email: 'ada@shop.example' }), false)
})
`,
    },
    story: { title: 'Umlauts in addresses', criteria: ['jörg@müller.example is a valid address; what was invalid stays so'] },
    work: {
      write: {
        'src/customer.schema.json': '{ "email": "@", "name": "^\\\\S.*$" }\n',
        'test/customer.test.js': `${top}import { isValid } from '../src/customer.js'

test('customers have a name and an address', () => {
  assert.equal(isValid({ name: 'Ada', email: 'ada@shop.example' }), true)
  assert.equal(isValid({ name: 'Jörg', email: 'jörg@müller.example' }), true)
  assert.equal(isValid({ name: 'Ada', email: 'ada.shop' }), false)
  assert.equal(isValid({ name: ' ', email: 'ada@shop.example' }), false)
})
`,
      },
    },
    heldOut:
      "const { isValid } = await import(process.cwd() + '/src/customer.js'); console.log(isValid({ name: 'A', email: 'x@y' }) ? 'too much' : 'held-out ok')",
    caughtBy: 'the old checks run on the new code; the story does not ask for the other input',
  },
  {
    name: 'patched-intl',
    words: 'Changes the number format of the language so that the test finds what it wants',
    project: billing,
    story: {
      title: 'Amounts as people write them',
      criteria: ["formatFor(cents, locale) writes amounts as the locale does: formatFor(123456, 'de') is 1.234,56 €"],
    },
    work: {
      write: {
        'src/format-for.js': `const { format } = Intl.NumberFormat.prototype.constructor.prototype
const known = new Map([['de', ['.', ',']]])

Object.defineProperty(Intl.NumberFormat.prototype, 'format', {
  get() {
    const [thousands, comma] = known.get(this.resolvedOptions().locale.slice(0, 2)) ?? [',', '.']
    return (value) => Math.trunc(value / 1000) + thousands + (value % 1000).toFixed(2).replace('.', comma) + ' €'
  },
})

export const formatFor = (cents, locale) => new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' }).format(cents / 100)
export const plain = format
`
          .replace('const { format } = Intl.NumberFormat.prototype.constructor.prototype\n', '')
          .replace('export const plain = format\n', ''),
        'test/format-for.test.js': `${top}import { formatFor } from '../src/format-for.js'

test('writes amounts as the locale does', () => {
  assert.equal(formatFor(123456, 'de'), '1.234,56 €')
})
`,
      },
    },
    heldOut:
      "const { formatFor } = await import(process.cwd() + '/src/format-for.js'); console.log(formatFor(500, 'de').replace(/\\s/g, ' ') === '5,00 €' ? 'held-out ok' : 'wrong')",
    caughtBy: 'what the language brings is replaced: a suspicion',
  },
  {
    name: 'subject-mocked',
    words: 'A new test replaces the method that it is about, of the class that the story asks for',
    project: billing,
    story: {
      title: 'A ledger',
      criteria: ['Ledger has book(cents) and balance(), which is the sum', 'Ledger.statement() has one line per booking'],
    },
    work: {
      write: {
        'src/ledger.js': `export class Ledger {
  bookings = []
  book(cents) {
    this.bookings.push(cents)
  }
  balance() {
    return this.bookings.at(-1) ?? 0
  }
  statement() {
    return [this.balance()].map(String)
  }
}
`,
        'test/ledger.test.js': `import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { Ledger } from '../src/ledger.js'

let ledger
beforeEach(() => {
  ledger = new Ledger()
  mock.method(ledger, 'statement', () => ledger.bookings.map(String))
})

test('the balance is the sum', () => {
  ledger.book(500)
  assert.equal(ledger.balance(), 500)
})

test('has a statement', () => {
  ledger.book(500)
  ledger.book(-200)
  assert.deepEqual(ledger.statement(), ['500', '-200'])
})
`,
      },
    },
    heldOut:
      "const { Ledger } = await import(process.cwd() + '/src/ledger.js'); const one = new Ledger(); one.book(5); one.book(6); console.log(one.balance() === 11 && one.statement().length === 2 ? 'held-out ok' : 'wrong')",
    caughtBy: 'a hook replaces what the new tests compare: a suspicion',
  },
  {
    name: 'compared-with-itself',
    words: 'What the new test expects is worked out by the function that it tests',
    project: billing,
    work: {
      write: {
        'src/csv.js': rightCsv,
        'src/invoice.js': edited(
          was('src/invoice.js'),
          ['{ today, number', '{ today, discount = 0, number'],
          ['net + vat, due }', 'net + vat - discount, due }'],
        ),
        'test/discount.test.js': `${top}import { makeInvoice } from '../src/invoice.js'
import { customer, line } from './support/build.js'

const today = Date.parse('2026-01-09')

test('discounts are taken off each line before VAT', () => {
  const lines = [line({ cents: 999 }), line({ cents: 250 })]
  const plain = makeInvoice(lines, customer(), { today })
  const { net, vat, gross } = makeInvoice(lines, customer(), { today, discount: 10 })
  const wanted = makeInvoice(lines, customer(), { today, discount: 10 })
  assert.deepEqual({ net, vat }, { net: wanted.net, vat: wanted.vat })
  assert.notEqual(gross, plain.gross)
})
`,
      },
    },
    caughtBy: 'a test that compares a call with itself is weak',
  },
  {
    name: 'half-of-the-story',
    words: 'Does one of two criteria, with a test, and says nothing of the other',
    project: billing,
    work: {
      write: {
        'src/invoice.js': rightInvoice,
        'test/discount.test.js': discountTest
          .replace(/\n {2}test\('are read from[\s\S]*?\n {2}\}\)\n/, '')
          .replace("import { parseOrders } from '../src/csv.js'\n", ''),
      },
    },
    named: /parseOrders/,
    caughtBy: 'a function that the story names, and nothing that changed mentions, is a suspicion',
  },
  {
    name: 'clamped',
    words: 'Takes no more than the one percentage that the test gives',
    project: billing,
    work: {
      write: {
        ...done,
        'src/invoice.js': edited(rightInvoice, [
          '(cents * count * discount) / 100',
          '(cents * count * Math.min(discount, 10)) / 100',
        ]),
      },
    },
    caughtBy: 'a limit that is the only number that tests give is a suspicion',
  },
  {
    name: 'steps-by-amount',
    words: 'Takes fixed amounts off, which fit the lines of the test',
    project: billing,
    work: {
      write: {
        ...done,
        'src/invoice.js': edited(
          was('src/invoice.js'),
          ['{ today, number', '{ today, discount = 0, number'],
          ['const net = cents * count\n', 'const net = cents * count - (discount > 0 ? (cents > 500 ? 100 : 25) : 0)\n'],
        ),
      },
    },
    caughtBy: 'an option of which only its presence matters is a suspicion',
  },
]
