/** The output of agent and gates in one iteration, searched on the server. */
import { useEffect, useId, useState } from 'preact/hooks'
import { shownNumber } from '../../../views/report/html/words.ts'
import type { LogLines } from '../../data/shapes.ts'
import { useFetched } from '../shared/live.ts'
import { VirtualList } from '../shared/virtual-list.tsx'

/** `isGrowing`: the iteration is still running, and its output is not an event. */
type Props = { path: string; iteration: number; version: number; isGrowing: boolean }

/** Loaded only when somebody opens it. */
export function LogView(props: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="log" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Log of iteration {props.iteration}</summary>
      {isOpen && <Lines {...props} />}
    </details>
  )
}

function Lines({ path, iteration, version, isGrowing }: Props) {
  const [ticks, setTicks] = useState(0)
  useEffect(() => {
    if (!isGrowing) return
    const timer = setInterval(() => setTicks((before) => before + 1), lookMs)
    return () => clearInterval(timer)
  }, [isGrowing])
  const [search, setSearch] = useState('')
  const id = useId()
  const { value, problem } = useFetched<LogLines>(`${path}?search=${encodeURIComponent(search)}`, version + ticks)
  return (
    <>
      <label for={id}>Search the log</label>
      <input id={id} type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      <p class="soft" role="status">
        {problem || (value === null ? 'Loading…' : countWords(value, search !== ''))}
      </p>
      {value !== null && value.lines.length > 0 && (
        <VirtualList
          items={value.lines}
          rowPx={22}
          label={`Log of iteration ${iteration}`}
          keyOf={({ number }) => number}
          row={({ number, text }) => (
            <code>
              <span class="soft">{number}</span> {text}
            </code>
          )}
        />
      )}
    </>
  )
}

const lookMs = 1000

function countWords({ lines, total, isCut }: LogLines, isSearch: boolean): string {
  const what = `${shownNumber(total)} ${total === 1 ? 'line' : 'lines'}${isSearch ? ' found' : ''}`
  return isCut ? `${what}; showing the ${isSearch ? 'first' : 'last'} ${shownNumber(lines.length)}` : what
}
