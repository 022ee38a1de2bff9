/** Gates that are red before the first iteration: a person at the terminal says what that means, before any call is paid for. */

import { isRed } from '../../core/decide/gates.ts'
import { listed } from '../../core/plan/stories.ts'
import { keyLines } from '../../core/proof/key-lines.ts'
import { howItFailed } from '../../core/proof/last-failure.ts'
import { isToolMissing } from '../../core/proof/missing-tool.ts'
import type { BaselineAnswer } from '../../core/types/checks.ts'
import type { GateResult } from '../../core/types.ts'
import type { Setup } from '../parts.ts'

const choices: Record<string, BaselineAnswer> = { c: 'continue', t: 'tolerate', q: 'quit' }
/** Whoever is not there gets what an unattended run does. */
const silenceMs = 60_000

/** undefined: nothing to ask, or nobody. A gate that cannot run ends the run anyway. */
export async function askAboutBaseline(
  { ask, screen, asksBaseline }: Pick<Setup, 'ask' | 'screen' | 'asksBaseline'>,
  results: GateResult[],
  stop: AbortSignal,
): Promise<BaselineAnswer | undefined> {
  const red = results.filter(isRed)
  const isStopped = results.some(({ ended }) => ended === 'stopped')
  if (asksBaseline !== true || red.length === 0 || isStopped || red.some(isToolMissing)) return undefined
  for (const result of red) {
    screen.say('bad', `  ✗ gate ${result.name} ${howItFailed(result)}`)
    for (const text of keyLines(result.output)) screen.say('plain', `      ${text}`)
  }
  const names = red.map(({ name }) => `"${name}"`)
  const question = `${names.length === 1 ? 'Gate' : 'Gates'} ${listed(names)} ${names.length === 1 ? 'fails' : 'fail'} before any agent has worked. Let the agent fix ${names.length === 1 ? 'it' : 'them'} first (continue), accept this failure in this run (tolerate), or quit?`
  const key = await ask(question, { keys: choices, timeoutMs: silenceMs, silence: 'continues' }, stop)
  return stop.aborted ? undefined : (choices[key ?? 'c'] ?? 'continue')
}
