import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const before = 'export function daysIn(month) {\n  return 30\n}\n\nexport const other = 1\n'
const found = (after: string, criterion: string, path = 'src/dates.js', old = before) =>
  rulesIn({ [path]: [old, after] }, { story: { title: 'Tidy', text: criterion, changesTests: false } })

test('what a criterion says is no longer there, and is, under its name', () => {
  const left = ['left-undone src/dates.js']
  const alias = before.replace('export function daysIn(month)', 'export const daysIn = days\n\nfunction days(month)')
  assert.deepEqual(found(alias, 'src/dates.js no longer exports daysIn'), left)
  assert.deepEqual(found(`${before}export const days = daysIn\n`, 'src/dates.js exports days, and no longer daysIn'), left)
  const python = 'def days_in(month):\n    return 30\n'
  assert.deepEqual(found(`${python}\n\nx = 1\n`, '`days_in` is gone: shop/a.py no longer has `days_in`', 'shop/a.py', python), [
    'left-undone shop/a.py',
  ])
})

test('what is gone, is only used inside, or is no name', () => {
  assert.deepEqual(found('export const other = 2\n', 'src/dates.js no longer exports daysIn'), [])
  assert.deepEqual(found(before.replace('export function', 'function'), 'src/dates.js no longer exports daysIn'), [])
  assert.deepEqual(found(`${before}\n// shop\n`, 'prices no longer other than cents; it no longer fails'), [])
})
