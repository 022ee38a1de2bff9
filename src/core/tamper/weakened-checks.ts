/** Finds how a story weakened its checks: evidence against it, and suspicions. */

import { asksForBehaviour } from '../proof/asked-for.ts'
import type { Finding } from '../proof/finding.ts'
import { hookBypass } from './bypassed-hooks.ts'
import { askedCalls } from './changed-tests/asked-calls.ts'
import { asAsked } from './changed-tests/asked-changes.ts'
import { changedTests, unawaited } from './changed-tests/changed-assertions.ts'
import { copiedCode } from './changed-tests/copied-code.ts'
import { changedExamples } from './changed-tests/doc-examples.ts'
import { idleScripts } from './changed-tests/idle-scripts.ts'
import { idleTests } from './changed-tests/idle-tests.ts'
import { endedTests, lostTests, shadowedTests } from './changed-tests/lost-tests.ts'
import { type MatchedTests, matchedTests } from './changed-tests/matched-tests.ts'
import { mockedSubjects } from './changed-tests/mocked-subject.ts'
import { ownConditions } from './changed-tests/own-conditions.ts'
import { replacedMethods } from './changed-tests/replaced-methods.ts'
import { changesImports, copiesSource, onlyInTests, subjectReplaced, subjectRules } from './changed-tests/replaced-subject.ts'
import { skippedTests } from './changed-tests/skipped-tests.ts'
import { type TestBlock, testBlocks } from './changed-tests/test-blocks.ts'
import { comparedWithThemselves, suppressedErrors, weakTests } from './changed-tests/weak-tests.ts'
import { type Change, changesOf, type FileChange, removedLines } from './code/change.ts'
import { isSource } from './code/files.ts'
import { changedFunctions } from './code/functions.ts'
import { testsIn } from './code/languages.ts'
import { sourceLines, syntaxOf } from './code/source-lines.ts'
import { declaredBy, type StoryWords } from './declared-changes.ts'
import { writtenRows } from './fitted-code/answer-rows.ts'
import { computedAnswers } from './fitted-code/computed-answers.ts'
import { fittedConstants } from './fitted-code/fitted-constants.ts'
import { fixedRounds } from './fitted-code/fixed-rounds.ts'
import { saidOutputs } from './fitted-code/printed-outputs.ts'
import { specialCases } from './fitted-code/special-case.ts'
import { workedOutTables } from './fitted-code/worked-out-tables.ts'
import type { GateFile } from './gate-files.ts'
import { namedOnly } from './missing-work/empty-work.ts'
import { passedOver } from './missing-work/ignored-names.ts'
import { emptyFunctions, leftUndone, unusedParameters } from './missing-work/left-undone.ts'
import { nothingDone } from './missing-work/nothing-done.ts'
import { stillThere } from './missing-work/still-there.ts'
import { onlyAsked } from './missing-work/unread-options.ts'
import { passedCriteria } from './missing-work/untested-criteria.ts'
import { untestedErrors } from './missing-work/untested-errors.ts'
import { untouchedFiles, unusedImports } from './missing-work/untouched-files.ts'
import { patchedElsewhere, patchedInScript } from './rules/assertion-library.ts'
import { builtByHand, committedCache } from './rules/built-by-hand.ts'
import { ciChanged, comparedFiles, heirsIn, hooksChanged } from './rules/compared-files.ts'
import { endsBeforeTests, runsNoTests } from './rules/early-exits.ts'
import { forgedOutput } from './rules/forged-output.ts'
import { environmentFiles, hiddenByAttributes, leadsOutside, loadedByItself, shadows } from './rules/gate-environment.ts'
import { changedGate, lostScript, shadowedMakefile } from './rules/gate-scripts.ts'
import { roundabout } from './rules/hidden-test-detection.ts'
import { lateChanges } from './rules/late-changes.ts'
import { foundByLine, type LineRule } from './rules/line-rule.ts'
import { castsAnything, loosenedTypes } from './rules/loosened-types.ts'
import { lowered } from './rules/lowered-thresholds.ts'
import { loading } from './rules/module-loading.ts'
import { replacedDependency } from './rules/replaced-dependency.ts'
import { runnerSettings } from './rules/runner-settings.ts'
import { suppressions, untyped } from './rules/suppressions.ts'
import { testEnvironment } from './rules/test-detection.ts'
import { standInPrograms, unreadableData } from './rules/unreadable-data.ts'
import { whereItRuns } from './rules/where-it-runs.ts'

export type Looked = {
  changes: FileChange[]
  /** Shell commands of the agent. */
  commands: string[]
  gateFiles: GateFile[]
  /** Whether the repository has hooks that a commit could bypass. */
  hasHooks: () => boolean
  /** Test files, and sources that the story names, that did not change: asked only if a test is gone or a source has a special case. */
  unchangedTests: () => { path: string; text: string }[]
  story: StoryWords | null
  /** All files that changed since the story was begun; absent: it is not marked as done. */
  files?: string[]
}

/** Rules for single lines, in any file. */
const lineRules: LineRule[] = [
  ...environmentFiles,
  ...patchedElsewhere,
  ...forgedOutput,
  ...runnerSettings,
  ...suppressions,
  ...subjectRules,
  ...testEnvironment,
  ...whereItRuns,
  ...roundabout,
  ...leftUndone,
  ...loading,
  ...lateChanges,
]

const most = 50

/** Evidence first. Says nothing if in doubt. */
export function weakenedChecks(looked: Looked): Finding[] {
  const changes = changesOf(looked.changes)
  let blocks: TestBlock[] | undefined
  const others = (): TestBlock[] => {
    blocks ??= looked.unchangedTests().flatMap(({ path, text }) => blocksOf(path, text))
    return blocks
  }
  const matched = matchedTests(changes, others)
  const found = [
    ...inFiles(changes, { looked, matched, others }),
    ...looked.commands.flatMap((command) => pastHooks(command, looked.hasHooks)),
  ]
  const sorted = [...found.filter(({ isCertain }) => isCertain), ...found.filter(({ isCertain }) => !isCertain)]
  const once = onlyOnce(
    onlyOnce(sorted, ({ words }) => words),
    ({ rule, file, line, words }) => (line === undefined ? words : `${rule} ${file} ${line}`),
  )
  const declared = once.map((finding) => (finding.isCertain ? finding : declaredBy(looked.story, finding)))
  const all = asAsked(declared, changes, matched.fresh, looked.story)
  // What the story declares must not push out what it does not.
  return [...all.filter(({ isDeclared }) => !isDeclared), ...all.filter(({ isDeclared }) => isDeclared)].slice(0, most)
}

/** The first of those with the same key. */
function onlyOnce(found: Finding[], keyOf: (finding: Finding) => string): Finding[] {
  const seen = new Set<string>()
  return found.filter((finding) => {
    const isNew = !seen.has(keyOf(finding))
    seen.add(keyOf(finding))
    return isNew
  })
}

type Around = { looked: Looked; matched: MatchedTests; others: () => TestBlock[] }

function inFiles(changes: Change[], { looked, matched, others }: Around): Finding[] {
  const { gateFiles, story, files } = looked
  const removed = removedLines(changes)
  const heirs = heirsIn(changes)
  const asked = (story?.text.match(/\w+(?=\()/g) ?? []).filter((name) => name.length > 2)
  const work = new Set([...asked, ...changes.filter(({ path }) => isSource(path)).flatMap(changedFunctions)])
  const all = (): TestBlock[] => [...changes.flatMap(({ path, afterText }) => blocksOf(path, afterText)), ...others()]
  return [
    ...lostTests(changes, matched),
    ...endedTests(matched, story),
    ...changes.flatMap((change) => [
      ...skippedTests(change, { removed, work }),
      ...shadowedTests(change),
      ...foundByLine(lineRules, change),
      ...hiddenByAttributes(change),
      ...loadedByItself(change),
      ...shadows(change),
      ...endsBeforeTests(change),
      ...runsNoTests(change),
      ...patchedInScript(change),
      ...comparedFiles(change, heirs, story),
      ...ciChanged(change),
      ...hooksChanged(change, changes),
      ...lowered(change),
      ...unusedParameters(change),
      ...changedExamples(change),
      ...changesImports(change),
      ...copiesSource(change, changes),
      ...onlyInTests(change, changes),
      ...replacedDependency(change),
      ...leadsOutside(change),
      ...untyped(change, changes),
      ...loosenedTypes(change, changes),
      ...castsAnything(change),
      ...ownConditions(change),
      ...unusedImports(change, changes),
      ...subjectReplaced(change, changes),
      ...builtByHand(change, changes),
      ...committedCache(change, changes),
      ...gateFiles.flatMap((file) => changedGate(change, file)),
      ...lostScript(change, gateFiles),
      ...shadowedMakefile(change, gateFiles),
    ]),
    ...emptyFunctions(changes),
    ...changedTests(changes, matched),
    ...unawaited(changes),
    ...askedCalls(matched, story),
    ...mockedSubjects(changes, matched),
    ...replacedMethods(changes),
    ...specialCases(changes, others, story?.text),
    ...fittedConstants(changes, story?.text),
    ...fixedRounds(changes, story?.text),
    ...computedAnswers(changes, story?.text),
    ...workedOutTables(changes, all, story?.text),
    ...writtenRows(changes, all),
    ...saidOutputs(changes, all),
    ...copiedCode(changes),
    ...unreadableData(changes, story),
    ...standInPrograms(changes),
    ...passedOver({ changes, matched, story, others }),
    ...passedCriteria({ changes, story, others }),
    ...untestedErrors({ changes, matched, story, others }),
    ...stillThere(changes, story),
    ...untouchedFiles(changes, story, looked.unchangedTests),
    ...onlyAsked(changes, all),
    ...comparedWithThemselves(matched),
    ...suppressedErrors(matched),
    ...namedOnly(changes, story),
    ...idleTests(changes, matched, story),
    ...idleScripts(changes, matched, story),
    ...(story !== null && !asksForBehaviour(story) ? [] : weakTests(changes, matched)),
    ...(files === undefined ? [] : nothingDone(changes, files, story)),
  ]
}

function blocksOf(path: string, text: string): TestBlock[] {
  const tests = testsIn(path)
  return tests === null ? [] : testBlocks({ path, lines: sourceLines(text, syntaxOf(path)), language: tests.language })
}

/** Names of tests that were added in these files; for a new test file without recognisable names, the file's own. */
export function addedTests(changes: FileChange[], touched: string[]): string[] {
  const found = changes.flatMap((file) => {
    const { path, kind } = file
    const tests = touched.includes(path) && kind !== 'deleted' ? testsIn(path) : null
    if (tests === null) return []
    const before = new Set(blocksOf(path, file.before).map(({ name }) => name))
    const names = blocksOf(path, file.after)
      .map(({ name }) => name)
      .filter((name) => name !== '' && !before.has(name))
    return names.length === 0 && kind === 'added' && tests.isNamed ? [path] : names
  })
  return [...new Set(found)].slice(0, most)
}

/** Without hooks there is nothing to bypass. */
function pastHooks(command: string, hasHooks: () => boolean): Finding[] {
  const how = hookBypass(command)
  if (how === null) return []
  const certain = hasHooks() ? { isCertain: true as const } : {}
  return how.startsWith('git config')
    ? [{ rule: 'hooks-disabled', words: `disabled the hooks (${how})`, ...certain }]
    : [{ rule: 'hooks-bypassed', words: `bypassed the hooks in a commit (${how})`, ...certain }]
}
