/** One feature: its state, questions, iterations and their cost, stories, breaker and receipts. */
import { money, shownTime } from '../../../views/report/html/words.ts'
import { plural } from '../../../views/status/status.ts'
import type { RunData } from '../../data/shapes.ts'
import { Charts } from '../charts/charts.tsx'
import { Asking, Said, useAsk } from '../shared/ask.tsx'
import { useFetched } from '../shared/live.ts'
import { Chip, forecastWords, StateChip } from '../shared/words.tsx'
import { Gates, Timeline } from '../story/iteration.tsx'

type Props = { project: string; feature: string; version: number }

export function RunPage({ project, feature, version }: Props) {
  const address = `${project}/${feature}`
  const { value, problem } = useFetched<RunData>(`/api/runs/${address}`, version, ({ forecast }) => forecast === null)
  document.title = value === null ? 'Ralph' : `${value.feature} · Ralph`
  if (value === null)
    return (
      <>
        <h1>{decodeURIComponent(feature)}</h1>
        <p class={problem === '' ? 'soft' : 'problem'} role="status">
          {problem || 'Reading…'}
        </p>
      </>
    )
  const titles = new Map(value.status.stories.list.map(({ id, title }) => [id, title]))
  return (
    <>
      <nav aria-label="Where you are" class="soft">
        <a href="#/">Runs</a> / {value.project.name}
      </nav>
      <h1>
        {value.feature} <StateChip status={value.status} />
        {value.isArchived && <Chip word="archived" kind="skipped" />}
      </h1>
      {value.status.because !== '' && <p>{value.status.because}</p>}
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Figures run={value} />
      {!value.isArchived && <Asking run={value} />}
      <h2>Iterations</h2>
      <Timeline iterations={value.iterations} titles={titles} address={address} version={version} />
      <h2>Cost and time</h2>
      <Charts took={value.took} />
      <h2>Stories</h2>
      <Stories run={value} />
      <h2>Breaker</h2>
      <Breaker run={value} />
      <h2>Receipts</h2>
      <Receipts run={value} />
    </>
  )
}

function Figures({ run: { status, cost, forecast } }: { run: RunData }) {
  const figures: [string, string, string][] = [
    [
      'Stories',
      `${status.stories.complete}/${status.stories.total}`,
      status.stories.unproven > 0 ? `${status.stories.unproven} unproven` : '',
    ],
    ['Iteration', `${status.iteration}`, `${status.used} of ${status.maxIterations} used in this run`],
    ['Cost', money(cost.costUsd), costNote(status, cost)],
    [
      'Working on',
      status.stories.list.flatMap(({ id, state }) => (state === 'working' ? [id] : [])).join(', ') || (status.story ?? '–'),
      !status.waiting ? '' : `waiting for ${status.waiting.for}, until ${shownTime(status.waiting.until)}`,
    ],
    ['Breaker', status.breaker.state, status.breaker.because],
  ]
  return (
    <>
      <dl class="figures">
        {figures.map(([name, value, more]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}
              {more !== '' && <small>{more}</small>}
            </dd>
          </div>
        ))}
      </dl>
      <p class="soft">Estimated remaining: {forecast === null ? '…' : forecastWords(forecast)}</p>
    </>
  )
}

function Stories({ run }: { run: RunData }) {
  const { ask, said } = useAsk(run)
  const { list } = run.status.stories
  if (list.length === 0) return <p class="soft">No stories: the feature has no plan, or its plan is empty.</p>
  return (
    <>
      <Said said={said} />
      <ul class="rows">
        {list.map(({ id, title, state, attempts, proven }) => (
          <li key={id} class="story">
            <span>
              <Chip
                word={state === 'passes' && !proven ? 'unproven' : state}
                kind={state === 'open' ? 'open-story' : state === 'passes' && !proven ? 'unproven' : state}
              />
              <strong>{id}</strong> {title} {attempts > 1 && <span class="soft">({attempts} attempts)</span>}
            </span>
            {!run.isArchived && (
              <span class="buttons">
                {canRetry(state) && <StoryButton word="Retry" story={id} onPress={() => ask({ kind: 'retry', story: id })} />}
                {canSkip(state) && <StoryButton word="Skip" story={id} onPress={() => ask({ kind: 'skip', story: id })} />}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

type StoryWord = RunData['status']['stories']['list'][number]['state']
const canRetry = (state: StoryWord): boolean => state === 'failed' || state === 'skipped'
const canSkip = (state: StoryWord): boolean => state === 'open' || state === 'asks' || state === 'failed'

const StoryButton = ({ word, story, onPress }: { word: string; story: string; onPress(): void }) => (
  <button type="button" aria-label={`${word} ${story}`} onClick={onPress}>
    {word}
  </button>
)

/** The cost of all runs is shown above. */
function costNote({ cost, calls }: RunData['status'], all: RunData['cost']): string {
  const last = `${money(cost.usd)} in the last run, ${plural(calls, 'call')}`
  return all.unpriced > 0 && all.costUsd !== null ? `${plural(all.unpriced, 'call')} of unknown cost; ${last}` : last
}

const Breaker = ({ run }: { run: RunData }) =>
  run.breaker.length === 0 ? (
    <p class="soft">Never triggered.</p>
  ) : (
    <ul class="rows">
      {run.breaker.toReversed().map(({ at, to, because }) => (
        <li key={at}>
          <Chip word={to} /> <span class="soft">{shownTime(at)}</span> {because}
        </li>
      ))}
    </ul>
  )

const Receipts = ({ run }: { run: RunData }) =>
  run.receipts.length === 0 ? (
    <p class="soft">None yet. Each story that passes gets one.</p>
  ) : (
    <ul class="rows">
      {run.receipts.map(({ story, iteration, proven, proof, given, commits, costUsd, gates, agent }) => (
        <li key={story}>
          <strong>{story}</strong> {given ? 'passed before the run began' : `iteration ${iteration}, ${agent}, ${money(costUsd)}`}
          {!given && <Chip word={proof?.grade ?? (proven ? 'gated' : 'unproven')} />}{' '}
          <span class="soft">{commits.map((commit) => commit.slice(0, 10)).join(', ')}</span>
          {gates.length > 0 && <Gates gates={gates} />}
          {proof?.reservations
            .filter(({ answer }) => answer === undefined)
            .map(({ words }) => (
              <p class="warn" key={words}>
                reservation: {words}
              </p>
            ))}
        </li>
      ))}
    </ul>
  )
