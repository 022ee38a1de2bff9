/** One iteration: why it ended as it did, its checks, what the agent said and did, and what it changed. */

import { capital } from '../../../core/text/escape.ts'
import { readingWords, silent } from '../../../views/reading.ts'
import { duration, shownNumber } from '../../../views/report/html/words.ts'
import { verdictMark } from '../../../views/report/shared/marks.ts'
import { costWords } from '../../../views/status/status.ts'
import type { CommitData, IterationData, TimelineRow } from '../../data/shapes.ts'
import { useFetched } from '../shared/live.ts'
import { type FeatureRoute, goTo, type IterationView, iterationViews, runAddress } from '../shared/route.ts'
import { Ago, exactTime, Since } from '../shared/time.tsx'
import { Chip, Problem, Skeleton } from '../shared/words.tsx'
import { Changes } from './changes.tsx'
import { Gates } from './gates.tsx'
import { TranscriptView } from './transcript.tsx'

type Props = { address: string; route: FeatureRoute; row: TimelineRow; isLive: boolean; version: number }

export function IterationPane({ address, route, row, isLive, version }: Props) {
  const { iteration } = row
  // What is settled does not change any more.
  const { value, problem } = useFetched<IterationData>(
    `/api/iteration/${address}/${iteration}`,
    row.verdict === null ? version : -1,
  )
  return (
    <section class="iteration" aria-labelledby="iteration">
      <div class="iteration-head">
        <h3 id="iteration">Iteration {iteration}</h3>
        <Chip mark={verdictMark(row, isLive)} />
        <span class="soft" title={exactTime(row.startedAt)}>
          {row.endedAt === null && isLive ? (
            <>
              for <Since at={row.startedAt} />
            </>
          ) : (
            <Ago at={row.startedAt} />
          )}
          {row.endedAt === null ? '' : ` · ${duration(row.ms)} · ${costWords(row.costUsd)}`}
        </span>
      </div>
      <nav class="tabs small" aria-label="Parts of this iteration">
        {iterationViews.map((view) => (
          <a
            key={view}
            href={runAddress(route.project, route.feature, { story: route.story ?? null, iteration, view, only: route.only })}
            aria-current={route.view === view ? 'page' : undefined}
            onClick={(event) => {
              event.preventDefault()
              goTo(runAddress(route.project, route.feature, { story: route.story ?? null, iteration, view, only: route.only }))
            }}
          >
            {viewWords[view]}
          </a>
        ))}
      </nav>
      <Problem text={problem} />
      {value === null && problem === '' && <Skeleton lines={5} label="Loading…" />}
      {value !== null && route.view === 'summary' && <Summary entry={value} />}
      {value !== null && route.view === 'transcript' && (
        <TranscriptView
          path={`/api/transcript/${address}/${iteration}`}
          iteration={iteration}
          isGrowing={row.verdict === null && isLive}
        />
      )}
      {value !== null && route.view === 'changes' && (
        <Changes path={`/api/diff/${address}/${iteration}`} commits={value.commits} />
      )}
    </section>
  )
}

const viewWords: Record<IterationView, string> = { summary: 'Summary', transcript: 'Transcript', changes: 'Changes' }

function Summary({ entry }: { entry: IterationData }) {
  const { because, summary, commits, files, gates, stats } = entry
  const gone = commits.filter((commit) => !stats.some(({ id }) => id === commit))
  const inCommits = new Set(stats.flatMap((stat) => stat.files.map(({ path }) => path)))
  const otherFiles = files.filter((file) => !inCommits.has(file))
  const tokens = entry.inputTokens + entry.outputTokens
  const othersIn = (stories: string[]): string => stories.filter((story) => story !== entry.story).join(', ')
  return (
    <>
      {gates.length > 0 && <Gates gates={gates} />}
      <dl class="about">
        {because !== '' && <Row name="Result" value={capital(because)} />}
        {entry.findings.map((words) => (
          <Row key={words} name="Ralph saw" value={words} />
        ))}
        {summary !== '' && <Row name="Agent said" value={summary} />}
        {entry.reading !== null && readingWords(entry.reading) !== silent && (
          <Row name="Read as" value={readingWords(entry.reading)} />
        )}
        {entry.shift !== '' && <Row name="Strategy shift" value={entry.shift} />}
        {othersIn(entry.passed) !== '' && <Row name="Also passed" value={othersIn(entry.passed)} />}
        {othersIn(entry.refused) !== '' && <Row name="Also rejected" value={othersIn(entry.refused)} />}
        <Row
          name="Attempt"
          value={`${entry.attempt} (${entry.mode}) by ${entry.agents.filter((name) => name !== '').join(', ')}`}
        />
        {tokens > 0 && (
          <Row name="Tokens" value={`${shownNumber(entry.inputTokens)} in, ${shownNumber(entry.outputTokens)} out`} />
        )}
        {gone.length > 0 && <Row name="Commits gone" value={gone.map((commit) => commit.slice(0, 10)).join(', ')} />}
        {otherFiles.length > 0 && <Row name="Files" value={otherFiles.join(', ')} />}
      </dl>
      {stats.length > 0 && <Commits stats={stats} />}
    </>
  )
}

const Row = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const Commits = ({ stats }: { stats: CommitData[] }) => (
  <ul class="commits" aria-label="Commits">
    {stats.map(({ id, subject, files }) => (
      <li key={id}>
        <code>{id.slice(0, 7)}</code> {subject}{' '}
        <span class="soft">
          {files.length === 1 ? files[0]?.path : `${files.length} files`} <Counts files={files} />
        </span>
      </li>
    ))}
  </ul>
)

function Counts({ files }: { files: CommitData['files'] }) {
  const sum = (of: 'added' | 'deleted'): number => files.reduce((total, file) => total + (file[of] ?? 0), 0)
  return (
    <>
      <span class="added">+{sum('added')}</span> <span class="deleted">−{sum('deleted')}</span>
    </>
  )
}
