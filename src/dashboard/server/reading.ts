/** Logs read and folded, each again only when it has changed. */
import { statSync } from 'node:fs'
import { readLog } from '../../adapters/store.ts'
import type { Ledger } from '../../views/ledger.ts'
import { type Folded, folded, type Overview, type OverviewRow, overviewRow, type RunData, runData } from './data.ts'
import { findPlace, isLivePlace, type Place, type ProjectPlace, placesIn } from './places.ts'

export type Reader = {
  overview(projects: ProjectPlace[]): Overview
  run(project: ProjectPlace, place: Place): RunData
}

export function logReader(): Reader {
  const known = new Map<string, { stamp: string; value: Folded }>()
  const fold = (path: string): Folded => {
    const stamp = stampOf(path)
    const had = known.get(path)
    if (had?.stamp === stamp) return had.value
    const value = folded(readLog(path).events)
    known.set(path, { stamp, value })
    return value
  }
  /** Of a project's readable logs: what one story took says something about the next. */
  const ledgers = (places: Place[]): Ledger[] =>
    places.flatMap(({ log }) => {
      try {
        return [fold(log).ledger]
      } catch {
        return [] // its own row says what is wrong with it
      }
    })
  const row = (place: Place, all: Ledger[]): OverviewRow => {
    const { id, feature, isArchived } = place
    const named = { id, feature, isArchived }
    const isLive = isLivePlace(place)
    try {
      return overviewRow(named, isLive, fold(place.log), all)
    } catch (error) {
      return { ...named, isLive, problem: (error as Error).message }
    }
  }
  return {
    overview: (projects) => ({
      projects: projects.map((project) => {
        const places = placesIn(project)
        const all = ledgers(places)
        return { id: project.id, name: project.name, path: project.root, features: places.map((place) => row(place, all)) }
      }),
    }),
    run({ id, name, root }, { id: own, feature, isArchived, ...place }) {
      const named = { id: own, feature, isArchived }
      const all = ledgers(placesIn({ id, name, root }))
      return runData({ id, name }, named, isLivePlace({ ...named, ...place }), fold(place.log), all)
    },
  }
}

/** What an address names, if it names anything here. */
export function lookUp(
  projects: ProjectPlace[],
  projectId: string,
  featureId: string,
): { project: ProjectPlace; place: Place } | undefined {
  const project = projects.find(({ id }) => id === projectId)
  const place = project && findPlace(placesIn(project), featureId)
  return project && place && { project, place }
}

/** Different whenever the log is. */
export function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`
}
