/** Finds what a story did to its checks: evidence against it, and suspicions. */

import { asksForBehaviour } from '../proof/asked-for.ts'
import type { Finding } from '../proof/finding.ts'
import { builtByHand, committedCache } from './around/built-by-hand.ts'
import { computedAnswers } from './around/computed-answers.ts'
import { copiedCode } from './around/copied-code.ts'
import { passedCriteria } from './around/criteria.ts'
import { idleTests } from './around/idle-tests.ts'
import { loading } from './around/loading.ts'
import { namedOnly } from './around/named-only.ts'
import { onlyAsked } from './around/only-asked.ts'
import { saidOutputs } from './around/said-outputs.ts'
import { passedOver } from './around/story-names.ts'
import { standInPrograms, unreadableData } from './around/unreadable-data.ts'
import { writtenRows } from './around/written-rows.ts'
import { type Change, changesOf, type FileChange, removedLines } from './code/change.ts'
import { isSource } from './code/files.ts'
import { changedFunctions } from './code/functions.ts'
import { testsIn } from './code/languages.ts'
import { sourceLines, syntaxOf } from './code/source-lines.ts'
import { declaredBy, type StoryWords } from './declared.ts'
import type { GateFile } from './gate-files.ts'
import { hookBypass } from './hooks.ts'
import { patchedElsewhere, patchedInScript } from './rules/assertion-library.ts'
import { ciChanged, comparedFiles, heirsIn, hooksChanged } from './rules/compared-files.ts'
import { environmentFiles, hiddenByAttributes, leadsOutside, loadedByItself, shadows } from './rules/environment.ts'
import { endsBeforeTests, runsNoTests } from './rules/exits.ts'
import { forgedOutput } from './rules/forged-output.ts'
import { changedGate, lostScript, shadowedMakefile } from './rules/gate-scripts.ts'
import { emptyFunctions, leftUndone, unusedParameters } from './rules/left-undone.ts'
import { foundByLine, type LineRule } from './rules/line-rule.ts'
import { loosenedTypes } from './rules/loosened-types.ts'
import { lowered } from './rules/lowered.ts'
import { nothingDone } from './rules/nothing-done.ts'
import { replacedDependency } from './rules/replaced-dependency.ts'
import { roundabout } from './rules/roundabout.ts'
import { runnerSettings } from './rules/runner-settings.ts'
import { skippedTests } from './rules/skipped.ts'
import { changesImports, copiesSource, onlyInTests, subjectReplaced, subjectRules } from './rules/subject.ts'
import { suppressions, untyped } from './rules/suppressions.ts'
import { testEnvironment } from './rules/test-environment.ts'
import { whereItRuns } from './rules/where-it-runs.ts'
import { askedCalls } from './tests/asked-calls.ts'
import { asAsked } from './tests/asked-changes.ts'
import { changedTests, unawaited } from './tests/changed-tests.ts'
import { changedExamples } from './tests/doc-examples.ts'
import { fittedConstants } from './tests/fitted-constants.ts'
import { endedTests, lostTests, shadowedTests } from './tests/lost-tests.ts'
import { type MatchedTests, matchedTests } from './tests/matched-tests.ts'
import { mockedSubjects } from './tests/mocked-subject.ts'
import { specialCases } from './tests/special-case.ts'
import { type TestBlock, testBlocks } from './tests/test-blocks.ts'
import { comparedWithThemselves, suppressedErrors, weakTests } from './tests/weak-tests.ts'

export type Looked = {
  changes: FileChange[]
  /** Shell commands of the agent. */
  commands: string[]
  gateFiles: GateFile[]
  /** Whether the repository has hooks that a commit could bypass. */
  hasHooks: () => boolean
  /** Test files that did not change: asked only if a test is gone or a source has a special case. */
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
      ...comparedFiles(change, heirs),
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
    ...specialCases(changes, others, story?.text),
    ...fittedConstants(changes, story?.text),
    ...computedAnswers(changes, story?.text),
    ...writtenRows(changes, all),
    ...saidOutputs(changes, all),
    ...copiedCode(changes),
    ...unreadableData(changes, story),
    ...standInPrograms(changes),
    ...passedOver({ changes, matched, story, others }),
    ...passedCriteria({ changes, story, others }),
    ...onlyAsked(changes, all),
    ...comparedWithThemselves(matched),
    ...suppressedErrors(matched),
    ...namedOnly(changes, story),
    ...idleTests(changes, matched, story),
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
