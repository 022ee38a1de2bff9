/** Runs gates over the work in a checkout in which something was changed for the occasion, and reads what that wrote down. */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import type { Git } from '../../adapters/git/git.ts'
import { featureFolder } from '../../adapters/project/layout.ts'
import type { EndedFlight } from '../../core/state.ts'
import type { Gate, GateResult } from '../../core/types.ts'
import { type GatesWorld, runGates } from '../iteration/gates.ts'
import type { Deed } from '../parts.ts'
import { type GateFolders, withCheckout } from './gates-on-commit.ts'

export type ExaminedWorld = GateFolders & { git: Git }
/** What is looked at closer: the work between two commits, and the gates that count its tests. */
export type AskedOfWork = { from: string; now: string; gates: Gate[]; flight: EndedFlight }

/** `change` gets the checkout, and a file that is not there, beside which it may write more; it gives the gates to run. */
export type Changing = Pick<GatesWorld, 'longest'> & { about: string; change: (folder: string, at: string) => Gate[] }

/** Without results: no checkout could be made, which is reported. `said`: what is in the file afterwards. */
export async function runChanged(
  world: ExaminedWorld,
  { now, flight }: Pick<AskedOfWork, 'now' | 'flight'>,
  { change, ...how }: Changing,
  deed: Deed,
): Promise<{ results: GateResult[]; said: string; durationMs: number }> {
  const name = `examined-${randomBytes(6).toString('hex')}`
  let at = ''
  let gates: Gate[] = []
  const place = {
    what: now,
    isClean: deed.state.judgedIn === 'clean',
    without: flight.ended.hidden ?? [],
    beside: 'examination',
    async prepare(folder: string) {
      at = join(featureFolder(folder, world.feature), name)
      mkdirSync(dirname(at), { recursive: true })
      gates = change(folder, at)
    },
  }
  const found = await withCheckout(world, place, deed, async (here) => ({
    results: await runGates({ ...here, ...how }, flight.iteration, gates, deed),
    said: readIfThere(at) ?? '',
  }))
  const { results, said } = found ?? { results: [], said: '' }
  return { results, said, durationMs: results.reduce((sum, result) => sum + result.durationMs, 0) }
}

/** Never through a link, which an agent may have led anywhere. */
export function replaceTexts(folder: string, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    const at = join(folder, path)
    if (lstatSync(at).isFile()) writeFileSync(at, text)
  }
}
