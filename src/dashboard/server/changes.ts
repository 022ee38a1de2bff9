/** Tells listeners which logs have grown and which runs have started or ended. Does nothing while nobody listens. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { stampOf } from '../../adapters/logs/follower.ts'
import { planFileNames } from '../../adapters/plan/parse-plan.ts'
import { inboxFolder } from '../../adapters/project/layout.ts'
import { type FeaturePlace, type ProjectPlace, placesIn } from './places.ts'

/** Each as `<project>/<feature>`, by their names in URLs. */
export type ChangeFeed = { listen(onChange: (changed: string[]) => void): () => void }

export function watchChanges(projects: () => ProjectPlace[]): ChangeFeed {
  const listeners = new Set<(changed: string[]) => void>()
  let timer: NodeJS.Timeout | undefined
  let seen = new Map<string, string>()
  const look = (): void => {
    const now = stampsOf(projects())
    const changed = [...new Set([...seen.keys(), ...now.keys()])].filter((key) => seen.get(key) !== now.get(key))
    seen = now
    if (changed.length > 0) for (const listener of listeners) listener(changed)
  }
  return {
    listen(onChange) {
      if (listeners.size === 0) {
        seen = stampsOf(projects())
        timer = setInterval(look, lookMs).unref()
      }
      listeners.add(onChange)
      return () => {
        listeners.delete(onChange)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
  }
}

/** Polling works on every file system, watching does not, and polling a few files costs nothing. */
const lookMs = 500

const stampsOf = (projects: ProjectPlace[]): Map<string, string> =>
  new Map(
    projects.flatMap((project) =>
      placesIn(project).map((place): [string, string] => [`${project.id}/${place.id}`, stampAt(place)]),
    ),
  )

/** Before the first run there is only the plan to show; what waits for the next run is in the inbox. */
const stampAt = ({ log, dir, isLive }: FeaturePlace): string =>
  JSON.stringify([
    isLive,
    fileStamp(log),
    isLive ? '' : fileStamp(inboxFolder(dir)),
    ...planFileNames.map((name) => fileStamp(join(dir, name))),
  ])

const fileStamp = (path: string): string => stampOf(statSync(path, { throwIfNoEntry: false }))
