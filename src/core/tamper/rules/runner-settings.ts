/** Settings that make a runner find fewer tests, retry them until they pass, or pass without any; and settings that turn checks off. */
import type { Change } from '../code/change.ts'
import { isCi, isSettings, isTestCode } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'

const runnerFiles =
  /(^|\/)(?:(?:jest|vitest|vite|playwright|cypress|karma|ava|wdio|web-test-runner)\.config\.\w+|(?:jest|vitest)\.workspace\.\w+|package\.json|deno\.jsonc?|bunfig\.toml|pytest\.ini|\.?pytest\.toml|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|conftest\.py|test_\w+\.py|\.mocharc\.\w+|\.taprc|\.rspec|(?:spec|rails|test)_helper\.rb|phpunit\.xml(?:\.dist)?|Pest\.php|pom\.xml|build\.gradle(?:\.kts)?|Cargo\.toml|nextest\.toml|[\w.-]*\.(?:csproj|fsproj|runsettings)|Directory\.Build\.(?:props|targets)|\.mvn\/\w+\.config|gradle\.properties|(?:GNUm|M|m)akefile|Rakefile|Justfile|justfile)$/

/** Places that hold no tests of the project. */
const harmless =
  /(['"])[^'"]*(?:node_modules|dist|build|coverage|\.git|\.next|\.nuxt|\.cache|target|vendor|venv|fixtures?|examples?|e2e|cypress|playwright|benchmarks?|docs?|worktrees|generated|templates)\b[^'"]*\1/g
const leavesOut =
  /\b(?:testPathIgnorePatterns|modulePathIgnorePatterns|testIgnore|excludeSpecPattern|collect_ignore(?:_glob)?|norecursedirs|excludeTestsMatching|excludeTags|excludedGroups|excludeCategories|filter_run_excluding|exclude_pattern|exclusion_filter)\b|--ignore(?:-glob)?(?=[= ])|--deselect\b|\bexclude\b(?=.{0,200}\b(?:tests?|spec)\b)|-m\s+['"]?not\s|(?<=addopts.{0,200}\s)-k\s|--tag\s+~|(?:\b|-D)(?:skipTests|maven\.test\.skip)\b|<excludedGroups>|<exclude(?:Group|Category)?>(?=.{0,200}(?:[Tt]est|<group>))|<groups>(?=\s*$)|TestCaseFilter\b|\bIsTestProject\b.{0,20}\bfalse\b|<Compile\s+Remove=.{0,100}[Tt]est|\bautotests\s*=\s*false|^\s*(?:test|doctest|harness)\s*=\s*false|\bdefault-filter\b|\bonlyIf\s*\{|\btest\.enabled\s*=\s*false|\b(?:testNamePattern|grep)\b(?=['"]?\s*[:=])|\bpytest_ignore_collect\b|\bdeselected\b|\bitems\[:\]\s*=(?!.*\b(?:sorted|reversed)\()|\bitems\.(?:remove|pop)\(|\bdel items\[|\bdef load_tests\(/
/** A list of tests that names files instead of patterns. */
const names =
  /\b(?:testMatch|testRegex|include|spec|files|specPattern|testFiles|python_files|python_functions|python_classes|testpaths)\b['"]?\s*[:=]\s*(?:\[\s*)?['"]?[\w./-]*(?:test|spec)[\w./-]*\.\w+['"]?\s*\]?,?\s*$/

const what = 'excluded tests'

/** Whether something is left out once places without tests are taken away. */
function leavesSomething(text: string): boolean {
  const rest = text.replace(harmless, '')
  const mark = leavesOut.exec(rest)
  if (mark === null) return false
  const value = rest.slice(mark.index + mark[0].length).replace(/^["']?\s*[:=,[\]\s]*/, '')
  return /[\w*]/.test(value) || /false|true|skipTests|only|deselect|not\s$|Remove|-k|grep|items|load_tests/.test(mark[0])
}

/** A benchmark of Rust brings its own harness; a part of the code needs what it needs. */
function isOfBenches({ path, after }: Change, line: SourceLine): boolean {
  const section = after.slice(0, after.indexOf(line)).findLast(({ code }) => /^\s*\[/.test(code))?.code ?? ''
  return path.endsWith('Cargo.toml') && /^\s*\[\[(?:bench|example|bin)\]\]/.test(section)
}

/** A test of Rust that only runs with a feature. */
function isOfTest({ after }: Change, line: SourceLine): boolean {
  return /^\s*\[\[test\]\]/.test(after.slice(0, after.indexOf(line)).findLast(({ code }) => /^\s*\[/.test(code))?.code ?? '')
}

export const runnerSettings: LineRule[] = [
  {
    rule: 'runner-narrowed',
    what,
    files: runnerFiles,
    on: 'bare',
    looksFor: leavesOut,
    where: (change, line) => leavesSomething(line.bare) && !isOfBenches(change, line),
    unless: /\b(?:skipTests|maven\.test\.skip)\b\W+false|\bgrep\b.*\|/,
  },
  { rule: 'runner-narrowed', what: 'runs only some tests', files: runnerFiles, on: 'bare', looksFor: names },
  {
    rule: 'results-changed',
    what: 'lets the runner pass tests without running them',
    files: /(^|\/)(?:\.mocharc\.\w+|package\.json)$/,
    on: 'bare',
    looksFor: /\bmocha\b.*--dry-run\b|^(?!.*[{;&|]\s*"?\w*(?:release|publish)).*["']?\bdry-?[rR]un["']?\s*:\s*true/,
    where: ({ path, after }) => path.includes('.mocharc') || after.some(({ text }) => /"mocha"|\bmocha\b.*--dry-run/.test(text)),
    isCertain: true,
  },
  {
    rule: 'runner-narrowed',
    what: 'runs tests only with a feature',
    files: /(^|\/)Cargo\.toml$/,
    on: 'code',
    looksFor: /^\s*required-features\s*=/,
    where: isOfTest,
  },
  {
    rule: 'runner-narrowed',
    what: 'runs only some tests',
    files: runnerFiles,
    on: 'bare',
    looksFor: /^\s*python_(?:files|functions|classes)\s*=(?!.*[tT]est)/,
  },
  {
    rule: 'test-skipped',
    what: 'marks tests as skipped or expected to fail',
    files: /(^|\/)conftest\.py$/,
    on: 'code',
    looksFor: /\badd_marker\(\s*pytest\.mark\.(?:skip|xfail)\b/,
  },
  {
    rule: 'runner-narrowed',
    what: 'runs tests only under a condition',
    files: /_test\.go$/,
    on: 'text',
    looksFor: /^\/\/(?:go:build|\s*\+build)\s+(?!ignore\b|.*(?:linux|windows|darwin|unix|amd64|arm|go1\.|cgo|!))\S+/,
    where: ({ kind }) => kind === 'modified',
  },
  {
    rule: 'runner-retries',
    what: 'runs failed tests again',
    files: (path) => runnerFiles.test(path) || isTestCode(path),
    on: 'bare',
    looksFor:
      /\b(?:jest|vi)\.retryTimes\s*\(\s*[1-9]|\bthis\.retries\s*\(\s*[1-9]|\b(?:retry|retries)\b['"]?\s*[:=]\s*[1-9]|--(?:retry|retries|reruns)[= ][1-9]|@pytest\.mark\.flaky\b|@flaky\b|@(?:RetryingTest|RepeatedIfExceptionsTest|Retry|Flaky)\b|\brerunFailingTestsCount\b|\bmaxRetries\b\s*=\s*[1-9]|\brspec-retry\b|\[Retry\(|\bflaky_test_attempts\b/i,
    // A test may use something that retries.
    where: ({ path }, { code }) =>
      !isTestCode(path) || /retryTimes|this\.retries|flaky|@Retry|\[Retry|^\s*(?:test|it|describe)\b/i.test(code),
  },
  {
    rule: 'runner-lenient',
    what: 'lets the runner pass without tests, or in spite of errors',
    files: runnerFiles,
    on: 'bare',
    looksFor:
      /\bpassWithNoTests\b(?!['"]?\s*[:=]\s*false)|--pass-?with-?no-?tests\b|\bdangerouslyIgnoreUnhandledErrors\b|\bfailWithoutTests\b\W+false|\bfailIfNo(?:Specified)?Tests\b\W+false|\bfailOnEmptyTestSuite\b.{0,5}false|\bfailOn(?:Risky|Warning|Skipped|Incomplete)\s*=\s*"false"|--no-tests[= ](?:pass|warn)|\btestFailureIgnore\b\W+true|\bignoreFailures\b\s*=?\s*true|\bfail_if_no_examples\b|\bfailOnStderr\b\W+false|\bsuccess_exit_codes\b|\bignore_outcome\s*=\s*true|\bfail_on_error\s*=\s*false/i,
    unless: /\b(?:checkstyle|spotbugs|pmd|javadoc)\b/i,
  },
  {
    rule: 'check-turned-off',
    what: 'turned a check off by settings',
    files: isSettings,
    on: 'bare',
    looksFor:
      /"(?:strict|noImplicit\w+|strict\w+|noUnused\w+|noUncheckedIndexedAccess|noFallthroughCasesInSwitch|exactOptionalPropertyTypes|checkJs|forceConsistentCasingInFileNames)"\s*:\s*false|"noCheck"\s*:\s*true|\bignore_errors\s*=\s*true|\b(?:strict|disallow_\w+|check_untyped_defs|warn_return_any)\s*=\s*false|\bEnabled:\s*false|<TreatWarningsAsErrors>\s*false|<(?:NoWarn|WarningsNotAsErrors)>|<Nullable>\s*disable|\bseverity\s*=\s*(?:none|silent)|^\s*(?:disable-all|DisabledByDefault)\s*:\s*true|\bignoreBuildErrors\s*:\s*true|\bignoreDuringBuilds\s*:\s*true|['"][@\w/-]+['"]\s*:\s*\[?\s*['"](?:off|allow|ignore)['"]|['"][@\w-]+\/[\w/-]+['"]\s*:\s*\[?\s*0\b|['"]no-[\w-]+['"]\s*:\s*0\b|\bnoEmitOnError['"]?\s*:\s*false/i,
  },
  {
    rule: 'check-turned-off',
    what: 'left files out of a check',
    files: (path) =>
      /(^|\/)(?:\.(?:eslint|stylelint|prettier|biome)ignore|\.?eslint[\w.]*|biome\.jsonc?|tsconfig[\w.-]*\.json|pyproject\.toml|ruff\.toml|mypy\.ini|\.flake8|setup\.cfg|tox\.ini|\.golangci\.ya?ml|\.rubocop(?:_todo)?\.ya?ml|phpstan[\w.-]*|psalm\.xml|sonar-project\.properties)$/.test(
        path,
      ),
    on: 'bare',
    looksFor:
      /"exclude"\s*:\s*\[.{0,200}\.[cm]?tsx?"|"!(?=[^"]*[\w/])|\b(?:ignorePatterns|extend-exclude|per-file-ignores|extend-ignore|excludePaths|ignoreErrors|sonar\.exclusions|sonar\.coverage\.exclusions|exclude-rules|exclude-dirs|globalIgnores)\b/,
    unless: /node_modules|dist|build|coverage|generated|vendor|fixtures?|__init__\.py|migrations/,
  },
  {
    rule: 'coverage-turned-off',
    what: 'left code out of coverage by settings',
    files:
      /(^|\/)(?:(?:jest|vitest|vite)\.config\.\w+|package\.json|\.(?:nyc|c8)rc(?:\.json)?|\.coveragerc|pyproject\.toml|setup\.cfg|\.?codecov\.ya?ml|\.simplecov|phpunit\.xml(?:\.dist)?|pom\.xml|build\.gradle(?:\.kts)?|sonar-project\.properties)$/,
    on: 'bare',
    looksFor:
      /\bcoveragePathIgnorePatterns\b|\bexclude_(?:lines|also)\b|^\s*omit\s*=|\badd_filter\b|\bcollectCoverage['"]?\s*:\s*false|\bcoverage\.exclusions\b/,
    unless:
      /node_modules|dist|tests?\b|spec|generated|\.d\.ts|migrations|__init__|TYPE_CHECKING|__repr__|NotImplementedError|abstractmethod/,
  },
  {
    rule: 'coverage-turned-off',
    what: 'left code out of coverage by an option',
    files: /(^|\/)(?:package\.json|(?:GNUm|M|m)akefile|tox\.ini|pytest\.ini)$|\.sh$/,
    on: 'bare',
    looksFor: /--(?:test-coverage-exclude|coverage\.exclude|omit)[= ](?!\S*(?:test|spec|dist|node_modules))/,
  },
  {
    rule: 'ci-changed',
    what: 'made a step of CI optional',
    files: isCi,
    on: 'bare',
    looksFor:
      /\bcontinue-on-error:\s*true|\ballow_failure:\s*true|^\s*if:\s*(?:\$\{\{\s*)?false|\bcontinueOnError:\s*true|\bfail_ci_if_error:\s*false|\bcatchError\s*\(/,
  },
]
