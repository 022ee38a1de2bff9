/** Existing lines of TypeScript that now bypass the type checker. */

import type { Finding } from '../../proof/finding.ts'
import { lineNumbers } from '../../text/line-numbers.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { sayMarks } from './line-rule.ts'

const asserted = /(?<=[\w$)\]])!(?=[.[;),\s\]}]|$)/g
const cast = /\s+as\s+(?:unknown\s+as\s+)?[\w$.]+(?:<[^<>]*>)?(?:\[\])*/g
const type = /\??:\s*[\w$.]+(?:<[^<>]*>)?(?:\[\])*(?:\s*\|\s*[\w$.]+(?:<[^<>]*>)?(?:\[\])*)*(?=\s*(?:[,)=;{]|$))/g
const loosely = /(?<=[\w$)\]])!(?=[.[;),\s\]}]|$)|\bany\b|\bas\s+(?:never|unknown)\b/g

/** Without types, casts and what follows from them. */
const plainOf = ({ code }: SourceLine): string =>
  code
    .replace(asserted, '')
    .replace(cast, '')
    .replace(type, '')
    .replace(/[\s()]/g, '')
const escapesIn = ({ code }: SourceLine): string[] => code.match(loosely) ?? []

/** A stricter type checker asks for some of them. */
const isStricter = ({ path, added }: Change): boolean =>
  /(^|\/)tsconfig[\w.-]*\.json$/.test(path) &&
  added.some(({ text }) => /"(?:strict\w*|no[A-Z]\w*|exact\w*|use\w+)"\s*:\s*true/.test(text))

export function loosenedTypes(change: Change, all: Change[]): Finding[] {
  const { path, removed } = change
  if (!/\.[cm]?tsx?$/.test(path) || !isSource(path) || removed.length === 0 || all.some(isStricter)) return []
  const older = new Map(removed.map((line) => [plainOf(line), line]))
  const marks = freshIn(change, isSource).flatMap((line) => {
    const before = older.get(plainOf(line))
    const found = escapesIn(line)
    const isMore = before !== undefined && found.length > escapesIn(before).length
    return isMore ? [{ mark: line.text.trim().slice(0, 80), at: line.at }] : []
  })
  if (marks[0] === undefined) return []
  const words = `added a way around the type checker to an older line in ${path} (${sayMarks(marks)})`
  return [{ rule: 'check-turned-off', file: path, line: marks[0].at, words, isBeyondChecks: true }]
}

/** `present<T>(value: unknown): T { return value as T }`: a check that there is something, without one. */
const casts =
  /\b(?:function\s+(\w+)|const\s+(\w+)\s*=)\s*(?:<[^()]*?>)?\s*\(\s*(\w+)\s*(\?)?:\s*([^(),]+),?\s*\)\s*:\s*([\w$<>[\].]+)\s*(?:\{\s*return\b|=>)\s*\(?\3(?:!|\s+as\s+(?:(?:unknown|any|never)\s+as\s+)?\6)\)?\s*;?\s*(?:\}|$)/gm

export function castsAnything({ path, added, after }: Change): Finding[] {
  if (!/\.[cm]?tsx?$/.test(path) || !isSource(path)) return []
  const fresh = new Set(added.map(({ at }) => at))
  const code = after.map((line) => line.code).join('\n')
  const lineAt = lineNumbers(code)
  return [...code.matchAll(casts)].flatMap((match): Finding[] => {
    const [, named, bound, , isOptional, given = ''] = match
    const line = after[lineAt(match.index) - 1]?.at ?? 0
    const takesAnything = isOptional !== undefined || /\b(?:unknown|any|null|undefined)\b/.test(given)
    const words = `casts whatever ${named ?? bound}() is given, also nothing, in ${path} (line ${line})`
    return takesAnything && fresh.has(line) ? [{ rule: 'check-turned-off', file: path, line, words, isBeyondChecks: true }] : []
  })
}
