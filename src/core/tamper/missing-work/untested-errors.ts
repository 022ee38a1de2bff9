/** A criterion that asks for an error, and no test that expects one. */
import type { Finding } from '../../proof/finding.ts'
import type { MatchedTests } from '../changed-tests/matched-tests.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { changedFunctions, inWords } from '../code/functions.ts'
import type { StoryWords } from '../declared-changes.ts'

const asks = /\b(?:re)?throws?\b|\b(?:is|are|be|gets?) (?:re)?thrown\b/i
const denies =
  /\b(?:not|never|no|without|instead|unless|unchanged|as (?:before|today)|stays?|does|do|that throws?|throwing)\b|n't\b|\b(?:when|whenever|if|once|after|until|in case)\b(?:(?!\. )[^,;:])*\b(?:re)?throws?\b/i
/** Also what a caught error, or a program that failed, is asked for. */
const expects =
  /\b(?:throws\w*|rejects\w*|rejected\w*|toThrow\w*|assertThrows\w*|allSettled|instanceof|status|exit\w*|stderr)\b|\bcatch\s*\(\s*\w|\.catch\(\s*(?:async\s*)?\(?\s*\w|\.(?:message|cause|error|isRejected)\b|\bError\b(?!\()/

type InStory = { changes: Change[]; matched: MatchedTests; story: StoryWords | null; others: () => TestBlock[] }

export const untestedErrors = (asked: InStory): Finding[] => [...inScripts(asked), ...inPython(asked)]

/** `withdraw raises InsufficientFunds`, and no test of a function that the story names expects any error. */
function inPython({ changes, matched: { fresh }, story, others }: InStory): Finding[] {
  const own = fresh.filter(({ path }) => path.endsWith('.py'))
  const [first] = own
  if (story === null || first === undefined) return []
  const criterion = story.text.split('\n').find((line) => raises.test(line) && !deniesRaise.test(line))
  const error = raises.exec(criterion ?? '')?.[1]
  if (criterion === undefined || error === undefined) return []
  const added = changes.filter(({ path }) => isSource(path)).flatMap(changedFunctions)
  const names = [...new Set(added)].filter((name) => new RegExp(inWords(name)).test(story.text.replaceAll('.', ' ')))
  if (names.length === 0) return []
  const calls = new RegExp(`(?<![\\w])(?:${names.join('|')})\\s*\\(`)
  const older = others().filter(({ path }) => path.endsWith('.py'))
  const changed = changes
    .filter(({ path, after }) => path.endsWith('.py') && isTestCode(path) && after.length > 0)
    .map(({ after }) => after)
  const all = [...changed.flatMap(functionsOf), ...older.map(({ lines }) => lines)]
  const callers = all.filter((lines) => lines.some(({ code }) => calls.test(code)))
  if (callers.length === 0 || callers.some((lines) => lines.some(({ bare }) => expectsInPython.test(bare)))) return []
  const words = `has no test that expects ${error} of ${names.slice(0, 3).join('() or ')}(), as the criterion ${JSON.stringify(criterion.slice(0, 100))} asks, in ${first.path}`
  return [{ rule: 'test-weak', file: first.path, line: first.at, words, isBeyondChecks: true }]
}

const raises = /\braises?\s+(?:an?\s+)?`?([A-Z]\w+)\b/
const deniesRaise =
  /\b(?:never|not|no longer|no|instead of|unlike|if|when|whenever|unless)\b[^,;:]*\braises?\b|\braises?\s+(?:no|nothing)\b|\bas (?:before|today)\b/i
const expectsInPython = /raises|Raises|\bexcept\b|\bcheck=|returncode|exit_code|SystemExit|error/i

/** The lines of a file, in pieces that begin where a function does. */
function functionsOf(lines: Change['after']): Change['after'][] {
  const starts = lines.flatMap(({ code }, at) => (/^\s*(?:@|(?:async\s+)?def\s)/.test(code) ? [at] : []))
  return [0, ...starts].map((from, at) => lines.slice(from, starts[at] ?? lines.length))
}

function inScripts({ changes, matched: { fresh }, story, others }: InStory): Finding[] {
  const [first] = fresh
  const isWork = changes.some(({ path, added }) => isSource(path) && added.length > 0)
  if (story === null || first === undefined || !isWork || !fresh.every(({ path }) => /\.[cm]?[jt]sx?$/.test(path))) return []
  const criterion = story.text.split('\n').find((line) => asks.test(line) && !denies.test(line))
  if (criterion === undefined) return []
  const isExpected = (lines: Change['after']): boolean => lines.some(({ code }) => expects.test(code))
  if (changes.some(({ path, after }) => isTestCode(path) && isExpected(after))) return []
  if (others().some(({ lines }) => isExpected(lines))) return []
  const words = `has no test that expects an error, as the criterion ${JSON.stringify(criterion.slice(0, 100))} asks, in ${first.path}`
  return [{ rule: 'test-weak', file: first.path, line: first.at, words, isBeyondChecks: true }]
}
