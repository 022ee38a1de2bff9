import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderIn } from './bridge-options.ts'

const nothing = { model: '', allowedTools: '', skipPermissions: false, isReadOnly: true }

test('an order that is missing or broken, or has fields of other kinds, allows nothing but looking', () => {
  for (const text of [undefined, '', '{', 'null', '[]', '"x"', '{}', '{"model":5,"skipPermissions":"yes","isReadOnly":"no"}'])
    assert.deepEqual(orderIn(text), nothing)
  for (const statusTool of [null, 'ralph', { command: 'ralph' }, { command: 'ralph', args: [1] }])
    assert.deepEqual(orderIn(JSON.stringify({ statusTool, isReadOnly: false })), { ...nothing, isReadOnly: false })
})

test('an order is read as it was given', () => {
  const order = {
    model: 'm',
    allowedTools: 'Edit',
    skipPermissions: true,
    isReadOnly: false,
    statusTool: { command: 'r', args: ['x'] },
  }
  assert.deepEqual(orderIn(JSON.stringify(order)), order)
})
