/** Source that detects that it is being tested, and source that brings its own mocks. */
import { isSource } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'

const variables =
  /\b(?:NODE_TEST_CONTEXT|NODE_TEST_WORKER_ID|VITEST(?:_\w+)?|JEST_WORKER_ID|MOCHA_\w+|PYTEST_CURRENT_TEST|PYTEST_VERSION|PYTEST_XDIST_WORKER|TOX_ENV_NAME|CARGO_MANIFEST_DIR_TEST|NEXTEST(?:_\w+)?|PHPUNIT_\w+|__PHPUNIT_\w+|VSTEST_\w+|BAZEL_TEST|TEST_TARGET)\b|\bRALPH_\w*/
const ways =
  /\bnpm_lifecycle_event\b.{0,40}\btest|\b(?:argv|execArgv|ARGV|os\.Args|sys\.argv|PROGRAM_NAME)\b.{0,60}(?:--test|\btest\b|pytest|rspec|jest|vitest|mocha|phpunit|\.test\b)|['"](?:pytest|unittest|_pytest|nose)[\w.]*['"]\s+(?:not\s+)?in\s+(?:list\(|set\()?sys\.modules|sys\.modules.{0,20}['"](?:pytest|unittest)[\w.]*['"]|\btesting\.Testing\(\)|flag\.Lookup\(\s*"test\.|\bcfg!\(\s*test\s*\)|#\[\s*cfg\(\s*not\(\s*test\s*\)|\btypeof\s+(?:describe|it|test|jest|vi|expect|before|suite)\b|\b(?:global(?:This)?|window)\.(?:describe|it|jest|vi|expect|__vitest\w*)\b|\bdefined\?\(?\s*(?:RSpec|Minitest|Test::Unit)|\bRails\.env\.test\?|\brunningUnitTests\(|class_exists\(\s*['"]\\?\\?PHPUnit|Class\.forName\(\s*"org\.(?:junit|testng)|(?:stack|Stack|caller|backtrace|debug_backtrace|inspect\.|Callers?\().{0,120}(?:['"`][^'"`]{0,60}|(?:match|search|contains)\(\s*\/[^/]{0,40})(?:\btest|_test|spec\b|junit|pytest|unittest|xunit|nunit|phpunit|rspec|vitest|jest|mocha)/
/** What only a program that looks for its caller, its runner or its tests asks for. */
const traces =
  /\bexecArgv\b|\bGetAssemblies\(\).{0,80}['"](?:xunit|nunit|Microsoft\.VisualStudio\.Test)|\blistenerCount\(|\b_getframe\(|\bf_back\b|\binspect\.(?:stack|currentframe|getouterframes)\(|\bnew Error\([^)]*\)\.stack\b|\{\s*stack\s*\}\s*=\s*new Error\b|\bError\.captureStackTrace\(\s*(?!this\b)|\bprepareStackTrace\b|\bgetStackTrace\(\)|\bruntime\.Callers?\(|\bdebug_backtrace\(|\bcaller_locations\b|\bStackTrace\(\)|\bStackFrame\(/
/** Reports, loggers and warnings show where they come from. */
const shows = /log|warn|deprecat|trace|debug|report|error|assert|inspect|format|message|print/i
const more =
  /\bsys\.orig_argv\b|\bnpm_(?:command|lifecycle_\w+)\b|['"](?:describe|it|expect|jest|vi|mocha|suite)['"]\s+in\s+(?:global(?:This)?|window)\b|\b(?:global(?:This)?|window)\[\s*['"](?:describe|it|expect|jest|vi|mocha)|['"][^'"]*\b(?:tests?|pytest|jest|vitest|mocha|rspec)\b[^'"]*['"]\s*(?:in|==|===|\)?\.(?:includes|test))\W.{0,40}\b(?:argv|ARGV|sys\.argv|stack|modules)\b|\bfor\s+\w+\s+in\s+(?:list\(|tuple\()?sys\.modules\b|\b(?:env|environ|ENV|[gG]etenv|LookupEnv|env::var)\b\W{0,6}(?:get\(\s*)?['"]?(?!\w*(?:URL|HOST|PORT|KEY|DB|DATABASE|USER|PASSWORD|TOKEN|DIR|PATH|FILE|ADDR|DSN|SECRET|LATEST|CONTEST|ATTEST))\w*TEST(?:S|ING|_MODE|_ENV|_RUN|_CONTEXT|ER)?\b/
const places =
  /\b(?:exists\w*|isdir|is_dir|isfile|stat\w*|access\w*|readdir\w*|listdir|glob\w*|Path|URL|join|Dir|readFile\w*|createReadStream|open|ReadFile|File\.read|file_get_contents|read_to_string|ReadAllText|require|import)\s*\(.{0,80}['"`](?:[^'"`]*\/)?(?:tests?|specs?|__tests__)(?:\/[^'"`]*)?['"`]|\/\s*['"](?:tests?|specs?)['"]|\bfrom\s+['"](?:[^'"]*\/)?(?:tests?|specs?|__tests__)\/[^'"]*['"]/
/** The same in shell scripts that are programs; those that run checks look there of course. */
const shellPlaces =
  /(?:\b(?:cat|head|tail|grep|sed|awk|source|read|cut|tac|jq)\b[^|;&]*[\s"'/=]|[[({;&|]\s*-[efdrs]\s+(?:\S*\/)?|<\s*(?:\S*\/)?|^\s*\.\s+(?:\S*\/)?|\bcd\b[^;&|]*[\s"'/])["']?(?:tests?|specs?|__tests__|fixtures?)\b(?:\/[\w./*?$@{}[\]-]+|["']?\s*(?:&&|;|$))/
const isShellProgram = (path: string): boolean =>
  /\.(?:sh|bash|zsh)$/.test(path) &&
  !isOfTools.test(path) &&
  !/(^|\/)(?:tests?|specs?|fixtures?|ci|hooks?|tools?|\.\w+)\/|(^|\/)[\w-]*(?:check|verify|ci|setup|install|release|deploy|run|hook)[\w-]*\.\w+$/.test(
    path,
  )
const ci =
  /\b(?:env|environ|ENV|[gG]etenv|LookupEnv|env::var)\b\W{0,6}(?:get\(\s*)?['"]?(?:CI|CONTINUOUS_INTEGRATION|GITHUB_ACTIONS)\b/
const elsewhere =
  /\b(?:process\.cwd\(\)|os\.getcwd\(\)|Dir\.pwd|getcwd\(\)|os\.hostname\(\)|gethostname\(\)|userInfo\(\)\.username|getpass\.getuser\(\))\s*(?:\.(?:includes|startsWith|endsWith|match|startswith|endswith|contains)\(|[=!]==?|in\b)/
export const isOfTools =
  /(^|\/)(?:[\w-]*(?:test|spec|mock|runner|lint|build|config|cli|bin|tool|script|plugin|loader|debug|log)[\w-]*)(?:\/|\.\w+$)/i
const nodeEnv =
  /\b(?:NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|DJANGO_ENV|FLASK_ENV|ENVIRONMENT)\b.{0,30}(?:[=!]==?|eq\?|equals\()\s*\(?\s*['"]test(?:ing)?['"]/
/** Servers, loggers and caches are quiet in tests everywhere. */
const quiet =
  /\b(?:listen|log\w*|morgan|silent|debug|cache|console|level|sentry|telemetry|analytics|connect|port|PORT)\b|:memory:|sqlite|\b(?:\w*database\w*|db\w*|redis|smtp|mail\w*|transport|storage)\b/i
const quietInCi =
  /\b(?:log\w*|colou?rs?|spinner|progress|tty|interactive|prompt|verbose|reporter|silent|telemetry|analytics|update|notif\w*|banner|isCI)\b/i
const ownTests = /import\.meta\.vitest|#\[\s*cfg\(\s*test\s*\)|if\s+__name__/

/** Scripts that run checks know make. */
const isOfChecks = /(^|\/)(?:tests?|specs?|ci|tools?|build|\.\w+)\/|(^|\/)[\w-]*(?:check|test|ci|build|make)[\w-]*\.\w+$/
/** Only make sets these. */
const ofMake = /\$\{?(?:MAKELEVEL|MAKEFLAGS|MFLAGS)\b|["'](?:MAKELEVEL|MAKEFLAGS|MFLAGS)["']|\benv\.(?:MAKELEVEL|MAKEFLAGS)\b/

export const testEnvironment: LineRule[] = [
  {
    rule: 'test-detected',
    what: 'is compiled differently for tests',
    files: (path) => /\.(?:c|h|cc|cpp|cxx|hpp|m|mm)$/.test(path) && isSource(path),
    on: 'text',
    looksFor: /^\s*#\s*(?:if(?:n?def)?|elif)\b.*\b(?:\w+_)?(?:UNIT_?)?TEST(?:S|ING)?\b/,
    isBeyondChecks: true,
    where: ({ after }, line) => {
      const inside = after.slice(after.indexOf(line) + 1, after.indexOf(line) + 8)
      const end = inside.findIndex(({ text }) => /^\s*#\s*endif\b/.test(text))
      return inside
        .slice(0, end === -1 ? inside.length : end)
        .some(({ text }) => /\breturn\b|(?<![=!<>])=(?!=)|\bgoto\b/.test(text))
    },
  },
  {
    rule: 'test-detected',
    what: 'detects in the source that make started it',
    files: (path) => isSource(path) || (/\.(?:sh|bash|zsh|awk)$/.test(path) && !isOfChecks.test(path)),
    on: 'bare',
    looksFor: ofMake,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'detects in the source that it is being tested',
    files: isSource,
    on: 'bare',
    looksFor: variables,
    unless: ownTests,
    isBeyondChecks: true,
    where: isRun,
  },
  {
    rule: 'test-detected',
    what: 'detects in the source that it is being tested',
    files: isSource,
    on: 'bare',
    looksFor: ways,
    unless: ownTests,
    isBeyondChecks: true,
    where: isRun,
  },
  {
    rule: 'test-detected',
    what: 'detects in the source that it is being tested',
    files: isSource,
    on: 'bare',
    looksFor: nodeEnv,
    isBeyondChecks: true,
    where: (change, line) => {
      const at = change.after.indexOf(line)
      return isRun(change, line) && !change.after.slice(at, at + 3).some(({ text }) => quiet.test(text.replace(nodeEnv, '')))
    },
  },
  {
    rule: 'test-detected',
    what: 'detects in the source that it is being tested',
    files: isSource,
    on: 'bare',
    looksFor: more,
    unless: ownTests,
    isBeyondChecks: true,
    where: isRun,
  },
  {
    rule: 'test-detected',
    what: 'looks in the source for its caller or its runner',
    files: (path) => isSource(path) && !isOfTools.test(path),
    on: 'bare',
    looksFor: traces,
    isBeyondChecks: true,
    where: (change, line) => {
      const at = change.after.indexOf(line)
      const around = change.after.slice(Math.max(0, at - 4), at + 4)
      return (
        isRun(change, line) &&
        !around.some(({ code }) => shows.test(code.replace(traces, '').replace(/\bnew Error\b|\bStackTraceElement\b/g, '')))
      )
    },
  },
  {
    rule: 'test-detected',
    what: 'looks for the test folder in the source',
    files: (path) => isSource(path) && !isOfTools.test(path),
    on: 'bare',
    looksFor: places,
    isBeyondChecks: true,
    where: isRun,
  },
  {
    rule: 'test-detected',
    what: 'looks for the test folder in a program',
    files: isShellProgram,
    on: 'bare',
    looksFor: shellPlaces,
    isBeyondChecks: true,
    where: isRun,
  },
  {
    rule: 'test-detected',
    what: 'detects in the source where it runs',
    files: (path) => isSource(path) && !isOfTools.test(path),
    on: 'bare',
    looksFor: elsewhere,
    isBeyondChecks: true,
    where: isRun,
  },
  {
    rule: 'test-detected',
    what: 'detects in the source that it runs in CI',
    files: (path) => isSource(path) && !isOfTools.test(path),
    on: 'bare',
    looksFor: ci,
    isBeyondChecks: true,
    where: (change, line) => {
      const at = change.after.indexOf(line)
      return isRun(change, line) && !change.after.slice(at, at + 3).some(({ text }) => quietInCi.test(text.replace(ci, '')))
    },
  },
  {
    rule: 'test-detected',
    what: 'uses the test runner in the source',
    files: (path) => isSource(path) && !isOfTools.test(path),
    on: 'bare',
    looksFor:
      /^\s*(?:import\b.*\bfrom\s+|(?:const|let|var)\b.*\brequire\(\s*)['"](?:node:test|vitest|@jest\/globals|mocha|chai|ava|tap|@playwright\/test|uvu)['"]|^\s*(?:from|import)\s+(?:_?pytest|unittest)\b/,
    unless: /\bimport type\b|unittest\.mock/,
    isBeyondChecks: true,
  },
  {
    rule: 'special-case',
    what: 'depends on how often it was called, or on the date',
    files: isSource,
    on: 'code',
    looksFor:
      /\bif\b.*\b(?:calls?|called|callCount|call_count|invocations?|uses|times|counter|hits|runs|nth)\s*(?:[<>]=?|[=!]==?)\s*\d+|\b(?:calls?|called|callCount|call_count|invocations?|uses|hits|runs|nth)\s*(?:[<>]=?|[=!]==?)\s*(?:[2-9]|\d{2,})\s*\?(?!\.)|\bDate\.now\(\)\s*[<>]=?\s*(?:\d{10,}|Date\.(?:UTC|parse)\()|\bnew Date\(\)\s*[<>]=?\s*new Date\(|\b(?:datetime\.(?:now|today|utcnow)\(\)|date\.today\(\))\s*[<>]=?\s*(?:datetime|date)\(|\btime\.time\(\)\s*[<>]=?\s*\d{9,}/,
    unless: /retr|attempt|limit|max|rate|expire|until|deadline|timeout|ttl/i,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'reads a test file in the source',
    files: isSource,
    on: 'bare',
    looksFor:
      /\b(?:readFile\w*|open|read_text|ReadFile|File\.read|file_get_contents|read_to_string|readlines|ReadAllText)\s*\(.{0,120}(?:\.(?:test|spec)\.|_test\.|\btest_\w+\.py|_spec\.rb)/,
    isBeyondChecks: true,
  },
  {
    rule: 'content-hidden',
    what: 'reads a file that is not in the repository',
    files: (path) => isSource(path) && !isOfTools.test(path),
    on: 'bare',
    looksFor:
      /\b(?:readFile\w*|createReadStream|open|read_text|ReadFile|File\.read|file_get_contents|read_to_string|ReadAllText|require|import)\s*\(.{0,80}(?:\bhomedir\(\)|\bexpanduser\(|\bPath\.home\(\)|\btmpdir\(\)|\bgettempdir\(\)|\bUserHomeDir\(\)|\bTempDir\(\)|['"`](?:~|\/(?:tmp|home|root|dev\/shm|opt))\/)|\bPath\.home\(\).{0,60}\.read_text\(|\bPath\(\s*['"](?:~|\/tmp|\/home|\/root)\/.{0,60}\.read_text\(/,
    unless: /config|settings|\.ssh|cache|history|credential|token|profile|rc\b/i,
    isBeyondChecks: true,
    where: isRun,
  },
  {
    rule: 'failure-ignored',
    what: 'catches all unhandled errors',
    files: isSource,
    on: 'bare',
    looksFor: /\bprocess\.(?:on|once)\(\s*['"`](?:uncaughtException|unhandledRejection)|\bsys\.excepthook\s*=/,
    // A program decides how it ends; a function does that for the program that calls it.
    where: ({ after }, line) => {
      const at = after.indexOf(line)
      const isEnded = after.slice(at, at + 6).some(({ code }) => ends.test(code))
      return !isEnded && /^\S/.test(line.text) && !(hasStart(after) && !after.some(({ code }) => exported.test(code)))
    },
    isBeyondChecks: true,
  },
  {
    rule: 'mock-in-source',
    what: 'uses a mock in the source',
    files: isSource,
    on: 'code',
    looksFor:
      /\b(?:jest|vi)\.(?:fn|mock|spyOn)\s*\(|\bsinon\.(?:stub|mock|fake)\b|\b(?:MagicMock|AsyncMock)\s*\(|\bunittest\.mock\b|\bmock\.(?:method|module|fn)\s*\(|\bMockito\.(?:mock|when)\s*\(|\bgomock\.\w+|\bMock<\w+>|\bcreateMock\s*\(/,
    isBeyondChecks: true,
  },
]

const ends = /\bexit\w*\s*[(=]|\bthrow\b|\braise\b|\babort\b|exitCode/
const exported = /^\s*export\b|\bmodule\.exports\b|\bexports\.\w|^(?:async\s+)?def\s|^class\s/
const hasStart = (lines: SourceLine[]): boolean =>
  lines.some(({ text }) => /^#!|\bprocess\.argv\b|\.listen\s*\(|^(?:await\s+)?(?:main|run|start|serve)\w*\s*\(/.test(text))

/** Not only in a comment or in words. */
export function isRun(_: unknown, { text, code }: { text: string; code: string }): boolean {
  return code.trim() !== '' && !/^\s*(?:["'`]|\*|\/\/|#(?!\[))/.test(text)
}
