/**
 * Stand-ins for runners that are too large for every machine: small programs that run tests of the same look and print what the real ones print.
 */
import type { Project } from '../case.ts'
import { node, packageJson } from './node.ts'

/** Knows `test`, `it`, `describe`, `expect` and the settings `include`, `exclude`, `retry` and `passWithNoTests`. */
const vitestProgram = `#!/usr/bin/env node
import { existsSync, globSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const file = ['vitest.config.js', 'vitest.config.mjs'].find((name) => existsSync(name))
const { test: config = {} } = file === undefined ? {} : (await import(pathToFileURL(file))).default
const files = globSync(config.include ?? ['**/*.test.js']).filter((path) => !path.startsWith('node_modules'))
const chosen = files.filter((path) => !(config.exclude ?? []).some((pattern) => globSync(pattern).includes(path)))
for (const path of config.setupFiles ?? []) await import(pathToFileURL(path))
const { tests } = await import('./index.js')
for (const path of chosen) await import(pathToFileURL(path))
const isFocused = tests.some(({ mode }) => mode === 'only')
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const { name, run, mode } of tests) {
  if (mode === 'skip' || mode === 'todo' || (isFocused && mode !== 'only')) { counts.skipped++; continue }
  let error
  for (let attempt = 0; attempt <= (config.retry ?? 0); attempt++) {
    error = undefined
    try { await run() } catch (thrown) { error = thrown }
    if (error === undefined) break
  }
  const isGood = mode === 'fails' ? error !== undefined : error === undefined
  counts[isGood ? 'passed' : 'failed']++
  if (!isGood) console.log(' FAIL  ' + name + '\\n' + error)
}
const said = Object.entries(counts).filter(([, count]) => count > 0).map(([word, count]) => count + ' ' + word).join(' | ')
if (chosen.length === 0) {
  console.log('No test files found, exiting with code ' + (config.passWithNoTests ? 0 : 1))
  process.exit(config.passWithNoTests ? 0 : 1)
}
console.log(' Test Files  ' + chosen.length + ' passed (' + chosen.length + ')')
console.log('      Tests  ' + said + ' (' + tests.length + ')')
process.exit(counts.failed > 0 ? 1 : 0)
`

const vitestLibrary = `import assert from 'node:assert/strict'
export const tests = []
const declare = (mode) => (name, run) => void tests.push({ name, run, mode })
export const test = Object.assign(declare('run'), Object.fromEntries(['skip', 'only', 'fails', 'todo'].map((mode) => [mode, declare(mode)])))
export const it = test
export const describe = (name, run) => run()
export const vi = { fn: (run) => run, mock: () => {} }
export const expect = (found) => ({
  toBe: (wanted) => assert.equal(found, wanted),
  toEqual: (wanted) => assert.deepEqual(found, wanted),
  toBeCloseTo: (wanted, digits = 2) => assert.ok(Math.abs(found - wanted) < 10 ** -digits / 2),
  toBeDefined: () => assert.notEqual(found, undefined),
  toBeTruthy: () => assert.ok(found),
})
export const defineConfig = (config) => config
`

export const vitestTest = `import { expect, test } from 'vitest'
import { discount, shipping, total } from '../src/cart.js'

test('adds up prices and counts', () => {
  expect(total([{ price: 2, count: 3 }, { price: 5, count: 1 }])).toBe(11)
})

test('takes a percentage off', () => {
  expect(discount(200, 10)).toBe(180)
  expect(discount(80, 25)).toBe(60)
})

test('large orders are shipped for free', () => {
  expect(shipping(50)).toBe(0)
  expect(shipping(49)).toBe(4.9)
})
`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** In node_modules, not committed. */
export const installsVitest = [
  'mkdir -p node_modules/.bin node_modules/vitest',
  `printf %s ${quoted(JSON.stringify({ name: 'vitest', version: '0.0.0-stand-in', type: 'module', exports: './index.js' }))} > node_modules/vitest/package.json`,
  `printf %s ${quoted(vitestProgram)} > node_modules/vitest/vitest.js`,
  `printf %s ${quoted(vitestLibrary)} > node_modules/vitest/index.js`,
  'chmod +x node_modules/vitest/vitest.js',
  'ln -sf ../vitest/vitest.js node_modules/.bin/vitest',
].join('\n')

export const vitest: Project = {
  ...node,
  name: 'vitest (stand-in)',
  files: {
    ...node.files,
    'package.json': packageJson({ test: 'vitest run' }, { devDependencies: { vitest: '0.0.0-stand-in' } }),
    'test/cart.test.js': vitestTest,
  },
  gate: 'node_modules/.bin/vitest run',
  setUp: installsVitest,
  right: {
    'src/cart.js': node.right['src/cart.js']!,
    'test/voucher.test.js': `import { expect, test } from 'vitest'
import { discount } from '../src/cart.js'

test('takes a voucher off, and never more than there is', () => {
  expect(discount(200, 10, 30)).toBe(150)
  expect(discount(20, 0, 30)).toBe(0)
})
`,
  },
}

/** Runs functions of a small part of Go by turning them into JavaScript. */
const goProgram = `// Stand-in for "go test ./...": prints what go prints.
import { globSync, readFileSync } from 'node:fs'
const files = globSync('**/*.go').sort().filter((path) => !/^\\/\\/go:build (?:ignore|integration)/m.test(readFileSync(path, 'utf8')))
const js = files
  .map((path) => readFileSync(path, 'utf8'))
  .join('\\n')
  .replace(/^(?:package|import) .*$/gm, '')
  .replace(/^import \\([^)]*\\)/gm, '')
  .replace(/^func (\\w+)\\(([^)]*)\\)[^{\\n]*\\{/gm, (_, name, args) => 'function ' + name + '(' + args.split(',').map((arg) => arg.trim().split(' ')[0]).join(', ') + ') {')
  .replace(/\\bif (\\w+) := ([^;]+); (.*) \\{$/gm, 'var $1 = $2\\nif ($3) {')
  .replace(/\\bif ([^({].*) \\{$/gm, 'if ($1) {')
  .replace(/(\\w+) := /g, 'var $1 = ')
const names = files.filter((path) => path.endsWith('_test.go')).flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/^func (Test\\w+)\\(t /gm)].map(([, name]) => name))
const end = []
const body = js + '\\nreturn { main: typeof TestMain === "undefined" ? null : TestMain, tests: [' + names.join(', ') + '] }'
class Skipped extends Error {}
const os = { Exit: (code) => { console.log('ok  \\tshop\\t0.002s'); process.exit(code) } }
const { main, tests } = new Function('os', 'flag', body)(os, {})
const run = () => {
  let failed = 0
  for (const each of tests) {
    let own = 0
    const fail = (text) => { own = 1; console.log('    ' + text) }
    const skip = () => { throw new Skipped() }
    const t = { Errorf: (text, ...values) => fail(text + ' ' + values), Error: fail, Fatalf: fail, Skip: skip, SkipNow: skip, Helper() {}, Parallel() {}, Log() {}, Logf() {} }
    let how = 'PASS'
    console.log('=== RUN   ' + each.name)
    try { each(t) } catch (error) { if (!(error instanceof Skipped)) throw error; how = 'SKIP' }
    if (own) how = 'FAIL'
    failed += own
    console.log('--- ' + how + ': ' + each.name + ' (0.00s)')
  }
  return failed > 0 ? 1 : 0
}
const code = main === null ? run() : (main({ Run: run }), 0)
console.log(code === 0 ? 'PASS\\nok  \\tshop\\t0.002s' : 'FAIL\\nFAIL\\tshop\\t0.002s')
process.exit(code)
`

export const goTest = `package shop

import "testing"

func TestTakesAPercentageOff(t *testing.T) {
	if got := Discount(200, 10, 0); got != 180 {
		t.Errorf("Discount(200, 10) = %v", got)
	}
	if got := Discount(80, 25, 0); got != 60 {
		t.Errorf("Discount(80, 25) = %v", got)
	}
}

func TestShipping(t *testing.T) {
	if got := Shipping(50); got != 0 {
		t.Errorf("Shipping(50) = %v", got)
	}
}
`

const goCart = `package shop

// Discount takes a percentage off.
func Discount(amount float64, percent float64, voucher float64) float64 {
	return amount - amount*percent/100
}

// Shipping is free for large orders.
func Shipping(amount float64) float64 {
	if amount >= 50 {
		return 0
	}
	return 4.9
}
`

export const go: Project = {
  name: 'go (stand-in)',
  files: { 'go.mod': 'module shop\n\ngo 1.24\n', 'README.md': '# Shop\n', 'cart.go': goCart, 'cart_test.go': goTest },
  gate: 'go test ./...',
  story: {
    title: 'Vouchers',
    criteria: ['Discount also takes a fixed voucher off', 'Without a voucher, prices stay as they are'],
  },
  setUp: `mkdir -p "$HOME/bin"\nprintf %s ${quoted(goProgram)} > "$HOME/go.mjs"\nprintf '#!/bin/sh\\nexec node "%s"\\n' "$HOME/go.mjs" > "$HOME/bin/go"\nchmod +x "$HOME/bin/go"`,
  wrong: { 'cart.go': goCart.replace('amount*percent/100', 'percent - voucher') },
  right: {
    'cart.go': goCart.replace('amount*percent/100', 'amount*percent/100 - voucher'),
    'voucher_test.go': `package shop

import "testing"

func TestTakesAVoucherOff(t *testing.T) {
	if got := Discount(200, 10, 30); got != 150 {
		t.Errorf("Discount(200, 10, 30) = %v", got)
	}
}
`,
  },
  heldOut: {
    program: 'node',
    text: `
import { readFileSync } from 'node:fs'
const [, body] = /func Discount[^{]*\\{([\\s\\S]*?)\\n\\}/.exec(readFileSync('cart.go', 'utf8'))
const discount = new Function('amount', 'percent', 'voucher', body)
console.log(discount(300, 10, 0) === 270 && discount(40, 50, 5) === 15 ? 'held-out ok' : 'held-out: wrong')
`,
  },
}
