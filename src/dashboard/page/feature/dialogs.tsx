/** What asks before it is done: say, stop, start; and what came of it. */
import { plural } from '../../../views/status/status.ts'
import type { RunData } from '../../data/shapes.ts'
import { Dialog } from '../shared/dialog.tsx'
import { TextForm, useAsk } from '../shared/use-request.tsx'
import { forecastWords } from '../shared/words.tsx'

type DialogProps = { run: RunData; onClose(): void }

export function SayDialog({ run, onClose }: DialogProps) {
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

export function StopDialog({ run, onClose }: DialogProps) {
  const { ask } = useAsk()
  const stop = (kind: 'stop' | 'stop-now') => async () => {
    onClose()
    await ask({ kind })
  }
  return (
    <Dialog title={`Stop the run of ${run.feature}?`} onClose={onClose}>
      <p>After this iteration: nothing is lost. Now: the agent is ended in the middle of its work; what it committed stays.</p>
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
  const isBreakerOpen = run.status.breaker.state !== 'closed'
  const start = async (): Promise<void> => {
    onClose()
    if (isBreakerOpen && !(await ask({ kind: 'reset-breaker' }))) return
    await ask({ kind: 'start' })
  }
  const { complete, total } = run.status.stories
  return (
    <Dialog title={`Start a run of ${run.feature}?`} onClose={onClose}>
      <p>
        {total === 0 ? 'It has no stories.' : `${plural(total - complete, 'story', 'stories')} left.`}{' '}
        {run.forecast?.kind === 'told' ? `Estimated: ${forecastWords(run.forecast)}.` : ''}
      </p>
      {isBreakerOpen && <p>The circuit breaker is open: {run.status.breaker.because}. Starting closes it.</p>}
      <p class="soft">
        The same as <code>{`ralph run -f ${run.feature}${isBreakerOpen ? ' --reset-circuit' : ''}`}</code> in {run.project.name}.
        It continues when you close this page.
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
