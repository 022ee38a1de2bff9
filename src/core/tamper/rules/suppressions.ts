/** Comments and attributes that turn off linters, type checkers and coverage. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isCode, isTestCode } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'

const comments =
  /\b(?:eslint|oxlint|tslint|jshint|jscs|stylelint|biome|deno-lint|standard)[:-](?:disable|ignore)(?:-(?:next-)?(?:line|file|all))?\b|^[\s/*]*eslint\s+["']?[\w@/-]+["']?\s*:\s*\[?\s*["']?(?:off|0|warn|1)\b|@ts-(?:ignore|nocheck|expect-error)\b|\btype:\s*ignore\b|\bpyright:\s*ignore\b|\bmypy:\s*(?:ignore-errors|disable-error-code)|\b(?:flake8|ruff):\s*noqa\b|\bnoqa\b|\bpylint:\s*(?:disable|skip-file)|\bnolint\b|\bNOLINT(?:NEXTLINE|BEGIN)?\b|\brubocop:(?:disable|todo)\b|@phpstan-ignore\S*|@psalm-suppress\b|\bphpcs:(?:disable|ignore)\S*|@codingStandardsIgnore\w*|\bswiftlint:disable\b|\bktlint-disable\b|\bcheckstyle:\s*off/i
const uncovered =
  /\b(?:istanbul|c8|v8|node:coverage|coverage)[: ]+(?:ignore|disable)\b|\bpragma:\s*no\s*(?:cover|branch)\b|:nocov:|@codeCoverageIgnore\w*|\bLCOV_EXCL\w*|\bGCOVR_EXCL\w*|\btarpaulin::skip\b/i
const attributes =
  /#!?\[\s*(?:cfg_attr\([^)]{0,80}\b)?(?:allow|expect)\s*\(|@SuppressWarnings\b|@Suppress\s*\(|@file:Suppress\b|\[\s*(?:assembly:\s*)?SuppressMessage\b|^\s*#pragma\s+warning\s+disable\b|^\s*#nullable\s+disable\b|@(?:typing\.)?no_type_check\b/
const uncoveredAttributes =
  /\[\s*ExcludeFromCodeCoverage\b|#\[\s*(?:coverage\s*\(\s*off|cfg\s*\(\s*not\s*\(\s*tarpaulin)|@(?:\w+\.)?Generated\b/

const inSource = (path: string): boolean => isCode(path) && !isTestCode(path)
const inTests = (path: string): boolean => isCode(path) && isTestCode(path)

/** In tests, one line with a reason is usual. */
const wholeFile =
  /\b(?:eslint|oxlint|biome|stylelint)-(?:disable|ignore-all)(?!-(?:next-)?line)\b|@ts-nocheck\b|\bmypy:\s*ignore-errors|\b(?:flake8|ruff):\s*noqa\b|\bpylint:\s*skip-file|@phpstan-ignore-file/i

/** Where a rule of style cannot hold: what a package passes on, an address that is too long for a line, what a program prints. */
function isUsual({ path, after }: Change, { text }: SourceLine): boolean {
  if (/(^|\/)__init__\.py$/.test(path)) return /\bnoqa:\s*F40[13]\s*$/.test(text)
  if (/https?:\/\//.test(text))
    return /\bnoqa:\s*E501\s*$|\bdisable-(?:next-)?line max-len\s*$|\bdisable=line-too-long\s*$/.test(text)
  const isProgram = /(^|\/)(?:bin\/|cli\.\w+$)/.test(path) || /^#!/.test(after[0]?.text ?? '')
  return isProgram && /\beslint-disable(?:-next-line|-line)? no-console(?:\s*\*\/)?\s*$|\bnoqa:\s*T201\s*$/.test(text)
}

/** Lines that no test is for. */
const neverRun =
  /\bif __name__\b|\bTYPE_CHECKING\b|\bNotImplementedError\b|\babstractmethod\b|\bassert_never\b|\bdef __repr__\b|\bversion_info\b|\bsys\.platform\b/

const casts = /\bas (?:any|never|Function|CallableFunction)\b|\bas unknown as\b|\b(?:const|let|var)\s+\w+\s*:\s*any\b/

/** Running the old checks over the new source does not undo what stands in the source. */
/** Declared without a body, or as any; a package without types, and files of another kind, have nothing else. */
const ownModule = /^\s*declare module\s+['"](?!\*\.)(?:\.|[~@#]\/|\*)[^'"]*['"]\s*(?:;|$)/

export const suppressions: LineRule[] = [
  {
    rule: 'check-turned-off',
    what: 'turned a check off',
    files: inSource,
    on: 'comment',
    looksFor: comments,
    where: (change, line) => !isUsual(change, line),
    isBeyondChecks: true,
  },
  {
    rule: 'check-turned-off',
    what: 'turned a check off',
    files: inSource,
    on: 'code',
    looksFor: attributes,
    unless: /allow\(\s*(?:dead_code|clippy::too_many_arguments|non_snake_case)\s*\)|"(?:unchecked|rawtypes|serial|unused)"/,
    isBeyondChecks: true,
  },
  {
    rule: 'coverage-turned-off',
    what: 'left code out of coverage',
    files: inSource,
    on: 'comment',
    looksFor: uncovered,
    unless: neverRun,
    isBeyondChecks: true,
  },
  {
    rule: 'coverage-turned-off',
    what: 'left code out of coverage',
    files: inSource,
    on: 'code',
    looksFor: uncoveredAttributes,
    isBeyondChecks: true,
  },
  { rule: 'check-turned-off', what: 'turned a check off', files: inTests, on: 'comment', looksFor: wholeFile },
  {
    rule: 'check-turned-off',
    what: 'turned a type check off with a cast',
    files: (path) => inSource(path) && /\.[cm]?tsx?$/.test(path),
    on: 'code',
    looksFor: casts,
    isBeyondChecks: true,
  },
  {
    rule: 'check-turned-off',
    what: 'removes the types of a project module',
    files: (path) => /\.d\.[cm]?ts$/.test(path) && inSource(path),
    on: 'bare',
    looksFor: ownModule,
    isBeyondChecks: true,
  },
]

/** A file that loses its types: another one takes its place that no type checker looks at. */
export function untyped({ path, kind }: Change, all: Change[]): Finding[] {
  if (kind !== 'deleted' || !/\.[cm]?tsx?$/.test(path) || !inSource(path)) return []
  const stem = path.replace(/\.[cm]?tsx?$/, '')
  const other = all.find((each) => each.kind === 'added' && each.path.replace(/\.[cm]?jsx?$/, '') === stem && each.path !== stem)
  if (other === undefined) return []
  const words = `replaced ${path} with ${other.path}, which has no types`
  return [{ rule: 'check-turned-off', file: other.path, words, isBeyondChecks: true }]
}
