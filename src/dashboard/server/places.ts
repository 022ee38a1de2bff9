/** Which projects and features the dashboard shows: URLs are looked up in lists, and never turned into paths. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readJson } from '../../adapters/files/files.ts'
import { listFeatures, ralphHome } from '../../adapters/project/find.ts'
import { archiveFolder, eventLogPath, featureFolder, stateFolder, statusPath } from '../../adapters/project/layout.ts'
import { recordOf, textOf } from '../../core/text/json.ts'
import { liveIn } from '../../run/history/live-run.ts'
import { whereItRuns } from '../../run/parallel/workspace-place.ts'
import type { Named } from '../data/shapes.ts'

export type FeaturePlace = Named & { root: string; dir: string; log: string }
export type ProjectPlace = {
  id: string
  name: string
  root: string
  /** Its location for people, if that is not its root. */
  shown?: string
  /** Features that run elsewhere, if the runs are not on this machine. */
  live?: Set<string>
}

export const projectPlaces = (roots: string[]): ProjectPlace[] =>
  [...new Set(roots)].map((root) => ({ id: idOf(root), name: basename(root), root }))

export const isProjectFolder = (root: string): boolean => existsSync(stateFolder(root))

/** Features first, then the archive, newest first. */
export function placesIn({ root, live: elsewhere }: ProjectPlace): FeaturePlace[] {
  const live = elsewhere ?? new Set([liveIn(root)?.feature])
  const home = ralphHome(process.env)
  const features = listFeatures(root).map((feature): FeaturePlace => {
    const dir = featureFolder(root, feature)
    const there = whereItRuns({ root, home, feature, dir, label: feature })
    const isLive = live.has(feature) || (there.main !== undefined && liveIn(there.root)?.feature === feature)
    return { id: feature, feature, isArchived: false, isLive, root: there.root, dir: there.dir, log: eventLogPath(there.dir) }
  })
  return [...features, ...archivedPlaces(root)]
}

/** What a URL names, if anything. */
export function lookUp(
  projects: ProjectPlace[],
  projectId: string,
  featureId: string,
): { project: ProjectPlace; place: FeaturePlace } | undefined {
  const project = projects.find(({ id }) => id === projectId)
  const place = project && findPlace(placesIn(project), featureId)
  return project && place && { project, place }
}

/** Finds a feature that was archived while its page is open. */
function findPlace(places: FeaturePlace[], id: string): FeaturePlace | undefined {
  return places.find((place) => place.id === id) ?? places.find(({ isArchived, feature }) => isArchived && feature === id)
}

function archivedPlaces(root: string): FeaturePlace[] {
  const archive = archiveFolder(root)
  if (!existsSync(archive)) return []
  return readdirSync(archive)
    .sort()
    .reverse()
    .flatMap((name): FeaturePlace[] => {
      const dir = join(archive, name)
      const log = eventLogPath(dir)
      const feature = existsSync(log) ? archivedFeature(dir, name) : ''
      if (feature === '') return []
      return [{ id: `archive:${name}`, feature, isArchived: true, isLive: false, root, dir, log }]
    })
}

/** A folder's name does not tell: `2026-01-09-login-2` is the second login of that day, or the first login-2. Empty: not an archive. */
function archivedFeature(dir: string, name: string): string {
  const known = archivedNames.get(dir)
  if (known !== undefined) return known
  const told = textOf(recordOf(readJson(statusPath(dir)))['feature'])
  const feature = told || (/^\d{4}-\d{2}-\d{2}-(.+?)(?:-\d+)?$/.exec(name)?.[1] ?? '')
  archivedNames.set(dir, feature)
  return feature
}
/** What is archived stays as it is, and the list is made twice a second. */
const archivedNames = new Map<string, string>()

/** The same after a restart, so that an open page finds its project again. */
const idOf = (root: string): string => createHash('sha256').update(root).digest('hex').slice(0, 12)
