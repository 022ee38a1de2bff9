/** `ralph dashboard --fleet`: the same page for every feature of a fleet, whichever machine it is on, with answers and pauses. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { iterationLogName, logsFolder } from '../../adapters/project/layout.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { knownJson } from '../../core/text/json.ts'
import type { PageRequest } from '../../dashboard/server/data.ts'
import { type ProjectPlace, projectPlaces } from '../../dashboard/server/places.ts'
import { openFleet, whyNot } from '../../fleet/database.ts'
import { ask, cancel, type Feature, pause, resume } from '../../fleet/features.ts'
import { showFleet } from '../../fleet/shown.ts'
import { oneRow } from '../../fleet/sql.ts'
import type { Io } from '../../io.ts'
import type { PersonsRequest } from '../../run/people/request.ts'

type Located = { root: string; dir: string; feature: string }
export type FleetPlaces = {
  projects(): ProjectPlace[]
  ask(place: Located, asked: PageRequest): Promise<string>
  /** Brings the log of an iteration to where those of runs on this machine are. */
  fetchLog(place: Located, iteration: number): Promise<void>
  close(): Promise<void>
}

export async function fleetPlaces(url: string, io: Io): Promise<FleetPlaces> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-fleet-shown-'))
  const fleet = await openFleet({ url }).catch((error: unknown) => {
    rmSync(folder, { recursive: true })
    throw error
  })
  const shown = showFleet(fleet, folder, lookMs)
  const close = async (): Promise<void> => {
    shown.close()
    await fleet.close()
    rmSync(folder, { recursive: true, force: true })
  }
  await shown.look().catch(async (error: unknown) => {
    await close()
    throw whyNot(error, url)
  })
  const mask = masker(io.env)
  const keyOf = ({ root, feature }: Located): string => {
    const key = shown.keyOf(root, feature)
    if (key === undefined) throw new Failure(EXIT.usage, `${feature} is no feature of this fleet any more.`)
    return key
  }
  return {
    projects: () =>
      shown
        .repositories()
        .flatMap(({ root, name, address, live }) =>
          projectPlaces([root]).map((place) => ({ ...place, name, shown: address, live })),
        ),
    ask: async (place, asked) => {
      const key = keyOf(place)
      const { state } = await oneRow<Feature>(fleet, 'select * from ralph.features where key = $1', [key])
      const kept = async (request: PersonsRequest): Promise<string> => {
        const how = await ask(fleet, key, knownJson(mask.text(JSON.stringify(request))))
        if (how === 'live') return 'Its worker passes it on to the run.'
        return how === 'queued' ? 'It is in the queue again, and goes on with it.' : `Noted for its next run: it is ${state}.`
      }
      switch (asked.kind) {
        case 'say':
          return kept({ kind: 'said', text: asked.text })
        case 'answer':
          return kept({ kind: 'question.answered', text: asked.text, story: asked.story })
        case 'unblock':
          return kept({ kind: 'unblocked', note: asked.text })
        case 'retry':
          return kept({ kind: 'story.retried', story: asked.story })
        case 'skip':
          return kept({ kind: 'story.skipped', story: asked.story })
        case 'reset-breaker':
          return kept({ kind: 'breaker.reset' })
        case 'pause':
          return (await pause(fleet, key)) === 'running'
            ? 'It pauses after this iteration, and gives its worker back.'
            : 'It is paused.'
        case 'resume':
          return `It is ${await resume(fleet, key)}.`
        case 'stop':
        case 'stop-now':
          return (await cancel(fleet, key)) === 'running' ? 'Its worker stops it.' : 'It is cancelled.'
      }
    },
    fetchLog: async (place, iteration) => {
      const [row] = await fleet.query<{ text: string }>('select text from ralph.logs where key = $1 and iteration = $2', [
        keyOf(place),
        iteration,
      ])
      if (row === undefined) return
      replaceFile(join(logsFolder(place.dir), iterationLogName(iteration)), row.text)
    },
    close,
  }
}

const lookMs = 300
