/** The lines of `ralph status`. */

import { outcomeWords } from '../../core/decide/outcome.ts'
import { failureWords } from '../../core/proof/last-failure.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { flakyWords } from '../flaky.ts'
import { inLocalTime, localTime, sayLocal } from '../local-time.ts'
import { readingWords, silent } from '../reading.ts'
import { type Costs, outlookWords } from '../report/costs.ts'
import { branchNotes, type WayThere } from '../work-branches.ts'
import type { StatusFile } from './account.ts'
import { breakerName, costValue, plural, type Status, tokenWords, unpricedWords } from './status.ts'

/** `way`: to the branch of the last run, if another one is checked out. `planError`: why a plan that never ran cannot be used. */
type Around = { way: WayThere; planError: string | null }

export function statusLines(status: StatusFile, now: Instant, { way, planError }: Around = nothingAround): string[] {
  const lines = [
    `Feature:     ${status.feature}`,
    `State:       ${planError === null ? stateLine(status, now) : brokenPlan(status)}${status.soon === undefined ? '' : `; ${status.soon} after this iteration`}`,
  ]
  if (planError !== null) lines.push(`Error:       ${planError}`)
  if (status.because !== '') lines.push(`Because:     ${inLocalTime(status.because, now)}`)
  if (way !== null) lines.push(`Checkout:    ${way.words}${way.command === '' ? '' : ` To go there: ${way.command}`}`)
  const { list } = status.stories
  const foreseen = list.length === 0 ? [] : [forecastLine(status)] // a plan without stories has no forecast
  lines.push(...(status.run === '' ? foreseen : runLines(status, now)))
  return list.length === 0 ? lines : [...lines, '', ...list.map(storyLine)]
}

const nothingAround: Around = { way: null, planError: null }

const brokenPlan = ({ feature }: Status): string => `idle: its plan has errors; see all with: ralph lint -f ${feature}`

const forecastLine = ({ forecast }: StatusFile): string => `Forecast:    ${outlookWords(forecast)}`

function runLines(status: StatusFile, now: Instant): string[] {
  const {
    run,
    iteration,
    used,
    maxIterations,
    stories,
    breaker,
    cost,
    calls,
    lastEvent,
    failure,
    questions,
    reading,
    flaky = [],
    limits = [],
  } = status
  const idle = breaker.threshold === 0 ? `${breaker.idle}, no limit` : `${breaker.idle} of ${breaker.threshold}`
  const unproven = openWords(stories)
  return [
    ...(failure === null
      ? []
      : [`Failing:     ${failureWords(failure)}`, ...failure.lines.map((text) => `               ${text}`)]),
    ...(status.state === 'killed' ? [] : branchNotes({ aboutBranch: status.branchNotes })).map((text) => `Branch:      ${text}`),
    `Run:         ${run}, iteration ${iteration} (${used} of ${maxIterations} used in this run)`,
    ...(stories.list.length > 0 ? [`Stories:     ${stories.complete}/${stories.total} complete${unproven}`] : []),
    ...limits.map(({ agent, until }) => `Limit:       ${agent} is at its usage limit until ${sayLocal(until, now)}`),
    `Breaker:     ${breakerName(breaker.state)} (${idle} without progress)`,
    `Cost:        ${costValue(cost.usd)}, ${tokenWords(cost)}, ${plural(calls, 'call')}`,
    ...costLines(status.costs),
    ...status.envelopes.map((envelope) => envelopeLine(envelope, now)),
    forecastLine(status),
    ...flaky.map((test) => `Flaky:       ${flakyWords(test)}`),
    ...questions.flatMap(askLines),
    ...(reading === null || readingWords(reading) === silent
      ? []
      : [`Last answer: iteration ${reading.iteration}: ${readingWords(reading)}`]),
    ...(lastEvent === null ? [] : [`Last event:  ${lastEvent.kind}, ${sayLocal(lastEvent.at, now)}`]),
  ]
}

function askLines({ story, question }: Status['questions'][number]): string[] {
  const [first = '', ...rest] = question.split('\n')
  return [
    `Asks:        ${story === null ? '' : `${story}: `}${first} (ralph answer "…")`,
    ...rest.map((line) => `             ${line}`),
  ]
}

/** What is left open about stories that pass. */
export function openWords({ unproven, reserved }: { unproven: number; reserved: number }): string {
  const words = [...(unproven > 0 ? [`${unproven} unproven`] : []), ...(reserved > 0 ? [`${reserved} with a reservation`] : [])]
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

function storyLine({ id, title, state, attempts, proven, proof }: Status['stories']['list'][number]): string {
  const marks = { passes: '✓', open: '·', failed: '✗', skipped: '-', working: '▸', asks: '?' }
  const tried = attempts > 1 ? `  (${attempts} attempts)` : ''
  return `  ${marks[state]} ${id}  ${title}${tried}${state === 'passes' ? openOf(proven, proof) : ''}`
}

function openOf(proven: boolean, proof: Status['stories']['list'][number]['proof']): string {
  const open = proof?.reservations.filter(({ answer }) => answer === undefined) ?? []
  if (open.length > 0) return `  (${proof?.grade}; reservation: ${open.map(({ words }) => words).join('; ')})`
  if (!proven) return '  (unproven)'
  if (proof === null) return ''
  return `  (${proof.grade}${proof.checked === undefined ? '' : `; ${proof.checked}`})`
}

/** Over all runs and projects of this user. */
function envelopeLine({ which, usedUsd, limitUsd, until, unknown }: Status['envelopes'][number], now: Instant): string {
  const left = `${costValue(usedUsd)} of ${costValue(limitUsd)}${unpricedWords({ costUsd: usedUsd, unpriced: unknown })}`
  return `${which === 'day' ? 'Today:' : 'This month:'}${' '.repeat(which === 'day' ? 7 : 2)}${left}, all runs and projects; resets at ${localTime(until, now)}`
}

/** Of all runs: the cost of a proven story, of failed attempts, and the breakdown. */
function costLines(costs: Costs): string[] {
  const { calls, ms, costUsd, provenStories, perProvenStoryUsd, failedAttempts, failedUsd, byKind } = costs
  if (calls === 0) return []
  const proven =
    provenStories === 0 ? 'no proven stories yet' : `${costValue(perProvenStoryUsd)} per proven story (${provenStories} proven)`
  const failed = failedAttempts === 0 ? '' : `; ${costValue(failedUsd)} on ${plural(failedAttempts, 'failed attempt')}`
  const kinds = byKind.map((kind) => `${kind.mode} ${costValue(kind.costUsd)} in ${sayDuration(kind.ms)}`)
  return [
    `All runs:    ${costValue(costUsd)}${unpricedWords(costs)}, ${plural(calls, 'call')}, ${sayDuration(ms)} agent time; ${proven}${failed}`,
    `By mode:     ${kinds.join(', ')}`,
  ]
}

function stateLine(status: Status, now: Instant): string {
  switch (status.state) {
    case 'idle':
      return status.stories.total === 0
        ? `idle: no stories yet; plan them with: ralph plan -f ${status.feature}`
        : 'idle: never run; start with: ralph run'
    case 'killed':
      return status.because === '' ? 'killed; run again to resume: ralph run' : 'stopped before its end'
    case 'ended':
      return `ended: ${outcomeWords(status.outcome)}${isAnswered(status) ? ', answered; continue with: ralph run' : ''}`
    case 'waiting':
      return status.waiting
        ? `waiting for ${status.waiting.for}, ${sayDuration(Math.max(0, msBetween(now, status.waiting.until)))} left`
        : 'waiting'
    case 'paused':
      return 'paused; continue with: ralph resume'
    case 'running':
      return `running (pid ${status.pid})${status.story === null ? '' : `, on ${workedOn(status)}`}`
  }
}

const isAnswered = ({ outcome, questions }: Status): boolean => outcome === 'question' && questions.length === 0

/** One story, or several at once. */
const workedOn = ({ story, stories }: Status): string => {
  const working = stories.list.flatMap(({ id, state }) => (state === 'working' ? [id] : []))
  return working.length > 1 ? working.join(', ') : (story ?? '')
}
