/** Context for an error that says that something is missing: collected only for a strategy shift. */
import { missingContext } from '../../adapters/files/find-names.ts'
import { missingFrom } from '../../core/prompt/missing-information.ts'
import type { State } from '../../core/state.ts'
import type { Setup } from '../parts.ts'
import type { IterationStarted } from './gather-prompt.ts'

/** Markdown for the prompt; empty: nothing is missing. */
export async function missingFor(
  world: Pick<Setup, 'root' | 'env'>,
  { story, shift, shifts }: IterationStarted,
  { stories }: State,
): Promise<string> {
  const known = story === null ? undefined : stories[story]
  if (shift === '' || known === undefined || shifts <= known.shifts) return ''
  const output =
    known.refusals
      .at(-1)
      ?.gates.map((gate) => gate.output)
      .join('\n') ?? ''
  const found = missingFrom(output, world.root)
  return found === null ? '' : missingContext(world.root, found, world.env)
}
