/** Parallel stories: what may be in flight together, one landing at a time, no pass without its work on the branch, and nothing lost. */
import { judgedFlight, placeOfFlight } from '../../src/core/evolve/flights.ts'
import type { State } from '../../src/core/state.ts'
import type { Event, EventOf, Plan, Story, StoryId } from '../../src/core/types.ts'
import { added, type Content, without } from '../content.ts'
import { ensure } from '../ensure.ts'
import { doneIn } from '../places.ts'
import type { Repository } from '../repository.ts'
import type { CandidateRules } from './candidates.ts'
import type { Facts, Rules } from './facts.ts'
import type { WorkRules } from './work.ts'

export type LandingRules = Rules & {
  /** Its next iteration is in its own worktree. */
  isElsewhere(id: StoryId | null): boolean
  /** Nothing in flight keeps it from starting. */
  fitsBeside(story: Story, plan: Plan): boolean
}

/** Every file of the simulated project that a path or pattern of a plan matches; any other path is the file itself. */
const meant: Record<string, string[]> = {
  src: ['src/a.ts', 'src/b.ts'],
  'src/*': ['src/a.ts', 'src/b.ts'],
  './docs/': ['docs/guide.md', 'docs/more.md'],
  'lib/a': ['lib/a/x.ts'],
  'lib/b': ['lib/b/x.ts'],
}

/** When a worktree has something new, or may have been removed. */
const moments = ['iteration.ended', 'landing.ended', 'iteration.judged', 'iteration.settled', 'story.put-aside', 'run.ended']

type Others = { work: Pick<WorkRules, 'isBegun' | 'holds'>; candidates: CandidateRules }

export function landingRules(facts: Facts, repository: Repository, { work, candidates }: Others): LandingRules {
  const { places } = repository
  const apart = new Set<StoryId>()
  const bounced = new Map<StoryId, number>()
  const filesBy = new Map<StoryId, Set<string>>()
  /** What an iteration did in its worktree when its landing began, and which content of all worktrees existed at the last event. */
  const done = new Map<number, { came: Content; went: Content }>()
  let held = new Map<StoryId, string[]>()
  let landing: { iteration: number; isOver: boolean; tree: string } | null = null
  let begun = new Set<number>()

  const isElsewhere = (id: StoryId | null): boolean =>
    id !== null &&
    repository.hasGit &&
    (apart.has(id) ||
      candidates.isBegun(id) ||
      (candidates.isDue(id) && !work.holds(id)) ||
      (facts.policy.workers > 1 && !work.isBegun(id)))

  /** Its work must move to a branch before its candidates begin. */
  const mustMove = (id: StoryId): boolean => candidates.isDue(id) && (apart.has(id) || work.holds(id))

  const isLoner = (id: StoryId): boolean => (bounced.get(id) ?? 0) >= 2

  const reachOf = (id: StoryId, plan: Plan | null): string[] => {
    const { touches = [] } = plan?.stories.find((story) => story.id === id) ?? {}
    return [...touches, ...(filesBy.get(id) ?? [])].flatMap((path) => meant[path] ?? [path])
  }

  const fitsBeside = ({ id }: Story, plan: Plan): boolean => {
    const all = [...facts.unsettled].map((iteration) => facts.started(iteration))
    const others = all.filter(({ story }) => story !== id)
    if (others.length === 0) return true
    const isAlone = others.some(({ story, worker }) => worker === undefined || story === null || isLoner(story))
    if (isAlone || mustMove(id) || !isElsewhere(id) || isLoner(id)) return false
    const own = reachOf(id, plan)
    return !others.some(({ story }) => reachOf(story!, plan).some((file) => own.includes(file)))
  }

  const started = ({ iteration, story, worker, mode, candidate }: EventOf<'iteration.started'>, { plan }: State): void => {
    const say = (): string => `iteration ${iteration} on ${story}`
    const all = [...facts.unsettled].map((other) => facts.started(other))
    const others = all.filter((other) => candidate === undefined || other.story !== story)
    // What an agent picked itself was done in the project itself.
    const isPicked = mode === 'check' && facts.policy.pick === 'agent'
    const isThere = isPicked ? story !== null && apart.has(story) : isElsewhere(story)
    ensure((worker !== undefined) === (isThere || candidate !== undefined), 'a story stays where it was begun', say)
    const isAlone = worker === undefined || (story !== null && isLoner(story))
    ensure(!isAlone || others.length === 0, 'what must be alone starts when nothing else is in flight', say)
    const alone = others.filter((other) => other.worker === undefined || other.story === null || isLoner(other.story))
    ensure(alone.length === 0, 'nothing starts beside what must be alone', say)
    const own = story === null ? [] : reachOf(story, plan)
    const near = others.filter((other) => reachOf(other.story!, plan).some((file) => own.includes(file)))
    ensure(near.length === 0, 'two stories that touch the same are not worked on at once', say)
    if (worker === undefined) return
    ensure(!all.some((other) => other.worker === worker), 'each flight has a worker of its own', say)
    apart.add(story!)
  }

  const landingStarted = ({ iteration, story, again }: EventOf<'landing.started'>): void => {
    const say = (): string => `iteration ${iteration} on ${story}`
    const isAgain = again === true && landing?.iteration === iteration && landing.isOver
    ensure(landing === null || isAgain, 'one landing at a time, until it is settled', say)
    ensure(facts.failing === null, 'nothing lands while a story is being put aside', say)
    ensure(!facts.life.isStoppingNow, 'nothing lands after a request to stop now', say)
    ensure(!begun.has(iteration) || isAgain, 'an iteration lands once', say)
    const own = facts.unjudged.has(iteration) ? facts.started(iteration) : undefined
    ensure(own?.story === story && own.worker !== undefined, 'only what was done apart lands, before its verdict', say)
    ensure(facts.ended(iteration)?.flips.includes(story) === true, 'only a story that was flipped lands', say)
    const reds = facts.reds(iteration).filter((red) => red.story === undefined || red.story === story)
    ensure(isAgain || reds.length === 0, 'nothing lands on a red gate', say)
    const now = doneIn(places.of(placeOfFlight({ ...facts.started(iteration), story }))!)
    const isFirst = !done.has(iteration)
    const early = without(now.came, without(now.came, repository.work()))
    ensure(!isFirst || early.length === 0, 'nothing of a story is in the project before it lands', () => early.join())
    if (isFirst) done.set(iteration, now)
    begun.add(iteration)
    landing = { iteration, isOver: false, tree: repository.now().tree }
  }

  const landingEnded = ({ iteration, repo, results }: EventOf<'landing.ended'>): void => {
    ensure(landing?.iteration === iteration && !landing.isOver, 'a landing ends once', () => `iteration ${iteration}`)
    ensure(repo.tree === repository.now().tree, 'a landing tells how the project stands', () => `iteration ${iteration}`)
    const { tree, dirt } = facts.ended(iteration).repo
    const hard = facts.policy.gates.filter(({ soft }) => soft !== true)
    const isSeen = repo.tree === landing!.tree || repo.tree === (dirt === '' ? tree : dirt.slice(1))
    ensure(
      isSeen || hard.every(({ name }) => results.some((result) => result.name === name && !facts.isRed(result))),
      'the working branch goes on only to what its gates have seen',
      () => `iteration ${iteration}`,
    )
    landing = { ...landing!, isOver: true }
  }

  const judged = (event: EventOf<'iteration.judged'>, before: State, now: State): void => {
    const { iteration, verdict, passed } = event
    const { story, worker } = facts.started(iteration)
    const { files = [], uncommitted } = facts.ended(iteration)
    const worked = facts.workedOn(iteration)
    if (worked !== null) filesBy.set(worked, new Set([...(filesBy.get(worked) ?? []), ...files, ...uncommitted]))
    if (worker === undefined || story === null) return
    const say = (): string => `iteration ${iteration} on ${story}`
    const landed = facts.landed(iteration)
    const reds = landed?.results.filter(facts.isRed) ?? []
    if (passed.length > 0) mayPass(iteration, landed !== undefined && reds.length === 0, say)
    const isCutOff = ['timeout', 'circling'].includes(facts.ended(iteration).exit)
    ensure(
      landed?.blocked === undefined || verdict !== 'failed' || isCutOff,
      'a story whose landing is blocked by somebody has not failed',
      say,
    )
    const planned = before.plan?.stories.find(({ id }) => id === story)
    const isOut = planned?.failed !== undefined || (planned?.skip === true && story !== facts.policy.only)
    if (reds.length === 0 || verdict !== 'failed' || isOut) return
    bounced.set(story, (bounced.get(story) ?? 0) + 1)
    const told = now.stories[story]?.refusals.at(-1)?.gates.map(({ name }) => name) ?? []
    ensure(
      reds.every(({ name }) => told.includes(name)),
      'a story that did not fit is told why',
      say,
    )
  }

  const mayPass = (iteration: number, isLanded: boolean, say: () => string): void => {
    ensure(isLanded, 'a story that was done apart passes only after a green landing', say)
    const { came, went } = done.get(iteration)!
    const committed = repository.committed()
    const lost = [...added(committed, came), ...went.filter((piece) => committed.includes(piece))]
    ensure(lost.length === 0, 'what passes is on the working branch', () => `${say()}: ${lost.join()}`)
  }

  /** What was in a removed worktree must be somewhere else. */
  const nothingLost = (event: Event): void => {
    if (!moments.includes(event.kind)) return
    const now = new Map(places.all().map((place) => [place.key, [...new Set(place.reachable().flat())]]))
    for (const [story, pieces] of held) {
      if (now.has(story)) continue
      const gone = added([...new Set(repository.reachable().flat())], pieces)
      ensure(gone.length === 0, 'nothing of a place is lost when it goes', () => `${story}, ${event.kind}: ${gone.join()}`)
    }
    held = now
  }

  const forget = (id: StoryId): void => {
    bounced.delete(id)
    filesBy.delete(id)
  }

  return {
    see(event, before, now) {
      if (event.kind === 'iteration.started') started(event, before)
      if (event.kind === 'iteration.ended' && facts.started(event.iteration).worker !== undefined)
        for (const id of event.flips)
          ensure(repository.story(id)?.passes !== true, 'a flip that was made apart is not in the plan file yet', () => id)
      if (event.kind === 'landing.started') landingStarted(event)
      if (event.kind === 'landing.ended') landingEnded(event)
      if (event.kind === 'iteration.judged') judged(event, before, now)
      if (event.kind === 'iteration.settled') {
        if (landing?.iteration === event.iteration) landing = null
        const passed = judgedFlight(before, event.iteration)?.judged.passed ?? []
        if (event.problem === undefined) for (const id of passed) apart.delete(id)
      }
      if (event.kind === 'story.put-aside') apart.delete(event.story)
      if (event.kind === 'story.failed') ensure(landing === null, 'no story is put aside while another lands', () => event.story)
      if (event.kind === 'story.retried') forget(event.story)
      nothingLost(event)
    },
    newLife() {
      begun = new Set()
      if (landing !== null && !landing.isOver) landing = null // it is decided again
    },
    isElsewhere,
    fitsBeside,
  }
}
