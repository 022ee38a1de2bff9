/** `ralph dashboard --fleet`: the dashboard for every feature of a fleet, on whichever machine it runs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { iterationLogName, logsFolder } from '../../adapters/project/layout.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { knownJson } from '../../core/text/json.ts'
import type { PageRequest } from '../../dashboard/data/shapes.ts'
import { type ProjectPlace, projectPlaces } from '../../dashboard/server/places.ts'
import { openFleet, whyNot } from '../../fleet/database.ts'
import { ask, cancel, type Feature, pause, resume } from '../../fleet/features.ts'
import { showFleet } from '../../fleet/mirror-folders.ts'
import { oneRow } from '../../fleet/sql.ts'
import type { Io } from '../../io.ts'
import type { PersonsRequest } from '../../run/people/request.ts'
import { personHere } from '../../run/people/write-amendments.ts'

type Located = { root: string; dir: string; feature: string }
export type FleetPlaces = {
  projects(): ProjectPlace[]
  ask(place: Located, asked: PageRequest): Promise<string>
  /** Fetches the log of an iteration to where those of local runs are. */
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
    if (key === undefined) throw new Failure(EXIT.usage, `${feature} is no longer part of this fleet.`)
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
        if (how === 'live') return 'Sent to the run through its worker.'
        return how === 'queued'
          ? 'The feature is queued again and continues with it.'
          : `Saved for its next run; the feature is ${state}.`
      }
      switch (asked.kind) {
        case 'say':
          return kept({ kind: 'said', text: asked.text })
        case 'answer':
          return kept({ kind: 'question.answered', text: asked.text, story: asked.story, by: personHere() })
        case 'accept':
          return kept({ kind: 'question.answered', text: 'accept', story: asked.story, by: personHere() })
        case 'start':
          throw new Failure(
            EXIT.usage,
            `Workers start the runs of a fleet. Submit the feature with: ralph fleet submit ${place.feature}`,
          )
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
            ? 'The feature pauses after this iteration and frees its worker.'
            : 'The feature is paused.'
        case 'resume':
          return `The feature is ${await resume(fleet, key)}.`
        case 'stop':
        case 'stop-now':
          return (await cancel(fleet, key)) === 'running' ? 'Its worker is stopping it.' : 'The feature is cancelled.'
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
