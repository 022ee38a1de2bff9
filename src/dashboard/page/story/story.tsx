/** One story: what the plan asks for, what became of it, its iterations, and the selected one of them. */

import { capital } from '../../../core/text/escape.ts'
import { duration } from '../../../views/report/html/words.ts'
import { storyMark, verdictMark } from '../../../views/report/shared/marks.ts'
import { costWords, plural } from '../../../views/status/status.ts'
import type { PageStory, RunData, StoryData, TimelineRow } from '../../data/shapes.ts'
import { Icon } from '../shared/icons.tsx'
import { useFetched } from '../shared/live.ts'
import { type FeatureRoute, goTo, runAddress } from '../shared/route.ts'
import { useAsk } from '../shared/use-request.tsx'
import { VirtualList } from '../shared/virtual-list.tsx'
import { Chip, GradeChip, MarkIcon, Problem, proofSentence, Skeleton } from '../shared/words.tsx'
import { IterationPane } from './iteration.tsx'

/** `story` null: the iterations of no story. `iteration` undefined: the last one. */
type Props = { run: RunData; route: FeatureRoute; story: PageStory | null; iteration: number | undefined; version: number }

export function StoryPane({ run, route, story, iteration, version }: Props) {
  const address = `${route.project}/${encodeURIComponent(route.feature)}`
  const query = story === null ? '' : `?story=${encodeURIComponent(story.id)}`
  const { value, problem } = useFetched<StoryData>(`/api/story/${address}${query}`, version)
  const rows = value?.iterations ?? []
  const chosen = rows.find((row) => row.iteration === iteration) ?? rows.at(-1)
  const pick = (picked: number): void =>
    goTo(
      runAddress(route.project, route.feature, {
        story: story?.id ?? null,
        iteration: picked,
        view: route.view,
        only: route.only,
      }),
    )
  return (
    <section class="story-pane" aria-labelledby="story">
      <div class="story-head">
        <h2 id="story">{story === null ? 'Iterations without a story' : <StoryTitle story={story} />}</h2>
        {story !== null && <Chip mark={storyMark(story)} />}
        {story !== null && <GradeChip proof={story.proof} />}
        {story !== null && !run.isArchived && <StoryActions story={story} />}
      </div>
      <Problem text={problem} />
      {value === null && problem === '' && <Skeleton lines={6} label="Loading…" />}
      {value !== null && <Asked data={value} isPassed={story?.state === 'passes'} />}
      {value !== null && rows.length === 0 && <p class="soft">No iteration yet.</p>}
      {rows.length > 0 && (
        <>
          <h3>
            Iterations <span class="count">({rows.length})</span>
          </h3>
          <VirtualList
            items={rows}
            rowPx={36}
            label="Iterations of this story"
            keyOf={({ iteration: number }) => number}
            chosen={chosen?.iteration}
            onChoose={pick}
            row={(row) => (
              <button
                type="button"
                class="iteration-row"
                aria-pressed={row.iteration === chosen?.iteration}
                onClick={() => pick(row.iteration)}
              >
                <IterationCells row={row} isLive={run.isLive} />
              </button>
            )}
          />
        </>
      )}
      {chosen !== undefined && (
        <IterationPane
          key={chosen.iteration}
          address={address}
          route={{ ...route, story: story?.id ?? null }}
          row={chosen}
          isLive={run.isLive}
          version={version}
        />
      )}
    </section>
  )
}

const StoryTitle = ({ story: { id, title } }: { story: PageStory }) => (
  <>
    <span class="id">{id}</span> {title}
  </>
)

const IterationCells = ({ row, isLive }: { row: TimelineRow; isLive: boolean }) => (
  <>
    <span class="number">{row.iteration}</span>
    <MarkIcon mark={verdictMark(row, isLive)} />
    <span class="word">{verdictMark(row, isLive).word}</span>
    <span class="because">{capital(row.because)}</span>
    <span class="took">{row.endedAt === null ? '' : `${duration(row.ms)} · ${costWords(row.costUsd)}`}</span>
  </>
)

function StoryActions({ story: { id, state } }: { story: PageStory }) {
  const { ask, isBusy } = useAsk()
  const canRetry = state === 'failed' || state === 'skipped'
  const canSkip = state === 'open' || state === 'asks' || state === 'failed'
  return (
    <span class="actions">
      {canRetry && (
        <button type="button" disabled={isBusy} aria-label={`Retry ${id}`} onClick={() => ask({ kind: 'retry', story: id })}>
          <Icon name="retry" /> Retry
        </button>
      )}
      {canSkip && (
        <button type="button" disabled={isBusy} aria-label={`Skip ${id}`} onClick={() => ask({ kind: 'skip', story: id })}>
          <Icon name="skip" /> Skip
        </button>
      )}
    </span>
  )
}

/** From the plan, and from the receipt. */
function Asked({ data, isPassed }: { data: StoryData; isPassed: boolean }) {
  const { description, criteria, notes, failed, proof, receipt } = data
  return (
    <>
      {description !== '' && <p class="description">{description}</p>}
      {criteria.length > 0 && (
        <ul class="criteria" aria-label="Acceptance criteria">
          {criteria.map((criterion, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may say the same, and their order stays
            <li key={index}>
              <MarkIcon
                mark={{ word: isPassed ? 'Met' : 'Open', tone: isPassed ? 'good' : 'quiet', icon: isPassed ? 'check' : 'ring' }}
              />
              <span>{criterion}</span>
            </li>
          ))}
        </ul>
      )}
      {notes !== '' && <p class="soft">Notes: {notes}</p>}
      {failed !== null && (
        <p class="problem">
          {capital(failed.reason)}
          {failed.branch === '' ? '' : `. Its work is on ${failed.branch}.`}
        </p>
      )}
      {proof?.reservations.map(({ words, answer }) => (
        <p key={words} class={answer === undefined ? 'warn' : 'soft'}>
          Reservation: {words}
          {answer === undefined ? '' : ` (${answer})`}
        </p>
      ))}
      {proof !== null && receipt?.given !== true && <p class="soft">{proofSentence(proof)}</p>}
      {receipt?.given && <p class="soft">It passed before Ralph looked.</p>}
      {proof?.mutants !== undefined && (
        <p class="soft">
          {plural(proof.mutants.tried, 'small bug')} tried, {proof.mutants.killed} found by its gates.
        </p>
      )}
    </>
  )
}
