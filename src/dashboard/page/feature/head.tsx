/** The head of a feature's page: its state, what happens now, and what can be done about it. */
import { useState } from 'preact/hooks'
import { money } from '../../../views/report/html/words.ts'
import { stateMark } from '../../../views/report/shared/marks.ts'
import type { RunData } from '../../data/shapes.ts'
import { OneAgent, WorkWords } from '../shared/agents-now.tsx'
import { Icon } from '../shared/icons.tsx'
import { Ago } from '../shared/time.tsx'
import { useAsk } from '../shared/use-request.tsx'
import { archivedMark, Bar, Chip, CostSum, featureMark, forecastWords } from '../shared/words.tsx'
import { SayDialog, StopDialog } from './dialogs.tsx'

export const FeatureHead = ({ run, onStart }: { run: RunData; onStart(): void }) => (
  <>
    <div class="feature-head">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="#/">Overview</a> <span aria-hidden="true">/</span> {run.project.name} <span aria-hidden="true">/</span>
      </nav>
      <h1>{run.feature}</h1>
      <Chip mark={run.isLive ? stateMark(run.status) : featureMark({ ...run, isArchived: false })} />
      {run.isArchived && <Chip mark={archivedMark} />}
      <Now run={run} />
      {!run.isArchived && <Actions run={run} onStart={onStart} />}
    </div>
    <Facts run={run} />
    {run.work.length > 1 && <Agents run={run} />}
  </>
)

const Now = ({ run: { work, status } }: { run: RunData }) => (
  <span class="now">
    {status.waiting ? (
      <span class="soft">
        waits for {waitWords[status.waiting.for]}, <Ago at={status.waiting.until} />
      </span>
    ) : (
      <WorkWords work={work} />
    )}
  </span>
)

const waitWords = { rate: 'the hourly call limit', 'usage-limit': "the provider's usage limit", retry: 'the provider' } as const

/** One line for each, if there are several. */
const Agents = ({ run: { work } }: { run: RunData }) => (
  <ul class="agents" aria-label="Agents at work">
    {work.map((one) => (
      <li key={one.iteration}>
        <OneAgent work={one} />
      </li>
    ))}
  </ul>
)

function Actions({ run, onStart }: { run: RunData; onStart(): void }) {
  const { ask, isBusy } = useAsk()
  const [dialog, setDialog] = useState<'say' | 'stop' | null>(null)
  const isPaused = run.status.state === 'paused'
  return (
    <span class="actions">
      <button type="button" onClick={() => setDialog('say')}>
        <Icon name="chat" /> Say
      </button>
      {!run.isLive && (
        <button type="button" class={isOpen(run) ? 'primary' : ''} disabled={isBusy} onClick={onStart}>
          <Icon name="play" /> Start run
        </button>
      )}
      {run.isLive && !isPaused && !run.isPausing && !run.isStopping && (
        <button type="button" disabled={isBusy} onClick={() => ask({ kind: 'pause' })}>
          <Icon name="pause" /> Pause
        </button>
      )}
      {run.isLive && run.isPausing && (
        <span class="pausing">
          Pausing…{' '}
          <button type="button" disabled={isBusy} onClick={() => ask({ kind: 'resume' })}>
            Cancel
          </button>
        </span>
      )}
      {run.isLive && isPaused && (
        <button type="button" class="primary" disabled={isBusy} onClick={() => ask({ kind: 'resume' })}>
          <Icon name="play" /> Continue
        </button>
      )}
      {run.isLive && (
        <button type="button" class="danger" onClick={() => setDialog('stop')}>
          <Icon name="stop" /> {run.isStopping ? 'Stopping…' : 'Stop'}
        </button>
      )}
      {dialog === 'say' && <SayDialog run={run} onClose={() => setDialog(null)} />}
      {dialog === 'stop' && <StopDialog run={run} onClose={() => setDialog(null)} />}
    </span>
  )
}

/** Something is left to do. */
const isOpen = ({ status: { stories } }: RunData): boolean => stories.complete < stories.total

function Facts({ run: { status, cost, forecast, budgets, branch, iterations, isLive } }: { run: RunData }) {
  const which = isLive ? 'this run' : 'last run'
  const { complete, total, unproven, reserved } = status.stories
  const worth = [...(unproven > 0 ? [`${unproven} unproven`] : []), ...(reserved > 0 ? [`${reserved} with reservations`] : [])]
  const budget = budgets.find(({ which }) => which === 'cost')
  const inAll = budgets.filter(({ until }) => until !== undefined)
  return (
    <dl class="facts">
      <div>
        <dt>Stories</dt>
        <dd>
          {complete}/{total} <Bar share={total === 0 ? 0 : complete / total} />
          <small>{worth.join(', ')}</small>
        </dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd>
          <CostSum cost={cost} />
          <small>
            {status.run === ''
              ? ''
              : `${cost.unpriced > 0 ? '· ' : ''}${which} ${budget === undefined ? money(status.cost.usd) : budget.words}`}
          </small>
        </dd>
      </div>
      <div>
        <dt>Iterations</dt>
        <dd>
          {iterations}
          <small>{status.run === '' ? '' : `${which} ${status.used} of ${status.maxIterations} used`}</small>
        </dd>
      </div>
      <div>
        <dt>Estimated remaining</dt>
        <dd class="text">{forecast === null ? '…' : forecastWords(forecast)}</dd>
      </div>
      {inAll.length > 0 && (
        <div>
          <dt>Budgets</dt>
          <dd class="text">
            {inAll.map(({ which, words, until = '' }) => (
              <div key={which}>
                {words}; resets <Ago at={until} />
              </div>
            ))}
          </dd>
        </div>
      )}
      {branch !== null && (
        <div class="wide">
          <dt>Branch</dt>
          <dd class="text">{branch}</dd>
        </div>
      )}
    </dl>
  )
}
