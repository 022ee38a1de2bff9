/** One line of `ralph doctor`: what was looked at, what was found, and what to do about it. */
import { Failure } from '../../core/failure.ts'

/** ✗: a run could not start. `next`: the command that solves it. */
export type DoctorFinding = { mark: '✓' | '!' | '✗'; what: string; found: string; advice?: string; next?: string }

const width = 14

export function findingLines({ mark, what, found, advice }: DoctorFinding): string {
  const indent = ' '.repeat(width + 4)
  const lines = [`${mark} ${what.padEnd(width)}  ${found.replaceAll('\n', `\n${indent}`)}`]
  if (advice !== undefined) lines.push(`${indent}→ ${advice}`)
  return `${lines.join('\n')}\n`
}

/** The value, or the Failure that says why there is none. */
export async function attempt<T>(make: () => T | Promise<T>): Promise<T | Failure> {
  try {
    return await make()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
