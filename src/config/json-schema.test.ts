import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonSchema } from './json-schema.ts'
import { keys } from './names.ts'
import { table } from './table.ts'

type Schema = {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  description?: string
  enum?: unknown[]
} & Record<string, unknown>

const at = (key: string): Schema =>
  key.split('.').reduce<Schema>((schema, word) => schema.properties![word]!, jsonSchema() as Schema)

test('every key is in the schema with its sentence and its default, and no section takes another', () => {
  for (const key of keys) {
    const { description, default: usual } = at(key)
    assert.deepEqual({ key, description, usual }, { key, description: table[key].doc, usual: table[key].default })
  }
  const open = (schema: Schema, name: string): string[] => [
    ...(schema.properties && schema.additionalProperties !== false ? [name] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([word, inner]) => open(inner, `${name}.${word}`)),
  ]
  assert.deepEqual(open(jsonSchema() as Schema, ''), [])
})

test('the schema says what a value may be', () => {
  const { description, ...iterations } = at('defaults.max_iterations')
  assert.deepEqual(iterations, { default: 20, type: 'integer', minimum: 1 })
  assert.deepEqual(at('defaults.pick').enum, ['ralph', 'agent'])
  assert.deepEqual(at('circuit_breaker.cooldown_minutes')['anyOf'], [
    { type: 'number', minimum: 0 },
    { type: 'string', pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$|^\\d+(\\.\\d+)?$' },
  ])
})
