/** What the rules about weakened checks find in a few files, as short texts for tables. */
import type { FileChange } from '../../src/core/tamper/code/change.ts'
import { type Looked, weakenedChecks } from '../../src/core/tamper/weakened-checks.ts'

/** Before and after; null: it was not there, or is not there any more. */
export type Versions = Record<string, [before: string | null, after: string | null]>

const looked: Looked = { changes: [], commands: [], gateFiles: [], hasHooks: () => true, unchangedTests: () => [], story: null }

const changesOf = (versions: Versions): FileChange[] =>
  Object.entries(versions).map(([path, [before, after]]) => ({
    path,
    kind: before === null ? 'added' : after === null ? 'deleted' : 'modified',
    before: before ?? '',
    after: after ?? '',
  }))

export const findingsIn = (versions: Versions, more: Partial<Looked> = {}) =>
  weakenedChecks({ ...looked, ...more, changes: changesOf(versions) })

/** `environment-changed .npmrc!`, with an exclamation mark for what is certain. */
export const rulesIn = (versions: Versions, more: Partial<Looked> = {}): string[] => [
  ...new Set(findingsIn(versions, more).map(({ rule, file = '', isCertain }) => `${rule} ${file}${isCertain ? '!' : ''}`)),
]
