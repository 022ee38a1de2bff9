/** One input of a family: made from its number, tried, and made smaller where it fails. */
import fc from 'fast-check'
import type { Family } from './family.ts'

/** `input` is the smallest that still fails, as JSON. */
export type Fault = { family: string; seed: number; message: string; input: string }

/** The same number gives the same input. */
export const inputOf = ({ inputs }: Family, seed: number): unknown => fc.sample(fc.tuple(inputs), { seed, numRuns: 1 })[0]![0]

/** Null: all that must hold does. `onTry` is called before each look at an input, of which a failure takes many. */
export async function tryNumber(family: Family, seed: number, onTry: () => void): Promise<Fault | null> {
  const input = inputOf(family, seed)
  onTry()
  const message = await problemWith(family, input)
  if (message === null) return null
  const smaller = await smallest(family, seed, onTry)
  return { family: family.name, seed, message: smaller?.message ?? message, input: JSON.stringify(smaller?.input ?? input) }
}

export async function problemWith(family: Family, input: unknown): Promise<string | null> {
  try {
    await family.check(input)
    return null
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

/** Enough to read; a failure that takes many seconds to shrink is small enough as it is. */
const mostShrinks = 400

async function smallest(family: Family, seed: number, onTry: () => void): Promise<{ input: unknown; message: string } | null> {
  let found: { input: unknown; message: string } | null = null
  let tries = 0
  const property = fc.asyncProperty(fc.tuple(family.inputs), async ([input]) => {
    if ((tries += 1) > mostShrinks) return
    onTry()
    const message = await problemWith(family, input)
    if (message === null) return
    found = { input, message }
    throw new Error(message)
  })
  await fc.check(property, { seed, numRuns: 1 })
  return found
}
