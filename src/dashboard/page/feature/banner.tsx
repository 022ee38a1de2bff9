/** What needs a person: the reason, the lines that tell most, and the next step. */
import { failureWords } from '../../../core/proof/last-failure.ts'
import type { PageQuestion, RunData } from '../../data/shapes.ts'
import { TextForm, useAsk } from '../shared/asking.tsx'
import { Icon } from '../shared/icons.tsx'
import { type FeatureRoute, runAddress } from '../shared/route.ts'
import { needMarks } from '../shared/words.tsx'

type Props = { run: RunData; route: FeatureRoute; onStart(): void }

export function Banner({ run, route, onStart }: Props) {
  if (run.isArchived) return null
  return (
    <>
      {run.questions.map((question) => (
        <Question key={`${question.story} ${question.iteration}`} question={question} route={route} />
      ))}
      {run.blocked !== null && <Blocked blocked={run.blocked} />}
      {run.status.breaker.state !== 'closed' && <BreakerOpen run={run} />}
      <Failure run={run} route={route} onStart={onStart} />
    </>
  )
}

function Question({
  question: { story, question, iteration, proposal, isSuspicion },
  route,
}: {
  question: PageQuestion
  route: FeatureRoute
}) {
  const { ask } = useAsk()
  return (
    <section class="banner t-warn" aria-label={`Question of ${story ?? 'the run'}`}>
      <h2>
        <Icon name="question" /> {story ?? 'The run'} asks
        <a class="where" href={runAddress(route.project, route.feature, { story, iteration })}>
          iteration {iteration}
        </a>
      </h2>
      <p class="question">{question}</p>
      {proposal !== null && (
        <button type="button" class="primary" onClick={() => ask({ kind: 'accept', story })}>
          Accept this criterion
        </button>
      )}
      {isSuspicion && (
        <button type="button" class="primary" onClick={() => ask({ kind: 'accept', story })}>
          Let it pass
        </button>
      )}
      <TextForm
        label={proposal !== null || isSuspicion ? 'Or answer in your words' : 'Your answer'}
        button="Answer"
        isPrimary={proposal === null && !isSuspicion}
        onSend={(text) => ask({ kind: 'answer', text, story })}
      />
    </section>
  )
}

function Blocked({ blocked }: { blocked: NonNullable<RunData['blocked']> }) {
  const { ask } = useAsk()
  return (
    <section class="banner t-warn" aria-label="Blocked">
      <h2>
        <Icon name="alert" /> Blocked since iteration {blocked.iteration}
      </h2>
      <p class="question">{blocked.reason}</p>
      <TextForm
        label="How you resolved it (optional)"
        button="Unblock"
        isPrimary
        mayBeEmpty
        onSend={(text) => ask({ kind: 'unblock', text })}
      />
    </section>
  )
}

function BreakerOpen({ run: { status } }: { run: RunData }) {
  const { ask } = useAsk()
  return (
    <section class="banner t-bad" aria-label="Circuit breaker">
      <h2>
        <Icon name="alert" /> The circuit breaker is {status.breaker.state === 'open' ? 'open' : 'half open'}
      </h2>
      <p>{status.breaker.because}</p>
      <button type="button" onClick={() => ask({ kind: 'reset-breaker' })}>
        Close the breaker
      </button>
    </section>
  )
}

/** Why the last run ended, or what fails while it goes on. */
function Failure({ run, route, onStart }: Props) {
  const { need, status, next, isLive } = run
  const { ask } = useAsk()
  const { failure } = status
  if (need === null || need.kind === 'question' || need.kind === 'blocked') return null
  if (isLive) return null
  const mark = needMarks[need.kind]
  const failed = run.stories.filter(({ state }) => state === 'failed')
  return (
    <section class={`banner t-${mark.tone}`} aria-label="Why it stopped">
      <h2>
        <Icon name={mark.icon} /> {capital(need.kind === 'ready' ? need.words : status.because || need.words)}
      </h2>
      {failure !== null && need.kind !== 'ready' && (
        <>
          <p>
            <a
              href={runAddress(route.project, route.feature, {
                ...(failure.iteration === 0 ? {} : { story: failure.story, iteration: failure.iteration }),
              })}
            >
              {failureWords(failure)}
            </a>
          </p>
          {failure.lines.length > 0 && <pre>{failure.lines.join('\n')}</pre>}
        </>
      )}
      {next !== '' && need.kind !== 'ready' && <p class="next">Next: {next}</p>}
      <div class="buttons">
        {failed.slice(0, mostButtons).map(({ id }) => (
          <button key={id} type="button" onClick={() => ask({ kind: 'retry', story: id })}>
            <Icon name="retry" /> Retry {id}
          </button>
        ))}
        <button type="button" class="primary" onClick={onStart}>
          <Icon name="play" /> Start run
        </button>
      </div>
    </section>
  )
}

const mostButtons = 4

/** Reasons begin in the middle of a sentence. */
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
