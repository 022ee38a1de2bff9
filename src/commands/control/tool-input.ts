/** What a tool takes: one table gives its JSON Schema and the check of what comes in. */
import { isRecord } from '../../core/text/json.ts'
import { didYouMean } from '../../core/text/nearest.ts'

export type Fields = Record<string, Field>
type Field = {
  type: 'string' | 'integer' | 'number' | 'boolean'
  description: string
  isRequired?: true
  minimum?: number
  maximum?: number
}
export type ToolInput = Record<string, string | number | boolean | undefined>

export function schemaOf(fields: Fields): object {
  const required = Object.keys(fields).filter((name) => fields[name]?.isRequired)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { isRequired: _, ...shown }]) => [name, shown])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

/** Checks outside input: its values, or what is wrong with it. */
export function inputOf(fields: Fields, given: unknown): ToolInput | string {
  if (!isRecord(given)) return 'The arguments must be an object.'
  const names = Object.keys(fields)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'This tool takes no arguments.' : `Arguments: ${names.join(', ')}.`
    return `Unknown argument "${unknown.slice(0, 60)}".${didYouMean(unknown, names)} ${known}`
  }
  const values: ToolInput = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name] ?? undefined // some clients send null for what is left out
    if (value === undefined && field.isRequired) return `Missing argument "${name}": ${field.description}`
    if (value === undefined) continue
    const problem = problemIn(name, field, value)
    if (problem !== null) return problem
    values[name] = value as string | number | boolean
  }
  return values
}

/** As long as what a person may type on the dashboard. */
const longestText = 20_000

function problemIn(name: string, { type, minimum, maximum }: Field, value: unknown): string | null {
  if (type === 'string' && typeof value === 'string')
    return value.length <= longestText ? null : `${name} is too long: ${value.length} of at most ${longestText} characters.`
  if (type === 'boolean') return typeof value === 'boolean' ? null : `${name} must be true or false.`
  if (type === 'string' || typeof value !== 'number' || !Number.isFinite(value))
    return `${name} must be a ${type === 'string' ? 'string' : 'number'}.`
  if (type === 'integer' && !Number.isInteger(value)) return `${name} must be a whole number.`
  if (minimum !== undefined && value < minimum) return `${name} must be at least ${minimum}.`
  return maximum !== undefined && value > maximum ? `${name} must be at most ${maximum}.` : null
}
