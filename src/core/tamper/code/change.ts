/** One changed file: its content before and after, and its added and removed lines. */
import { type SourceLine, sourceLines, syntaxOf } from './source-lines.ts'

/** As it is read: the empty text for a file that was not there, is not there any more, or is too large. */
export type FileChange = {
  path: string
  kind: 'added' | 'deleted' | 'modified'
  before: string
  after: string
  /** Where it leads, if it is a link now. */
  link?: string
  /** Too large, or one of too many: nobody has looked at its content. */
  isUnread?: true
}

/** Lines that only moved, or were only formatted, neither came nor went. */
export type Change = Omit<FileChange, 'before' | 'after'> & {
  beforeText: string
  afterText: string
  before: SourceLine[]
  after: SourceLine[]
  added: SourceLine[]
  removed: SourceLine[]
  /** The added lines that came from other files, with a line beside them. */
  movedFrom: Map<SourceLine, string[]>
}

/** All files together: code moves between them. */
export function changesOf(files: FileChange[]): Change[] {
  const changes = files.map(changeOf)
  const sources = removedLines(changes)
  const texts = new Map(changes.filter(({ kind }) => kind === 'deleted').map(({ path, beforeText }) => [beforeText, path]))
  return changes.map((change) => {
    const { path, after, added, afterText } = change
    const copied = texts.get(afterText)
    if (copied !== undefined && copied !== path) return { ...change, movedFrom: new Map(added.map((line) => [line, [copied]])) }
    const places = new Map(after.map((line, at) => [line, at]))
    const from = (line: SourceLine | undefined): Set<string> => (line && sources.get(keyOf(line))) ?? none
    const moved = added.flatMap((line): [SourceLine, string[]][] => {
      const own = from(line)
      if (own.size === 0) return []
      const at = places.get(line) ?? 0
      const beside = [nextTo(after, at, -1), nextTo(after, at, 1)].map(from)
      const whole = beside.flatMap((other) => common(own, other, path))
      return whole.length === 0 ? [] : [[line, whole]]
    })
    return { ...change, movedFrom: new Map(moved) }
  })
}

/** In which files each line was, and no longer is. */
export function removedLines(changes: Pick<Change, 'path' | 'removed'>[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { path, removed } of changes)
    for (const line of removed) {
      const key = keyOf(line)
      const known = found.get(key)
      if (known === undefined) found.set(key, new Set([path]))
      else known.add(path)
    }
  return found
}

/** A few of what both have, except this one: brackets are in every file. */
function common(one: Set<string>, other: Set<string>, except: string): string[] {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  const found: string[] = []
  for (const path of few) {
    if (path !== except && many.has(path)) found.push(path)
    if (found.length === 3) break
  }
  return found
}

/** What came, and not from another file of this kind. */
export const freshIn = ({ added, movedFrom }: Change, isAlike: (path: string) => boolean): SourceLine[] =>
  added.filter((line) => movedFrom.get(line)?.some(isAlike) !== true)

const none = new Set<string>()

/** The next line that is not blank, in this direction. */
function nextTo(lines: SourceLine[], from: number, step: 1 | -1): SourceLine | undefined {
  let at = from + step
  while (lines[at] !== undefined && lines[at]?.text.trim() === '') at += step
  return lines[at]
}

function changeOf({ before, after, ...file }: FileChange): Change {
  const syntax = syntaxOf(file.path)
  const [old, now] = [sourceLines(before, syntax), sourceLines(after, syntax)]
  const lines = { before: old, after: now, added: surplus(now, old), removed: surplus(old, now), movedFrom: new Map() }
  return { ...file, beforeText: before, afterText: after, ...lines }
}

/** Of equal lines, the last ones. */
function surplus(lines: SourceLine[], others: SourceLine[]): SourceLine[] {
  const counts = new Map<string, number>()
  for (const line of others) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1)
  return lines.filter((line) => {
    const key = keyOf(line)
    const left = counts.get(key) ?? 0
    if (left > 0) counts.set(key, left - 1)
    return left === 0 && key !== ''
  })
}

/** The same for the same line in another form: indentation, kind of quotes, a comma or semicolon at its end. */
export const keyOf = ({ text }: Pick<SourceLine, 'text'>): string => text.trim().replace(/['`]/g, '"').replace(/[;,]$/, '')
