/** What was found about how a story treated its checks: evidence against it, or a suspicion. */
export const findingRules = [
  'weakened-check', // of an older log, which had words alone
  // Evidence against.
  ...([
    'content-hidden',
    'hooks-bypassed',
    'hooks-disabled',
    'refs-moved',
    'runner-shadowed',
    'runner-patched',
    'environment-changed',
  ] as const),
  ...(['assertions-patched', 'results-changed', 'output-forged', 'ends-early', 'failure-ignored', 'protected-file'] as const),
  'written-while-checked',
  // Suspicions about tests and what they compare with.
  ...(['test-deleted', 'test-skipped', 'test-focused', 'test-emptied', 'test-conditional', 'test-expected-to-fail'] as const),
  ...(['assertion-removed', 'assertion-weakened', 'assertion-changed', 'assertion-guarded'] as const),
  ...(['expected-changed', 'tolerance-changed', 'loop-shortened', 'table-row-removed'] as const),
  ...(['fixture-changed', 'snapshot-changed', 'mock-changed', 'subject-replaced'] as const),
  // About runners and other checks.
  ...(['gate-changed', 'runner-changed', 'runner-narrowed', 'runner-retries', 'runner-lenient', 'threshold-lowered'] as const),
  ...(['check-turned-off', 'coverage-turned-off', 'ci-changed'] as const),
  // About the source, which running the old checks cannot clear.
  ...(['test-detected', 'mock-in-source', 'special-case', 'fitted-constant', 'equals-anything', 'left-undone'] as const),
  // About work that is not there, or that no test shows.
  ...(['nothing-done', 'test-weak', 'not-shown'] as const),
  // What nobody could look at.
  ...(['not-examined', 'ignored-changed'] as const),
  // The number of tests that ran, and the cross-examination.
  ...([
    'failures-hidden',
    'tests-uncounted',
    'no-tests',
    'fewer-tests',
    'more-skipped',
    'old-checks-fail',
    'flaky-tests',
  ] as const),
  // What a reviewer found, and what does not refuse the story.
  'review-finding',
] as const
export type FindingRule = (typeof findingRules)[number]

export type Finding = {
  rule: FindingRule
  file?: string
  line?: number
  /** A sentence without a subject: "deleted the test file test/a.test.ts". */
  words: string
  /** Evidence against: no honest story needs it. Otherwise it is a suspicion. */
  isCertain?: true
  /** Running the old checks over the new code cannot show whether it mattered. */
  isBeyondChecks?: true
  /** The story says that it changes this: only its reviewer is told. */
  isDeclared?: true
  /** Of a reviewer's: by which a person dismisses it. */
  id?: string
}

/** What a finding is about, for people: not everything that is found is about a check. */
export type FindingHeading = 'weakened check' | 'unfinished work' | 'weak test' | 'suspicious code' | 'review finding'

const headings: Partial<Record<FindingRule, FindingHeading>> = {
  'nothing-done': 'unfinished work',
  'left-undone': 'unfinished work',
  'test-weak': 'weak test',
  'not-shown': 'weak test',
  'test-detected': 'suspicious code',
  'mock-in-source': 'suspicious code',
  'special-case': 'suspicious code',
  'fitted-constant': 'suspicious code',
  'equals-anything': 'suspicious code',
  'review-finding': 'review finding',
}

export const headingOf = ({ rule }: Pick<Finding, 'rule'>): FindingHeading => headings[rule] ?? 'weakened check'

export const wordsOf = (findings: Finding[] = []): string[] => findings.map(({ words }) => words)

/** Those that people and the next agent are told; what a story declares is for its reviewer alone. */
export const undeclared = (findings: Finding[] = []): Finding[] => findings.filter(({ isDeclared }) => isDeclared !== true)
