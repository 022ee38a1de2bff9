/** The few lines of a gate's output that say what failed, for people who do not want to open the log. */

import { plain } from '../text/plain.ts'
import { failingTests } from './failing-tests.ts'

const mostLines = 5
const longest = 160

/** At the beginning of the output of a gate that fails on a commit alone. */
export const onlyWith = (names: string[]): string =>
  `Works only with ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}, not in the commit.`

/** At most five: what the commit lacks; the failing test with its assertion, then other failing tests; or the errors; else the last words. */
export function keyLines(output: string): string[] {
  const [lacking] = /^Works only with .*, not in the commit\./.exec(output) ?? []
  if (lacking !== undefined) return [clipped(lacking), ...keyLines(output.slice(lacking.length)).slice(0, mostLines - 1)]
  const lines = plain(output)
    .split('\n')
    .map((text) => text.trimEnd())
    .filter((text) => text.trim() !== '' && !noise.some((pattern) => pattern.test(text)))
  const nameAt = lines.map((text) => failingTests(text)[0])
  const isTelling = (text: string, index: number): boolean => nameAt[index] === undefined && telling.test(text)
  const firstNamed = nameAt.findIndex((name) => name !== undefined)
  const isNamed = firstNamed !== -1
  // What follows the name of a test says more than an error that was printed before it.
  const follows = lines.findIndex((text, at) => isNamed && at > firstNamed && at <= firstNamed + 3 && isTelling(text, at))
  const told = follows === -1 ? lines.findIndex(isTelling) : follows
  if (told === -1 && !isNamed) return shown(lines.slice(-mostLines))
  if (!isNamed) {
    const all = lines.filter(isTelling)
    return shown(all.length > 1 ? all : lines.slice(told, told + mostLines))
  }
  const isName = (name: string | undefined): boolean => name !== undefined
  const before = told === -1 ? -1 : nameAt.slice(0, told).findLastIndex(isName)
  const first = before === -1 ? nameAt.findIndex(isName) : before
  // Where the assertion stands far from the name, or before it, what lies between is something else.
  const isNear = told === -1 || (told > first && told - first <= 3)
  const next = nameAt.findIndex((name, index) => index > Math.max(first, told) && name !== undefined)
  const end = next === -1 ? lines.length : next
  const reason = isNear
    ? lines.slice(first, Math.min(end, Math.max(first, told) + 4))
    : [lines[first] ?? '', ...lines.slice(told, told + 3).filter((_, index) => nameAt[told + index] === undefined)]
  const others = new Map(lines.flatMap((text, index) => (nameAt[index] === undefined ? [] : [[keyOf(text), text] as const])))
  others.delete(keyOf(lines[first] ?? ''))
  return shown(reason.slice(0, mostLines), [...others.values()])
}

/** In one line: the failing test with its assertion, or the error; else the last words. null: there are none. */
export function keyLine(output: string): string | null {
  const lines = keyLines(output).map((text) => text.trim())
  const name = lines.find((text) => failingTests(text).length > 0)
  const told = lines.find((text) => failingTests(text).length === 0 && telling.test(text))
  if (name === undefined) return told ?? lines.at(-1) ?? null
  return told === undefined || telling.test(name) ? name : `${name.replace(/:$/, '')}: ${told}`
}

/** A runner may name a test twice: where it failed, and in its summary; mocha by its number. */
const keyOf = (text: string): string => /^\s*(\d+\)) /.exec(text)?.[1] ?? failingTests(text)[0] ?? text

function shown(reason: string[], others: string[] = []): string[] {
  const room = mostLines - Math.min(reason.length, mostLines)
  const named = others.length > room ? others.slice(0, Math.max(0, room - 1)) : others
  const left = others.length - named.length
  const rest = room > 0 && left > 0 ? [`… and ${left} more failing tests`] : []
  const few = [...reason.slice(0, mostLines), ...named]
  const least = Math.min(...few.map((text) => text.length - text.trimStart().length))
  return [...few.map((text) => clipped(text.slice(least).replace(took, ''))), ...rest]
}

/** Behind the name of a test: it says nothing about the failure, and differs each time. */
const took = / \([\d.]+ ?m?s\)$/

const clipped = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** An assertion or an error, in the words of runners, compilers and shells. */
const telling =
  /AssertionError|_test\.go:\d+: |\bassert(?:ion)?\b.*(?:fail|==|!=|`)|^\s*E\s{2,}\S|expect\(|\b[Ee]xpected\b|toBe|toEqual|panicked at|got\b.*\bwant\b|\bwant\b.*\bgot\b|^\s*\w*(?:Error|Exception)\b.*: |\berror(?:\[\w+\]|\s+TS\d+)?:\s|error TS\d+|: not found|command not found|No such file|[Cc]annot find|Missing script|Permission denied|Could not|Segmentation fault|out of memory|\bFATAL\b|\bfatal:|does not meet/

const noise = [
  /^\s*at (?:\S+ \()?(?:file:|node:|\/|async |\S+:\d+)|^\s+(?:(?:async )?\S+ \()?(?:file:|node:|\/)\S*:\d+:\d+\)?$/, // frames of a stack
  /^\s*(?:ℹ|#) (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms)\b/,
  /^\s*# Subtest:/,
  /^\s*(?:✔|✓|√|▶|ok \d|PASS\b|--- PASS|=== RUN|\.+$)/,
  /^\s*✖ failing tests:|^\s*test at \S+$/,
  /^> /, // npm repeats the script
  /^npm (?:err!|error) (?:code|path|command|errno|signal|workspace|location|lifecycle|a complete log)/i,
  /^npm (?:warn|notice)\b/i,
  /^npm (?:err!|error)\s*$/i,
  /^\[\.\.\. \d+ lines truncated \.\.\.\]$/,
  /^\s*(?:---|\.\.\.|\+\+\+|[{}[\]],?|\|-)$/,
  /^\s*(?:duration_ms|type|location|failureType|code|stack|generatedMessage|operator|diff|actual|expected|name): /,
  /^\s*[\^~]+\s*$/,
  /^[=_-]{5,}|[=_]{5,}$/, // separators
  /^Traceback \(most recent|^\s+File "|^\s*(?:Test(?:Context)?\.|node:|async )\S+ \(/,
  /^(?:FAIL|failures:|exit status \d+|FAIL\t.*|---- .* ----)$/, // go and cargo, around what they say
  /^(?:E\s+)?Use -v to get more diff$|^Node\.js v\d/, // pytest, and Node when it dies
  /^(?:TAP version|1\.\.\d+$|\d+\.\.\d+$)/,
  /^\s*(?:error|warning): script "?\w+"? exited/i,
]
