/** Search, filters and order of the overview. */

import { type Filter, type sorts, stateFilters } from '../../data/sections.ts'
import type { Overview } from '../../data/shapes.ts'
import { Pick } from '../shared/dropdown.tsx'
import { SearchField } from '../shared/search-field.tsx'

type Props = { filter: Filter; projects: Overview['projects']; onChange(changed: Partial<Filter>): void }

const stateWords: Record<Filter['state'], string> = {
  all: 'All states',
  needs: 'Needs you',
  running: 'Running',
  idle: 'Not started',
  complete: 'Complete',
  archived: 'Archived',
}
const sortWords: Record<(typeof sorts)[number], string> = {
  recent: 'Newest first',
  name: 'By name',
  cost: 'Most expensive first',
}

export const Filters = ({ filter, projects, onChange }: Props) => (
  <search class="filters">
    <span class="search">
      <SearchField
        label="Search features"
        value={filter.text}
        onSearch={(text) => onChange({ text })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return
          ;(event.currentTarget as HTMLElement).blur() // j and k go through what was found
          if (event.key === 'Escape') onChange({ text: '' })
        }}
      />
      <kbd>/</kbd>
    </span>
    {projects.length > 1 && (
      <Pick
        label="Project"
        value={filter.project}
        options={[['', 'All projects'], ...projects.map(({ id, name }): [string, string] => [id, name])]}
        onPick={(project) => onChange({ project })}
      />
    )}
    <Pick
      label="State"
      value={filter.state}
      options={Object.entries(stateWords)}
      onPick={(picked) => onChange({ state: stateFilters.find((state) => state === picked) ?? 'all' })}
    />
    <Pick
      label="Order"
      value={filter.sort}
      options={Object.entries(sortWords)}
      onPick={(sort) => onChange({ sort: sort as Filter['sort'] })}
    />
  </search>
)
