/** A small world that the real hands and the simulated ones can both be set up with: its plan and settings, and what each call will do. */
import type { Edit } from '../../sim/checkout.ts'
import type { Luck } from '../../sim/places.ts'
import type { HookEnded } from '../../src/core/types/results.ts'
import type { Event, HookName, Signal, StoryId } from '../../src/core/types.ts'
import type { StorySketch } from '../support/project.ts'

/** What one call of an implementer does, in this order. */
export type Turn = {
  /** It leaves the branch first: ahead of it, or without a commit in common. */
  strays?: 'ahead' | 'apart'
  /** Brings its worktree up to date with the branch by hand, where Ralph could not: the first good work does. */
  merges?: true
  edits?: Exclude<Edit, 'revert'>[]
  /** Stories that it marks done. */
  flips?: StoryId[]
  /** The priority of a new story that it adds to the plan. */
  adds?: number
  /** It deletes Ralph's log, settings and views. */
  deletes?: true
  /** Writes what another story writes too, otherwise. */
  clashes?: true
  /** Ralph gets this signal while the agent is at work; KILL: the run is resumed. */
  sends?: 'KILL' | 'INT'
  /** It ends only after this is in the log. */
  until?: Event['kind']
  /** It ends only after the work of this story has landed. */
  after?: StoryId
  says?: Word
  ends?: 'failed' | 'timeout' | 'limit' | 'overload' | 'login' | 'unreadable' | 'unknown-option'
}

/** What one call of a reviewer comes back with. */
export type Judgement = 'pass' | 'refuse' | 'unreadable' | 'question' | 'limit' | 'INT'

export type ConformanceWorld = {
  /** null: no plan. */
  stories: StorySketch[] | null
  /** Settings of .ralph/config.yaml. */
  config?: Record<string, Record<string, unknown>>
  args?: string[]
  /** The held-out check looks at the content, as the gate of that name does. */
  hasHeldOut?: true
  hasNoGit?: true
  /** The user has an uncommitted file when the run begins. */
  hasUsersFile?: true
  /** By story and attempt, or, as '', by iteration; the last repeats. */
  turns?: Record<StoryId, Turn[]>
  /** By story, or 'final', call by call; beyond the last they pass. */
  reviews?: Record<string, Judgement[]>
  /** How many lessons each story teaches; null: an answer that cannot be read. */
  lessons?: Record<StoryId, (number | null)[]>
  /** The user writes a file when this is in the log. */
  userWritesAt?: Event['kind']
  /** Skills that are due once lessons are gathered. */
  skills?: string[]
  /** Ralph is killed in the first gates or the first commit of its own after an agent; simulated: at a point after such an event. */
  kills?: { in: 'gates' | 'commit'; after: Event['kind']; nth: number; points: number }
  /** Runs of the gates that fail by chance, by their number, where they would pass. */
  flaky?: number[]
  /** A git hook refuses the first commit of Ralph's. */
  hook?: 'refuses'
  /** Another run has made a call in the last hour, which is over in a moment. */
  hasOtherCalls?: true
  /** How each landing of a story comes out, where it does not fit. */
  landings?: Record<StoryId, Luck[]>
  /** How each hook ends, call by call; beyond the last well. The settings have its command, which plays the same. */
  hooks?: Partial<Record<HookName, Pick<HookEnded, 'how' | 'reason'>[]>>
  /** What the real hands notice on the way, and the simulator does not know. */
  notices?: string[]
}

/** What an agent says at the end, and the signal that it is. */
export const words = {
  nothing: { text: 'It is there.', signals: [] },
  done: {
    text: '<promise>COMPLETE</promise>',
    signals: [{ kind: 'claimed-done', by: 'promise', exitSignal: true, evidence: '' }],
  },
  blocked: { text: '<promise>BLOCKED:no key</promise>', signals: [{ kind: 'blocked', reason: 'no key', evidence: '' }] },
  question: { text: '<promise>DECIDE:A or B?</promise>', signals: [{ kind: 'question', text: 'A or B?', evidence: '' }] },
  asks: {
    text: 'I have looked.\n\nShould I use A or B?',
    signals: [{ kind: 'asked', text: 'Should I use A or B?', evidence: '' }],
  },
} satisfies Record<string, { text: string; signals: Signal[] }>
export type Word = keyof typeof words

export const finishes = (story: StoryId): Turn => ({ edits: ['good', 'commit'], flips: [story] })

export function turnOf({ turns = {} }: ConformanceWorld, story: StoryId | null, attempt: number, iteration: number): Turn {
  const own = story === null ? undefined : turns[story]
  const [list, nth] = own === undefined ? [turns[''] ?? [], iteration] : [own, attempt]
  return list[Math.min(nth, list.length) - 1] ?? finishes(story ?? '')
}
