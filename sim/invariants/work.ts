/** The work itself: a failed story's work is put aside and nothing of it is lost; the user's own stays in place. */
import type { State } from '../../src/core/state.ts'
import type { EventOf, Gate, Plan, Repo, StoryId } from '../../src/core/types.ts'
import { added, type Content, isBroken, isUsers } from '../content.ts'
import { ensure } from '../ensure.ts'
import { agentsFile, type Repository } from '../repository.ts'
import type { CandidateRules } from './candidates.ts'
import type { Facts, Rules } from './facts.ts'

export type WorkRules = Rules & {
  /** It was begun in the project itself. */
  isBegun(id: StoryId): boolean
  /** It has work in the project itself. */
  holds(id: StoryId): boolean
  /** Open stories with work in the project itself, in the order of the plan. */
  holders(plan: Plan): StoryId[]
}

export function workRules(facts: Facts, repository: Repository, candidates: CandidateRules): WorkRules {
  /** The content when a story's first attempt started. */
  const begun = new Map<StoryId, Beginning>()
  const picked = new Map<number, Beginning>()
  /** What stories have committed in the project since they last passed or were put aside; and the one that left something there. */
  const committed = new Map<StoryId, string[]>()
  let leaving: StoryId | null = null
  /** Begun again after somebody had changed the project: their changes cannot be told apart. */
  const anew = new Set<StoryId>()
  /** The branches with the work of stories that had to wait; the story whose start was saved only to move its work. */
  const shelved = new Map<StoryId, string>()
  let lent: StoryId | null = null
  const passedBy = new Map<number, StoryId[]>()
  let known: Pick<Repo, 'tree' | 'dirt'> = { tree: '', dirt: '' }
  /** The user has uncommitted changes in the agents' file: its content cannot be told apart. */
  let isMixed = false
  let failed: Failed = { isApart: false, work: [], others: [], committed: [] }

  const started = ({ story, saves, iteration, worker, mode }: EventOf<'iteration.started'>, { left }: State): void => {
    const isPicking = story === null && facts.policy.pick === 'agent' && repository.plan !== null
    if (worker !== undefined || (mode === 'check' && story === null) || !repository.hasGit || (story === null && !isPicking)) {
      ensure(saves === undefined, 'nothing is kept where there is nothing to go back to')
      return
    }
    if (story === null) {
      ensure(saves === true, 'the state before a story is kept where the agent picks one')
      picked.set(iteration, { content: repository.work(), isMixed })
      return
    }
    const isFirst = !begun.has(story)
    ensure(
      (saves === true) === isFirst,
      'the state before a story is kept at its first attempt, and only there',
      () => `iteration ${iteration} on ${story}`,
    )
    if (isFirst && committed.has(story)) anew.add(story)
    if (isFirst) begun.set(story, { content: repository.without(left), isMixed }) // leftovers of iterations are not its start
  }

  const forget = (story: StoryId): void => {
    for (const each of [begun, committed, anew, shelved]) each.delete(story)
  }

  const holds = (id: StoryId): boolean => committed.has(id) || leaving === id

  const holders = (plan: Plan): StoryId[] =>
    facts.policy.pick === 'agent' || !repository.hasGit
      ? []
      : plan.stories.filter(({ id, passes }) => !passes && holds(id)).map(({ id }) => id)

  const settled = ({ iteration, problem }: EventOf<'iteration.settled'>): void => {
    const story = facts.workedOn(iteration)
    const beginning = picked.get(iteration)
    if (story !== null && beginning !== undefined && !begun.has(story)) begun.set(story, beginning)
    const isHere = facts.started(iteration).worker === undefined && repository.hasGit
    const isPassing = problem === undefined && (passedBy.get(iteration) ?? []).length > 0
    if (isHere && isPassing && !isMixed) {
      const byAgents = (content: Content): string =>
        content
          .filter((piece) => !isUsers(piece))
          .toSorted()
          .join(' ')
      ensure(
        byAgents(repository.work()) === byAgents(repository.committed()),
        'what agents have made is committed when a story passes',
        () => `iteration ${iteration}: ${repository.dirty()}`,
      )
    }
    const isStrict = facts.policy.baseline === 'strict' && facts.policy.gates.some(isByContent)
    if (isHere && isPassing && isStrict)
      ensure(
        !isBroken(repository.committed()),
        'a story passes only when what is on the branch was seen green',
        () => `iteration ${iteration}: ${repository.committed().join(' ')}`,
      )
    if (problem === undefined) for (const id of passedBy.get(iteration) ?? []) forget(id)
    if (isHere && isPassing) leaving = null
  }

  const putAside = ({ story, how, branch }: EventOf<'story.put-aside'>, isShelved: boolean): void => {
    if (isShelved && how === 'kept') {
      if (lent === story) begun.delete(story)
      return // all of it is in place
    }
    const beginning = begun.get(story)
    const before = beginning?.content ?? []
    const work = repository.work()
    const byAgents = (content: Content): string =>
      content
        .filter((piece) => !isUsers(piece) && !repository.isUsersBreak(piece))
        .toSorted()
        .join(' ')
    if (failed.isApart)
      ensure(byAgents(work) === byAgents(failed.work), 'a story that fails apart changes nothing in the project', () => story)
    else if (how === 'reset' && !anew.has(story))
      ensure(
        byAgents(work) === byAgents(before),
        'after a put-aside the tree is what it was before the story',
        () => `${story}: ${work.join(' ')}, not ${before.join(' ')}`,
      )
    if (how === 'reset' && !failed.isApart) {
      const own = (committed.get(story) ?? []).filter((head) => repository.isOnBranch([head]))
      ensure(own.length === 0, 'after a put-aside no commit of the story is on the branch', () => `${story}: ${own.join()}`)
    }
    if (how !== 'kept') {
      if (!failed.isApart) isMixed ||= beginning?.isMixed === true // the user's file is back
      const users = added(work, before.filter(isUsers))
      ensure(users.length === 0, 'what the user had uncommitted before a story is there after it failed', () => users.join())
      const lost = added(repository.committed(), failed.others)
      ensure(lost.length === 0, 'what others committed stays where it is', () => `${story}: ${lost.join()}`)
      ensure(branch !== '', 'work that was moved is on a branch', () => story)
    }
    const there = repository.reachable()
    const gone = [...added(there.flat(), failed.work), ...added(there.map(keyOf), failed.committed.map(keyOf))]
    ensure(gone.length === 0, 'everything that a failed story did can be reached', () => `${story}: ${gone.join(', ')}`)
    forget(story)
    if (isShelved) shelved.set(story, branch)
    if (!failed.isApart && how !== 'kept') leaving = null
  }

  const usersStay = (event: { kind: string }): void => {
    const gone = added(repository.work(), repository.usersUncommitted())
    ensure(gone.length === 0, 'what the user left uncommitted is there byte for byte', () => `${event.kind}: ${gone.join()}`)
    const reachable = new Set(repository.reachable().flat())
    const lost = repository.usersEver().filter((piece) => !reachable.has(piece))
    ensure(lost.length === 0, 'nothing that the user ever wrote is lost', () => lost.join())
  }

  return {
    see(event, before) {
      const uncommitted = [
        ...added(repository.committed(), repository.work()),
        ...added(repository.work(), repository.committed()),
      ]
      isMixed = (isMixed && repository.dirty().includes(agentsFile)) || uncommitted.some(repository.isUsersBreak)
      if (event.kind === 'run.started') {
        const isSame = event.repo.tree === known.tree && event.repo.dirt === known.dirt
        if (!isSame) begun.clear() // resetting would undo what somebody did in between
        if ((event.left ?? []).length === 0) leaving = null
      }
      if (event.kind === 'iteration.started' && event.story !== null)
        ensure(
          before.stories[event.story]?.shelf?.branch === shelved.get(event.story),
          'a story that had to wait gets its work back',
          () => `${event.story}: ${shelved.get(event.story!)}`,
        )
      if (event.kind === 'iteration.started' && event.candidate !== undefined) shelved.delete(event.story ?? '') // they begin without it
      if (event.kind === 'iteration.started' && event.candidate !== undefined)
        ensure(!holds(event.story ?? ''), 'candidates begin without the failed work of earlier attempts', () => `${event.story}`)
      if (event.kind === 'iteration.started') started(event, before)
      if (event.kind === 'iteration.started' && !isClaimCheck(event) && before.plan !== null) {
        const others = holders(before.plan).filter((id) => id !== event.story)
        ensure(
          others.length === 0,
          'a story begins on the branch and its own work alone',
          () => `${event.story} on ${others.join()}`,
        )
      }
      if (event.kind === 'story.shelved') lent = begun.has(event.story) ? null : event.story
      if (event.kind === 'story.shelved' && !begun.has(event.story)) {
        begun.set(event.story, { content: repository.without(before.left), isMixed })
        anew.add(event.story)
      }
      if (event.kind === 'story.failed' || event.kind === 'story.shelved')
        failed = {
          isApart:
            candidates.isBegun(event.story) || (repository.places.of(event.story) !== undefined && !begun.has(event.story)),
          work: repository.work(),
          others: repository.othersCommitted(event.story),
          committed: repository.reachable().slice(1),
        }
      if (event.kind === 'story.put-aside') putAside(event, before.failing?.isShelved === true)
      if (event.kind === 'iteration.judged' && facts.started(event.iteration).worker === undefined)
        known = facts.ended(event.iteration).repo
      if (event.kind === 'iteration.judged' && isWork(facts.started(event.iteration))) {
        const { commits, uncommitted } = facts.ended(event.iteration)
        const story = facts.workedOn(event.iteration)
        if (story !== null && picked.has(event.iteration) && !begun.has(story) && committed.has(story)) anew.add(story)
        if (story !== null && commits.length > 0) committed.set(story, [...(committed.get(story) ?? []), ...commits])
        leaving = uncommitted.length > 0 ? story : null
      }
      if (event.kind === 'iteration.settled') settled(event)
      if (event.kind === 'iteration.judged') passedBy.set(event.iteration, event.passed)
      if ('repo' in event && event.repo !== undefined && event.kind !== 'iteration.ended' && event.kind !== 'run.resumed')
        known = event.repo
      if (['story.put-aside', 'landing.ended', 'iteration.ended', 'iteration.settled', 'run.ended'].includes(event.kind))
        usersStay(event)
      if (event.kind === 'iteration.settled') {
        const taken = repository.takenByUs()
        ensure(taken.length === 0, 'what the user left uncommitted is never committed by Ralph', () => taken.join())
      }
    },
    isBegun: (id) => begun.has(id) || (facts.policy.pick !== 'agent' && holds(id)),
    holds,
    holders,
  }
}

export const isByContent = ({ command, soft }: Gate): boolean => command === 'content' && soft !== true

const isWork = (started: EventOf<'iteration.started'>): boolean => started.worker === undefined && !isClaimCheck(started)

/** Of what people marked done: it works on no story. */
const isClaimCheck = ({ mode, story }: EventOf<'iteration.started'>): boolean => mode === 'check' && story === null

type Beginning = { content: Content; isMixed: boolean }

type Failed = { isApart: boolean; work: Content; others: Content; committed: Content[] }

const keyOf = (content: Content): string => content.toSorted().join(' ')
