/** The table as a JSON Schema, for editors that check config.yaml. */
import { agentFormats, type Setting } from './setting.ts'
import { table } from './table.ts'

type Schema = Record<string, unknown>

/** Draft 7: what YAML editors understand. */
export function jsonSchema(): Schema {
  const root = section()
  for (const [key, setting] of Object.entries<Setting>(table)) {
    const words = key.split('.')
    const name = words.pop() ?? key
    let properties = root.properties
    for (const word of words) properties = ((properties[word] ??= section()) as ReturnType<typeof section>).properties
    properties[name] = {
      description: setting.doc,
      default: setting.default,
      ...typeSchema(setting),
    }
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: "Ralph's settings", ...root }
}

const section = () => ({ type: ['object', 'null'], additionalProperties: false, properties: {} as Record<string, Schema> })

function typeSchema(setting: Setting): Schema {
  switch (setting.type) {
    case 'whole':
      return numberSchema('integer', setting)
    case 'number':
      return numberSchema('number', setting)
    case 'minutes':
      return { anyOf: [numberSchema('number', setting), duration] }
    case 'bool':
      return { type: 'boolean' }
    case 'text':
      if (setting.isAddress) return { type: 'string', pattern: '^([Hh][Tt][Tt][Pp][Ss]?://.+)?$' }
      return { type: 'string', ...(setting.filled && { minLength: 1 }) }
    case 'choice':
      return { enum: [...setting.values, ...olderOf(setting)] }
    case 'list':
      return { type: ['array', 'null'], items: setting.names ? { enum: [...setting.names] } : filled }
    case 'limits':
      return { type: 'array', minItems: 2, maxItems: 2, items: { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, duration] } }
    case 'commands':
      return setting.names === undefined
        ? { type: ['object', 'null'], additionalProperties: filled }
        : {
            type: ['object', 'null'],
            additionalProperties: false,
            properties: Object.fromEntries(setting.names.map((name) => [name, filled])),
          }
    case 'prices':
      return { type: ['object', 'null'], additionalProperties: price }
    case 'keywords':
      return { type: ['object', 'null'], additionalProperties: keywords }
    case 'agent':
      return { anyOf: [filled, agent] }
  }
}

/** An editor must not complain about a file that is read. */
const olderOf = ({ older = {} }: Extract<Setting, { type: 'choice' }>): unknown[] =>
  Object.keys(older).map((word) => (word === 'true' || word === 'false' ? word === 'true' : word))

type Bounds = { default: number | null; min?: number; above?: number; max?: number }

const numberSchema = (type: string, { default: usual, min, above, max }: Bounds): Schema => ({
  type: usual === null ? [type, 'null'] : type,
  ...(min !== undefined && { minimum: min }),
  ...(above !== undefined && { exclusiveMinimum: above }),
  ...(max !== undefined && { maximum: max }),
})

const filled: Schema = { type: 'string', minLength: 1 }
const duration: Schema = { type: 'string', pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$|^\\d+(\\.\\d+)?$' }
const words: Schema = { type: 'array', items: filled }
const amount: Schema = { type: 'number', minimum: 0 }
const price: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['input', 'output'],
  properties: { input: amount, output: amount, cache_read: amount, cache_write: amount },
}
const keywords: Schema = {
  anyOf: [
    words,
    {
      type: 'object',
      additionalProperties: false,
      required: ['words', 'weight'],
      properties: { words, weight: { type: 'number' } },
    },
  ],
}
const agent: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: filled,
    command: { ...words, minItems: 1 },
    format: { enum: [...agentFormats] },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    script: filled,
  },
}
