import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { problemsOf } from '../../../test/support/json-schema.ts'
import type { Schema } from '../../../tools/events-schema-parts.ts'
import { type Fields, inputOf, schemaOf } from './tool-input.ts'

const fields: Fields = {
  text: { type: 'string', description: 'Words.', isRequired: true },
  count: { type: 'integer', description: 'How many.', minimum: 1, maximum: 9 },
  cost: { type: 'number', description: 'In USD.', minimum: 0 },
  now: { type: 'boolean', description: 'At once.' },
}

test('the schema has each field as a client needs it, and nothing else', () => {
  assert.deepEqual(schemaOf(fields), {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'Words.' },
      count: { type: 'integer', description: 'How many.', minimum: 1, maximum: 9 },
      cost: { type: 'number', description: 'In USD.', minimum: 0 },
      now: { type: 'boolean', description: 'At once.' },
    },
    required: ['text'],
    additionalProperties: false,
  })
  assert.deepEqual(schemaOf({}), { type: 'object', properties: {}, additionalProperties: false })
})

const value = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant([]),
)
const given = fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(fields)), fc.string()), value, { maxKeys: 5 })

test('what is taken is what the schema allows, unchanged', () => {
  const { additionalProperties: _, ...schema } = schemaOf(fields) as Schema & { additionalProperties: boolean }
  fc.assert(
    fc.property(given, (input) => {
      const read = inputOf(fields, input)
      const isAllowed = problemsOf(input, schema as Schema, {}).length === 0
      assert.equal(typeof read !== 'string', isAllowed, `${JSON.stringify(input)}: ${read}`)
      if (typeof read !== 'string') assert.deepEqual({ ...read }, { ...input })
    }),
    { numRuns: 2000 },
  )
})

test('null is nothing, and what is no object is refused', () => {
  assert.deepEqual(inputOf(fields, { text: 'a', count: null }), { text: 'a' })
  for (const wrong of ['a', 7, null, ['text']]) assert.equal(inputOf(fields, wrong), 'The arguments must be an object.')
})
