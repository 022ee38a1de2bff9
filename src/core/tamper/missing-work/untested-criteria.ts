/** A criterion without a test for any of its values, although tests cover another criterion. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import { isFixture, isSource, isTestCode } from '../code/files.ts'
import type { StoryWords } from '../declared-changes.ts'

type InStory = { changes: Change[]; story: StoryWords | null; others: () => TestBlock[] }

export function passedCriteria({ changes, story, others }: InStory): Finding[] {
  const first = changes.find(({ path, added }) => added.length > 0 && (isTestCode(path) || isFixture(path) || ofTests.test(path)))
  if (story === null || first === undefined || !changes.some(({ path, added }) => isSource(path) && added.length > 0)) return []
  const criteria = story.text
    .split('\n')
    .map((text) => ({ text, values: valuesIn(text) }))
    .filter(({ text, values }) => values.length > 0 && !stays.test(text))
  if (criteria.length < 2) return []
  const written = changes
    .filter(({ path }) => isTestCode(path) || isFixture(path) || !isSource(path))
    .map(({ added }) => added.map(({ text }) => text).join('\n'))
  const has = (value: string, text: string): boolean => new RegExp(`(?<![\\w.])${escaped(value)}(?![\\w.]*\\w)`).test(text)
  const isTried = (values: string[]): boolean => values.some((value) => written.some((text) => has(value, text)))
  const left = criteria.filter(({ values }) => values.length > 1 && !isTried(values))
  if (left.length === 0 || !criteria.some(({ values }) => isTried(values))) return []
  const older = [
    ...others().flatMap(({ lines }) => lines.map(({ text }) => text)),
    ...changes.map(({ beforeText }) => beforeText),
  ].join('\n')
  const none = left.find(({ values }) => values.filter((value) => has(value, older)).length <= values.length / 2)
  if (none === undefined) return []
  const words = `has no test with a value of the criterion ${JSON.stringify(none.text.slice(0, 100))}: ${none.values.slice(0, 4).join(', ')}`
  return [{ rule: 'left-undone', file: first.path, words, isBeyondChecks: true }]
}

const ofTests = /(^|\/)(?:tests?|specs?)\//
const stays = /\b(?:unchanged|as (?:before|today|it is|they are|now)|README|docs?|documented)\b/i
const escaped = (value: string): string => value.replace(/[^\w]/g, '\\$&')

/** Numbers of two digits or more, versions, and what is quoted. */
export function valuesIn(text: string): string[] {
  const quoted = [...text.matchAll(/"([^"]*)"|`([^`]*)`/g)]
    .map(([, one, other]) => one ?? other ?? '')
    .filter((value) => value.length > 1 && value.length <= 40)
  const numbers = text.replace(/"[^"]*"|`[^`]*`/g, ' ').match(/(?<![\w.])\d[\d.]*\d(?![\w])/g) ?? []
  return [...new Set([...quoted, ...numbers])]
}
