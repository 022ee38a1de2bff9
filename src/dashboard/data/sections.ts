/** Which features the overview shows, in which order: first what needs a person, then what runs, then the rest. */
import type { Overview, OverviewRow } from './shapes.ts'

export type ListedFeature = { project: { id: string; name: string }; row: OverviewRow }
export const stateFilters = ['all', 'needs', 'running', 'idle', 'complete', 'archived'] as const
export const sorts = ['recent', 'name', 'cost'] as const
export type Filter = {
  text: string
  /** Empty: every project. */
  project: string
  state: (typeof stateFilters)[number]
  sort: (typeof sorts)[number]
}
export const noFilter: Filter = { text: '', project: '', state: 'all', sort: 'recent' }
export type Sections = { needs: ListedFeature[]; running: ListedFeature[]; rest: ListedFeature[] }

export function sectionsOf({ projects }: Pick<Overview, 'projects'>, filter: Filter): Sections {
  const all = projects.flatMap(({ id, name, features }) => features.map((row) => ({ project: { id, name }, row })))
  const shown = all.filter((one) => isWanted(one, filter)).sort(orders[filter.sort])
  return {
    needs: shown.filter(({ row }) => row.need !== null),
    running: shown.filter(({ row }) => row.need === null && row.isLive),
    rest: shown
      .filter(({ row }) => row.need === null && !row.isLive)
      .sort((one, other) => Number(one.row.isArchived) - Number(other.row.isArchived)),
  }
}

function isWanted({ project, row }: ListedFeature, { text, project: wanted, state }: Filter): boolean {
  if (wanted !== '' && project.id !== wanted) return false
  const words = `${row.feature} ${project.name} ${row.need?.words ?? ''} ${row.work.map(({ story, title }) => `${story} ${title}`).join(' ')}`
  return (
    isOf[state](row) &&
    text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => words.toLowerCase().includes(word))
  )
}

const isOf: Record<Filter['state'], (row: OverviewRow) => boolean> = {
  all: () => true,
  needs: ({ need }) => need !== null,
  running: ({ isLive }) => isLive,
  idle: ({ status }) => status?.state === 'idle',
  complete: ({ status }) => status?.outcome === 'complete',
  archived: ({ isArchived }) => isArchived,
}

type FeatureOrder = (one: ListedFeature, other: ListedFeature) => number
const byName: FeatureOrder = (one, other) => one.row.feature.localeCompare(other.row.feature, 'en', { numeric: true })
const lastAt = ({ row }: ListedFeature): string => row.status?.lastEvent?.at ?? ''
const costOf = ({ row }: ListedFeature): number => row.cost?.costUsd ?? 0
const orders: Record<Filter['sort'], FeatureOrder> = {
  recent: (one, other) => lastAt(other).localeCompare(lastAt(one)) || byName(one, other),
  name: byName,
  cost: (one, other) => costOf(other) - costOf(one) || byName(one, other),
}
