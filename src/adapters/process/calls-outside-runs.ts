/** Notes agent calls outside of a run (import), so that the next command ends what a killed one left. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { instantOf } from '../../core/text/time.ts'
import { dropFile, readIfThere } from '../files/files.ts'
import { type Held, heldIn, isLive, ourselves, textOf } from '../project/lock-holder.ts'
import { ofRun } from './process-mark.ts'
import { endSurvivors } from './survivors.ts'

/** Call it before the first call; returns a function that forgets it. If it cannot be noted, work continues. */
export function noteOutsideRun(home: string, run: string): () => void {
  const path = join(folderOf(home), `${run}.json`)
  try {
    mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
    const held: Held = { ...ourselves(), feature: '', run, purpose: 'command', at: instantOf(Date.now()) }
    writeFileSync(path, textOf(held), { mode: 0o600 })
  } catch {}
  return () => dropFile(path)
}

/** Ends what killed commands left. */
export async function endOutsideRuns(home: string): Promise<void> {
  for (const name of namesIn(folderOf(home))) {
    const path = join(folderOf(home), name)
    const owner = heldIn(readIfThere(path))
    if (owner !== null && isLive(owner, path)) continue
    if (owner !== null) await endSurvivors(ofRun(name.slice(0, -suffix.length)), { graceMs: 1000, keep: [] })
    dropFile(path)
  }
}

const suffix = '.json'
const folderOf = (home: string): string => join(home, 'outside-runs')

const namesIn = (folder: string): string[] => tried(() => readdirSync(folder).filter((name) => name.endsWith(suffix)), [])
