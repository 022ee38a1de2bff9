/** The run on the screen: one line or a few per important event, in words. */
import { countedAgainst } from '../../core/decide/breaker.ts'
import { shiftWords } from '../../core/decide/escalation.ts'
import { isRed, withTolerance } from '../../core/decide/gates.ts'
import { endedFlight, flightOf } from '../../core/evolve/flights.ts'
import { namedAgent } from '../../core/evolve/usage-limits.ts'
import { listed, storyNamed } from '../../core/plan/stories.ts'
import { headingOf, undeclared } from '../../core/proof/finding.ts'
import { keyLines } from '../../core/proof/key-lines.ts'
import { howItFailed } from '../../core/proof/last-failure.ts'
import { survivorWords } from '../../core/proof/mutants/mutation.ts'
import { dismissedWords, openReservations } from '../../core/proof/receipt.ts'
import type { State } from '../../core/state.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Examination } from '../../core/types/results.ts'
import type { Event, EventOf, GateResult, Scope } from '../../core/types.ts'
import { flakyAt } from '../flaky.ts'
import { localTime } from '../local-time.ts'
import { breakerName, costWords, plural } from '../status/status.ts'
import { learningLinesFor } from './learning.ts'
import { line, type ScreenLine, type Tone } from './line.ts'
import { rejectionLines } from './rejection.ts'
import { reviewLines } from './review.ts'
import { startLines } from './start.ts'

/** With several stories in parallel, each line says which story it is about. */
export function linesFor(event: Event, state: State): ScreenLine[] {
  const flight = 'iteration' in event ? flightOf(state, event.iteration) : undefined
  const lines = plainLinesFor(event, state)
  if (flight?.worker === undefined || event.kind === 'iteration.started') return lines
  return lines.map(({ tone, text }) => line(tone, text.replace(/^ {2}/, `  ${flight.story} `)))
}

function plainLinesFor(event: Event, state: State): ScreenLine[] {
  switch (event.kind) {
    case 'iteration.started': {
      const story = storyNamed(state.plan, event.story)
      const what = story ? `${story.id} ${story.title}` : event.because
      const attempt = `${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}${candidateWords(event)}`
      const fix = event.mode === 'fix' ? ' (fix)' : story && event.mode === 'check' ? ' (check, no agent)' : ''
      const shift = event.shift === '' ? [] : [line('warn', `  ! ${shiftWords(event)}`)]
      const head = line('strong', `Iteration ${turnWords(event, state)}: ${what}${attempt}${fix}`)
      return [head, ...insteadLines(event, state), ...sessionLines(event, state), ...shift]
    }
    case 'iteration.judged': {
      const flight = endedFlight(state, event.iteration)
      const { ended, examination } = flight ?? {}
      const isChecked = flight?.mode === 'check' && event.passed.length > 0
      const isTimed = isChecked || event.verdict !== 'lost' // of a lost one nobody measured the time
      const took = ended ? ` (${isTimed ? `${sayDuration(ended.durationMs)}, ` : ''}${costWords(ended.usage.costUsd)})` : ''
      const tone: Tone =
        isChecked || event.verdict === 'done'
          ? 'good'
          : event.verdict === 'worked'
            ? 'plain'
            : event.verdict === 'failed'
              ? 'bad'
              : 'warn'
      const mark = isChecked || event.verdict === 'done' ? '✓' : event.verdict === 'failed' ? '✗' : '·'
      const why = state.policy.gates.length === 0 ? 'no gate configured' : 'not confirmed by a gate'
      const open = event.passed.flatMap((id) => openReservations(state.stories[id]?.receipt).map(({ words }) => ({ id, words })))
      const unproven = event.passed.length > 0 && !event.proven && open.length === 0 ? ` (unproven: ${why})` : ''
      const lines = [
        ...examinationLines(examination === 'running' ? undefined : examination),
        line(
          tone,
          `  ${mark} ${isChecked ? 'checked' : event.verdict === 'throttled' ? 'not counted' : event.verdict}: ${event.because}${unproven}${took}`,
        ),
        ...(flight === undefined || event.refused.length === 0 ? [] : rejectionLines(state, flight)),
      ]
      if (event.claim === 'refused')
        lines.push(line('bad', `  ✗ Agent claimed done; rejected: ${claimWords(event.openStories, event.failedGates)}`))
      const denied = ended?.signals.flatMap((signal) => (signal.kind === 'permission-denied' ? [signal.tool] : [])) ?? []
      if (denied.length > 0) lines.push(line('warn', `  ! the agent was denied ${denied.join(', ')}`))
      const unclear = ended?.signals.find((signal) => signal.kind === 'unclear')
      if (unclear !== undefined)
        lines.push(
          line('warn', `  ! a signal did not count, because of words around it or because it was copied: ${unclear.evidence}`),
        )
      const asked = ended?.signals.find((signal) => signal.kind === 'asked')
      if (asked !== undefined && event.verdict === 'worked' && event.passed.length === 0)
        lines.push(line('warn', `  ! asked without a signal; the next prompt explains how: ${asked.text}`))
      for (const repair of ended?.repairs ?? []) lines.push(line('warn', `  ! plan restored: ${repair}`))
      for (const { id, words } of open) lines.push(line('warn', `  ! ${id} passes with a reservation: ${words}`))
      for (const finding of undeclared(ended?.findings)) lines.push(line('warn', `  ! ${headingOf(finding)}: ${finding.words}`))
      const counted = countedAgainst(state.breaker, state.policy, event.iteration)
      if (counted.length > 0) lines.push(line('warn', `  ! ${counted.join(', ')}`))
      return lines
    }
    case 'iteration.settled':
      return [
        ...withTolerance(event.results ?? [], state).flatMap((result) => gateLines(result, event.iteration)),
        ...(event.problem === undefined ? [] : [line('bad', `  ✗ ${notPassing(event.results)}: ${event.problem}`)]),
      ]
    case 'gates.ended':
      // Before the first iteration there was nothing to compare with.
      return [
        ...(event.repo === undefined ? withTolerance(event.results, state) : event.results)
          .filter((result) => event.asked === undefined || !isRed(result)) // whoever was asked has seen these
          .flatMap((result) => gateLines(result, event.iteration)),
        ...(event.asked === undefined ? [] : [line('plain', `  answered: ${event.asked}`)]),
        ...flakyLines(event, state),
      ]
    case 'gates.started':
      if (event.again) return [line('warn', `  ! ${event.because}: runs once more`)]
      return event.iteration === 'whole'
        ? [
            line(
              'plain',
              `${state.baseline === undefined ? 'Gates before the first iteration' : 'Final gates'}: ${names([...event.gates, ...(event.heldOut ? [{ name: 'held-out' }] : [])])}`,
            ),
          ]
        : []
    case 'examination.started':
      return [line('dim', `  testing the changed tests on the old code (${event.because.replace(/^.* passes its gates: /, '')})`)]
    case 'mutants.started':
      return [line('dim', `  trying small bugs (mutants) in the changed lines, at most ${event.most}`)]
    case 'mutants.ended':
      return mutantLines(event)
    case 'review.started':
      return [
        line(
          'dim',
          `  ${event.agent} reviews ${event.story ?? 'all changes'} (${event.review})${event.again === undefined ? '' : ', retry'}`,
        ),
      ]
    case 'review.ended':
      return reviewLines(event)
    case 'landing.started':
      if (event.again) return [line('warn', `  ! ${event.because}`)]
      return flightOf(state, event.iteration)?.candidate === undefined ? [] : [line('plain', `  · ${event.because}`)]
    case 'landing.ended':
      return [...landingLines(event, state), ...flakyLines(event, state)]
    case 'branch.answered':
      return event.missing.map(({ story, because }) => line('bad', `  ✗ ${story} reopened: ${because}`))
    case 'story.failed':
      return [line('bad', `  ✗ ${event.story} ${event.because.startsWith('failed ') ? '' : 'failed: '}${event.because}`)]
    case 'story.shelved':
      return [line('warn', `  · ${event.because}`)]
    case 'story.put-aside':
      return [asideLine(event)]
    case 'learning.started':
    case 'learning.ended':
    case 'gathering.ended':
    case 'skill.ended':
    case 'lesson.retired':
    case 'skill.retired':
      return learningLinesFor(event)
    case 'story.slow':
      return [line('warn', `  ! ${event.because}`)]
    case 'breaker.changed':
      return [
        line(
          event.to === 'closed' ? 'good' : 'warn',
          `  ! breaker ${breakerName(event.from)} → ${breakerName(event.to)}: ${event.because}`,
        ),
      ]
    case 'breaker.reset':
      return [line('plain', 'Breaker reset to CLOSED')]
    case 'hook.ended':
      return hookLines(event)
    case 'wait.started':
      return [waitLine(event)]
    case 'budget.warned':
      return [line('warn', `  ! ${event.which} budget almost used: ${event.because}`)]
    case 'limit.answered':
      return [line('plain', event.by === 'silence' ? '  no answer; ending the run' : `  answered: ${event.choice}`)]
    case 'run.paused':
      return [line('warn', 'Paused. Continue with: ralph resume')]
    case 'noticed':
      return [line('warn', `  ! ${event.detail}`)]
    case 'finding.dismissed':
      return [
        line('plain', `  · ${event.story}: finding ${event.finding} ${dismissedWords(event).replace('accepted', 'dismissed')}`),
      ]
    case 'criterion.amended':
      return event.problem === undefined
        ? [
            line(
              'plain',
              `  · ${event.story ?? 'the plan'}: the criterion "${event.before}" is now "${event.after}"${event.by === undefined ? '' : `, accepted by ${event.by}`}`,
            ),
          ]
        : [] // told as a notice
    case 'question.answered':
      return [line('plain', answerWords(event, state))]
    case 'said':
      return [line('dim', `  note for the next iteration: ${event.text}`)]
    case 'run.started':
      return startLines(event)
    case 'run.resumed':
      return [line('plain', `Resuming run ${event.run}, which did not end`)]
    default:
      return []
  }
}

/** A run takes an answer from a command, or from decide.txt, which is removed then. */
function answerWords({ text, story, question }: EventOf<'question.answered'>, { questions }: State): string {
  const asked = question ?? questions.findLast((known) => known.text === text && (!story || known.story === story))?.question
  const words = (whole: string): string => {
    const flat = whole.replace(/\s+/g, ' ').trim()
    return flat.length > mostQuoted ? `${flat.slice(0, mostQuoted - 1)}…` : flat
  }
  return `Answer${story ? ` for ${story}` : ''}${asked === undefined ? '' : ` to "${words(asked)}"`}: ${words(text)}`
}

const mostQuoted = 160

/** Until when, and how not to wait. */
function waitLine({ at, until, because, for: what }: EventOf<'wait.started'>): ScreenLine {
  const lift = {
    rate: 'To continue at once: press Ctrl+C, then: ralph run -r 0 (no limit)',
    'usage-limit': 'To continue at once: press Ctrl+C, then: ralph run --agent <another>',
    retry: 'Ctrl+C stops',
  }[what]
  const words = because.replace('; raise it with -r', '').replace(/\.$/, '')
  return line('warn', `  … waiting ${sayDuration(msBetween(at, until))} until ${localTime(until, at)}: ${words}. ${lift}`)
}

/** Its number since the feature began, and in this run; in a first run these are often the same. */
function turnWords({ iteration }: EventOf<'iteration.started'>, { used, flights, policy }: State): string {
  const turn = used + flights.filter(({ phase }) => phase !== 'judged').length
  const of = `of ${policy.maxIterations}`
  return turn === iteration ? `${iteration} ${of}` : `${iteration} (${turn} ${of})`
}

/** Whose call it takes, and until when that one is at its usage limit. */
function insteadLines({ agent, story, at, candidate }: EventOf<'iteration.started'>, state: State): ScreenLine[] {
  if (agent === undefined || candidate !== undefined) return []
  const named = namedAgent(state, story)
  const until = state.agentLimits?.[named]?.until
  const why = until === undefined ? '' : `, whose usage limit lasts until ${localTime(until, at)}`
  return [line('warn', `  ! ${agent} works instead of ${named}${why}`)]
}

/** Which of several attempts it is, and by which other agent or model. */
const candidateWords = ({ candidate, agent, model }: EventOf<'iteration.started'>): string =>
  candidate === undefined ? '' : [`, candidate ${candidate}`, ...[agent ?? [], model ?? []].flat()].join(' ')

/** If sessions may be resumed, whether this one is. */
const sessionLines = ({ resume }: EventOf<'iteration.started'>, { policy }: State): ScreenLine[] =>
  policy.session === 'fresh' ? [] : [line('dim', resume === undefined ? '  new session' : `  resumes session ${resume}`)]

const names = (gates: { name: string }[]): string => gates.map((gate) => gate.name).join(', ')

function hookLines({ hook, iteration, how, exitCode, reason, durationMs }: EventOf<'hook.ended'>): ScreenLine[] {
  const [first = '', ...more] = reason.split('\n').map((text) => text.slice(0, 200))
  if (how === 'done') return [line('dim', `  hook ${hook} ran in ${sayDuration(durationMs)}`)]
  if (how === 'refused')
    return [line('bad', `  ✗ hook ${hook} refused: ${first}`), ...more.map((text) => line('plain', `      ${text}`))]
  const took = {
    failed: exitCode === null ? 'was killed' : `failed (exit ${exitCode})`,
    missing: 'could not start',
    timeout: `timed out after ${sayDuration(durationMs)}; the limit is process.hook_seconds`,
    stopped: 'was stopped',
  }[how]
  const rest = how === 'stopped' ? '' : `. The run continues; see: ralph logs ${iteration === 'whole' ? 0 : iteration}`
  return [line('warn', `  ! hook ${hook} ${took}${first === '' ? '' : `: ${more.at(-1) ?? first}`}${rest}`)]
}

/** With the verdict: it may end before or after a reviewer does. */
function examinationLines({ oldChecks, newChecks, problem }: Partial<Examination> = {}): ScreenLine[] {
  const lines = problem === undefined ? [] : [line('warn', `  ! the changed tests were not tried on the old code: ${problem}`)]
  if (oldChecks !== undefined && oldChecks.failing.length > 0 && !oldChecks.isMissing)
    lines.push(line('warn', `  ! fails with the old tests: ${listed(oldChecks.failing.slice(0, 5))}`))
  else if (oldChecks?.failing.length === 0 && !oldChecks.isMissing) lines.push(line('good', '  ✓ passes with the old tests'))
  if (newChecks !== undefined && newChecks.failing.length > 0 && !newChecks.isMissing)
    lines.push(line('good', `  ✓ its new tests fail on the old code, as they should: ${listed(newChecks.failing.slice(0, 3))}`))
  return lines
}

const flakyLines = ({ at }: Event, state: State): ScreenLine[] => flakyAt(state, at).map((words) => line('warn', `  ! ${words}`))

function mutantLines({ tried, killed, survivors, problem }: EventOf<'mutants.ended'>): ScreenLine[] {
  const why = problem === undefined ? '' : `; ${problem}`
  if (tried === 0) return [line('dim', `  no mutants tried${why}`)]
  if (survivors.length === 0)
    return [line('good', `  ✓ the gates notice ${killed} of ${plural(tried, 'small bug')} in the changed lines${why}`)]
  return [
    line('warn', `  ! the gates miss ${survivors.length} of ${plural(tried, 'small bug')} in the changed lines${why}`),
    ...survivors.slice(0, 6).map((survivor) => line('plain', `      ${survivorWords(survivor)}`)),
  ]
}

/** A conflict in git's words; gates that ran again if they failed. */
function landingLines({ iteration, results, blocked }: EventOf<'landing.ended'>, state: State): ScreenLine[] {
  const red = withTolerance(results, state).filter(({ passed, tolerated }) => !passed && tolerated !== true)
  return red.flatMap((result) => {
    if (result.kind !== 'landing')
      return [line('bad', `  ✗ after the merge: gate ${result.name} ${howItFailed(result)}`), ...outputLines(result, iteration)]
    const [first, ...rest] = result.output.split('\n')
    const head = line('bad', `  ✗ ${blocked === undefined ? 'not merged, goes back to the agent' : 'cannot be merged'}: ${first}`)
    return [head, ...rest.slice(0, 6).map((text) => line('plain', `      ${text}`))]
  })
}

function asideLine({ story, branch, how, problem }: EventOf<'story.put-aside'>): ScreenLine {
  if (problem !== undefined) return line('bad', `  ! left the work of ${story} in place: ${problem}`)
  if (how === 'kept') return line('warn', `  ! left the work of ${story} in place`)
  const back = how === 'reset' ? 'restored the repository to where the story began' : 'reverted its commits'
  return line('plain', `  saved its work on ${branch}; ${back}`)
}

const notPassing = (results: GateResult[] | undefined): string =>
  results === undefined ? 'not passed: git could not commit the work' : 'not passed as committed'

function gateLines(result: GateResult, iteration: Scope): ScreenLine[] {
  const { name, passed, tolerated, soft } = result
  if (tolerated) return [line('warn', `  ! gate ${name} still fails as it did before the run: tolerated`)]
  if (passed) return [line('good', `  ✓ gate ${name} passed in ${sayDuration(result.durationMs)}`)]
  const head = soft
    ? line('warn', `  ! soft gate ${name} ${howItFailed(result)}`)
    : line('bad', `  ✗ gate ${name} ${howItFailed(result)}`)
  return [head, ...outputLines(result, iteration)]
}

/** What failed, and the command that shows everything. */
function outputLines({ output, ended }: GateResult, iteration: Scope): ScreenLine[] {
  const shown = ended === 'stopped' ? [] : keyLines(output).map((text) => line('plain', `      ${text}`))
  return shown.length === 0 ? [] : [...shown, line('dim', `      whole log: ralph logs ${iteration === 'whole' ? 0 : iteration}`)]
}

const claimWords = (open: string[], gates: string[]): string =>
  [
    ...(open.length > 0 ? [`${listed(open)} ${open.length === 1 ? 'is' : 'are'} open`] : []),
    ...(gates.length > 0 ? [`${gates.join(', ')} failed`] : []),
  ].join(', ')
