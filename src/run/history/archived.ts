/** Finds a feature in the archive. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { findRoot, listFeatures, ralphHome } from '../../adapters/project/find.ts'
import { archiveFolder, featureLabel, logsFolder, projectLogsFolder } from '../../adapters/project/layout.ts'
import { inPattern } from '../../core/text/escape.ts'
import type { Io } from '../../io.ts'
import { findProject, type Project } from '../project.ts'

/** What a read-only command is about: a feature, or an archived one. */
export async function projectOrArchive(io: Io, asked: string | undefined): Promise<Project> {
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  const features = listFeatures(root)
  const isGone = asked === undefined ? features.length === 0 : !features.includes(asked)
  const archived = isGone ? archivedProjects({ root, home }, asked).at(-1) : undefined
  return archived ?? findProject(io, asked)
}

/** The archived versions of a feature, or all, newest last. */
export function archivedProjects({ root, home }: { root: string; home: string }, feature: string | undefined): Project[] {
  const archive = archiveFolder(root)
  if (!existsSync(archive)) return []
  const named = readdirSync(archive)
    .map((name) => ({
      name,
      ...(/^\d{4}-\d{2}-\d{2}-(?<feature>.+?)(?:-(?<n>\d+))?$/.exec(name)?.groups as
        | { feature?: string; n?: string }
        | undefined),
    }))
    .flatMap((entry) =>
      entry.feature === undefined
        ? []
        : [{ name: entry.name, feature: entry.feature, n: Number(entry.n ?? 1), day: entry.name.slice(0, 10) }],
    )
    // A feature's name may end with a number: both readings are tried.
    .flatMap((entry) => (entry.n > 1 ? [entry, { ...entry, feature: `${entry.feature}-${entry.n}`, n: 1 }] : [entry]))
    .filter((entry) => feature === undefined || entry.feature === feature)
    .sort((a, b) => a.day.localeCompare(b.day) || a.n - b.n)
  return named.map(({ name, feature: own }) => {
    const dir = join(archive, name)
    return { root, home, feature: own, dir, label: relative(root, dir) }
  })
}

/** Logs are next to the archive, unless they were moved along. */
export function logsFolderOf({ root, dir }: Pick<Project, 'root' | 'dir'>): string {
  const beside = join(projectLogsFolder(root), basename(dir))
  return existsSync(beside) ? beside : logsFolder(dir)
}

type Place = Pick<Project, 'root' | 'dir' | 'feature'> & { main?: string | undefined }

/** As it can be opened from the user's checkout: of a run in a worktree of its own, the whole path. */
export const pathNow = ({ root, main }: Pick<Place, 'root' | 'main'>, path: string): string =>
  main === undefined ? relative(root, path) : path

/** A run names its files in its texts from its own root, and its logs where they are while it works. */
export function withPathsNow(text: string, place: Place): string {
  const label = featureLabel(place.feature)
  const logs = text.replace(startOf(`${logsFolder(label)}/`), () => `${pathNow(place, logsFolderOf(place))}/`)
  return place.main === undefined ? logs : logs.replace(startOf(`${label}/`), () => `${place.dir}/`)
}

/** Not as the middle of another path. */
const startOf = (path: string): RegExp => new RegExp(`(?<![\\w./~-])${inPattern(path)}`, 'g')
