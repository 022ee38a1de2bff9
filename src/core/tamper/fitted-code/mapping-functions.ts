/** Functions that only map: every return value is a literal in them, like the names of codes. */
import type { SourceLine } from '../code/source-lines.ts'
import { literal, plain } from './literals.ts'

/** A line that gives a value which is written there, or only asks for the next case. */
const answer = new RegExp(
  String.raw`(?:\b(?:return|then|else)|=>|^\s*[?:])\s*(?:\w+\s*\?\s*)?(?:${literal})(?:\s*:\s*(?:${literal}))?\s*;?\s*\}?$|(?:\breturn|^\s*:)\s*\w+\s*===?\s*(?:${literal})$|\b(?:throw|raise|panic)\b`,
)
const answers = /\b(?:return|then|throw|raise)\b|\belse\s+["'\d]|^\s*[?:]\s/
const beginsFunction =
  /\b(?:function|def|func|fn|fun)\b|=>\s*\{?$|^\s*(?!.*\b(?:if|for|while|switch|catch|else|match|case|when)\b)[\w<>[\], ]+\([^()]*\)[^;=()]*\{?$/

/** For each case in such a function, all of its cases: two or more, of three values or more. `at`: the number of its line. */
export function mappedRows<C extends { at: number }>(lines: SourceLine[], cases: C[]): Map<C, C[]> {
  if (cases.length < 2) return new Map()
  const functions = functionsIn(lines)
  const startAt = new Map(lines.map(({ at }, index) => [at, functions[index] ?? -1]))
  const bodies = Map.groupBy(
    lines.filter(({ code }) => answers.test(code)),
    ({ at }) => startAt.get(at) ?? -1,
  )
  const rows = Map.groupBy(cases, ({ at }) => startAt.get(at) ?? -1)
  return new Map(
    [...rows].flatMap(([start, own]): [C, C[]][] => {
      const given = bodies.get(start) ?? []
      const isMapping =
        start !== -1 && own.length >= 2 && given.length >= 3 && given.every((line) => answer.test(plain(line).trimEnd()))
      return isMapping ? own.map((one) => [one, own]) : []
    }),
  )
}

/** For each line where the function around it begins; -1: nowhere. */
function functionsIn(lines: SourceLine[]): number[] {
  const open: { indent: number; start: number }[] = []
  return lines.map(({ text, code }, start) => {
    const indent = text.length - text.trimStart().length
    if (text.trim() !== '') while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    const around = open.at(-1)?.start ?? -1
    if (beginsFunction.test(code)) open.push({ indent, start })
    return around
  })
}

/** Most answers are names, such as those of codes and months. */
export const isNaming = (answers: string[]): boolean =>
  answers.length > 1 && answers.filter((answer) => /^".*[a-z]{2}/.test(answer)).length >= answers.length / 2
