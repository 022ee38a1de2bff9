/** What a person can do from the page: answer, unblock, send a note, pause, continue, stop, retry and skip stories, close the breaker. */
import { useId, useState } from 'preact/hooks'
import type { PageRequest, PlainAsk, RunData } from '../../data/shapes.ts'
import { request } from './live.ts'

type RequestState = { ask(asked: PageRequest): Promise<boolean>; said: { text: string; isProblem: boolean } }

/** Whether it was delivered, and the message. */
export function useAsk(run: RunData): RequestState {
  const [said, setSaid] = useState({ text: '', isProblem: false })
  const ask = async (asked: PageRequest): Promise<boolean> => {
    try {
      setSaid({ text: await request(run.project.id, run.id, asked), isProblem: false })
      return true
    } catch (error) {
      setSaid({ text: (error as Error).message, isProblem: true })
      return false
    }
  }
  return { ask, said }
}

export const Said = ({ said: { text, isProblem } }: { said: RequestState['said'] }) => (
  <p class={isProblem ? 'problem' : 'said'} role="status">
    {text}
  </p>
)

export function Asking({ run }: { run: RunData }) {
  const { ask, said } = useAsk(run)
  const press = (kind: PlainAsk, words: string) => (
    <button type="button" onClick={() => ask({ kind })}>
      {words}
    </button>
  )
  return (
    <section aria-label="Steer the run">
      {run.questions.map(({ story, question, iteration }) => (
        <TextForm
          key={`${story} ${iteration}`}
          title={`${story === null ? 'The run' : story} asks (iteration ${iteration}): ${question}`}
          label="Your answer"
          button="Answer"
          isUrgent
          onSend={(text) => ask({ kind: 'answer', text, story })}
        />
      ))}
      {run.blocked !== null && (
        <TextForm
          title={`Blocked since iteration ${run.blocked.iteration}: ${run.blocked.reason}`}
          label="How you resolved it (optional)"
          button="Unblock"
          isUrgent
          mayBeEmpty
          onSend={(text) => ask({ kind: 'unblock', text })}
        />
      )}
      <div class="buttons">
        {run.isLive && run.status.state !== 'paused' && press('pause', 'Pause after this iteration')}
        {run.isLive && run.status.state === 'paused' && press('resume', 'Continue')}
        {run.isLive && press('stop', 'Stop after this iteration')}
        {run.isLive && press('stop-now', 'Stop now')}
        {run.status.breaker.state !== 'closed' && press('reset-breaker', 'Close the breaker')}
      </div>
      <TextForm title="" label="A note for the next iteration" button="Say" onSend={(text) => ask({ kind: 'say', text })} />
      <Said said={said} />
    </section>
  )
}

type FormProps = {
  title: string
  label: string
  button: string
  isUrgent?: boolean
  mayBeEmpty?: boolean
  onSend(text: string): Promise<boolean>
}

/** Keeps the text until it is delivered. */
function TextForm({ title, label, button, isUrgent = false, mayBeEmpty = false, onSend }: FormProps) {
  const [text, setText] = useState('')
  const id = useId()
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    if ((mayBeEmpty || text.trim() !== '') && (await onSend(text))) setText('')
  }
  return (
    <form class={isUrgent ? 'ask urgent' : 'ask'} onSubmit={send}>
      {title !== '' && <p class="question">{title}</p>}
      <label for={id}>{label}</label>
      <div class="line">
        <input id={id} value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit">{button}</button>
      </div>
    </form>
  )
}
