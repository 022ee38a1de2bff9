/** What needs a person: the reason, the lines that tell most, and the next step. */

import { failureWords } from '../../../core/proof/last-failure.ts'
import { capital } from '../../../core/text/escape.ts'
import type { PageQuestion, RunData } from '../../data/shapes.ts'
import { Icon } from '../shared/icons.tsx'
import { type FeatureRoute, runAddress } from '../shared/route.ts'
import { TextForm, useAsk } from '../shared/use-request.tsx'
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
      <Failure run={run} route={route} onStart={onStart} />
      <BranchNotes run={run} />
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
        <Icon name="question" /> <span>{story ?? 'The run'} asks</span>
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
        <Icon name="alert" /> <span>Blocked since iteration {blocked.iteration}</span>
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

/** What happened to the branch or to HEAD: where work is, and how to get it. */
function BranchNotes({ run: { status } }: { run: RunData }) {
  if (status.branchNotes.length === 0) return null
  return (
    <section class="banner t-warn" aria-label="Branch">
      <h2>
        <Icon name="alert" /> The branch was left or moved
      </h2>
      {status.branchNotes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </section>
  )
}

/** Why the last run ended, what failed, and what to do next. An open breaker is one of the reasons. */
function Failure({ run, route, onStart }: Props) {
  const { need, status, next, isLive } = run
  const { ask } = useAsk()
  const { failure, breaker } = status
  const isBreakerOpen = breaker.state !== 'closed'
  const isOther = need === null || need.kind === 'question' || need.kind === 'blocked' || isLive
  if (isOther && !isBreakerOpen) return null
  const mark = isOther ? needMarks.failed : needMarks[need.kind]
  const failed = run.stories.filter(({ state }) => state === 'failed')
  // A run would have nothing to do.
  const isOnlyFailed = failed.length > 0 && !isBreakerOpen && run.stories.every(({ state }) => state !== 'open')
  const reason = isOther ? breaker.because : need.kind === 'ready' ? need.words : status.because || need.words
  return (
    <section class={`banner t-${mark.tone}`} aria-label="Why it stopped">
      <h2>
        <Icon name={mark.icon} /> <span>{capital(reason)}</span>
      </h2>
      {isBreakerOpen && (
        <p>The circuit breaker is {breaker.state === 'open' ? 'open: no agent starts until it is closed.' : 'half open.'}</p>
      )}
      {failure !== null && !isOther && need.kind !== 'ready' && (
        <>
          <p>
            <a
              href={runAddress(route.project, route.feature, {
                ...(failure.iteration === 0 ? {} : { story: failure.story, iteration: failure.iteration }),
              })}
            >
              {capital(failureWords(failure))}
            </a>
          </p>
          {failure.lines.length > 0 && <pre>{failure.lines.join('\n')}</pre>}
        </>
      )}
      {next !== '' && !isOther && need.kind !== 'ready' && <Next next={next} />}
      <div class="buttons">
        {!isLive && !isOnlyFailed && (
          <button type="button" class="primary" onClick={onStart}>
            <Icon name="play" /> {isBreakerOpen ? 'Close the breaker and start a run' : 'Start run'}
          </button>
        )}
        {isBreakerOpen && (
          <button type="button" onClick={() => ask({ kind: 'reset-breaker' })}>
            Close the breaker
          </button>
        )}
        {failed.slice(0, mostButtons).map(({ id }) => (
          <button key={id} type="button" class={isOnlyFailed ? 'primary' : ''} onClick={() => ask({ kind: 'retry', story: id })}>
            <Icon name="retry" /> Retry {id}
          </button>
        ))}
      </div>
    </section>
  )
}

/** A command with a remark, as the terminal says it. */
function Next({ next }: { next: string }) {
  const [command = '', remark = ''] = next.split(/\s+# /)
  return (
    <p class="next">
      Next: <code>{command}</code> {remark === '' ? '' : `(${remark})`}
    </p>
  )
}

const mostButtons = 4
