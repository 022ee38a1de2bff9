/** A small validator for the part of JSON Schema that our own schemas use; an unknown keyword is an error, never a pass. */
import type { Schema } from '../../tools/events-schema-parts.ts'

type Definitions = Record<string, Schema>

/** What is wrong with the value, each with its path; `strict` also names unknown fields. */
export function problemsOf(value: unknown, schema: Schema, definitions: Definitions, at = '', strict = true): string[] {
  const unknown = Object.keys(schema).filter((word) => !words.has(word))
  if (unknown.length > 0) throw new Error(`the validator does not know ${unknown.join(', ')}`)
  if (schema.$ref !== undefined) {
    const target = definitions[schema.$ref.replace('#/$defs/', '')]
    if (target === undefined) throw new Error(`${schema.$ref} is not defined`)
    return problemsOf(value, target, definitions, at, strict)
  }
  const wrong = (what: string): string[] => [`${at || 'value'}: ${what}, found ${JSON.stringify(value)?.slice(0, 80)}`]
  if (schema.oneOf !== undefined) {
    const tried = schema.oneOf.map((option) => problemsOf(value, option, definitions, at, strict))
    const fitting = tried.filter((problems) => problems.length === 0).length
    if (fitting === 1) return []
    return fitting > 1 ? wrong('expected to fit one of several, fits more') : nearest(tried)
  }
  if ('const' in schema && value !== schema.const) return wrong(`expected ${JSON.stringify(schema.const)}`)
  if (schema.enum !== undefined && !schema.enum.includes(value)) return wrong(`expected one of ${schema.enum.join(', ')}`)
  if (schema.type !== undefined && !isOfType(value, schema.type)) return wrong(`expected ${schema.type}`)
  if (typeof value === 'string' && schema.pattern !== undefined && !new RegExp(schema.pattern).test(value))
    return wrong(`expected ${schema.pattern}`)
  if (typeof value === 'number' && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value)))
    return wrong(`expected ${schema.minimum} to ${schema.maximum ?? 'any'}`)
  if (Array.isArray(value))
    return value.flatMap((item, index) => problemsOf(item, schema.items ?? {}, definitions, `${at}[${index}]`, strict))
  if (typeof value !== 'object' || value === null) return []
  return [
    ...(schema.required ?? []).filter((name) => !(name in value)).map((name) => `${at}.${name}: missing`),
    ...Object.entries(value).flatMap(([name, own]) => {
      const field = schema.properties?.[name] ?? schema.additionalProperties
      if (field === undefined) return strict ? [`${at}.${name}: not in the schema`] : []
      return problemsOf(own, field, definitions, `${at}.${name}`, strict)
    }),
  ]
}

const words = new Set([
  ...['$ref', 'type', 'const', 'enum', 'pattern', 'minimum', 'maximum', 'items', 'required', 'properties'],
  ...['additionalProperties', 'oneOf', 'description', '$schema', 'title', '$defs'],
])

/** Of several mismatches, the one with the right kind says most. */
const nearest = (tried: string[][]): string[] =>
  tried.find((problems) => !problems.some((problem) => /(^|\.)kind: /.test(problem))) ?? tried[0]!

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
