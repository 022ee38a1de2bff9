/** Worktrees of the simulated project: each parallel story has its own, with its own copy of the plan, until its work lands. */
import type { Repo, StoryId } from '../src/core/types.ts'
import { type Checkout, type Commit, checkoutOf, type Shared } from './checkout.ts'
import { added, type Content, clashes, joined } from './content.ts'
import { ensure } from './ensure.ts'

export type Place = Checkout & {
  story: StoryId
  /** Its name: the story's id, or that of one of several candidates. */
  key: string
  /** Where its line and the project's were last the same. */
  base: Commit
  /** How many of its commits the project has. */
  landed: number
  /** The iteration for which it was last prepared, and its state then. */
  iteration: number
  before: Repo
  /** Stories that pass in its copy of the plan. */
  flips: Set<StoryId>
  /** The project has changed in a conflicting way: good work starts by fixing that. */
  isBehind: boolean
}

/**
 * The result of a landing (`merge`: the merge commit, if any): nothing to land, a conflict, somebody's files in the way, or the new content
 * of the project.
 */
export type Landing =
  | { kind: 'nothing' | 'conflict' | 'blocked' }
  | { kind: 'fits'; onto: string; merge: string[]; content: Content }

/** The luck of a landing; 'blocked' if something is uncommitted, 'broken' if two good works make a bad one. */
export type Luck = 'good' | 'conflict' | 'blocked' | 'broken'

export type Places = {
  of(key: string): Place | undefined
  all(): Place[]
  /** Before its story starts; null: it is there already. */
  make(key: string): { commit: string | null }
  /** Created, or updated if that works. `isUnlucky`: it does not. */
  ready(key: string, iteration: number, isUnlucky: boolean): Place
  /** Merges the two lines, whatever that takes. */
  resolve(place: Place): void
  /** What fits is in the worktree from then on, with what others have landed. */
  fit(place: Place, luck: Luck): Landing
  /** The project moves forward to the landing's result; its uncommitted changes stay. */
  advance(place: Place, landing: Extract<Landing, { kind: 'fits' }>): void
  drop(key: string): void
}

export function placesBeside(main: Checkout, shared: Shared, isCalm: () => boolean): Places {
  const { nameOf } = shared
  const places = new Map<string, Place>()

  const made = (key: string): Place => {
    const [story = key] = key.split('\n')
    const base = main.last()
    const checkout = checkoutOf(shared, { ...base, brought: [] }, { loose: () => [], changed: () => {} })
    return { ...checkout, story, key, base, landed: 1, iteration: 0, before: checkout.now(), flips: new Set(), isBehind: false }
  }

  const doesClash = ({ base, last }: Place, isUnlucky: boolean): boolean =>
    !isCalm() && (isUnlucky || clashes(base.content, main.last().content, last().content))

  const bringUpToDate = (place: Place, isUnlucky: boolean): void => {
    if (main.last().head === place.base.head) return
    place.isBehind = doesClash(place, isUnlucky)
    if (!place.isBehind) resolve(place)
  }

  const resolve = (place: Place): void => {
    const { base } = place
    const theirs = main.last()
    const committed = place.last().content
    const content = joined(base.content, committed, theirs.content)
    const work = joined(committed, content, place.work())
    const isOwn = place.history.length > place.landed
    const joins = main.history.slice(main.history.findIndex(({ head }) => head === base.head) + 1)
    place.history.push({ head: isOwn ? shared.head() : theirs.head, content, by: place.story, ...(isOwn ? { joins } : {}) })
    if (!isOwn) place.landed = place.history.length
    place.changeTo(work, 'agent')
    place.base = theirs
    place.isBehind = false
  }

  return {
    of: (key) => places.get(key),
    all: () => [...places.values()],
    make(key) {
      if (places.has(key)) return { commit: null }
      const place = made(key)
      places.set(key, place)
      return { commit: place.base.head }
    },
    ready(key, iteration, isUnlucky) {
      const place = places.get(key) ?? made(key)
      places.set(key, place)
      bringUpToDate(place, isUnlucky)
      place.flips.clear()
      place.iteration = iteration
      place.before = place.now()
      return place
    },
    resolve,
    fit(place, luck) {
      const [ours, theirs] = [main.last(), place.last()]
      if (place.history.length === place.landed) return { kind: 'nothing' }
      if (doesClash(place, luck === 'conflict')) return { kind: 'conflict' }
      const isDirty = nameOf(main.work()) !== nameOf(ours.content)
      if (isDirty && luck === 'blocked') return { kind: 'blocked' }
      const both = joined(place.base.content, ours.content, theirs.content)
      const isMerge = nameOf(both) !== nameOf(theirs.content)
      const content = isMerge && luck === 'broken' ? [...both, shared.piece('b')] : both
      if (isMerge) place.history.push({ head: shared.head(), content, by: place.story })
      place.changeTo(content, 'agent')
      place.base = ours
      return { kind: 'fits', onto: ours.head, merge: isMerge ? [place.last().head] : [], content }
    },
    advance(place, { onto, content }) {
      const [ours, theirs] = [main.last(), place.last()]
      ensure(ours.head === onto, 'nobody else writes to the project while work lands', () => `${place.story}: ${ours.head}`)
      const brought = place.history.map((commit) => commit.content)
      const work = joined(ours.content, content, main.work())
      const heads = place.history.map(({ head }) => head)
      main.history.push({ head: theirs.head, content, by: place.story, brought, heads })
      main.changeTo(work, 'agent')
      place.base = theirs
      place.landed = place.history.length
    },
    drop: (key) => void places.delete(key),
  }
}

/** What changed in a worktree since its line and the project's were the same. */
export const doneIn = ({ base, work }: Place): { came: Content; went: Content } => ({
  came: added(base.content, work()),
  went: added(work(), base.content),
})
