/** A criterion that asks for an error, and no test that expects one. */
import type { Finding } from '../../proof/finding.ts'
import type { MatchedTests } from '../changed-tests/matched-tests.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import type { StoryWords } from '../declared-changes.ts'

const asks = /\b(?:re)?throws?\b|\b(?:is|are|be|gets?) (?:re)?thrown\b/i
const denies =
  /\b(?:not|never|no|without|instead|unless|unchanged|as (?:before|today)|stays?|does|do|that throws?|throwing)\b|n't\b|\b(?:when|whenever|if|once|after|until|in case)\b(?:(?!\. )[^,;:])*\b(?:re)?throws?\b/i
/** Also what a caught error, or a program that failed, is asked for. */
const expects =
  /\b(?:throws\w*|rejects\w*|rejected\w*|toThrow\w*|assertThrows\w*|allSettled|instanceof|status|exit\w*|stderr)\b|\bcatch\s*\(\s*\w|\.catch\(\s*(?:async\s*)?\(?\s*\w|\.(?:message|cause|error|isRejected)\b|\bError\b(?!\()/

type InStory = { changes: Change[]; matched: MatchedTests; story: StoryWords | null; others: () => TestBlock[] }

export function untestedErrors({ changes, matched: { fresh }, story, others }: InStory): Finding[] {
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
