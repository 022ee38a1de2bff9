/** What happened over all runs: the runs themselves, receipts, the breaker, and lessons. */

import type { ComponentChildren } from 'preact'
import { capital } from '../../../core/text/escape.ts'
import { duration } from '../../../views/report/html/words.ts'
import { breakerMarks, type StateMark, stateMark } from '../../../views/report/shared/marks.ts'
import { costWords, plural } from '../../../views/status/status.ts'
import type { HistoryData, RunData } from '../../data/shapes.ts'
import { type FeatureRoute, runAddress } from '../shared/route.ts'
import { Ago } from '../shared/time.tsx'
import { Chip, GradeChip } from '../shared/words.tsx'

type Props = { run: RunData; history: HistoryData; route: FeatureRoute }

export const HistoryTab = ({ run: { isLive }, history, route }: Props) => (
  <div class="history">
    <Part title="Runs" none="It has never run." count={history.runs.length}>
      {history.runs
        .map((run, index) => (
          <li key={run.run}>
            <Chip mark={runMark(run, isLive && index === history.runs.length - 1)} />
            <span class="grow">
              {capital(run.because) || (isLive ? 'Not ended yet.' : 'Its process ended without a result.')}
            </span>
            <span class="soft">
              {[plural(run.iterations, 'iteration'), ...tookWords(run), costWords(costIn(history, index))].join(' · ')}
            </span>
            <span class="soft age">
              <Ago at={run.startedAt} />
            </span>
          </li>
        ))
        .toReversed()}
    </Part>
    <Part title="Receipts" none="None yet. Each story that passes gets one." count={history.receipts.length}>
      {history.receipts.map(({ story, iteration, proof, proven, given, commits, costUsd, agent, gates }) => (
        <li key={story}>
          <a href={runAddress(route.project, route.feature, { story, ...(given ? {} : { iteration }) })}>{story}</a>
          {given ? (
            <span class="soft grow">passed before Ralph looked</span>
          ) : (
            <>
              <GradeChip proof={proof ?? { grade: proven ? 'gated' : 'unproven', reservations: [] }} />
              <span class="soft grow">
                {gates
                  .filter(({ passed }) => passed)
                  .map(({ name }) => name)
                  .join(', ')}
              </span>
              <span class="soft">
                iteration {iteration}, {agent}, {costWords(costUsd)}{' '}
                <code>{commits.map((commit) => commit.slice(0, 7)).join(' ')}</code>
              </span>
            </>
          )}
        </li>
      ))}
    </Part>
    <Part title="Circuit breaker" none="Never triggered." count={history.breaker.length}>
      {history.breaker.toReversed().map(({ at, to, because }) => (
        <li key={`${at} ${to}`}>
          <Chip mark={breakerMarks[to]} />
          <span class="grow">{capital(because)}</span>
          <span class="soft">
            <Ago at={at} />
          </span>
        </li>
      ))}
    </Part>
    <Part
      title="Lessons"
      none="None yet. With learn.enabled, finished stories teach the next ones."
      count={history.lessons.length}
    >
      {history.lessons.map(({ id, text, category, story, mark, used, passed }) => (
        <li key={id}>
          <span class="soft">{category}</span>
          <span class="grow">{text}</span>
          <span class="soft">
            from {story}, {used === 0 ? 'not used yet' : `used ${plural(used, 'time')}, ${passed} passed a story`}
            {mark === '' ? '' : `, ${mark}`}
          </span>
        </li>
      ))}
    </Part>
  </div>
)

type RunRow = HistoryData['runs'][number]

const runMark = ({ endedAt, outcome }: RunRow, isLive: boolean): StateMark =>
  stateMark({ state: endedAt !== null ? 'ended' : isLive ? 'running' : 'killed', outcome })

const tookWords = ({ startedAt, endedAt }: RunRow): string[] =>
  endedAt === null ? [] : [duration(Date.parse(endedAt) - Date.parse(startedAt))]

/** null: no call told its cost. */
function costIn({ calls }: HistoryData, run: number): number | null {
  const own = calls.costUsd.filter((_, index) => calls.run[index] === run)
  const known = own.filter((cost) => cost !== null)
  return own.length > 0 && known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0)
}

type PartProps = { title: string; none: string; count: number; children: ComponentChildren }

const Part = ({ title, none, count, children }: PartProps) => (
  <section>
    <h2>
      {title} {count > 0 && <span class="count">({count})</span>}
    </h2>
    {count === 0 ? <p class="soft">{none}</p> : <ul class="card-list">{children}</ul>}
  </section>
)
