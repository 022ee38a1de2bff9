/** Compares two versions of a plan: which changes an agent was allowed to make, and which not. */
import { isDeepStrictEqual } from 'node:util'
import type { StoryId } from '../../core/types.ts'
import { claimNames } from './change-story.ts'
import { circleOf, type Scan, type ScannedEntry } from './scan.ts'

/** With `pick: 'ralph'` only the named story may flip; without a name, or with 'agent', any story may. */
export type Allowed = { pick: 'ralph' | 'agent'; story: StoryId | null }

/** A change that must not stay, and its correction: one value in the agent's text, or the snapshot. */
export type ForbiddenEdit = {
  sentence: string
  story: StoryId
  remedy: 'close' | 'reopen' | 'clear failed' | 'clear claims' | 'rebuild'
}

type PlanComparison = { findings: ForbiddenEdit[]; flips: StoryId[]; notes: [StoryId, string][]; added: ScannedEntry[] }

export function compared(before: Scan, after: Scan, allowed: Allowed): PlanComparison {
  const result: PlanComparison = { findings: [], flips: [], notes: [], added: [] }
  const rebuild = (sentence: string, story: StoryId = '') => result.findings.push({ sentence, story, remedy: 'rebuild' })
  for (const change of changesOf(before.head, after.head)) rebuild(`${change}; restored`)

  const partners = partnersOf(before, after)
  for (const entry of before.entries) {
    const { id } = entry.story
    const partner = partners.get(entry)
    if (!partner) rebuild(`story ${id} was removed; restored`, id)
    else compareStory(entry, partner, allowed, result)
  }
  const known = new Set(partners.values())
  const places = placesOf(after.entries, partners)
  if (places.some((place, index) => place < (places[index - 1] ?? 0))) rebuild('the order of the stories was changed; restored')

  const lastKnown = [...known].reduce((last, entry) => Math.max(last, entry.place), -1)
  const { kept, dropped } = newStories(
    before.entries,
    after.entries.filter((entry) => !known.has(entry)),
  )
  for (const because of dropped) rebuild(`a new story was rejected: ${because}`)
  for (const entry of kept) {
    const { id, passes, failed } = entry.story
    result.added.push(entry)
    // In a checklist the section says where an item belongs, so a new one may be anywhere.
    if (after.list && entry.place < lastKnown) rebuild(`story ${id} was inserted between others; moved to the end`, id)
    if (passes)
      result.findings.push({ sentence: `story ${id} is new and was marked done; set to open`, story: id, remedy: 'reopen' })
    const claims = claimNames.filter((name) => name in entry.fields)
    if (claims.length > 0)
      result.findings.push({
        sentence: `story ${id} is new and sets ${claims.join(' and ')}, which only you may set; removed`,
        story: id,
        remedy: 'clear claims',
      })
    if (failed)
      result.findings.push({
        sentence: `story ${id} is new and was marked failed; mark removed`,
        story: id,
        remedy: 'clear failed',
      })
  }
  return result
}

function compareStory(
  before: ScannedEntry,
  after: ScannedEntry,
  allowed: Allowed,
  { findings, flips, notes }: PlanComparison,
): void {
  if (before.story === after.story && before.fields === after.fields) return // what was not written to is not read again
  const { id } = before.story
  const changes = changesOf(before.fields, after.fields)
  for (const change of changes) findings.push({ sentence: `story ${id}: ${change}; restored`, story: id, remedy: 'rebuild' })
  if (changes.length === 0) {
    for (const { message } of after.problems) findings.push({ sentence: `${message}; restored`, story: id, remedy: 'rebuild' })
  }
  if (after.problems.length === 0 && before.text.notes !== after.text.notes) notes.push([id, after.text.notes])

  const mayFlip = allowed.pick === 'agent' || allowed.story === null || allowed.story === id
  if (before.story.passes && !after.story.passes && after.problems.length === 0)
    findings.push({ sentence: `story ${id} was done and was set to open; it stays done`, story: id, remedy: 'close' })
  if (before.story.passes || !after.story.passes) return
  if (mayFlip) flips.push(id)
  else
    findings.push({
      sentence: `story ${id} was marked done in an iteration on ${allowed.story}; set back to open: it gets its own iteration`,
      story: id,
      remedy: 'reopen',
    })
}

/** Where each partner is among the entries. */
function placesOf(entries: ScannedEntry[], partners: Map<ScannedEntry, ScannedEntry>): number[] {
  const places = new Map(entries.map((entry, index) => [entry, index]))
  return [...partners.values()].map((entry) => places.get(entry) ?? -1)
}

/** Each story of the snapshot with its current version, if it still exists. */
function partnersOf(before: Scan, after: Scan): Map<ScannedEntry, ScannedEntry> {
  const partners = new Map<ScannedEntry, ScannedEntry>()
  const byId = new Map<StoryId, ScannedEntry>()
  for (const entry of after.entries) if (!byId.has(entry.story.id)) byId.set(entry.story.id, entry)
  for (const entry of before.entries) {
    const same = byId.get(entry.story.id)
    if (same) partners.set(entry, same)
  }
  if (before.list) return partners
  // A checklist item's id is its text: an item that was reworded in place is the same item.
  const ids = new Set(before.entries.map((entry) => entry.story.id))
  const inFile = before.entries.toSorted((one, other) => one.place - other.place)
  for (const [index, entry] of inFile.entries()) {
    if (partners.has(entry)) continue
    const previous = inFile[index - 1]
    const place = previous === undefined ? -1 : partners.get(previous)?.place
    const next = after.entries.find((other) => other.place === (place ?? -2) + 1)
    if (next && !ids.has(next.story.id) && isReworded(entry.story.title, next.story.title)) partners.set(entry, next)
  }
  return new Map(
    before.entries.flatMap((entry) => {
      const partner = partners.get(entry)
      return partner === undefined ? [] : [[entry, partner]]
    }),
  )
}

function isReworded(before: string, after: string): boolean {
  const wordsOf = (title: string) => new Set(title.toLowerCase().match(/[\p{L}\p{N}]+/gu))
  const words = [...wordsOf(before)]
  const kept = wordsOf(after)
  return words.filter((word) => kept.has(word)).length * 2 >= words.length
}

/** From the entries that the snapshot lacks: valid new stories, and why the others are not. */
function newStories(before: ScannedEntry[], entries: ScannedEntry[]): { kept: ScannedEntry[]; dropped: string[] } {
  const dropped: string[] = []
  const ids = new Set(before.map((entry) => entry.story.id))
  let kept = entries.filter(({ story, problems }) => {
    const because = problems[0]?.message ?? (ids.has(story.id) ? `id ${story.id} is already used` : undefined)
    if (because === undefined) ids.add(story.id)
    else dropped.push(because)
    return because === undefined
  })
  for (;;) {
    const stories = [...before, ...kept].map((entry) => entry.story)
    const all = new Set(stories.map((story) => story.id))
    const circle = circleOf(stories)
    const bad = kept.filter(({ story }) => circle.includes(story.id) || story.dependsOn.some((id) => !all.has(id)))
    if (bad.length === 0) return { kept, dropped }
    dropped.push(...bad.map(({ story }) => `story ${story.id} has a missing or circular dependency`))
    kept = kept.filter((entry) => !bad.includes(entry))
  }
}

/** Field by field, in words. */
function changesOf(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  return Object.keys({ ...before, ...after }).flatMap((key) => {
    if (Object.is(before[key], after[key]) || isDeepStrictEqual(before[key], after[key])) return []
    if (!Object.hasOwn(before, key)) return [`${nameOf(key)} was added`]
    return [`${nameOf(key)} was ${Object.hasOwn(after, key) ? 'changed' : 'removed'}`]
  })
}

/** A checklist's fields have no names in the file. */
const nameOf = (key: string): string => (key === 'isOptional' ? 'its heading' : key)
