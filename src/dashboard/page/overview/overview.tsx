/** Every feature of every project: what needs a person first, then what runs, then the rest. */

import { useEffect, useState } from 'preact/hooks'
import { type Filter, noFilter, sectionsOf } from '../../data/sections.ts'
import type { Overview } from '../../data/shapes.ts'
import { stepFocus, toSearch, useKeys } from '../shared/keyboard.tsx'
import type { Fetched } from '../shared/live.ts'
import { filterAddress, filterIn } from '../shared/route.ts'
import { NoMatch } from '../shared/search-field.tsx'
import { CostSum, Problem, Skeleton } from '../shared/words.tsx'
import { EmptyOverview } from './empty.tsx'
import { Filters } from './filters.tsx'
import { FeatureRows } from './rows.tsx'

/** Kept while the page is open: who comes back from a feature finds the list as it was. */
let kept = noFilter

export function OverviewPage({ overview: { value, problem } }: { overview: Fetched<Overview> }) {
  const [filter, setFilter] = useState(() => (location.hash.includes('?') ? filterIn(location.hash) : kept))
  const change = (changed: Partial<Filter>): void => setFilter({ ...filter, ...changed })
  useEffect(() => {
    kept = filter
    // Somebody may have left already: then the address is that of another page.
    if (!location.hash.startsWith('#/run/')) history.replaceState(null, '', `/${filterAddress(filter)}`)
  }, [filter])
  useKeys({ '/': toSearch, j: () => stepFocus('.row-link', 1), k: () => stepFocus('.row-link', -1) })
  const needs = value?.projects.flatMap(({ features }) => features).filter(({ need }) => need !== null).length ?? 0
  document.title = `${needs === 0 ? '' : `(${needs}) `}Ralph`
  if (value === null)
    return (
      <>
        <h1 class="hidden">Overview</h1>
        <Problem text={problem} />
        {problem === '' && <Skeleton lines={8} label="Loading…" />}
      </>
    )
  const hasFeatures = value.projects.some(({ features }) => features.length > 0)
  return (
    <>
      <div class="page-head">
        <h1>Overview</h1>
        {hasFeatures && <Spent spent={value.spent} isReading={value.isReading} />}
      </div>
      <Problem text={problem} />
      {hasFeatures ? (
        <>
          <Filters filter={filter} projects={value.projects} onChange={change} />
          <Sections overview={value} filter={filter} onClear={() => change({ ...noFilter, sort: filter.sort })} />
        </>
      ) : (
        <EmptyOverview projects={value.projects} />
      )}
    </>
  )
}

const Spent = ({ spent, isReading }: { spent: Overview['spent']; isReading: boolean }) => (
  <dl class="spent">
    {(['today', 'week'] as const).map((since) => (
      <div key={since}>
        <dt>{since === 'today' ? 'Today' : 'This week'}</dt>
        <dd>
          <CostSum cost={spent[since]} />
          {isReading && '…'}
        </dd>
      </div>
    ))}
  </dl>
)

function Sections({ overview, filter, onClear }: { overview: Overview; filter: Filter; onClear(): void }) {
  const { needs, running, rest } = sectionsOf(overview, filter)
  const hasProjects = overview.projects.length > 1
  if (needs.length + running.length + rest.length === 0) return <NoMatch what="feature" onClear={onClear} />
  return (
    <>
      <FeatureRows title="Needs you" rows={needs} hasProjects={hasProjects} isUrgent />
      <FeatureRows title="Running" rows={running} hasProjects={hasProjects} />
      <FeatureRows
        title={needs.length + running.length === 0 ? 'Features' : 'Everything else'}
        rows={rest}
        hasProjects={hasProjects}
      />
    </>
  )
}
