/** Rules for single added lines: a table of patterns, each with its files. */
import type { Finding, FindingRule } from '../../proof/finding.ts'
import { type Change, freshIn } from '../code/change.ts'
import type { SourceLine } from '../code/source-lines.ts'

export type LineRule = {
  rule: FindingRule
  /** What it looks for: "turned a check off". Completed by file, mark and line. */
  what: string
  files: RegExp | ((path: string) => boolean)
  /** Where in a line: code without comments and strings, without comments, comments alone, or all of it. */
  on: 'code' | 'bare' | 'comment' | 'text'
  looksFor: RegExp
  /** Lines that look the same and are honest. */
  unless?: RegExp
  /** What must hold around the line. */
  where?: (change: Change, line: SourceLine) => boolean
  isCertain?: true
  isBeyondChecks?: true
}

const mostShown = 3

export function foundByLine(rules: LineRule[], change: Change): Finding[] {
  if (change.added.length === 0) return []
  return rules.flatMap((rule) => found(rule, change))
}

const isIn = (files: LineRule['files'], path: string): boolean => (typeof files === 'function' ? files(path) : files.test(path))

function found(rule: LineRule, change: Change): Finding[] {
  const { path, removed } = change
  if (!isIn(rule.files, path)) return []
  const marks = freshIn(change, (other) => isIn(rule.files, other)).flatMap((line) =>
    marksIn(rule, line)
      .filter(() => rule.where?.(change, line) !== false)
      .map((mark) => ({ mark, at: line.at })),
  )
  if (marks.length === 0) return []
  const known = removed.flatMap((line) => marksIn(rule, line))
  const fresh = marks.filter(({ mark }) => {
    const at = known.indexOf(mark)
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
  if (fresh[0] === undefined) return []
  return [
    {
      rule: rule.rule,
      file: path,
      line: fresh[0].at,
      words: `${rule.what} in ${path} (${sayMarks(fresh)})`,
      ...(rule.isCertain ? { isCertain: true } : {}),
      ...(rule.isBeyondChecks ? { isBeyondChecks: true } : {}),
    },
  ]
}

function marksIn({ on, looksFor, unless }: LineRule, line: SourceLine): string[] {
  const mark = looksFor.exec(line[on])?.[0]
  return mark === undefined || unless?.test(line.text) === true ? [] : [mark.trim().replace(/\s+/g, ' ').slice(0, 80)]
}

export function sayMarks(marks: { mark: string; at: number }[]): string {
  const shown = marks.slice(0, mostShown).map(({ mark, at }) => `${mark}, line ${at}`)
  return [...shown, ...(marks.length > mostShown ? ['…'] : [])].join('; ')
}
