// The result of a long check, stored as .reliability/<name>.json: docs/reliability.md is made from these.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Proof = {
  name: string
  /** The promise, in one sentence. */
  what: string
  /** How many inputs, seeds, faults, iterations … */
  tried: number
  /** How many of them lost something or broke a promise. */
  failures: number
  /** Anything else worth reading, by name. */
  details: Record<string, number | string>
  at: string
  seconds: number
}

/** `began`: performance.now() at the start. */
export function keepProof(proof: Omit<Proof, 'at' | 'seconds'>, began: number): void {
  const folder = join(dirname(fileURLToPath(import.meta.url)), '..', '.reliability')
  mkdirSync(folder, { recursive: true })
  const seconds = Math.round((performance.now() - began) / 1000)
  const whole: Proof = { ...proof, at: new Date().toISOString(), seconds }
  writeFileSync(join(folder, `${proof.name}.json`), `${JSON.stringify(whole, null, 2)}\n`)
}
