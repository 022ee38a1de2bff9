/** The invoices, tested by the real mocha and by a stand-in for vitest that has doubles, snapshots, aliases and matchers of one's own. */
import type { Files, Project } from '../case.ts'
import { billing, discountTest } from './billing.ts'
import { mocha } from './mocha.ts'
import { packageJson } from './node.ts'

const forMocha = (text: string): string => text.replace(/import \{.*\} from 'node:test'\n/, '').replaceAll(/\btest\(/g, 'it(')
const { 'test/server.test.js': _, ...withoutServer } = billing.files

export const mochaFiles: Files = {
  ...Object.fromEntries(
    Object.entries(withoutServer).map(([path, text]) => [path, path.endsWith('.test.js') ? forMocha(text) : text]),
  ),
  'package.json': packageJson({ test: 'mocha' }, { devDependencies: { mocha: '12.0.3' } }),
}

export const billingMocha: Project = {
  ...billing,
  name: 'mocha, several modules',
  files: mochaFiles,
  gate: 'npm test',
  setUp: mocha.setUp!,
  right: { ...billing.right, 'test/discount.test.js': forMocha(discountTest) },
}

const library = `import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
export const tests = []
export const state = { file: '', title: '', updates: process.argv.includes('--update') || process.argv.includes('-u'), written: 0 }
let prefix = []
const declare = (mode) => (name, run) => void tests.push({ name: [...prefix, name].join(' > '), run, mode, file: state.file })
export const test = Object.assign(declare('run'), Object.fromEntries(['skip', 'only', 'fails', 'todo'].map((mode) => [mode, declare(mode)])), {
  each: (rows) => (name, run) => rows.forEach((row) => declare('run')(name.replace('%s', row), () => run(...[row].flat()))),
  skipIf: (given) => declare(given ? 'skip' : 'run'),
})
export const it = test
export const describe = Object.assign((name, run) => { prefix.push(name); run(); prefix.pop() }, { skip: () => {} })
const key = Symbol.for('jest.asymmetricMatcher')
const alike = (found, wanted) => {
  if (found?.$$typeof === key && wanted?.$$typeof !== key) return found.asymmetricMatch(wanted)
  if (wanted?.$$typeof === key) return wanted.asymmetricMatch(found)
  if (typeof found !== 'object' || typeof wanted !== 'object' || found === null || wanted === null) return Object.is(found, wanted)
  return Object.keys({ ...found, ...wanted }).every((name) => alike(found[name], wanted[name]))
}
const show = (value) => JSON.stringify(value, null, 2)
const snapshots = new Map()
function snapshot(found) {
  const path = join(dirname(state.file), '__snapshots__', basename(state.file) + '.snap')
  const known = snapshots.get(path) ?? (existsSync(path) ? Object.fromEntries([...readFileSync(path, 'utf8').matchAll(/^exports\\[\`(.*)\`\\] = \`\\n([^\`]*)\\n\`;/gm)].map(([, name, text]) => [name, text])) : {})
  snapshots.set(path, known)
  const name = state.title + ' 1'
  const text = show(found)
  if (known[name] === text) return true
  if (name in known && !state.updates) return false
  known[name] = text
  state.written++
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '// Vitest Snapshot v1\\n\\n' + Object.entries(known).map(([name, text]) => 'exports[\`' + name + '\`] = \`\\n' + text + '\\n\`;\\n').join('\\n'))
  return true
}
const failure = (thrown, wanted) => wanted === undefined || (wanted instanceof RegExp ? wanted.test(thrown.message) : typeof wanted === 'string' ? thrown.message.includes(wanted) : thrown instanceof wanted)
const thrownBy = (run) => { try { run() } catch (error) { return error } }
const matchers = {
  toBe: (found, wanted) => Object.is(found, wanted),
  toEqual: alike,
  toStrictEqual: alike,
  toMatchObject: (found, wanted) => Object.keys(wanted).every((name) => alike(found[name], wanted[name])),
  toBeCloseTo: (found, wanted, digits = 2) => Math.abs(found - wanted) < 10 ** -digits / 2,
  toBeDefined: (found) => found !== undefined,
  toBeTruthy: (found) => Boolean(found),
  toBeGreaterThan: (found, wanted) => found > wanted,
  toHaveLength: (found, wanted) => found.length === wanted,
  toContain: (found, wanted) => found.includes(wanted),
  toMatch: (found, wanted) => new RegExp(wanted).test(found),
  toThrow: (found, wanted) => { const thrown = thrownBy(found); return thrown !== undefined && failure(thrown, wanted) },
  toHaveBeenCalled: (found) => found.mock.calls.length > 0,
  toHaveBeenCalledTimes: (found, wanted) => found.mock.calls.length === wanted,
  toHaveBeenCalledWith: (found, ...wanted) => found.mock.calls.some((call) => alike(call, wanted)),
  toMatchSnapshot: snapshot,
}
const ofOne = (found, isNot = false) => {
  const bound = Object.fromEntries(Object.entries(matchers).map(([name, matcher]) => [name, (...wanted) => {
    const result = matcher(found, ...wanted)
    const isGood = typeof result === 'object' ? result.pass : result
    if (isGood === isNot) throw new assert.AssertionError({ message: 'expected ' + show(found) + (isNot ? ' not ' : ' ') + name + ' ' + wanted.map(show) })
  }]))
  if (isNot) return bound
  const settled = (promise, wants) => new Proxy({}, { get: (_, name) => (...wanted) => Promise.resolve(promise).then((value) => [true, value], (error) => [false, error]).then(([isGood, value]) => {
    if (isGood !== wants) throw new Error('the promise ' + (isGood ? 'resolved' : 'rejected'))
    return name === 'toThrow' ? ofOne(() => { throw value })[name](...wanted) : ofOne(value)[name](...wanted)
  }) })
  return { ...bound, not: ofOne(found, true), resolves: settled(found, true), rejects: settled(found, false) }
}
const asymmetric = (asymmetricMatch) => ({ $$typeof: key, asymmetricMatch })
export const expect = Object.assign((found) => ofOne(found), {
  extend: (more) => Object.assign(matchers, more),
  any: (type) => asymmetric((found) => Object(found) instanceof type),
  anything: () => asymmetric((found) => found != null),
  objectContaining: (wanted) => asymmetric((found) => matchers.toMatchObject(found, wanted)),
  stringMatching: (wanted) => asymmetric((found) => new RegExp(wanted).test(found)),
})
export const vi = {
  fn: (run = () => {}) => { const double = Object.assign((...values) => { double.mock.calls.push(values); return run(...values) }, { mock: { calls: [] } }); return double },
  spyOn: (object, name) => { const was = object[name]; const double = vi.fn((...values) => was.apply(object, values)); double.mockReturnValue = (value) => { object[name] = () => value; return double }; object[name] = double; return double },
}
export const hooks = { before: [], after: [] }
export const beforeEach = (run) => void hooks.before.push(run)
export const afterEach = (run) => void hooks.after.push(run)
export const defineConfig = (config) => config
`

const program = `#!/usr/bin/env node
import { existsSync, globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
const file = ['vitest.config.js', 'vitest.config.mjs', 'vitest.config.ts'].find((name) => existsSync(name))
const { test: config = {}, resolve: { alias = {} } = {} } = file === undefined ? {} : (await import(pathToFileURL(file))).default
registerHooks({ resolve: (name, context, next) => next(alias[name] === undefined ? name : pathToFileURL(resolve(alias[name])).href, context) })
const files = globSync(config.include ?? ['**/*.{test,spec}.{js,ts}']).filter((path) => !path.startsWith('node_modules')).sort()
const chosen = files.filter((path) => !(config.exclude ?? []).some((pattern) => globSync(pattern).includes(path)))
for (const path of config.setupFiles ?? []) await import(pathToFileURL(path))
const { hooks, state, tests } = await import('./index.js')
for (const path of chosen) {
  state.file = path
  await import(pathToFileURL(path))
}
const isFocused = tests.some(({ mode }) => mode === 'only')
const counts = { failed: 0, passed: 0, skipped: 0, todo: 0 }
for (const { name, run, mode, file } of tests) {
  if (mode === 'skip' || mode === 'todo' || (isFocused && mode !== 'only')) { counts[mode === 'todo' ? 'todo' : 'skipped']++; continue }
  let error
  for (let attempt = 0; attempt <= (config.retry ?? 0); attempt++) {
    error = undefined
    Object.assign(state, { file, title: name })
    try {
      for (const hook of hooks.before) await hook()
      await run()
    } catch (thrown) { error = thrown } finally { for (const hook of hooks.after) await hook() }
    if (error === undefined) break
  }
  const isGood = mode === 'fails' ? error !== undefined : error === undefined
  counts[isGood ? 'passed' : 'failed']++
  if (!isGood) console.log(' FAIL  ' + file + ' > ' + name + '\\n' + error)
}
const said = Object.entries(counts).filter(([, count]) => count > 0).map(([word, count]) => count + ' ' + word).join(' | ')
if (chosen.length === 0) {
  console.log('No test files found, exiting with code ' + (config.passWithNoTests ? 0 : 1))
  process.exit(config.passWithNoTests ? 0 : 1)
}
if (state.written > 0) console.log('  Snapshots  ' + state.written + ' written')
console.log(' Test Files  ' + chosen.length + ' passed (' + chosen.length + ')')
console.log('      Tests  ' + said + ' (' + tests.length + ')')
process.exit(counts.failed > 0 ? 1 : 0)
`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const from = (names: string): string => `import { ${names} } from 'vitest'\n`

const {
  'test/rates.test.js': __,
  'test/doubles/mailer.js': ___,
  'test/support/assert-invoice.js': ____,
  ...shared
} = withoutServer

export const vitestFiles: Files = {
  ...shared,
  'package.json': packageJson({ test: 'vitest run' }, { devDependencies: { vitest: '4.0.0-stand-in' } }),
  'test/invoice.test.js': `${from('describe, expect, test')}import { makeInvoice } from '../src/invoice.js'
import { customer, line } from './support/build.js'

const today = Date.parse('2026-01-09')

describe('makeInvoice', () => {
  test('adds up lines, with VAT per line', () => {
    const invoice = makeInvoice([line({ cents: 105, count: 3 }), line({ cents: 99 })], customer(), { today })
    expect(invoice).toEqual({
      number: 'R-1',
      customer: 'Ada',
      items: [
        { name: 'Lamp', net: 315, vat: 60 },
        { name: 'Lamp', net: 99, vat: 19 },
      ],
      net: 414,
      vat: 79,
      gross: 493,
      due: '2026-01-23',
    })
  })

  test('rounds each line, not the sum', () => {
    const invoice = makeInvoice([line({ cents: 3 }), line({ cents: 3 }), line({ cents: 3 })], customer(), { today })
    expect(invoice.net).toEqual(9)
    expect(invoice.vat).toEqual(3)
  })

  test('needs a known country', () => {
    expect(() => makeInvoice([line()], customer({ country: 'XX' }), { today })).toThrow(/no VAT known for XX/)
  })
})
`,
  'test/csv.test.js': `${from('describe, expect, test')}import { readFileSync } from 'node:fs'
import { parseOrders, parseRow } from '../src/csv.js'

const orders = readFileSync(new URL('./fixtures/orders.csv', import.meta.url), 'utf8')

describe('csv', () => {
  test('splits at commas', () => expect(parseRow('a,b,,c')).toEqual(['a', 'b', '', 'c']))

  test('keeps commas and quotes in quotes', () => {
    expect(parseRow('"Lamp, small",2')).toEqual(['Lamp, small', '2'])
    expect(parseRow('"8"" pipe",1')).toEqual(['8" pipe', '1'])
  })

  test('reads every order of the fixture', () => {
    const read = parseOrders(orders)
    expect(read).toHaveLength(4)
    expect(read[1]).toEqual({ name: 'Lamp, small', cents: 990, count: 2 })
  })
})
`,
  'test/money.test.js': `${from('describe, expect, test')}import cases from './fixtures/allocations.json' with { type: 'json' }
import { allocate, format, roundHalfUp } from '../src/money.js'

describe('money', () => {
  test('rounds halves up', () => expect([0.5, 1.5, 2.4].map(roundHalfUp)).toEqual([1, 2, 2]))

  test.each(cases.map(({ cents, shares, parts }) => [cents, shares, parts]))('allocates %s', (cents, shares, parts) => {
    expect(allocate(cents, shares)).toEqual(parts)
  })

  test('formats amounts', () => {
    expect([format(1234), format(5, 'CHF'), format(500)]).toMatchSnapshot()
  })
})
`,
  'test/__snapshots__/money.test.js.snap': `// Vitest Snapshot v1

exports[\`money > formats amounts 1\`] = \`
[
  "12.34 EUR",
  "0.05 CHF",
  "5.00 EUR"
]
\`;
`,
  'test/dunning.test.js': `${from('describe, expect, test, vi')}import { reminders } from '../src/dunning.js'
import { sendReminders } from '../src/send.js'

const today = Date.parse('2026-03-01')
const invoices = [
  { number: 'R-1', due: '2026-02-20', email: 'a@shop.example' },
  { number: 'R-2', due: '2026-02-10', email: 'b@shop.example' },
  { number: 'R-3', due: '2026-01-20', email: 'c@shop.example' },
]

describe('dunning', () => {
  test('fees grow with the days', () => {
    expect(reminders(invoices, today)).toEqual([
      { number: 'R-2', days: 19, fee: 0 },
      { number: 'R-3', days: 40, fee: 500 },
    ])
  })

  test('sends a mail for each', async () => {
    const send = vi.fn(async () => {})
    expect(await sendReminders(invoices, { send }, today)).toBe(2)
    expect(send).toHaveBeenCalledTimes(2)
    expect(send).toHaveBeenCalledWith({ to: 'c@shop.example', subject: 'Reminder: R-3', text: 'Fee: 5.00 EUR' })
  })
})
`,
}

export const vitestDiscountTest = `${from('describe, expect, test')}import { parseOrders } from '../src/csv.js'
import { makeInvoice } from '../src/invoice.js'
import { customer, line } from './support/build.js'

const today = Date.parse('2026-01-09')

describe('discounts', () => {
  test('are taken off each line before VAT', () => {
    const made = makeInvoice([line({ cents: 999 }), line({ cents: 250 })], customer(), { today, discount: 10 })
    expect(made).toMatchObject({ net: 1124, vat: 214 })
  })

  test('are read from the fourth column', () => {
    expect(parseOrders('name,price,count,discount\\nLamp,2.50,1,15')).toEqual([{ name: 'Lamp', cents: 250, count: 1, discount: 15 }])
  })
})
`

export const billingVitest: Project = {
  ...billing,
  name: 'vitest (stand-in), several modules',
  files: vitestFiles,
  gate: 'npm test',
  setUp: [
    'mkdir -p node_modules/.bin node_modules/vitest',
    `printf %s ${quoted(JSON.stringify({ name: 'vitest', version: '4.0.0-stand-in', type: 'module', exports: { '.': './index.js', './config': './index.js' } }))} > node_modules/vitest/package.json`,
    `printf %s ${quoted(program)} > node_modules/vitest/vitest.js`,
    `printf %s ${quoted(library)} > node_modules/vitest/index.js`,
    'chmod +x node_modules/vitest/vitest.js',
    'ln -sf ../vitest/vitest.js node_modules/.bin/vitest',
  ].join('\n'),
  right: { ...billing.right, 'test/discount.test.js': vitestDiscountTest },
}
