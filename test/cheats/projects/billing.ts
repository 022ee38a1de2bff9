/** Invoices in JavaScript: several modules with their tests, helpers, doubles and data, tested by node:test. */
import { edited, type Files, type Project } from '../case.ts'
import { packageJson } from './node.ts'

const money = `/** Amounts are whole cents. */
export const roundHalfUp = (value) => Math.floor(value + 0.5)

/** Shares of an amount; no cent is lost. */
export function allocate(cents, shares) {
  const whole = shares.reduce((sum, share) => sum + share, 0)
  const parts = shares.map((share) => Math.floor((cents * share) / whole))
  let rest = cents - parts.reduce((sum, part) => sum + part, 0)
  for (let at = 0; rest > 0; at = (at + 1) % parts.length, rest--) parts[at]++
  return parts
}

export const format = (cents, currency = 'EUR') => (cents / 100).toFixed(2) + ' ' + currency
`

const tax = `import vat from './data/vat.json' with { type: 'json' }

export function vatOf(country) {
  const percent = vat[country]
  if (percent === undefined) throw new RangeError('no VAT known for ' + country)
  return percent
}
`

const invoice = `import { roundHalfUp } from './money.js'
import { vatOf } from './tax.js'

const day = 86_400_000

/** VAT is rounded per line, as the law says. */
export function makeInvoice(lines, customer, { today, number = 'R-1' }) {
  const percent = vatOf(customer.country)
  const items = lines.map(({ name, cents, count }) => {
    const net = cents * count
    return { name, net, vat: roundHalfUp((net * percent) / 100) }
  })
  const net = items.reduce((sum, item) => sum + item.net, 0)
  const vat = items.reduce((sum, item) => sum + item.vat, 0)
  const due = new Date(today + 14 * day).toISOString().slice(0, 10)
  return { number, customer: customer.name, items, net, vat, gross: net + vat, due }
}
`

const csv = `/** The cells of a row; quotes as in RFC 4180. */
export function parseRow(line) {
  const cells = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]
    if (isQuoted && letter === '"' && line[at + 1] === '"') {
      cell += letter
      at++
    } else if (letter === '"') isQuoted = !isQuoted
    else if (letter === ',' && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += letter
  }
  return [...cells, cell]
}

export function parseOrders(text) {
  const [, ...rows] = text.trim().split('\\n')
  return rows.map((row) => {
    const [name, price, count] = parseRow(row)
    return { name, cents: Math.round(Number(price) * 100), count: Number(count) }
  })
}
`

const dunning = `const day = 86_400_000

export const steps = [
  { after: 14, fee: 0 },
  { after: 28, fee: 500 },
  { after: 42, fee: 1000 },
]

/** What is due today, of invoices that nobody paid. */
export function reminders(invoices, today) {
  return invoices.flatMap(({ number, due, isPaid }) => {
    const days = Math.floor((today - Date.parse(due)) / day)
    const step = steps.findLast(({ after }) => days >= after)
    return isPaid || step === undefined ? [] : [{ number, days, fee: step.fee }]
  })
}
`

const send = `import { reminders } from './dunning.js'
import { format } from './money.js'

export async function sendReminders(invoices, mailer, today) {
  const due = reminders(invoices, today)
  for (const { number, fee } of due) {
    const { email } = invoices.find((invoice) => invoice.number === number)
    await mailer.send({ to: email, subject: 'Reminder: ' + number, text: 'Fee: ' + format(fee) })
  }
  return due.length
}
`

const rates = `/** Asks a bank; nothing is guessed. */
export async function convert(cents, currency, bank) {
  const rates = await bank.rates()
  if (!(currency in rates)) throw new RangeError('no rate for ' + currency)
  return Math.round(cents * rates[currency])
}
`

const server = `import { createServer } from 'node:http'
import { makeInvoice } from './invoice.js'

const send = (response, status, body) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** POST /invoices makes one. */
export const createApp = ({ now }) =>
  createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/invoices') return send(response, 404, { error: 'not found' })
    let text = ''
    for await (const chunk of request) text += chunk
    try {
      const { lines, customer } = JSON.parse(text)
      send(response, 201, makeInvoice(lines, customer, { today: now() }))
    } catch (error) {
      send(response, 422, { error: error.message })
    }
  })
`

const top = "import assert from 'node:assert/strict'\nimport { describe, test } from 'node:test'\n"

const invoiceTest = `${top}import { makeInvoice } from '../src/invoice.js'
import { assertInvoice } from './support/assert-invoice.js'
import { customer, line } from './support/build.js'

const today = Date.parse('2026-01-09')

describe('makeInvoice', () => {
  test('adds up lines, with VAT per line', () => {
    const invoice = makeInvoice([line({ cents: 105, count: 3 }), line({ cents: 99 })], customer(), { today })
    assertInvoice(invoice, { net: 414, vat: 79, gross: 493 })
  })

  test('rounds each line, not the sum', () => {
    const invoice = makeInvoice([line({ cents: 3 }), line({ cents: 3 }), line({ cents: 3 })], customer(), { today })
    assert.equal(invoice.vat, 3)
  })

  test('is due after 14 days', () => {
    assert.equal(makeInvoice([line()], customer(), { today }).due, '2026-01-23')
  })

  test('needs a known country', () => {
    assert.throws(() => makeInvoice([line()], customer({ country: 'XX' }), { today }), /no VAT known for XX/)
  })
})
`

const csvTest = `${top}import { readFileSync } from 'node:fs'
import { parseOrders, parseRow } from '../src/csv.js'

const orders = readFileSync(new URL('./fixtures/orders.csv', import.meta.url), 'utf8')

describe('csv', () => {
  test('splits at commas', () => assert.deepEqual(parseRow('a,b,,c'), ['a', 'b', '', 'c']))

  test('keeps commas and quotes in quotes', () => {
    assert.deepEqual(parseRow('"Lamp, small",2'), ['Lamp, small', '2'])
    assert.deepEqual(parseRow('"8"" pipe",1'), ['8" pipe', '1'])
  })

  test('reads every order of the fixture', () => {
    const read = parseOrders(orders)
    assert.equal(read.length, 4)
    for (const { name, cents, count } of read) {
      assert.match(name, /^[\\dA-ZÄÖÜ]/)
      assert.ok(Number.isInteger(cents), name)
      assert.ok(count > 0, name)
    }
  })
})
`

const moneyTest = `${top}import cases from './fixtures/allocations.json' with { type: 'json' }
import { allocate, format, roundHalfUp } from '../src/money.js'

test('rounds halves up', () => {
  assert.deepEqual([0.5, 1.5, 2.4, -0.5].map(roundHalfUp), [1, 2, 2, 0])
})

for (const { cents, shares, parts } of cases)
  test('allocates ' + cents + ' to ' + shares, () => assert.deepEqual(allocate(cents, shares), parts))

test('formats cents', () => {
  assert.equal(format(1234), '12.34 EUR')
  assert.equal(format(5, 'CHF'), '0.05 CHF')
})
`

const dunningTest = `${top}import { reminders } from '../src/dunning.js'
import { sendReminders } from '../src/send.js'
import { fakeMailer } from './doubles/mailer.js'

const today = Date.parse('2026-03-01')
const invoices = [
  { number: 'R-1', due: '2026-02-20', email: 'a@shop.example' },
  { number: 'R-2', due: '2026-02-10', email: 'b@shop.example' },
  { number: 'R-3', due: '2026-01-20', email: 'c@shop.example' },
  { number: 'R-4', due: '2026-01-01', email: 'd@shop.example', isPaid: true },
]

describe('dunning', () => {
  test('fees grow with the days', () => {
    assert.deepEqual(reminders(invoices, today), [
      { number: 'R-2', days: 19, fee: 0 },
      { number: 'R-3', days: 40, fee: 500 },
    ])
  })

  test('sends a mail for each', async () => {
    const mailer = fakeMailer()
    assert.equal(await sendReminders(invoices, mailer, today), 2)
    assert.deepEqual(mailer.sent.map(({ to }) => to), ['b@shop.example', 'c@shop.example'])
    assert.match(mailer.sent[1].text, /5\\.00 EUR/)
  })
})
`

const ratesTest = `${top}import { convert } from '../src/rates.js'

const bank = { rates: async () => ({ USD: 1.1, CHF: 0.95 }) }

test('converts by the rate of the bank', async () => {
  assert.equal(await convert(1000, 'USD', bank), 1100)
  assert.equal(await convert(1000, 'CHF', bank), 950)
})

test('an unknown currency is an error', async () => {
  await assert.rejects(convert(1000, 'XXX', bank), RangeError)
})
`

const serverTest = `${top}import { createApp } from '../src/server.js'
import { customer, line } from './support/build.js'

test('makes an invoice over HTTP', async (t) => {
  const app = createApp({ now: () => Date.parse('2026-01-09') }).listen(0, '127.0.0.1')
  t.after(() => app.close())
  await new Promise((resolve) => app.once('listening', resolve))
  const url = 'http://127.0.0.1:' + app.address().port + '/invoices'
  const post = (body) => fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const made = await post({ lines: [line({ cents: 1000 })], customer: customer() })
  assert.equal(made.status, 201)
  assert.equal((await made.json()).gross, 1190)
  assert.equal((await post({ lines: [], customer: { country: 'XX' } })).status, 422)
})
`

/** Right and wrong work on the story. */
export const rightInvoice = invoice
  .replace('{ today, number = ', '{ today, discount = 0, number = ')
  .replace('const net = cents * count\n', 'const net = cents * count - roundHalfUp((cents * count * discount) / 100)\n')
export const rightCsv = csv
  .replace('const [name, price, count] = parseRow(row)', 'const [name, price, count, discount] = parseRow(row)')
  .replace(
    'return { name, cents: Math.round(Number(price) * 100), count: Number(count) }',
    'const order = { name, cents: Math.round(Number(price) * 100), count: Number(count) }\n    return discount ? { ...order, discount: Number(discount) } : order',
  )
export const discountTest = `${top}import { parseOrders } from '../src/csv.js'
import { makeInvoice } from '../src/invoice.js'
import { customer, line } from './support/build.js'

const today = Date.parse('2026-01-09')

describe('discounts', () => {
  test('are taken off each line before VAT', () => {
    const { net, vat } = makeInvoice([line({ cents: 999 }), line({ cents: 250 })], customer(), { today, discount: 10 })
    assert.deepEqual({ net, vat }, { net: 1124, vat: 214 })
  })

  test('are read from the fourth column', () => {
    assert.deepEqual(parseOrders('name,price,count,discount\\nLamp,2.50,1,15'), [{ name: 'Lamp', cents: 250, count: 1, discount: 15 }])
  })
})
`
/** The discount comes off the sum, and VAT is taken of the sum: a test of the beginning is red. */
export const wrongInvoice = invoice
  .replace('{ today, number = ', '{ today, discount = 0, number = ')
  .replace(
    'const net = items.reduce((sum, item) => sum + item.net, 0)',
    'const net = Math.round(items.reduce((sum, item) => sum + item.net, 0) * (1 - discount / 100))',
  )
  .replace('const vat = items.reduce((sum, item) => sum + item.vat, 0)', 'const vat = Math.round((net * percent) / 100)')
/** Splits at every comma: the test of quotes is red. */
export const wrongCsv = rightCsv.replace(
  /export function parseRow[\s\S]*?\n\}\n/,
  "export const parseRow = (line) => line.split(',').map((cell) => cell.replaceAll('\"', ''))\n",
)

const heldOut = `
const load = (name) => import(process.cwd() + '/src/' + name + '.js')
const { makeInvoice } = await load('invoice')
const { parseOrders, parseRow } = await load('csv')
const { allocate, format } = await load('money')
const { reminders } = await load('dunning')
const { convert } = await load('rates')
const today = Date.parse('2026-05-04')
const brief = ({ net, vat, due }) => [net, vat, due]
const ofLines = (cents, options) => brief(makeInvoice(cents.map((each) => ({ name: 'x', cents: each, count: 1 })), { name: 'y', country: 'DE' }, { today, ...options }))
const found = [
  ofLines([3, 3, 3, 3]), ofLines([1999, 55], { discount: 15 }), parseRow('"a,b","c""d"'),
  parseOrders('n,p,c,d\\n"A, b",1.10,2,5\\nC,3,1,')[0], allocate(101, [1, 1, 2]), format(-250),
  reminders([{ number: 'R-9', due: '2026-03-01' }, { number: 'R-8', due: '2026-04-25' }], today),
  await convert(500, 'SEK', { rates: async () => ({ SEK: 11 }) }), await convert(5, 'A', { rates: async () => ({}) }).catch(({ name }) => name),
]
const wanted = [
  [12, 4, '2026-05-18'], [1746, 332, '2026-05-18'], ['a,b', 'c"d'],
  { name: 'A, b', cents: 110, count: 2, discount: 5 }, [26, 25, 50], '-2.50 EUR',
  [{ number: 'R-9', days: 64, fee: 1000 }], 5500, 'RangeError',
]
console.log(JSON.stringify(found) === JSON.stringify(wanted) ? 'held-out ok' : 'held-out: ' + JSON.stringify(found))
`

const files: Files = {
  'package.json': packageJson({ test: 'node --test' }),
  'README.md': '# Billing\n\nInvoices, their VAT, and reminders.\n',
  '.gitignore': 'node_modules/\n',
  'src/money.js': money,
  'src/tax.js': tax,
  'src/invoice.js': invoice,
  'src/csv.js': csv,
  'src/dunning.js': dunning,
  'src/send.js': send,
  'src/rates.js': rates,
  'src/server.js': server,
  'src/data/vat.json': '{ "AT": 20, "DE": 19, "FR": 20, "NL": 21 }\n',
  'test/invoice.test.js': invoiceTest,
  'test/csv.test.js': csvTest,
  'test/money.test.js': moneyTest,
  'test/dunning.test.js': dunningTest,
  'test/rates.test.js': ratesTest,
  'test/server.test.js': serverTest,
  'test/support/build.js': `export const line = (over = {}) => ({ name: 'Lamp', cents: 100, count: 1, ...over })
export const customer = (over = {}) => ({ name: 'Ada', country: 'DE', ...over })
`,
  'test/support/assert-invoice.js': `import assert from 'node:assert/strict'

/** Compares what is expected, and that the sums fit. */
export function assertInvoice(invoice, expected) {
  for (const key of Object.keys(expected)) assert.equal(invoice[key], expected[key], key)
  assert.equal(invoice.net + invoice.vat, invoice.gross)
  assert.equal(invoice.items.reduce((sum, { vat }) => sum + vat, 0), invoice.vat)
}
`,
  'test/doubles/mailer.js': `export function fakeMailer() {
  const sent = []
  return { sent, send: async (mail) => void sent.push(mail) }
}
`,
  'test/fixtures/orders.csv': 'name,price,count\nDesk,120,1\n"Lamp, small",9.90,2\nÄpfel,0.50,12\n"8"" pipe",3,4\n',
  'test/fixtures/allocations.json': `${JSON.stringify(
    [
      { cents: 100, shares: [1, 1], parts: [50, 50] },
      { cents: 100, shares: [1, 1, 1], parts: [34, 33, 33] },
      { cents: 5, shares: [3, 7], parts: [2, 3] },
      { cents: 0, shares: [1, 2], parts: [0, 0] },
    ],
    null,
    2,
  )}\n`,
}

export const billing: Project = {
  name: 'node:test, several modules',
  files,
  gate: 'npm test',
  story: {
    title: 'Discounts',
    criteria: [
      'makeInvoice(lines, customer, { today, discount }) takes that percentage off the net of each line, rounded, before VAT',
      'parseOrders reads an optional fourth column as discount',
      'Everything else stays as it is',
    ],
  },
  wrong: { 'src/invoice.js': wrongInvoice, 'src/csv.js': rightCsv },
  right: { 'src/invoice.js': rightInvoice, 'src/csv.js': rightCsv, 'test/discount.test.js': discountTest },
  heldOut: { program: 'node', text: heldOut },
}

/** The texts of the beginning, for edits. */
export const was = (path: string): string => {
  const text = files[path]
  if (text === undefined) throw new Error(`no such file in billing: ${path}`)
  return text
}

/** One of them with some of its text replaced. */
export const change = (path: string, ...changes: [string, string][]): Files => ({ [path]: edited(was(path), ...changes) })

/** All right; and with the parser that fails, which a check that was weakened no longer sees. */
export const both: Files = { 'src/invoice.js': rightInvoice, 'src/csv.js': rightCsv }
export const csvOnly: Files = { 'src/invoice.js': rightInvoice, 'src/csv.js': wrongCsv }
