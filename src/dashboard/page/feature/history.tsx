/** What happened over all runs: the runs themselves, receipts, the breaker, and lessons. */
import type { ComponentChildren } from 'preact'
import { money } from '../../../views/report/html/words.ts'
import { plural } from '../../../views/status/status.ts'
import type { HistoryData } from '../../data/shapes.ts'
import { type FeatureRoute, runAddress } from '../shared/route.ts'
import { Ago } from '../shared/time.tsx'
import { Chip, GradeChip, type StateMark, stateMark } from '../shared/words.tsx'

type Props = { history: HistoryData; route: FeatureRoute }

export const HistoryTab = ({ history, route }: Props) => (
  <div class="history">
    <Part title="Runs" none="It has never run." count={history.runs.length}>
      {history.runs.toReversed().map(({ run, startedAt, endedAt, outcome, because }) => (
        <li key={run}>
          <Chip mark={stateMark({ state: endedAt === null ? 'running' : 'ended', outcome })} />
          <span class="grow">{because || 'Not ended.'}</span>
          <span class="soft">
            <Ago at={startedAt} />
          </span>
        </li>
      ))}
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
                iteration {iteration}, {agent}, {money(costUsd)}{' '}
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
          <span class="grow">{because}</span>
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

const breakerMarks: Record<HistoryData['breaker'][number]['to'], StateMark> = {
  open: { word: 'Opened', tone: 'bad', icon: 'alert' },
  'half-open': { word: 'Half open', tone: 'warn', icon: 'clock' },
  closed: { word: 'Closed', tone: 'good', icon: 'check' },
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
