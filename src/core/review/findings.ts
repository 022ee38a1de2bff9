/** Reviews of a story come to an end: findings keep their ids, a later review adds only what is about changed lines, and what a person dismissed is gone. */

import { hexFingerprint } from '../text/hash.ts'
import type { ReviewFinding } from '../types/checks.ts'

/** What the last review of a story saw, and what it found that is still open. */
export type LastReview = {
  /** The commit; absent: unknown, so that a later review may object to anything. */ seen?: string
  open: ReviewFinding[]
}

/** What a person dismissed. */
export type Dismissed = Pick<ReviewFinding, 'id' | 'kind' | 'words'> & { by?: string; why?: string }

/** By path: the first and the last line of each part that changed. */
export type ChangedLines = Record<string, [first: number, last: number][]>

/** What counts of an answer. `fixed`: ids of earlier findings. */
type JudgedAnswer = { verdict: string; missing: string[]; extra: string[]; fixed: string[]; reason: string }

/** What a review knows of earlier ones. `open`: when it began. `dismissed`: by its end. `changed`: since the last one; null: there was none, or nobody knows. */
export type EarlierReviews = { open: ReviewFinding[]; dismissed: Dismissed[]; changed: ChangedLines | null }

/**
 * The findings of an answer, and earlier ones that it leaves open. An answer that passes the story has none. An earlier finding is fixed only if
 * the answer says so: one that the reviewer forgets stays open.
 */
export function findingsAfter(answer: JudgedAnswer, earlier: EarlierReviews): ReviewFinding[] {
  if (answer.verdict !== 'fail') return []
  const open = earlier.open.filter(({ id }) => !earlier.dismissed.some((other) => other.id === id))
  const found = foundIn(answer).map((finding) => {
    const known = open.find((other) => isSame(finding, other))
    return known === undefined ? finding : { ...finding, id: known.id }
  })
  const forgotten = open.filter(({ id }) => !answer.fixed.includes(id) && !found.some((finding) => finding.id === id))
  // A reason alone then sums up what is still open.
  const counted = forgotten.length > 0 ? found.filter(({ kind }) => kind !== 'reason') : found
  const all = [...counted.map((finding): ReviewFinding => ({ ...finding, standing: standingOf(finding, earlier) })), ...forgotten]
  return standings.flatMap((standing) => all.filter((finding) => finding.standing === standing))
}

/** What counts comes first. */
const standings = ['open', 'late', 'dismissed'] as const

/** Nothing that counts against the story is left of what was found. */
export const isOutweighed = (findings: ReviewFinding[]): boolean =>
  findings.length > 0 && findings.every(({ standing }) => standing !== 'open')

export const openFindings = (findings: ReviewFinding[] = []): ReviewFinding[] =>
  findings.filter(({ standing }) => standing === 'open')

/** Its id comes last: the one by which a person dismisses it. */
export const findingLine = ({ id, kind, words, standing }: ReviewFinding): string =>
  `${standingLabels[standing]}${kindLabels[kind]}: ${words} [${id}]`

const kindLabels = { missing: 'Missing', extra: 'Extra', reason: 'Reason' }
const standingLabels = { open: '', late: 'Warning, new and not about changed lines: ', dismissed: 'Dismissed by a person: ' }

type RawFinding = Omit<ReviewFinding, 'standing'>

/** A reason alone, without a list, cannot be placed anywhere: it counts. */
function foundIn({ missing, extra, reason }: JudgedAnswer): RawFinding[] {
  const listed = [...missing.map((words) => finding('missing', words)), ...extra.map((words) => finding('extra', words))]
  return listed.length === 0 ? [finding('reason', reason)] : listed
}

/** A reviewer that repeats a finding begins with its id in brackets. */
function finding(kind: ReviewFinding['kind'], text: string): RawFinding {
  const [, said, rest = ''] = /^\s*\[([0-9a-f]{8})\]\s*(.*)$/is.exec(text) ?? []
  const words = said === undefined ? text : rest
  const [, file, line] = /(?:^|[\s`'"(])([\w@./+-]*[\w-]\.[A-Za-z]\w{0,9}):(\d{1,7})\b/.exec(words) ?? []
  const place = file === undefined ? {} : { file, line: Number(line) }
  return { id: said?.toLowerCase() ?? idOf(kind, words), kind, words, ...place }
}

/** Numbers of lines move, and quotes differ. */
const idOf = (kind: string, words: string): string =>
  hexFingerprint(
    `${kind}\n${words
      .normalize('NFKC')
      .toLowerCase()
      .replace(/["'`*’‘“”]/g, '')
      .replace(/:\d+/g, '')
      .replace(/\s+/g, ' ')
      .replace(/[\s.!…]+$/, '')}`,
  )

/** In doubt it is the earlier one, which counts wherever it is. */
const isSame = (one: RawFinding, other: RawFinding): boolean =>
  one.id === other.id ||
  (one.file !== undefined && one.file === other.file && one.line === other.line) ||
  (one.kind === 'missing' &&
    other.kind === 'missing' &&
    criterionOf(one) !== undefined &&
    criterionOf(one) === criterionOf(other))

/** "2. Rounds half away from zero": the criterion's number in the story. */
const criterionOf = ({ words }: RawFinding): string | undefined => /^\s*(?:criterion\s+)?(\d{1,3})\s*[.):]/i.exec(words)?.[1]

function standingOf(finding: RawFinding, { open, dismissed, changed }: EarlierReviews): ReviewFinding['standing'] {
  if (dismissed.some(({ id }) => id === finding.id)) return 'dismissed'
  if (changed === null || finding.kind === 'reason' || open.some(({ id }) => id === finding.id)) return 'open'
  return isAbout(finding.words, changed) ? 'open' : 'late'
}

/** Reviewers are a few lines off. */
const near = 3

/** It names a file that changed, and if it names lines of it, some that are near those that changed. */
function isAbout(words: string, changed: ChangedLines): boolean {
  return Object.entries(changed).some(([path, parts]) => {
    const places = placesOf(words, path)
    return places.some(
      (place) => place === 'file' || parts.some(([first, last]) => place[0] <= last + near && place[1] >= first - near),
    )
  })
}

/** Where the words name this file, by its path or its name: with which lines. */
function placesOf(words: string, path: string): ('file' | [first: number, last: number])[] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const places: ('file' | [number, number])[] = []
  for (let at = words.indexOf(name); at !== -1; at = words.indexOf(name, at + name.length)) {
    const folder = /[\w@./+-]*$/.exec(words.slice(0, at))?.[0] ?? ''
    const after = words.slice(at + name.length)
    if ((folder !== '' && !folder.endsWith('/')) || /^(?:[\w-]|\.\w)/.test(after)) continue // another file's name
    const named = `${folder}${name}`.replace(/^\.\//, '')
    if (!`/${path}`.endsWith(`/${named}`) && !named.endsWith(`/${path}`)) continue
    const lines = /^:(\d{1,7}(?:\s*(?:[-–,]|and)\s*\d{1,7})*)/.exec(after)?.[1]?.match(/\d+/g)?.map(Number)
    places.push(lines === undefined ? 'file' : [Math.min(...lines), Math.max(...lines)])
  }
  return places
}
