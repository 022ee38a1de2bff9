import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const manifest = (script: string, targets: unknown) =>
  `${JSON.stringify({ scripts: { test: script }, imports: { '#shipping': targets } }, null, 2)}\n`
const old = `${JSON.stringify({ scripts: { test: 'node --test' } }, null, 2)}\n`
const found = (script: string, targets: unknown) => rulesIn({ 'package.json': [old, manifest(script, targets)] })

test('an import that a condition of a script leads to another module of the sources', () => {
  const targets = { local: './src/shipping.local.js', default: './src/shipping.js' }
  assert.deepEqual(found('node -C local --test', targets), ['subject-replaced package.json'])
  assert.deepEqual(found('node --conditions=local --test', targets), ['subject-replaced package.json'])
})

test('a condition that no script sets, one for sources beside what is built, and the same for all', () => {
  assert.deepEqual(found('node --test', { browser: './src/shipping.web.js', default: './src/shipping.js' }), [])
  assert.deepEqual(found('node -C source --test', { source: './src/shipping.ts', default: './dist/shipping.js' }), [])
  assert.deepEqual(found('node -C local --test', { local: './src/shipping.js', default: './src/shipping.js' }), [])
  assert.deepEqual(found('node -C local --test', './src/shipping.js'), [])
})
