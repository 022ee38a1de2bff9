/** What a person asks of a run: sends it, and keeps what came back until the next request. */
import { createContext } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import type { PageRequest, RunData } from '../../data/shapes.ts'
import { request } from './live.ts'

type SaidBack = { text: string; isProblem: boolean }
type Asking = {
  /** Whether it was delivered. */
  ask(asked: PageRequest): Promise<boolean>
  said: SaidBack
  isBusy: boolean
}

export function useAsking(run: Pick<RunData, 'id' | 'project'> | null): Asking {
  const [said, setSaid] = useState<SaidBack>({ text: '', isProblem: false })
  const [isBusy, setBusy] = useState(false)
  const ask = async (asked: PageRequest): Promise<boolean> => {
    if (run === null) return false
    setBusy(true)
    try {
      setSaid({ text: await request(run.project.id, run.id, asked), isProblem: false })
      return true
    } catch (error) {
      setSaid({ text: (error as Error).message, isProblem: true })
      return false
    } finally {
      setBusy(false)
    }
  }
  return { ask, said, isBusy }
}

const nobody: Asking = { ask: async () => false, said: { text: '', isProblem: false }, isBusy: false }
export const AskingContext = createContext<Asking>(nobody)
export const useAsk = (): Asking => useContext(AskingContext)

type FormProps = {
  label: string
  button: string
  isPrimary?: boolean
  mayBeEmpty?: boolean
  onSend(text: string): Promise<boolean>
}

/** Keeps the text until it is delivered. */
export function TextForm({ label, button, isPrimary = false, mayBeEmpty = false, onSend }: FormProps) {
  const [text, setText] = useState('')
  const id = useId()
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    if ((mayBeEmpty || text.trim() !== '') && (await onSend(text))) setText('')
  }
  return (
    <form class="text-form" onSubmit={send}>
      <label class="hidden" for={id}>
        {label}
      </label>
      <input
        id={id}
        value={text}
        placeholder={label}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class={isPrimary ? 'primary' : ''}>
        {button}
      </button>
    </form>
  )
}
