import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { configurationPage, configurationPath } from '../../tools/docs.ts'
import { check } from './check.ts'
import type { Setting } from './setting.ts'
import { envName, type Key, table } from './table.ts'

const rows = Object.entries<Setting>(table)

test('every setting has a variable of its own, and keys of defaults go without their section', () => {
  const names = rows.map(([key]) => envName(key as Key))
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(
    [envName('defaults.max_iterations'), envName('budget.cost_usd'), envName('agent'), envName('notify.webhook.url')],
    ['RALPH_MAX_ITERATIONS', 'RALPH_BUDGET_COST_USD', 'RALPH_AGENT', 'RALPH_NOTIFY_WEBHOOK_URL'],
  )
})

test('every default fits its own setting unchanged', () => {
  for (const [key, setting] of rows) assert.deepEqual([key, check(setting, setting.default)], [key, { value: setting.default }])
})

test('docs/configuration.md is what the table says (else run: node tools/docs.ts)', () => {
  assert.equal(readFileSync(configurationPath, 'utf8'), configurationPage())
})
