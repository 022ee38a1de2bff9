/** What the agent said and did in one iteration, and what its gates printed: live, searchable, step by step. */

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { duration, shownNumber } from '../../../views/report/html/words.ts'
import type { ShownStep, TranscriptData } from '../../data/shapes.ts'
import { Icon } from '../shared/icons.tsx'
import { useFetched, useTicks } from '../shared/live.ts'
import { SearchField } from '../shared/search-field.tsx'
import { exactTime } from '../shared/time.tsx'
import { Problem, Skeleton } from '../shared/words.tsx'

/** `isGrowing`: the iteration is still running, and its output is not an event. */
type Props = { path: string; iteration: number; isGrowing: boolean }

export function TranscriptView({ path, iteration, isGrowing }: Props) {
  const ticks = useTicks(isGrowing, lookMs)
  const [search, setSearch] = useState('')
  const [isFollowing, setFollowing] = useState(true)
  const look = isGrowing ? ticks : ticks + 1 // once more at the end: the last words and the gates
  const { value, problem } = useFetched<TranscriptData>(`${path}?search=${encodeURIComponent(search)}`, look)
  const box = useRef<HTMLElement>(null)
  const last = value?.steps.at(-1)?.number
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step is the reason to scroll
  useLayoutEffect(() => {
    if (isGrowing && isFollowing && search === '' && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [last, isGrowing, isFollowing, search])
  const onScroll = (): void => {
    if (box.current === null) return
    const { scrollTop, scrollHeight, clientHeight } = box.current
    setFollowing(scrollTop + clientHeight > scrollHeight - nearPx)
  }
  return (
    <div class="transcript">
      <div class="transcript-head">
        <span class="search">
          <SearchField label="Search the transcript" value={search} onSearch={setSearch} />
        </span>
        <span class="soft" role="status">
          {value === null ? '' : countWords(value, search !== '')}
        </span>
        {isGrowing && search === '' && (
          <label class="check">
            <input type="checkbox" checked={isFollowing} onChange={(event) => setFollowing(event.currentTarget.checked)} /> Follow
          </label>
        )}
      </div>
      <Problem text={problem} />
      {value === null && problem === '' && <Skeleton lines={6} label="Loading…" />}
      {value !== null && value.steps.length > 0 && (
        <section
          class="steps"
          ref={box}
          aria-label={`Transcript of iteration ${iteration}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={onScroll}
        >
          {value.steps.map((step) => (
            <Step key={step.number} step={step} />
          ))}
        </section>
      )}
    </div>
  )
}

const lookMs = 1000
const nearPx = 40

function countWords({ steps, total, isCut }: TranscriptData, isSearch: boolean): string {
  const what = `${shownNumber(total)} ${total === 1 ? 'step' : 'steps'}${isSearch ? ' found' : ''}`
  return isCut ? `${what}; ${isSearch ? 'the first' : 'the last'} ${shownNumber(steps.length)} are shown` : what
}

const Step = ({ step }: { step: ShownStep }) => (
  <div class={`step s-${step.kind}`}>
    <StepWords step={step} />
    {step.tookMs !== null && (
      <span class="took" title={step.at === null ? undefined : exactTime(step.at)}>
        {duration(step.tookMs)}
      </span>
    )}
  </div>
)

function StepWords({ step }: { step: ShownStep }) {
  switch (step.kind) {
    case 'words':
      return <p class={step.isSub ? 'soft' : ''}>{step.text}</p>
    case 'note':
      return <p class={step.tone === 'bad' ? 'problem' : step.tone === 'warn' ? 'warn' : 'raw'}>{step.text}</p>
    case 'tool':
      return <Tool step={step} />
    case 'gate':
      return (
        <Folded
          isFailed={step.passed === false}
          head={
            <>
              <strong>Gate {step.name}</strong>{' '}
              <span class={step.passed === false ? 'problem' : 'soft'}>{step.end || 'running…'}</span>
            </>
          }
          text={step.text}
        />
      )
  }
}

const Tool = ({ step: { name, target, result } }: { step: Extract<ShownStep, { kind: 'tool' }> }) => (
  <Folded
    isFailed={result?.failed === true}
    head={
      <>
        <strong>{name}</strong> <code>{target}</code>
        {result?.failed === true && <span class="problem"> failed</span>}
      </>
    }
    text={result?.text ?? ''}
  />
)

/** What was printed is there for who asks for it; of a failure it is there at once. */
const Folded = ({ head, text, isFailed }: { head: ComponentChildren; text: string; isFailed: boolean }) =>
  text.trim() === '' ? (
    <p class="line">{head}</p>
  ) : (
    <details open={isFailed}>
      <summary>
        <Icon name="chevron" /> {head}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  )
