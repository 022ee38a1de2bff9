/** Worktrees beside the simulated project: each story that is worked on apart has its own, with its own copy of the plan, until its work lands. */
import type { Repo, StoryId } from '../src/core/types.ts'
import { type Checkout, type Commit, checkoutOf, type Shared } from './checkout.ts'
import { added, type Content, clashes, joined } from './content.ts'
import { ensure } from './ensure.ts'

export type Place = Checkout & {
  story: StoryId
  /** Where its line and the project's were last the same. */
  base: Commit
  /** How many of its commits the project has. */
  landed: number
  /** The iteration that it was last made ready for, and how it stood then. */
  iteration: number
  before: Repo
  /** Stories that its copy of the plan says pass. */
  flips: Set<StoryId>
  /** The project has gone on in a way that does not fit: good work starts with putting that right. */
  isBehind: boolean
}

/** What landing comes to (`merge`: the commit that joins the two, where it takes one): nothing to bring, a conflict, somebody's files in the way, or the content that is to be the project's. */
export type Landing =
  | { kind: 'nothing' | 'conflict' | 'blocked' }
  | { kind: 'fits'; onto: string; merge: string[]; content: Content }

/** What chance has in store for a landing; 'blocked' where something lies uncommitted, 'broken' where two good works make a bad one. */
export type Luck = 'good' | 'conflict' | 'blocked' | 'broken'

export type Places = {
  of(story: StoryId): Place | undefined
  all(): Place[]
  /** Made, or, where that works, brought up to date. `isUnlucky`: it does not. */
  ready(story: StoryId, iteration: number, isUnlucky: boolean): Place
  /** The two lines become one again, whatever that takes. */
  resolve(place: Place): void
  /** What fits is in the place from then on, with what others have landed. */
  fit(place: Place, luck: Luck): Landing
  /** The project goes on to what the landing has made; what lies uncommitted there stays. */
  advance(place: Place, landing: Extract<Landing, { kind: 'fits' }>): void
  drop(story: StoryId): void
}

export function placesBeside(main: Checkout, shared: Shared, isCalm: () => boolean): Places {
  const { nameOf } = shared
  const places = new Map<StoryId, Place>()

  const made = (story: StoryId): Place => {
    const base = main.last()
    const checkout = checkoutOf(shared, { ...base, brought: [] }, { loose: () => [], changed: () => {} })
    return { ...checkout, story, base, landed: 1, iteration: 0, before: checkout.now(), flips: new Set(), isBehind: false }
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
    of: (story) => places.get(story),
    all: () => [...places.values()],
    ready(story, iteration, isUnlucky) {
      const place = places.get(story) ?? made(story)
      places.set(story, place)
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
    drop: (story) => void places.delete(story),
  }
}

/** What came and went in a place since its line and the project's were the same. */
export const doneIn = ({ base, work }: Place): { came: Content; went: Content } => ({
  came: added(base.content, work()),
  went: added(work(), base.content),
})
