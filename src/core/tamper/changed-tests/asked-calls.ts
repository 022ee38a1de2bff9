/** Tests that call the code differently because their story asks for it, with the same expected values. */
import type { Finding } from '../../proof/finding.ts'
import { literalsIn } from '../code/statements.ts'
import type { StoryWords } from '../declared-changes.ts'
import type { MatchedTests, TestPair } from './matched-tests.ts'
import type { Assertion } from './test-blocks.ts'

/** Said only if every assertion that changed did so in this way. */
export function askedCalls({ pairs }: MatchedTests, story: StoryWords | null): Finding[] {
  if (story === null) return []
  const changed = pairs.flatMap(({ before, after }): ChangedPair[] => {
    const lost = without(before.assertions, after.assertions)
    return lost.length === 0 ? [] : [{ lost, gained: without(after.assertions, before.assertions), after }]
  })
  const isAll = changed.every(({ lost, gained }) =>
    lost.every((one, index) => {
      const now = gained[index]
      return now !== undefined && (isAwaited(one, now, story) || isInOtherForm(one, now, story))
    }),
  )
  const [first] = changed
  if (!isAll || first === undefined) return []
  const { path, at } = first.after
  const words = `calls the code differently in ${path} (line ${at}), as the story asks`
  return [{ rule: 'assertion-changed', file: path, line: at, words, isDeclared: true }]
}

type ChangedPair = { lost: Assertion[]; gained: Assertion[]; after: TestPair['after'] }

const without = (some: Assertion[], others: Assertion[]): Assertion[] =>
  some.filter(({ text }) => !others.some((other) => other.text === text))

/** What it calls gives a promise now. */
const isAwaited = (before: Assertion, after: Assertion, { text }: StoryWords): boolean =>
  /\b(?:async\w*|promises?|await\w*)\b/i.test(text) &&
  after.text.includes('await ') &&
  plainOf(after.text.replaceAll('await ', '')) === plainOf(before.text)

const plainOf = (text: string): string => text.replace(/[\s()]/g, '')

/** The story writes the call as it is now, such as `tax({ country, amount })`; the values are the same, in the same order. */
function isInOtherForm(before: Assertion, after: Assertion, { text }: StoryWords): boolean {
  const [head] = before.text.split('(')
  const [old, now] = [literalsIn(before.text), literalsIn(after.text)]
  if (head === undefined || !after.text.startsWith(`${head}(`) || old.length === 0 || old.join() !== now.join()) return false
  const calls = after.text.match(/[A-Za-z_$][\w$]*(?=\(\{)/g) ?? []
  return calls.some((name) => before.text.includes(`${name}(`) && text.includes(`${name}({`))
}
