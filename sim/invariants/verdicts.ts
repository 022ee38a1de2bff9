/** The verdict on an iteration: what passes, what is rejected, what counts as progress and as a claim. */
import type { State } from '../../src/core/state.ts'
import type { EventOf, Repo, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Repository } from '../repository.ts'
import { type Facts, isCounted, type Rules } from './facts.ts'
import { countingOf } from './starts.ts'

/** Events that show the state of the project. */
const looks = [
  'run.started',
  'iteration.settled',
  'story.put-aside',
  'landing.ended',
  'gathering.ended',
  'skill.ended',
  'branch.answered',
]

/** Another attempt on its story has landed. */
export const isBeaten = ({ aside, verdict }: EventOf<'iteration.judged'>): boolean => aside !== undefined && verdict !== 'failed'

export function verdictRules(facts: Facts, repository: Repository): Rules {
  let seen = new Set<string>()
  let done = 0
  const look = ({ tree, dirt }: Repo): void => void seen.add(tree).add(`${tree}+${dirt}`)

  /** A flip needs passing gates, approving reviewers and intact checks. */
  const mayPass = (event: EventOf<'iteration.judged'>, id: StoryId): void => {
    const { policy } = facts
    const ran = facts.gates(event.iteration)
    const isGreen = (name: string, story?: StoryId): boolean =>
      ran.some((result) => result.name === name && result.story === story && !facts.isRed(result))
    const own = Object.keys(repository.story(id)?.gates ?? {})
    const red = [
      ...policy.gates.filter((gate) => !gate.soft && !isGreen(gate.name)).map(({ name }) => name),
      ...own.filter((name) => !isGreen(name, id)),
    ]
    ensure(red.length === 0, 'a story passes only on green gates', () => `${id}: ${red.join(', ')}`)
    const isHeld = policy.proof?.heldOut !== 'flip' || isGreen('held-out')
    ensure(isHeld, 'a story passes only on a green held-out check, where each is asked for one', () => id)
    const reviews = facts.reviews(event.iteration).filter(({ story }) => story === id)
    const isReviewed = reviews.some(({ review, result }) => review === 'spec' && result?.passed === true)
    ensure(policy.review.spec === undefined || isReviewed, 'a story passes only with a review that lets it', () => id)
    const quality = reviews.filter(({ review }) => review === 'quality')
    const hasSpoken = quality.some(({ result }) => result !== undefined) || quality.filter(({ problem }) => problem).length > 1
    ensure(policy.review.quality === undefined || hasSpoken, 'a story passes only after its quality was looked at', () => id)
    const isAsking = policy.proof?.suspicion === 'ask'
    const [left] = isAsking ? facts.suspicions(event.iteration, id) : []
    ensure(left === undefined, 'where suspicions are asked about, none passes without a yes', () => `${id}: ${left}`)
    const [against] = facts.against(event.iteration)
    ensure(
      against === undefined,
      'no story passes with evidence, or a refusing suspicion, against it',
      () => `${id}: ${against?.words}`,
    )
  }

  const mayJudge = (event: EventOf<'iteration.judged'>): void => {
    const { iteration, verdict, passed, refused, parked = [] } = event
    const say = (): string => `iteration ${iteration}: ${verdict}`
    const ended = facts.ended(iteration)
    ensure(!facts.examining.has(iteration), 'no verdict while the checks are being examined', say)
    if (isBeaten(event)) {
      const isQuiet = [...passed, ...refused, ...parked].length === 0 && verdict === (ended.exit === 'lost' ? 'lost' : 'worked')
      ensure(isQuiet, 'an attempt that another has beaten neither passes nor fails', say)
      return
    }
    for (const id of passed) mayPass(event, id)
    const reds = facts.reds(iteration)
    for (const id of refused) {
      const isRed = reds.some(({ story }) => story === undefined || story === id)
      ensure(isRed || verdict === 'interrupted', 'a story is refused only by a red gate or a stop', () => id)
    }
    const flips = [...passed, ...refused, ...parked].toSorted().join()
    ensure(flips === ended.flips.toSorted().join(), 'each flip passes, is refused, or waits for a person', say)
    for (const id of parked) {
      ensure(facts.policy.proof?.suspicion === 'ask', 'a person is asked about a suspicion only where the settings say so', say)
      const isRed = reds.some(({ story }) => story === undefined || story === id)
      ensure(
        !isRed && facts.suspicions(iteration, id).length > 0,
        'a person is asked only about a suspicion that is left',
        () => id,
      )
    }
    const isCut = verdict === 'interrupted'
    ensure(!isCut || passed.length === 0, 'what was cut short passes nothing', say)
    ensure(ended.exit !== 'stopped' || isCut, 'a stopped iteration is interrupted', say)
    const isHalfChecked = facts.gates(iteration).some((result) => result.ended === 'stopped')
    ensure(!isHalfChecked || isCut, 'what was stopped in its gates or its landing is interrupted', say)
    const isAway = ended.signals.some(({ kind }) => kind === 'throttled') && passed.length + parked.length === 0
    const isPlain = ended.exit === 'ok' || ended.exit === 'failed'
    ensure(!isPlain || !isAway || isCut || verdict === 'throttled', 'what the provider did not serve is throttled', say)
    const isCutOff = ended.exit === 'circling' || (ended.exit === 'timeout' && !isAway)
    ensure(!isCutOff || isCut || verdict === 'failed', 'what ran out of time, or in circles, has failed', say)
    ensure(verdict !== 'lost' || ended.exit === 'lost', 'lost only by a kill', say)
    ensure(ended.exit !== 'lost' || verdict === 'lost' || isCut, 'a killed iteration is lost', say)
    const isUnread = ended.signals.some(({ kind }) => kind === 'unreadable')
    ensure(verdict !== 'unreadable' || isUnread, 'unreadable only without a line that was understood', say)
    const isLeft = isUnread && ['worked', 'failed'].includes(verdict) && isPlain && refused.length === 0
    ensure(!isLeft, 'what could not be read is neither work nor a failure', say)
    const isFailed = refused.length > 0 && isCounted(verdict) && !['blocked', 'question'].includes(verdict)
    ensure(!isFailed || verdict === 'failed', 'a refused flip is a failure', say)
    const isGood = passed.length > 0 || event.claim === 'accepted'
    ensure(verdict !== 'done' || isGood, 'done only with a pass or a claim that holds', say)
    const names = [...reds.map(({ name }) => name)].toSorted().join()
    ensure(event.failedGates.toSorted().join() === names, 'failed gates are those that are red', say)
  }

  /** An explicit signal, or, with a plan, the required number of answers in a row; without one those become a question to a person. */
  const mayClaim = (event: EventOf<'iteration.judged'>, before: State): void => {
    const { iteration, verdict, claim } = event
    const say = (): string => `iteration ${iteration}: claim ${claim}`
    const { policy } = facts
    const { exit, flips } = facts.ended(iteration)
    const answers = facts.ended(iteration).signals.filter((signal) => signal.kind === 'claimed-done')
    const inARow = answers.length > 0 && (before.plan === null || flips.length === 0) ? done + 1 : 0
    if (isCounted(verdict)) done = claim === 'asked' ? 0 : inARow
    if (isBeaten(event)) return
    const { story } = facts.started(iteration)
    // The exit signal of an agent with one story is about that story; the promise is about everything.
    const isWord =
      answers.some(({ by, exitSignal }) => exitSignal && (story === null || by !== 'status-block')) ||
      (flips.length === 0 && ownSignal(before, story))
    const isEnough = policy.doneSignals > 0 && inARow >= policy.doneSignals
    const isWhole = verdict !== 'interrupted' && !['lost', 'timeout', 'circling', 'stopped', 'over-budget'].includes(exit)
    const isAnswer = answers.length > 0 && isWhole
    const isClaim = isAnswer && (isWord || (isEnough && before.plan !== null))
    ensure(isClaim === ['accepted', 'refused'].includes(claim), 'a claim is an explicit word, or answers enough in a row', say)
    const isWordsAlone = isAnswer && !isWord && isEnough && before.plan === null
    const isAsked = isWordsAlone && verdict === 'question' && facts.reds(iteration).every(({ story }) => story !== undefined)
    ensure(claim !== 'asked' || isAsked, 'a person is asked about words alone, often enough, on green gates', say)
    const isPassedOver = isWordsAlone && claim === 'none' && verdict === 'worked' && event.failedGates.length === 0
    ensure(!isPassedOver, 'words alone, often enough on green gates, are a question to a person', say)
    if (claim !== 'accepted') return
    const open = before.plan === null ? [] : countingOf(before.plan, facts).filter((story) => !story.passes)
    const left = open.filter(({ id }) => !event.passed.includes(id))
    ensure(left.length === 0, 'no claim is accepted with open stories', () => left.map(({ id }) => id).join())
    const red = facts.reds(iteration).filter(({ story }) => story === undefined)
    ensure(red.length === 0 && event.refused.length === 0, 'no claim is accepted on a red gate', say)
  }

  const mayProgress = (event: EventOf<'iteration.judged'>): void => {
    const { iteration, passed, progress } = event
    const { trees, repo, before } = facts.ended(iteration)
    const isMade = passed.length > 0 || isBeaten(event) || trees.some((tree) => !seen.has(tree))
    const isAsBefore = before?.tree === repo.tree && before.dirt === repo.dirt
    const isNeutral = !isMade && repo.dirt !== '' && !isAsBefore && !seen.has(`${repo.tree}+${repo.dirt}`)
    const expected = isMade ? 'made' : isNeutral ? 'neutral' : 'idle'
    ensure(progress === expected, 'progress is new content or a pass', () => `iteration ${iteration}: ${progress}, ${expected}`)
    for (const tree of trees) seen.add(tree)
    look(repo)
  }

  return {
    see(event, before, now) {
      if (event.kind === 'run.started') {
        seen = new Set()
        done = 0
      }
      if (event.kind === 'iteration.judged') {
        mayJudge(event)
        mayClaim(event, before)
        mayProgress(event)
        const used = facts.run.used + (isCounted(event.verdict) ? 1 : 0)
        ensure(now.used === used, 'used iterations are those whose verdict counts', () => `${now.used} of ${used}`)
      }
      if (looks.includes(event.kind)) look((event as EventOf<'landing.ended'>).repo)
      if ((event.kind === 'gates.ended' || event.kind === 'hook.ended') && event.repo !== undefined) look(event.repo)
    },
  }
}

const ownSignal = ({ plan }: State, id: StoryId | null): boolean =>
  plan?.stories.some((story) => story.id === id && story.exitSignal) === true
