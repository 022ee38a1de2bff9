/** An assertion library or test runner that is patched to pass. */
import type { Finding } from '../../proof/finding.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isCode, isSettings, isSource, isTestCode } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'

const script = /\.[cm]?[jt]sx?$/
const libraries =
  '(?:node:)?(?:assert(?:/strict)?|test)|chai|vitest|expect|@jest/globals|should|power-assert|uvu(?:/assert)?|tap|tape|ava|mocha|jasmine|jest-circus|@vitest/(?:runner|expect)|@playwright/test'
/** `createRequire(import.meta.url)` gives a `require`, and so on. */
const loads = String.raw`await\s+import|require|createRequire\([^()]*\)|process\.getBuiltinModule`
const bound = [
  new RegExp(
    String.raw`\bimport\s+(?:\*\s+as\s+)?([A-Za-z_$][\w$]*)\s*(?:,\s*\{[^}]{0,200}\})?\s+from\s+['"](?:${libraries})['"]`,
  ),
  new RegExp(String.raw`\bimport\s+(?:[A-Za-z_$][\w$]*\s*,\s*)?\{([^}]{0,300})\}\s*from\s+['"](?:${libraries})['"]`),
  new RegExp(String.raw`\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:${loads})\(\s*['"](?:${libraries})['"]\s*\)`),
  new RegExp(String.raw`\b(?:const|let|var)\s+\{([^}]{0,300})\}\s*=\s*(?:${loads})\(\s*['"](?:${libraries})['"]\s*\)`),
]
const direct = new RegExp(
  String.raw`(?:${loads})\(\s*['"](?:${libraries})['"]\s*\)(?:\.\w+)*(?:\.\w+|\[[^\]]{1,60}\])\s*=[^=>]|(?:Object\.(?:assign|definePropert\w+)|Reflect\.(?:set|defineProperty))\(\s*(?:${loads})\(\s*['"](?:${libraries})['"]`,
)
/** A module that is replaced for all who load it. */
const replaced = new RegExp(
  String.raw`\b(?:jest|vi)\.(?:do)?[mM]ock\(\s*['"](?:${libraries})['"]|\bmock\.module\(\s*['"](?:${libraries})['"]|require\.cache\[\s*require\.resolve\(\s*['"](?:${libraries})['"]`,
)
const ownMatchers =
  /^(?:toBe|toEqual|toStrictEqual|toThrow|toMatch|toContain|toHaveLength|toBeDefined|toBeTruthy|toBeNull|toMatchObject|toHaveBeenCalledWith)\s*[(:]/

/** Assignments to the members of what was imported from an assertion library. */
export function patchedInScript(change: Change): Finding[] {
  const { path, added, after } = change
  if (!script.test(path) || !isCode(path) || added.length === 0) return []
  const imports = new Set(after.flatMap(({ text }) => namesBound(text)))
  const isOwn = after.some(({ code }) => /\b(?:const|let|var|function)\s+expect\b/.test(code))
  const names = new Set([...(isOwn ? [] : ['expect']), ...imports])
  if (names.size === 0) names.add('(?!)')
  const all = [...names].map((name) => name.replaceAll('$', '\\$')).join('|')
  const assigns = new RegExp(
    String.raw`(?<![\w$.])(?:${all})(?:\.strict|\.prototype|\.default|\.AssertionError|\.Assertion|\.assert)*(?:\.\w+|\[[^\]]{1,60}\])\s*=[^=>]`,
  )
  const calls = new RegExp(
    String.raw`(?:Object\.(?:assign|definePropert\w+|setPrototypeOf)|Reflect\.(?:set|defineProperty)|mock\.method|(?:jest|vi)\.spyOn|sinon\.(?:stub|replace))\(\s*(?:${all})(?:\.strict|\.prototype|\.Assertion(?:\.prototype)?)?\s*,`,
  )
  return freshIn(change, (other) => isTestCode(other) === isTestCode(path)).flatMap((line): Finding[] => {
    const { at, text, bare, code } = line
    if (code.trim() === '') return []
    const replacedGlobal = globalIn(line, after, imports)
    const how =
      assigns.exec(code)?.[0] ??
      calls.exec(code)?.[0] ??
      (code.trim() === '' ? undefined : (direct.exec(text)?.[0] ?? replaced.exec(text)?.[0])) ??
      /^\s*(?:Object\.is|util\.isDeepStrictEqual)\s*=[^=>]|\btest\.state\s*=\s*['"]passed/.exec(bare)?.[0] ??
      replacedGlobal?.how ??
      /\b(?:chai|utils)?\.?Assertion\.(?:overwrite\w+\(\s*['"](?:equal|eql|ok|true|include|throw)(?!.*\b_super\b)|prototype\.\w+\s*=)/.exec(
        imports.size > 0 ? text : '',
      )?.[0] ??
      (ownMatchers.test(text.trim()) &&
      added
        .slice(Math.max(0, added.indexOf(line) - 30), added.indexOf(line))
        .some((other) => /\bexpect\.extend\(/.test(other.code))
        ? text.trim()
        : undefined)
    if (how === undefined || isTyped(how, code) || isAddition(how)) return []
    if (/\bsnapshot|\.(?:config|toString|formatters?|defaults?)\b/i.test(how)) return []
    return [patched(path, at, how, replacedGlobal === null || replacedGlobal.isOwn)]
  })
}

/** A global of the runner that is replaced; one that is brought from a library is the library's. `isOwn`: by a function of this file. */
function globalIn({ code, bare }: SourceLine, after: SourceLine[], imports: Set<string>): { how: string; isOwn: boolean } | null {
  const [how, value = ''] =
    /(?<![\w$.])(?:global(?:This)?|window)\.(?:expect|assert|test|it|describe)\s*=(?![=>])\s*(.*)/.exec(bare) ?? []
  if (how === undefined || !/(?:global(?:This)?|window)\.\w+\s*=/.test(code)) return null
  const [name = ''] = /^[A-Za-z_$][\w$]*/.exec(value) ?? []
  const isBound = (to: string): boolean => {
    const binds = new RegExp(String.raw`\b${name.replaceAll('$', '\\$')}\s*=\s*${to}`)
    return name.length > 1 && after.some((line) => line.bare.includes(name) && binds.test(line.bare))
  }
  if (packaged.test(value) || (/^[\w$.]+;?$/.test(value) && imports.has(name)) || isBound(String.raw`require\(\s*['"](?![./])`))
    return null
  const isFunction = after.some((line) => line.code.includes(`function ${name}`)) || isBound(made)
  return { how: how.slice(0, how.length - value.length), isOwn: new RegExp(`^${made}`).test(value) || isFunction }
}
const packaged = /^require\(\s*['"](?![./])[\w@/:.-]+['"]\s*\)/
const made = String.raw`(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|[\w$]+\s*=>|new Proxy\b|\{|Object\.)`

/** A name that the library does not have: an assertion of its own. */
const isAddition = (how: string): boolean => {
  const name = /^[\w$]+\.(\w+)\s*=/.exec(how.trim())?.[1]
  return name !== undefined && /^assert\b/.test(how.trim()) && !ofLibrary.test(name)
}
const ofLibrary =
  /^(?:ok|fail|equal\w*|eql?|strict\w*|deep\w*|loose\w*|not(?:Ok|Equal|Same|Match|Include|Property|Strict|Deep|Throws?|Exists|TypeOf|InstanceOf)\w*|throws?|doesNot\w*|rejects|match|ifError|same\w*|is(?:Not)?(?:Ok|True|False|Null|NaN|Undefined|Defined|Function|Object|Array|String|Number|Boolean|Above|Below|AtLeast|AtMost|Frozen|Sealed|Empty|Finite|Iterable)|include\w*|property\w*|length\w*|exists?|typeOf|instanceOf|closeTo|approximately|Assert\w*|partial\w*|default|prototype)$/

const isTyped = (how: string, code: string): boolean =>
  /^\s*(?:type|interface|declare)\b/.test(code) || /expect\.(?:extend|getState|setState)/.test(how)

function namesBound(text: string): string[] {
  return bound
    .flatMap((pattern) =>
      (pattern.exec(text)?.[1] ?? '')
        .split(',')
        .map((each) => (/(?:\bas\b|:)\s*([A-Za-z_$][\w$]*)\s*$/.exec(each)?.[1] ?? each).trim()),
    )
    .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name))
}

const patched = (path: string, at: number, how: string, isCertain: boolean): Finding => ({
  rule: 'assertions-patched',
  file: path,
  line: at,
  words: `patched the assertion library or the test runner in ${path} (${how.trim().slice(0, 60)}, line ${at})`,
  ...(isCertain ? { isCertain } : {}),
})

const what = 'patched the assertion library or the test runner'

/** What a method that overrides an assertion does to be one. */
const asserts = /\bsuper\(|TestCase\.assert|\braise\b|self\.fail|^\s*assert\b/

/** A method, until a line that is indented no more than its first one. */
function bodyAt(lines: SourceLine[], at: number): SourceLine[] {
  const indent = indentOf(lines[at])
  const end = lines.findIndex((line, index) => index > at && line.text.trim() !== '' && indentOf(line) <= indent)
  return lines.slice(at, end === -1 ? lines.length : end)
}

/** The line that begins the class of a method of Python. */
function classAround(lines: SourceLine[], at: number): string {
  const indent = indentOf(lines[at])
  return (
    lines.slice(0, at).findLast((line) => /^\s*(?:[a-z]+\s+){0,4}class\s/.test(line.code) && indentOf(line) < indent)?.code ?? ''
  )
}
const indentOf = (line: SourceLine | undefined): number => (line?.text ?? '').search(/\S/)

/** Its body says yes, or looks at nothing that the other one has. */
function saysYes({ after }: Change, line: SourceLine): boolean {
  const at = after.indexOf(line)
  const indent = line.text.search(/\S/)
  const rest = after.slice(at + 1, at + 12)
  const end = rest.findIndex(({ text }) => text.trim() !== '' && text.search(/\S/) <= indent)
  const body = [line, ...rest.slice(0, end === -1 ? rest.length : end)]
  if (body.some(({ code }) => /\bor\s+(?:True|1)\b|\|\|\s*true\b|\bTrue\s+or\b|\btrue\s*\|\|/.test(code))) return true
  // A value without parts of its own equals others of its kind.
  const own = /\bclass\s+(\w+)/.exec(classAround(after, at))?.[1] ?? '(?!)'
  const isOfOwnKind = new RegExp(`\\b(?:isinstance\\(.*|instanceof|is)\\s*${own}\\b|\\btype\\(self|\\b__class__|getClass|GetType`)
  if (body.some(({ code }) => /(?:\breturn|=>|\{|^|=)\s*(?:True|true)\s*;?\s*\}?\s*$/.test(code)))
    return !body.some(
      ({ code }) => isOfOwnKind.test(code) || (!asksForType.test(code) && /\bif\b|\breturn\b(?!\s*(?:True|true)\b)/.test(code)),
    )
  const other = /\((?:&?self,\s*|const\s+\w+\s*&\s*|[\w?.<>&]+\s+)?&?(\w+)/.exec(line.code)?.[1] ?? 'other'
  return (
    /\bdef __eq__\(/.test(line.code) &&
    !body
      .slice(1)
      .some(
        ({ code }) =>
          isOfOwnKind.test(code) ||
          new RegExp(
            `\\b${other}\\s*\\.|\\b${other}\\[|super\\(|type\\(|is\\s+${other}|${other}\\s*(?:is|==)|==\\s*${other}|\\(${other}\\)\\s*==|==\\s*\\w+\\(${other}\\)|\\b(?:compare|equal)\\w*\\(`,
          ).test(code),
      )
  )
}

/** Asks for the type of the other one alone, and leaves if it is another. */
const asksForType = /^\s*if\s*\(?\s*(?:not\b|!)[\s(]*(?:isinstance\(|.*\binstanceof\b|.*\bis\s)|\breturn\s+NotImplemented\b/

/** The same in other languages, and by settings. */
export const patchedElsewhere: LineRule[] = [
  {
    rule: 'assertions-patched',
    what,
    files: /\.py$/,
    on: 'code',
    looksFor:
      /\b(?:unittest\.)?(?:TestCase|TestResult|TextTestResult|TextTestRunner|TestSuite)\.(?:assert\w*|fail\w*|run\w*|add(?:Failure|Error)\w*|wasSuccessful|_\w+|__\w+__)\s*=[^=]|\bsetattr\(\s*(?:unittest(?:\.\w+)*|pytest|_pytest(?:\.\w+)*|\w*TestCase)\s*,|\b(?:_pytest(?:\.\w+)+|pytest)\.(?:raises|fail|Item\.\w+|Function\.\w+|Session\.\w+|ExitCode\.\w+|main)\s*=[^=]|\bbuiltins\.(?:AssertionError|assert\w*|__import__)\s*=[^=]|\bAssertionError\.__\w+__\s*=|^\s*(?:Function|Item|Session|Module|Runner|TestReport|CallInfo|PyCollector)\.(?:runtest|setup|teardown|perform_collect|outcome|passed|failed|from_item_and_call|\w*call\w*|exitstatus)\s*=[^=]/,
    unless: /=\s*(?:unittest\.)?TestCase\.assert\w+\s*$|=\s*_?assert[A-Z]\w+$/,
    isCertain: true,
  },
  {
    rule: 'assertions-patched',
    what: 'overrides an assertion',
    files: /\.py$/,
    on: 'code',
    looksFor: /^\s+def\s+(?:assertEqual|assertTrue|assertFalse|assertRaises|assertIn|assertIsNone|fail)\s*\(\s*self\b/,
    where: ({ after }, line) => {
      const at = after.indexOf(line)
      const isStrict = after.slice(at + 1, at + 8).some(({ code }) => asserts.test(code))
      return !isStrict && /TestCase|Tests?\b|Mixin/.test(classAround(after, at))
    },
    isCertain: true,
  },
  {
    rule: 'equals-anything',
    what: 'makes a value equal to everything',
    files: (path) => isCode(path),
    on: 'code',
    looksFor:
      /\bdef __(?:eq|ne)__\(|\[Symbol\.toPrimitive\]|\bbool operator==\(|\bboolean equals\(|\bbool Equals\(|\bfun equals\(|\bdef ==\s*\(|\bfn eq\(&self|\bfunc ==/,
    where: (change, line) =>
      /toPrimitive/.test(line.code)
        ? !bodyAt(change.after, change.after.indexOf(line)).some(({ code }) => /\bthis\b/.test(code))
        : saysYes(change, line),
    isBeyondChecks: true,
  },
  {
    rule: 'equals-anything',
    what: 'makes a value equal to everything',
    files: (path) => isCode(path),
    on: 'bare',
    looksFor:
      /\b__(?:eq|ne)__['"]?\s*[:=]\s*lambda\b|\bvalueOf\s*:\s*(?:\(\)\s*=>|function\b)(?!.*\bthis\b)|\b__proto__\s*:\s*(?:Number|String|Object|Array)\.prototype|=>\s*true\b.*\bequals\b|\bequals\s*:\s*\(.{0,20}\)\s*=>\s*true\b|\bfrom unittest\.mock import .*\bANY\b/,
    where: ({ path }) => !isTestCode(path),
    isBeyondChecks: true,
  },
  {
    rule: 'equals-anything',
    what: 'makes a value that test matchers accept as equal',
    files: (path) => isSource(path) && !/matcher|expect|assert/i.test(path),
    on: 'bare',
    looksFor: /\basymmetricMatch\b|\bjest\.asymmetricMatcher\b/,
    isBeyondChecks: true,
  },
  {
    rule: 'assertions-patched',
    what: 'changes built-ins of the language',
    files: (path) => isSource(path),
    on: 'code',
    looksFor:
      /^\s*(?:global(?:This)?\.)?(?:Object|Array|String|Number|Boolean|Math|JSON|Reflect|Map|Set|RegExp|Promise|Error|Symbol|Date|performance|Intl(?:\.\w+)?)(?:\.prototype)?\.(?!stackTraceLimit)\w+\s*=[^=>]|\bObject\.definePropert(?:y|ies)\(\s*(?:Object|Array|String|Number|Boolean|Math|JSON|Map|Set|RegExp|Error|Date|performance|Intl(?:\.\w+)?)(?:\.prototype)?\s*,|^\s*(?:import )?builtins\.\w+\s*=[^=]|\bsetattr\(\s*builtins\s*,/,
    // A polyfill is there where something is missing.
    where: ({ path, after }, line) => {
      const at = after.indexOf(line)
      return (
        !/polyfill|shim|compat|extensions?|monkey/i.test(path) &&
        !after
          .slice(Math.max(0, at - 2), at + 1)
          .some(({ code }) =>
            /\bif\s*\(\s*(?:!|typeof)|\?\?=|\|\|=|=\s*[\w.]+\s*(?:\|\||\?\?)|\bunless\b|\bnot hasattr\b/.test(code),
          )
      )
    },
    isBeyondChecks: true,
  },
  {
    rule: 'results-changed',
    what: 'changes the results of tests',
    files: /(^|\/)conftest\.py$|(?:^|\/)(?:\w*plugin\w*|test_\w+|\w*conftest\w*)\.py$/,
    on: 'code',
    // Only hooks of pytest can: elsewhere these are names of the project.
    where: ({ path, after }) => /conftest/.test(path) || after.some(({ code }) => /\bdef pytest_\w+|\bhookimpl\b/.test(code)),
    looksFor:
      /\b(?:rep|report|result|outcome|r|call)\.outcome\s*=\s*['"]|\bsession\.exitstatus\s*=|\bsession\.testsfailed\s*=|\bcall\.excinfo\s*=\s*None|\bitems\.clear\(\)|\bitems\[:\]\s*=\s*\[\s*\]|\breport\.(?:failed|passed)\s*=/,
    isCertain: true,
  },
  {
    rule: 'assertions-patched',
    what,
    files: /\.rs$/,
    on: 'code',
    looksFor: /\bmacro_rules!\s*(?:assert|assert_eq|assert_ne|panic)\s*\{/,
    isCertain: true,
  },
  {
    rule: 'assertions-patched',
    what,
    files: /\.rb$/,
    on: 'code',
    looksFor:
      /\bdef\s+(?:assert|assert_equal|assert_nil|assert_raises|assert_includes|refute|refute_equal|flunk)\b|\b(?:Minitest|RSpec|Test::Unit)(?:::\w+)+\.(?:class_eval|module_eval|prepend|send\(?\s*:(?:define|remove|alias)_method|define_method|remove_method)\b/,
    where: ({ path, after }) =>
      after.some(({ code }) => /\bdef\s+(?:assert|refute|flunk|run|pass|fail|error|result)\w*|_method\b/.test(code)) &&
      /(^|\/)(?:tests?|specs?|lib|config)\//.test(path) &&
      after.some(({ code }) => /\b(?:module|class)\s+(?:Minitest|RSpec|Test::Unit)\b|::Assertions\b/.test(code)) &&
      !/(^|\/)lib\/(?:minitest|rspec|test)/.test(path),
    isCertain: true,
  },
  {
    rule: 'assertions-patched',
    what,
    files: /\.php$/,
    on: 'code',
    looksFor: /\bclass\s+(?:Assert|TestCase)\b(?!\s+extends\s+\\?PHPUnit)/,
    where: ({ kind, after }) =>
      kind === 'added' && after.some(({ code }) => /^\s*namespace\s+PHPUnit\\Framework\s*[;{]/.test(code)),
    isCertain: true,
  },
  {
    rule: 'assertions-patched',
    what,
    files: /\.(?:java|kt)$/,
    on: 'code',
    looksFor: /^\s*package\s+(?:org\.junit(?:\.jupiter\.api)?|org\.assertj\.core\.api|org\.hamcrest|org\.testng)\s*;?\s*$/,
    where: ({ kind, after }) =>
      kind === 'added' &&
      after.some(({ code }) => /\b(?:class|object|interface)\s+(?:Assert|Assertions|MatcherAssert)\b/.test(code)),
    isCertain: true,
  },
  {
    rule: 'assertions-patched',
    what,
    files: /\.cs$/,
    on: 'code',
    looksFor: /^\s*namespace\s+(?:Xunit|NUnit\.Framework|Microsoft\.VisualStudio\.TestTools\.UnitTesting)\b/,
    where: ({ kind, after }) => kind === 'added' && after.some(({ code }) => /\bclass\s+Assert\b/.test(code)),
    isCertain: true,
  },
  {
    rule: 'assertions-patched',
    what,
    files: (path) => isSettings(path) || /(^|\/)go\.mod$|(^|\/)Cargo\.toml$/.test(path),
    on: 'bare',
    looksFor:
      /['"^](?:node:assert|assert|chai|vitest|jest|mocha|expect|@jest\/globals|node:test)(?:\/strict)?\$?['"]\s*:\s*(?:\[\s*)?(?:['"](?:<rootDir>|\.{0,2}\/|file:|link:|portal:)|path\.\w+\(|resolve\(|new URL\()|^\s*(?:replace\s+)?github\.com\/(?:stretchr\/testify|google\/go-cmp|onsi\/gomega)\b.*=>\s*\.{0,2}\/|^\s*(?:pretty_assertions|insta|proptest|assert_cmd)\s*=.*\bpath\s*=/,
    isCertain: true,
  },
]
