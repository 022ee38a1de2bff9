/** Every feature of every project: its state, stories, cost, forecast, and whether it waits for a person. */
import { shownTime } from '../../../views/report/html/words.ts'
import type { Overview, OverviewRow } from '../../data/shapes.ts'
import { useFetched } from '../shared/live.ts'
import { Chip, costWords, forecastWords, runAddress, StateChip } from '../shared/words.tsx'

export function OverviewPage({ version }: { version: number }) {
  const { value, problem } = useFetched<Overview>('/api/projects', version, ({ isReading }) => isReading)
  document.title = 'Ralph'
  return (
    <>
      <h1>Runs</h1>
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {value === null && problem === '' && <p class="soft">Loading…</p>}
      {value?.projects.map((project) => (
        <section key={project.id} aria-labelledby={`project-${project.id}`}>
          <h2 id={`project-${project.id}`}>{project.name}</h2>
          <p class="soft path">{project.path}</p>
          {project.features.length === 0 ? (
            <p>No feature yet. Create one there: ralph init &lt;feature&gt;</p>
          ) : (
            <Table project={project.id} rows={project.features} />
          )}
        </section>
      ))}
    </>
  )
}

const Table = ({ project, rows }: { project: string; rows: OverviewRow[] }) => (
  <div class="frame">
    <table class="stacks">
      <thead>
        <tr>
          {['Feature', 'State', 'Stories', 'Iteration', 'Cost', 'Remaining', 'Last event'].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              <a href={runAddress(project, row.id)}>{row.isArchived ? row.id.slice('archive:'.length) : row.feature}</a>
              {row.isArchived && <span class="soft"> (archived)</span>}
            </th>
            {row.status === undefined ? (
              <td colSpan={6} class={row.problem === undefined ? 'soft' : 'problem'}>
                {row.problem ?? 'Loading log…'}
              </td>
            ) : (
              <Cells row={row} status={row.status} />
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** The numbers beside it say the same. */
const Bar = ({ share }: { share: number }) => (
  <span class="bar" aria-hidden="true">
    <span style={{ width: `${Math.round(share * 100)}%` }} />
  </span>
)

const Cells = ({ row, status }: { row: OverviewRow; status: NonNullable<OverviewRow['status']> }) => (
  <>
    <td data-head="State">
      <StateChip status={status} />
      {row.needs !== undefined && !row.isArchived && status.outcome !== 'blocked' && (
        <Chip word={row.needs === 'answer' ? 'needs an answer' : 'blocked'} kind="asks" />
      )}
    </td>
    <td data-head="Stories">
      {status.stories.complete}/{status.stories.total}
      <Bar share={status.stories.total === 0 ? 0 : status.stories.complete / status.stories.total} />
      {status.stories.unproven > 0 && <span class="soft"> ({status.stories.unproven} unproven)</span>}
    </td>
    <td data-head="Iteration">{status.iteration}</td>
    <td data-head="Cost" class="wrap">
      {row.cost === undefined ? '…' : costWords(row.cost)}
    </td>
    <td data-head="Remaining" class="wide">
      {row.forecast === undefined ? '…' : forecastWords(row.forecast)}
    </td>
    <td data-head="Last event">{shownTime(status.lastEvent?.at ?? null)}</td>
  </>
)
