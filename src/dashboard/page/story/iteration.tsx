/** The iterations of a feature, newest first, and the details of the selected one. */
import { useMemo, useState } from 'preact/hooks'
import { readingWords } from '../../../views/reading.ts'
import { duration, money, shownTime } from '../../../views/report/html/words.ts'
import type { CommitData, GateRow, IterationData, TimelineRow } from '../../data/shapes.ts'
import { useFetched } from '../shared/live.ts'
import { VirtualList } from '../shared/virtual-list.tsx'
import { Chip } from '../shared/words.tsx'
import { useRows } from './rows.ts'
import { LogView } from './transcript.tsx'

/** `address`: identifies the feature. */
type Props = { iterations: number[]; titles: ReadonlyMap<string, string>; address: string; version: number }

export function Timeline({ iterations, titles, address, version }: Props) {
  const [picked, setPicked] = useState<number | null>(null)
  const [sight, setSight] = useState({ first: 0, last: 0 })
  const newestFirst = useMemo(() => iterations.toReversed(), [iterations])
  const place = useMemo(() => new Map(iterations.map((iteration, index) => [iteration, index])), [iterations])
  const end = iterations.length - 1
  const rowAt = useRows(`/api/rows/${address}`, version, end - sight.last, end - sight.first)
  const chosenAt = place.get(picked ?? -1) ?? end
  const chosen = iterations[chosenAt]
  if (chosen === undefined) return <p class="soft">No iteration yet.</p>
  const rowOf = (iteration: number): TimelineRow | undefined => rowAt(place.get(iteration) ?? -1)
  return (
    <div class="timeline">
      <VirtualList
        items={newestFirst}
        rowPx={rowPx}
        label="Iterations, newest first; use the arrow keys to move"
        keyOf={(iteration) => iteration}
        chosen={chosen}
        onChoose={setPicked}
        growsAbove
        onSight={(first, last) => setSight({ first, last })}
        row={(iteration) => (
          <button type="button" aria-pressed={iteration === chosen} onClick={() => setPicked(iteration)}>
            <RowWords iteration={iteration} row={rowOf(iteration)} titles={titles} />
          </button>
        )}
      />
      <Details iteration={chosen} row={rowAt(chosenAt)} address={address} version={chosenAt < end - mostAtWork ? -1 : version} />
    </div>
  )
}

const rowPx = 64
/** Older iterations do not change any more. */
const mostAtWork = 16

type RowProps = { iteration: number; row: TimelineRow | undefined; titles: Props['titles'] }
const RowWords = ({ iteration, row, titles }: RowProps) => (
  <>
    <span class="number">{iteration}</span>
    {row === undefined ? <span class="soft">…</span> : <Chip word={verdictOf(row)} />}
    <span class="what">
      {row === undefined ? '' : row.story === null ? row.mode : `${row.story} ${titles.get(row.story) ?? ''}`}
    </span>
    <span class="because">{row?.because ?? ''}</span>
  </>
)

const verdictOf = ({ verdict, endedAt }: Pick<TimelineRow, 'verdict' | 'endedAt'>): string =>
  verdict ?? (endedAt === null ? 'running' : 'judging')

type DetailsProps = { iteration: number; row: TimelineRow | undefined; address: string; version: number }

function Details({ iteration, row, address, version }: DetailsProps) {
  const { value, problem } = useFetched<IterationData>(`/api/iteration/${address}/${iteration}`, version)
  const known = value ?? row
  return (
    <section class="details" aria-labelledby="chosen">
      <h3 id="chosen">
        Iteration {iteration} {known !== undefined && <Chip word={verdictOf(known)} />}
      </h3>
      {value === null ? <p class={problem === '' ? 'soft' : 'problem'}>{problem || 'Reading…'}</p> : <Entry entry={value} />}
      <LogView
        key={iteration}
        path={`/api/log/${address}/${iteration}`}
        iteration={iteration}
        version={version}
        isGrowing={value !== null && value.endedAt === null}
      />
    </section>
  )
}

function Entry({ entry }: { entry: IterationData }) {
  const { story, attempt, mode, startedAt, because, summary, commits, files, gates, ms, costUsd, stats } = entry
  const took = entry.endedAt === null ? 'still running' : `${duration(ms)}, ${money(costUsd)}`
  const gone = commits.filter((commit) => !stats.some(({ id }) => id === commit))
  const inCommits = new Set(stats.flatMap((stat) => stat.files.map(({ path }) => path)))
  const otherFiles = files.filter((file) => !inCommits.has(file))
  return (
    <>
      <dl>
        <Row name="Story" value={story === null ? `none (${mode})` : `${story}, attempt ${attempt}, ${mode}`} />
        <Row name="Began" value={`${shownTime(startedAt)}, ${took}`} />
        {entry.shift !== '' && <Row name="Told" value={`strategy shift: ${entry.shift}`} />}
        {because !== '' && <Row name="Because" value={because} />}
        {summary !== '' && <Row name="Agent said" value={summary} />}
        {entry.reading !== null && <Row name="Read as" value={readingWords(entry.reading)} />}
        {entry.passed.length > 0 && <Row name="Passed" value={entry.passed.join(', ')} />}
        {entry.refused.length > 0 && <Row name="Refused" value={entry.refused.join(', ')} />}
        {gone.length > 0 && <Row name="Commits" value={gone.map((commit) => commit.slice(0, 10)).join(', ')} />}
        {otherFiles.length > 0 && <Row name="Files" value={otherFiles.join(', ')} />}
      </dl>
      {stats.length > 0 && <Commits stats={stats} />}
      {gates.length > 0 && <Gates gates={gates} />}
    </>
  )
}

const Commits = ({ stats }: { stats: CommitData[] }) => (
  <ul class="commits" aria-label="Commits">
    {stats.map(({ id, subject, files }) => (
      <li key={id}>
        <code>{id.slice(0, 7)}</code> {subject}
        <ul>
          {files.slice(0, mostFiles).map(({ path, added, deleted }) => (
            <li key={path}>
              <span class="path">{path}</span>{' '}
              {added === null || deleted === null ? (
                <span class="soft">no text</span>
              ) : (
                <>
                  <span class="added">+{added}</span> <span class="deleted">−{deleted}</span>
                </>
              )}
            </li>
          ))}
          {files.length > mostFiles && <li class="soft">and {files.length - mostFiles} more</li>}
        </ul>
      </li>
    ))}
  </ul>
)

const mostFiles = 20

const Row = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

export const Gates = ({ gates }: { gates: GateRow[] }) => (
  <ul class="gates" aria-label="Gates">
    {gates.map((gate, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two gates may share a name, and their order stays
      <li key={index}>
        <Chip
          word={gate.passed ? 'passed' : gate.isSoft ? 'warns' : 'failed'}
          kind={gate.passed ? 'done' : gate.isSoft ? 'asks' : 'failed'}
        />
        {gate.name} <span class="soft">{duration(gate.ms)}</span>
        {gate.output !== '' && (
          <details>
            <summary>Output</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre tabIndex={0}>{gate.output}</pre>
          </details>
        )}
      </li>
    ))}
  </ul>
)
