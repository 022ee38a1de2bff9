/** What a family of inputs is: how they are made, and what must hold for every one of them. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import type fc from 'fast-check'
import { Failure } from '../src/core/failure.ts'

export type Family<T = unknown> = {
  /** A word for the command line; also the name of its folder in the corpus. */
  name: string
  /** Which parsers it is about. */
  what: string
  /** How many of the inputs it gets, compared with the others: less where one input takes long. */
  weight: number
  /** Inputs are plain JSON, so that one that fails can be kept and replayed; bytes are text with a character for each. */
  inputs: fc.Arbitrary<T>
  /** Throws where something does not hold. */
  check(input: T): void | Promise<void>
}

/** Families of different inputs go into one list. */
export const family = <T>(of: Family<T>): Family => of as unknown as Family

/** A folder of this process for what has to be on disk. Whoever started us as a worker made it and removes it. */
export function scratch(): string {
  const given = (workerData as { scratch?: string } | null)?.scratch
  if (given !== undefined) {
    mkdirSync(given, { recursive: true })
    return given
  }
  if (own === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'ralph-fuzz-'))
    process.on('exit', () => rmSync(made, { recursive: true, force: true }))
    own = made
  }
  return own
}
let own: string | undefined

/** What it gives, or the refusal it ends with; any other error is a fault, and goes on. */
export async function orRefusal<T>(step: () => T | Promise<T>): Promise<T | Failure> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Bytes as text, a character for each, and back: JSON can hold them. */
export const asBytes = (text: string): Buffer => Buffer.from(text, 'latin1')
export const byteText = (text: string): string => Buffer.from(text).toString('latin1')
