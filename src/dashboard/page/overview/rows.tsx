/** Rows of features: state, what happens or what is wrong, stories, cost and age. */
import { useId } from 'preact/hooks'
import type { ListedFeature } from '../../data/sections.ts'
import type { OverviewRow } from '../../data/shapes.ts'
import { runAddress } from '../shared/route.ts'
import { Ago, Since } from '../shared/time.tsx'
import { Bar, Chip, costWords, forecastWords, MarkIcon, needMarks, type StateMark, stateMark } from '../shared/words.tsx'

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
              <Chip mark={markOf(row)} />
            </span>
            <span class="name">
              <a class="row-link" href={runAddress(project.id, row.id)}>
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

function markOf({ need, status, isArchived, problem }: OverviewRow): StateMark {
  if (need !== null) return needMarks[need.kind]
  if (isArchived && status?.outcome === 'complete') return { word: 'Archived', tone: 'quiet', icon: 'check' }
  if (status !== undefined) return stateMark(status)
  return problem === undefined ? { word: 'Loading', tone: 'quiet', icon: 'clock' } : needMarks.unreadable
}

/** What is wrong, else what its agents do, else what is left. */
function What({ row: { need, work, forecast, status, problem } }: { row: OverviewRow }) {
  if (need !== null)
    return (
      <span class="what" title={need.words}>
        {need.words}
      </span>
    )
  const [first] = work
  if (first !== undefined)
    return (
      <span class="what">
        {work.length === 1 ? (
          <>
            <strong>{first.story ?? 'No story'}</strong> {first.title}{' '}
            <span class="soft">
              · {phaseWords[first.phase]} <Since at={first.startedAt} />
              {first.tool === '' ? '' : ` · ${first.tool}`}
            </span>
          </>
        ) : (
          <>
            <strong>{work.length} agents</strong>{' '}
            <span class="soft">{work.map(({ story }) => story ?? 'no story').join(', ')}</span>
          </>
        )}
      </span>
    )
  if (problem !== undefined) return <span class="what problem">{problem}</span>
  const isOpen = status !== undefined && status.stories.complete < status.stories.total
  return (
    <span class="what soft">{forecast?.kind === 'told' && isOpen ? `Estimated remaining: ${forecastWords(forecast)}` : ''}</span>
  )
}

export const phaseWords: Record<OverviewRow['work'][number]['phase'], string> = {
  working: 'agent works for',
  returned: 'agent is back after',
  checking: 'gates run, after',
  reviewing: 'in review, after',
  landing: 'landing, after',
  waiting: 'waiting, after',
  judged: 'finishing, after',
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
        {cost === undefined ? '…' : costWords(cost)}
      </span>
      <span class="age">
        <Ago at={status.lastEvent?.at} />
      </span>
    </span>
  )
}
