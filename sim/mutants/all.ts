/** Every deliberate bug, and whether it still applies: changed code leaves some behind. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptedMutants } from './accepted.ts'
import { candidateMutants } from './candidates.ts'
import { decisionMutants } from './decisions.ts'
import { factMutants } from './facts.ts'
import { hookMutants } from './hooks.ts'
import { limitMutants } from './limits.ts'
import type { Mutant } from './mutant.ts'
import { apartMutants } from './parallel.ts'
import { rerunMutants } from './reruns.ts'
import { reviewMutants } from './reviews.ts'

export const all: Mutant[] = [
  ...decisionMutants,
  ...factMutants,
  ...apartMutants,
  ...rerunMutants,
  ...acceptedMutants,
  ...limitMutants,
  ...reviewMutants,
  ...hookMutants,
  ...candidateMutants,
]

const core = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'src', 'core')

export function whyNot({ name, file, from }: Mutant): string[] {
  const times = readFileSync(join(core, file), 'utf8').split(from).length - 1
  return times === 1 ? [] : [`${name}: its text is in src/core/${file} ${times} times, not once. Fix sim/mutants/.`]
}
