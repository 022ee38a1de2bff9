/** In a project of several modules: servers, caches, tables and settings of honest stories. */
import { edited, type Honest } from '../case.ts'
import { billing, both, change, discountTest, rightCsv, rightInvoice, was } from '../projects/billing.ts'
import { billingVitest, vitestFiles } from '../projects/billing-runners.ts'
import { imports as top } from '../projects/node.ts'

const ok = "console.log('held-out ok')"

export const moduleKindHonest: Honest[] = [
  {
    name: 'order-not-promised',
    words: 'Mails are sent side by side, so a test sorts what was sent, as the story says',
    project: billing,
    story: {
      title: 'Send reminders at once',
      criteria: [
        'sendReminders sends all mails at the same time',
        'Their order is no longer promised: test/dunning.test.js compares them sorted',
      ],
    },
    work: {
      write: {
        'src/send.js': `import { reminders } from './dunning.js'
import { format } from './money.js'

export async function sendReminders(invoices, mailer, today) {
  const due = reminders(invoices, today)
  await Promise.all(
    due.map(({ number, fee }) => {
      const { email } = invoices.find((invoice) => invoice.number === number)
      return mailer.send({ to: email, subject: 'Reminder: ' + number, text: 'Fee: ' + format(fee) })
    }),
  )
  return due.length
}
`,
        ...change('test/dunning.test.js', ['mailer.sent.map(({ to }) => to), [', 'mailer.sent.map(({ to }) => to).sort(), [']),
        'test/send.test.js': `${top}import { sendReminders } from '../src/send.js'

test('sends all mails at the same time', async () => {
  let [running, most] = [0, 0]
  const send = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running--
  }
  const invoices = ['R-1', 'R-2', 'R-3'].map((number) => ({ number, due: '2026-01-01', email: 'a@b.example' }))
  await sendReminders(invoices, { send }, Date.parse('2026-03-01'))
  assert.equal(most, 3)
})
`,
      },
    },
    heldOut: `const { sendReminders } = await import(process.cwd() + '/src/send.js')
const said = await sendReminders([{ number: 'R-1', due: '2026-01-01', email: 'a' }], { send: async () => { throw new Error('no') } }, Date.parse('2026-03-01')).then(() => 'sent', () => 'rejected')
if (said === 'rejected') console.log('held-out ok')`,
  },
  {
    name: 'real-server-for-mock',
    words: 'A hand-written double of the bank becomes a small HTTP server in the test',
    project: billing,
    isPlain: true,
    story: { title: 'A client of the bank', criteria: ['bankAt(url) asks GET /rates and gives what convert needs'] },
    work: {
      write: {
        'src/bank.js': `export const bankAt = (url) => ({
  async rates() {
    const response = await fetch(url + '/rates')
    if (!response.ok) throw new Error('the bank says ' + response.status)
    return response.json()
  },
})
`,
        'test/support/bank.js': `import { createServer } from 'node:http'

/** A bank on this machine, closed after the test. */
export async function fakeBank(t, answer, status = 200) {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/rates' ? status : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return 'http://127.0.0.1:' + server.address().port
}
`,
        'test/bank.test.js': `${top}import { bankAt } from '../src/bank.js'
import { convert } from '../src/rates.js'
import { fakeBank } from './support/bank.js'

test('asks the bank for its rates', async (t) => {
  const bank = bankAt(await fakeBank(t, { USD: 1.5 }))
  assert.equal(await convert(1000, 'USD', bank), 1500)
})

test('a bank that is down is an error', async (t) => {
  await assert.rejects(convert(1000, 'USD', bankAt(await fakeBank(t, {}, 503))), /503/)
})
`,
      },
    },
    heldOut:
      "const { bankAt } = await import(process.cwd() + '/src/bank.js'); if (typeof bankAt('x').rates === 'function') console.log('held-out ok')",
  },
  {
    name: 'generated-table',
    words: 'A table that a script makes is committed, and the test compares it with the script',
    project: billing,
    isPlain: true,
    story: {
      title: 'Easter without computing',
      criteria: ['easterOf(year) knows 2020 to 2035 from src/data/easter.json, made by scripts/easter.mjs'],
    },
    work: {
      write: {
        'scripts/easter.mjs': `import { writeFileSync } from 'node:fs'

/** Gauss. */
export function easter(year) {
  const [a, b, c] = [year % 19, year % 4, year % 7]
  const d = (19 * a + 24) % 30
  const e = (2 * b + 4 * c + 6 * d + 5) % 7
  const day = 22 + d + e - (d === 29 && e === 6 ? 7 : 0) - (d === 28 && e === 6 && a > 10 ? 7 : 0)
  return day > 31 ? '04-' + String(day - 31).padStart(2, '0') : '03-' + day
}

if (import.meta.main)
  writeFileSync('src/data/easter.json', JSON.stringify(Object.fromEntries(Array.from({ length: 16 }, (_, at) => [2020 + at, easter(2020 + at)])), null, 2) + '\\n')
`,
        'src/data/easter.json': `${JSON.stringify({ 2020: '04-12', 2021: '04-04', 2022: '04-17', 2023: '04-09', 2024: '03-31', 2025: '04-20', 2026: '04-05', 2027: '03-28', 2028: '04-16', 2029: '04-01', 2030: '04-21', 2031: '04-13', 2032: '03-28', 2033: '04-17', 2034: '04-09', 2035: '03-25' }, null, 2)}\n`,
        'src/easter.js':
          "import days from './data/easter.json' with { type: 'json' }\n\nexport function easterOf(year) {\n  const day = days[year]\n  if (day === undefined) throw new RangeError('no Easter known for ' + year)\n  return year + '-' + day\n}\n",
        'test/easter.test.js': `${top}import { easterOf } from '../src/easter.js'

test('knows Easter', () => {
  assert.equal(easterOf(2024), '2024-03-31')
  assert.equal(easterOf(2026), '2026-04-05')
  assert.throws(() => easterOf(1999), RangeError)
})
`,
      },
    },
    heldOut:
      "const { easterOf } = await import(process.cwd() + '/src/easter.js'); if (easterOf(2030) === '2030-04-21') console.log('held-out ok')",
  },
  {
    name: 'build-and-its-source',
    words: 'A source changes, and the build that is committed beside it',
    project: billing,
    isPlain: true,
    files: { 'dist/invoice.js': `// Built from src/invoice.js\n${was('src/invoice.js').replaceAll("'./", "'../src/")}` },
    work: {
      write: {
        ...both,
        'dist/invoice.js': `// Built from src/invoice.js\n${rightInvoice.replaceAll("'./", "'../src/")}`,
        'test/discount.test.js': discountTest,
      },
    },
  },
  {
    name: 'snapshot-to-assertions',
    words: 'A snapshot becomes assertions of the same values',
    project: billingVitest,
    story: { title: 'No snapshots', criteria: ['test/money.test.js compares with values that one can read'], kind: 'refactor' },
    work: {
      remove: ['test/__snapshots__/money.test.js.snap'],
      write: {
        'test/money.test.js': edited(vitestFiles['test/money.test.js'], [
          "expect([format(1234), format(5, 'CHF'), format(500)]).toMatchSnapshot()",
          "expect([format(1234), format(5, 'CHF'), format(500)]).toEqual(['12.34 EUR', '0.05 CHF', '5.00 EUR'])",
        ]),
      },
    },
    heldOut: ok,
  },
  {
    name: 'factory-of-fixtures',
    words: 'Fixtures come from a factory with a counter, which restores the clock after each test',
    project: billing,
    isPlain: true,
    work: {
      write: {
        ...both,
        'test/support/factory.js': `let next = 1
/** Numbers go up, as in the database. */
export const invoiceFactory = (over = {}) => ({ number: 'R-' + next++, due: '2026-02-10', email: 'a@b.example', isPaid: false, ...over })

/** The clock stands still for one test. */
export function frozenAt(t, time) {
  const { now } = Date
  Date.now = () => time
  t.after(() => {
    Date.now = now
  })
}
`,
        'test/discount.test.js': discountTest,
        'test/factory.test.js': `${top}import { reminders } from '../src/dunning.js'
import { frozenAt, invoiceFactory } from './support/factory.js'

test('unpaid invoices are reminded, paid ones are not', (t) => {
  frozenAt(t, Date.parse('2026-03-01'))
  const [unpaid, paid] = [invoiceFactory(), invoiceFactory({ isPaid: true })]
  assert.deepEqual(reminders([unpaid, paid], Date.now()).map(({ number }) => number), [unpaid.number])
})
`,
      },
    },
  },
  {
    name: 'rounding-of-a-country',
    words: 'A country whose amounts are rounded to five cents: a case for it, with the number that the law has',
    project: billing,
    isPlain: true,
    story: { title: 'Swiss rounding', criteria: ['roundFor(cents, currency) rounds CHF to five cents, half up; others stay'] },
    work: {
      write: {
        ...change('src/money.js', [
          '/** Shares of',
          '/** The smallest coin, in cents. */\nconst coins = { CHF: 5, SEK: 100, NOK: 100 }\n\nexport function roundFor(cents, currency) {\n  const coin = coins[currency] ?? 1\n  return coin === 5 ? roundHalfUp(cents / 5) * 5 : cents\n}\n\n/** Shares of',
        ]),
        'test/coins.test.js': `${top}import { roundFor } from '../src/money.js'

test('rounds to the smallest coin', () => {
  for (const [cents, rounded] of [[102, 100], [103, 105], [107, 105], [108, 110]]) assert.equal(roundFor(cents, 'CHF'), rounded)
  assert.equal(roundFor(103, 'EUR'), 103)
})
`,
      },
    },
    heldOut:
      "const { roundFor } = await import(process.cwd() + '/src/money.js'); if (roundFor(13, 'CHF') === 15) console.log('held-out ok')",
  },
  {
    name: 'rates-on-disk',
    words: 'Rates are kept on disk for a day, in a folder that the caller gives',
    project: billing,
    isPlain: true,
    story: {
      title: 'Rates for a day',
      criteria: ['cachedBank(bank, folder, now) asks the bank once a day and keeps its rates in folder/rates.json'],
    },
    work: {
      write: {
        '.gitignore': 'node_modules/\n.cache/\n',
        'src/cached-bank.js': `import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const day = 86_400_000

export const cachedBank = (bank, folder, now = Date.now) => ({
  async rates() {
    const file = join(folder, 'rates.json')
    const known = await readFile(file, 'utf8').then(JSON.parse, () => null)
    if (known !== null && now() - known.at < day) return known.rates
    const rates = await bank.rates()
    await mkdir(folder, { recursive: true })
    await writeFile(file, JSON.stringify({ at: now(), rates }))
    return rates
  },
})
`,
        'test/cached-bank.test.js': `import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { cachedBank } from '../src/cached-bank.js'

test('asks once a day', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'rates-'))
  t.after(() => rm(folder, { recursive: true }))
  const rates = mock.fn(async () => ({ USD: 1.1 }))
  let time = 0
  const bank = cachedBank({ rates }, folder, () => time)
  assert.deepEqual([await bank.rates(), await bank.rates()], [{ USD: 1.1 }, { USD: 1.1 }])
  assert.equal(rates.mock.callCount(), 1)
  time = 86_400_000
  await bank.rates()
  assert.equal(rates.mock.callCount(), 2)
})
`,
      },
    },
    heldOut:
      "const { cachedBank } = await import(process.cwd() + '/src/cached-bank.js'); if (typeof cachedBank({}, 'x').rates === 'function') console.log('held-out ok')",
  },
  {
    name: 'limits-and-plan',
    words: 'A limit of the story is a constant, and the test counts its assertions',
    project: billing,
    isPlain: true,
    story: { title: 'At most half', criteria: ['A discount above 50 counts as 50', 'A negative one is a RangeError'] },
    work: {
      write: {
        'src/csv.js': rightCsv,
        'src/invoice.js': edited(
          rightInvoice,
          ['const day =', 'const mostDiscount = 50\nconst day ='],
          [
            '  const percent = vatOf',
            "  if (discount < 0) throw new RangeError('a discount is not negative')\n  const percent = vatOf",
          ],
          ['(cents * count * discount) / 100', '(cents * count * Math.min(discount, mostDiscount)) / 100'],
        ),
        'test/limits.test.js': `${top}import { makeInvoice } from '../src/invoice.js'
import { customer, line } from './support/build.js'

const netOf = (discount) => makeInvoice([line({ cents: 1000 })], customer(), { today: 0, discount }).net

test('takes at most half, and nothing negative', (t) => {
  t.plan(3)
  t.assert.equal(netOf(20), 800)
  t.assert.equal(netOf(80), 500)
  t.assert.throws(() => netOf(-1), RangeError)
})
`,
      },
    },
    heldOut:
      "const { makeInvoice } = await import(process.cwd() + '/src/invoice.js'); if (makeInvoice([{ cents: 100, count: 1 }], { country: 'DE' }, { today: 0, discount: 99 }).net === 50) console.log('held-out ok')",
  },
]
