/** The head of a feature's page: its state, what happens now, and what can be done about it. */
import { useState } from 'preact/hooks'
import { money } from '../../../views/report/html/words.ts'
import { plural } from '../../../views/status/status.ts'
import type { RunData } from '../../data/shapes.ts'
import { phaseWords } from '../overview/rows.tsx'
import { TextForm, useAsk } from '../shared/asking.tsx'
import { Dialog } from '../shared/dialog.tsx'
import { Icon } from '../shared/icons.tsx'
import { Ago, Since } from '../shared/time.tsx'
import { Bar, Chip, costWords, forecastWords, stateMark } from '../shared/words.tsx'

export const FeatureHead = ({ run, onStart }: { run: RunData; onStart(): void }) => (
  <>
    <div class="feature-head">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="#/">Overview</a> <span aria-hidden="true">/</span> {run.project.name} <span aria-hidden="true">/</span>
      </nav>
      <h1>{run.feature}</h1>
      <Chip mark={stateMark(run.status)} />
      {run.isArchived && <Chip mark={{ word: 'Archived', tone: 'quiet', icon: 'check' }} />}
      <WorkNow run={run} />
      {!run.isArchived && <Actions run={run} onStart={onStart} />}
    </div>
    <Facts run={run} />
  </>
)

const WorkNow = ({ run: { work, status } }: { run: RunData }) => (
  <span class="now">
    {work.map(({ iteration, story, title, phase, startedAt, tool }) => (
      <span key={iteration}>
        <strong>{story ?? 'No story'}</strong> <span class="title">{title}</span>{' '}
        <span class="soft">
          · {phaseWords[phase]} <Since at={startedAt} />
          {tool === '' ? '' : ` · ${tool}`}
        </span>
      </span>
    ))}
    {status.waiting && (
      <span class="soft">
        waits for {waitWords[status.waiting.for]}, <Ago at={status.waiting.until} />
      </span>
    )}
  </span>
)

const waitWords = { rate: 'the hourly call limit', 'usage-limit': "the provider's usage limit", retry: 'the provider' } as const

function Actions({ run, onStart }: { run: RunData; onStart(): void }) {
  const { ask, isBusy } = useAsk()
  const [isOpen, setOpen] = useState<'say' | 'stop' | null>(null)
  const isPaused = run.status.state === 'paused'
  return (
    <span class="actions">
      <button type="button" onClick={() => setOpen('say')}>
        <Icon name="chat" /> Say
      </button>
      {!run.isLive && (
        <button type="button" class="primary" disabled={isBusy} onClick={onStart}>
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
        <button type="button" class="danger" onClick={() => setOpen('stop')}>
          <Icon name="stop" /> {run.isStopping ? 'Stopping…' : 'Stop'}
        </button>
      )}
      {isOpen === 'say' && <SayDialog run={run} onClose={() => setOpen(null)} />}
      {isOpen === 'stop' && <StopDialog run={run} onClose={() => setOpen(null)} />}
    </span>
  )
}

type DialogProps = { run: RunData; onClose(): void }

function SayDialog({ run, onClose }: DialogProps) {
  const { ask } = useAsk()
  const send = async (text: string): Promise<boolean> => {
    const isSent = await ask({ kind: 'say', text })
    if (isSent) onClose()
    return isSent
  }
  return (
    <Dialog title={`Say something to ${run.feature}`} onClose={onClose}>
      <p class="soft">{run.isLive ? 'The next iteration reads it.' : 'The next run reads it.'}</p>
      <TextForm label="A note for the next iteration" button="Send" isPrimary onSend={send} />
      <SaidNote isInDialog />
    </Dialog>
  )
}

function StopDialog({ run, onClose }: DialogProps) {
  const { ask } = useAsk()
  const stop = (kind: 'stop' | 'stop-now') => async () => {
    onClose()
    await ask({ kind })
  }
  return (
    <Dialog title={`Stop the run of ${run.feature}?`} onClose={onClose}>
      <p>After this iteration nothing is lost. Now ends the agent in the middle of its work; committed work stays.</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={stop('stop')}>
          Stop after this iteration
        </button>
        <button type="button" class="danger" onClick={stop('stop-now')}>
          Stop now
        </button>
        <button type="button" onClick={onClose}>
          Keep running
        </button>
      </div>
    </Dialog>
  )
}

export function StartDialog({ run, onClose }: DialogProps) {
  const { ask } = useAsk()
  const start = async (): Promise<void> => {
    onClose()
    await ask({ kind: 'start' })
  }
  const { complete, total } = run.status.stories
  return (
    <Dialog title={`Start a run of ${run.feature}?`} onClose={onClose}>
      <p>
        {total === 0 ? 'It has no stories.' : `${plural(total - complete, 'story', 'stories')} left.`}{' '}
        {run.forecast?.kind === 'told' ? `Estimated: ${forecastWords(run.forecast)}.` : ''}
      </p>
      <p class="soft">
        The same as <code>ralph run -f {run.feature}</code> in {run.project.name}. It continues when you close this page.
      </p>
      <div class="buttons">
        <button type="button" class="primary" autofocus onClick={start}>
          Start run
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}

/** What came of the last request. */
export function SaidNote({ isInDialog = false }: { isInDialog?: boolean }) {
  const { said, isBusy } = useAsk()
  if (isInDialog && !said.isProblem) return null
  return (
    <div class={said.isProblem ? 'said problem' : 'said'} role="status">
      {isBusy ? 'Sending…' : said.text}
    </div>
  )
}

function Facts({ run: { status, cost, forecast, budgets, branch, iterations } }: { run: RunData }) {
  const { complete, total, unproven, reserved } = status.stories
  const worth = [...(unproven > 0 ? [`${unproven} unproven`] : []), ...(reserved > 0 ? [`${reserved} with reservations`] : [])]
  const budget = budgets.find(({ which }) => which === 'cost')
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
          {costWords(cost)}
          <small>{budget === undefined ? `last run ${money(status.cost.usd)}` : `this run ${budget.words}`}</small>
        </dd>
      </div>
      <div>
        <dt>Iterations</dt>
        <dd>
          {iterations}
          <small>{status.run === '' ? '' : `${status.used} of ${status.maxIterations} in the last run`}</small>
        </dd>
      </div>
      <div>
        <dt>Estimated remaining</dt>
        <dd class="text">{forecast === null ? '…' : forecastWords(forecast)}</dd>
      </div>
      {branch !== null && (
        <div>
          <dt>Branch</dt>
          <dd class="text">{branch}</dd>
        </div>
      )}
    </dl>
  )
}
