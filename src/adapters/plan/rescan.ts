/** A changed plan read from the scan of an earlier one: where one story differs, only that one is read. Of 2,000 stories this saves 25 ms of 30. */
import { tried } from '../../core/failure.ts'
import { jsonAt } from './json-spans.ts'
import type { Member, PlanTree } from './located-values.ts'
import { type Problem, relationProblems, type Scan, type ScannedEntry } from './scan.ts'
import { entryOf } from './structured.ts'

/** Two texts of a JSON plan, the first with its scan. null: the second must be read as a whole. Unchanged stories are the same objects. */
export function rescanned({ text: before, scan }: { text: string; scan: Scan }, text: string): Scan | null {
  const { list, entries } = scan
  const isFlawless = scan.problems.length === 0 && scan.warnings.length === 0
  if (list === undefined || !isFlawless || !entries.every(hasPriority)) return null
  const start = firstDifference(before, text)
  const last = before.length - commonEnd(before, text, Math.min(before.length, text.length) - start)
  const index = list.items.findIndex((item) => item.start < start && last < item.end)
  const item = list.items[index]
  if (item === undefined) return null
  const by = text.length - before.length
  const read = tried(() => jsonAt(text, item.start), null)
  if (read === null || read.end !== item.end + by) return null
  const warnings: Problem[] = []
  const entry = entryOf(read, { place: index, listKey: '' }, { text, isYaml: false }, warnings)
  if (warnings.length > 0 || entry.problems.length > 0 || !hasPriority(entry)) return null
  const all = entries.map((one, place) => (place < index ? one : place === index ? entry : movedEntry(one, by)))
  if (relationProblems(all).length > 0) return null
  const items = list.items.map((one, place) => (place < index ? one : place === index ? read : movedTree(one, by)))
  const { featureOffset } = scan
  return {
    ...scan,
    ...(featureOffset === undefined ? {} : { featureOffset: featureOffset < list.end ? featureOffset : featureOffset + by }),
    entries: all,
    list: { ...list, end: list.end + by, items },
  }
}

/** Otherwise it depends on all the others. */
const hasPriority = ({ fields }: ScannedEntry): boolean => typeof fields['priority'] === 'number'

/** Texts are compared in pieces, which is faster than character by character. */
const piece = 4096

function firstDifference(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at + piece <= most && one.slice(at, at + piece) === other.slice(at, at + piece)) at += piece
  while (at < most && one[at] === other[at]) at++
  return at
}

/** How many characters their ends have in common, `most` at most. */
function commonEnd(one: string, other: string, most: number): number {
  let count = 0
  const endOf = (text: string, from: number, to: number): string => text.slice(text.length - to, text.length - from)
  while (count + piece <= most && endOf(one, count, count + piece) === endOf(other, count, count + piece)) count += piece
  while (count < most && one[one.length - 1 - count] === other[other.length - 1 - count]) count++
  return count
}

function movedEntry(entry: ScannedEntry, by: number): ScannedEntry {
  if (by === 0) return entry
  const moved = (offset: number): number => offset + by
  const { offset, dependencyOffsets, criterionOffsets } = entry
  return {
    ...entry,
    offset: offset + by,
    dependencyOffsets: dependencyOffsets.map(moved),
    criterionOffsets: criterionOffsets.map(moved),
  }
}

function movedTree(tree: PlanTree, by: number): PlanTree {
  if (by === 0) return tree
  const there = { start: tree.start + by, end: tree.end + by }
  if (tree.kind === 'scalar') return { ...tree, ...there }
  if (tree.kind === 'array') return { ...tree, ...there, items: tree.items.map((item) => movedTree(item, by)) }
  const movedMember = ({ key, keyStart, keyEnd, value }: Member): Member => {
    return { key, keyStart: keyStart + by, keyEnd: keyEnd + by, value: movedTree(value, by) }
  }
  return { ...tree, ...there, members: tree.members.map(movedMember) }
}
