/** Rows of features: state, what happens or what is wrong, stories, cost and age. */

import { useId } from 'preact/hooks'
import { capital } from '../../../core/text/escape.ts'
import { stateMark } from '../../../views/report/shared/marks.ts'
import type { ListedFeature } from '../../data/sections.ts'
import type { OverviewRow } from '../../data/shapes.ts'
import { WorkWords } from '../shared/agents-now.tsx'
import { runAddress } from '../shared/route.ts'
import { Ago } from '../shared/time.tsx'
import { Bar, Chip, CostSum, featureMark, forecastWords, MarkIcon } from '../shared/words.tsx'

type Props = { title: string; rows: ListedFeature[]; hasProjects: boolean; isUrgent?: boolean }

export function FeatureRows({ title, rows, hasProjects, isUrgent = false }: Props) {
  const id = useId()
  if (rows.length === 0) return null
  return (
    <section class={isUrgent ? 'features urgent' : 'features'} aria-labelledby={id}>
      <h2 id={id}>
        {title} <span class="count">({rows.length})</span>
      </h2>
      <ul>
        {rows.map(({ project, row }) => (
          <li key={`${project.id} ${row.id}`} class="feature-row">
            <span class="state">
              <Chip mark={featureMark(row)} />
            </span>
            <span class="name">
              <a class="row-link" href={runAddress(project.id, row.id)} title={row.feature}>
                {row.feature}
              </a>
              {row.need !== null && row.isLive && <MarkIcon mark={stateMark({ state: 'running', outcome: null })} />}
              {hasProjects && <span class="project">{project.name}</span>}
            </span>
            <What row={row} />
            <Figures row={row} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What is wrong, and what its agents do meanwhile; else what is left. */
function What({ row: { need, work, forecast, status, problem } }: { row: OverviewRow }) {
  if (need !== null || work.length > 0)
    return (
      <span class="what" title={need?.words}>
        {need !== null && <span>{capital(need.words)}</span>}
        {work.length > 0 && (
          <span class={need === null ? '' : 'meanwhile'}>
            <WorkWords work={work} />
          </span>
        )}
      </span>
    )
  if (problem !== undefined) return <span class="what problem">{problem}</span>
  const isOpen = status !== undefined && status.stories.complete < status.stories.total
  return (
    <span class="what soft">{forecast?.kind === 'told' && isOpen ? `Estimated remaining: ${forecastWords(forecast)}` : ''}</span>
  )
}

function Figures({ row: { status, cost } }: { row: OverviewRow }) {
  if (status === undefined) return <span class="figures" />
  const { complete, total, unproven, reserved } = status.stories
  const notes = [...(unproven > 0 ? [`${unproven} unproven`] : []), ...(reserved > 0 ? [`${reserved} with reservations`] : [])]
  return (
    <span class="figures">
      <span class="stories" title={notes.length === 0 ? undefined : notes.join(', ')}>
        <Bar share={total === 0 ? 0 : complete / total} />
        <span>
          {complete}/{total}
          <span class="hidden"> stories{notes.length === 0 ? '' : ` (${notes.join(', ')})`}</span>
          {notes.length > 0 && (
            <span class="warn" aria-hidden="true">
              {' '}
              !
            </span>
          )}
        </span>
      </span>
      <span class="cost" title="Cost of all runs">
        {cost === undefined ? '…' : <CostSum cost={cost} isShort />}
      </span>
      <span class="age">
        <Ago at={status.lastEvent?.at} />
      </span>
    </span>
  )
}
