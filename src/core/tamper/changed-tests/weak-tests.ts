/** New tests of changed code that compare nothing: they pass whatever the code does. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { testsIn } from '../code/languages.ts'
import type { MatchedTests } from './matched-tests.ts'
import { type Assertion, outsideTests, type TestBlock } from './test-blocks.ts'

const most = 3

/** Only if no new test, and nothing that came to an older one, compares anything. */
export function weakTests(changes: Change[], { pairs, fresh, lost }: MatchedTests): Finding[] {
  const sources = changes.filter(({ path, added }) => isSource(path) && added.some(({ code }) => code.trim() !== ''))
  if (sources.length === 0 || fresh.length === 0 || lost.length > 0) return []
  const gained = pairs.map(({ before, after }): TestBlock => {
    const known = new Set(before.assertions.map(({ text }) => text))
    return { ...after, assertions: after.assertions.filter(({ text }) => !known.has(text)) }
  })
  const idle = idleHelpers(changes)
  const tells = (block: TestBlock): boolean =>
    block.assertions.some((one) => isTelling(one, block) && idleIn(one, idle) === undefined)
  const isTold = [...gained, ...fresh].some(tells)
  if (!isTold && fresh.some((block) => block.assertions.length === 0 && mayAssert(block, changes))) return []
  const weak = isTold ? fresh.filter((block) => onlyCalls(block, changes)) : fresh
  const names = weak.slice(0, most).map(({ name }) => JSON.stringify(name))
  if (weak[0] === undefined) return []
  const [{ path, at }] = weak
  const helper = weak[0].assertions.map((one) => idleIn(one, idle)).find((each) => each !== undefined)
  const through = helper === undefined ? '' : `, through a helper that compares none, in ${helper}`
  const words = `added tests that compare no result: ${names.join(', ')}${weak.length > most ? ', …' : ''} in ${path}${through}`
  return [{ rule: 'test-weak', file: path, line: at, words, isBeyondChecks: true }]
}

/** Beside others that compare: calls whose results nobody looks at, as they are good for coverage alone. That nothing fails may be what it shows. */
function onlyCalls(block: TestBlock, changes: Change[]): boolean {
  const { name, lines, assertions } = block
  if (assertions.length > 0 || !/\.[cm]?[jt]sx?$/.test(block.path) || mayAssert(block, changes)) return false
  const calls = lines.slice(1).filter(({ code }) => /^\s*(?:await\s+)?[\w$.]+\(.*\);?$/.test(code))
  return calls.length > 1 && !/\b(?:throws?|crash\w*|fails?|errors?|renders?|smoke|accepts?|allows?|without)\b/i.test(name)
}

const bindsCall =
  /^\s*(?:const|let|var)?\s*(?:([A-Za-z_$][\w$]*)|\{([^{}]*)\})\s*:?=\s*(?:await\s+)?([A-Za-z_$][\w$.]*\([^)].*\));?\s*$/
/** Under such a name stands what somebody knows from elsewhere. */
const isOfKnown = /want|expect|should|correct|reference|golden|truth/i

/** New tests whose expected values come from the call that they are about. */
export function comparedWithThemselves({ fresh }: MatchedTests): Finding[] {
  return fresh.flatMap((block): Finding[] => {
    const bound = block.lines.flatMap(({ bare }) => {
      const [, one, names, call] = bindsCall.exec(bare) ?? []
      return call === undefined ? [] : [{ call, names: (one ?? names ?? '').match(/[A-Za-z_$][\w$]*/g) ?? [] }]
    })
    const pairs = bound
      .filter(({ names }) => names.some((name) => isOfKnown.test(name)))
      .flatMap((known) => bound.filter((other) => other !== known && other.call === known.call).map((other) => [known, other]))
    const asserting = block.assertions.filter(({ strength }) => strength > 0)
    const self = asserting.find(({ text }) => pairs.some((pair) => pair.every(({ names }) => mentions(text, names))))
    if (self === undefined || asserting.some((each) => each !== self && tellsValue.test(each.text))) return []
    const words = `compares a call with itself in the test ${JSON.stringify(block.name)} in ${block.path} (line ${self.at})`
    return [{ rule: 'test-weak', file: block.path, line: self.at, words, isBeyondChecks: true }]
  })
}

/** An error that a new test expects, and that need not come. */
export function suppressedErrors({ fresh }: MatchedTests): Finding[] {
  return fresh.flatMap((block): Finding[] => {
    const line = block.lines.find(({ code }) => /^\s*with\b.*\b(?:contextlib\.)?suppress\(\s*[A-Z]/.test(code))
    const isNested = block.lines.slice(1).some(({ code }) => /^\s*(?:async\s+)?def\b/.test(code))
    if (line === undefined || isNested || block.lines.some(({ code }) => /\b(?:raises|assertRaises\w*)\(/.test(code))) return []
    const words = `ignores an error that may never occur in the test ${JSON.stringify(block.name)} in ${block.path} (line ${line.at})`
    return [{ rule: 'test-weak', file: block.path, line: line.at, words, isBeyondChecks: true }]
  })
}

const mentions = (text: string, names: string[]): boolean =>
  names.some((name) => new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text))

/** A value that was written by somebody. */
const tellsValue = /[(,=[:]\s*(?:-?\d|"[^"]|true\b|false\b|null\b)/

/** That something is there, of a type, in an order, or does not fail. */
const little =
  /\btypeof\b|\binstanceof\b|\b(?:isinstance|hasattr|callable|issubclass)\s*\(|\bis not None\b|\.(?:exists?|isDefined|isNotNull|toBeDefined|toBeTruthy|toBeInstanceOf|doesNotThrow|notThrows\w*|doesNotReject|isFunction|isObject|isNumber|isString|isArray|truthy|pass|toBeTypeOf|assertIsNotNone|assertIsInstance|toBeGreaterThan\w*|toBeLessThan\w*|assertGreater\w*|assertLess\w*|isAbove|isBelow|isAtLeast|isAtMost|greaterThan\w*|lessThan\w*)\b|\.not\.(?:toThrow|toBeNull|toBeUndefined|toBeNaN)\b|\b(?:NotNil|NoError|NotNull|NotEmpty|IsNotNull|assertNotNull|assertDoesNotThrow|IsInstanceOf\w*|IsType)\b|\bto be_(?:truthy|present|a|an|kind_of|instance_of)\b|\bnot_to (?:raise_error|be_nil)|\bXCTAssertNotNil\b|\.is_(?:some|ok)\(\)/
/** Also that nothing is there. */
const allows = /\|\| ?(?:[\w$.]+ ===? ?(?:null|undefined)\b|![\w$.]+\)?$|true\b)/
/** Of a condition, an equation or a denial says more than that something is there. */
const condition =
  /^(?:assert(?:\.ok)?|ok|t\.(?:ok|true|truthy)|(?:self\.)?assertTrue|expect|assert!|assert\.True|Assert\.True|assertThat)(?=[\s(!])/
const compares =
  /[=!]==?(?!=)|\bis\b|\bin\b|\.(?:includes|equals|match|test|startsWith|endsWith|has|every|some)\(|^assert(?:\.ok)?\s?\(?\s*(?:!|not\b)/
const ordered = /[^=<>-](?:<|>)=?\s/

/** A tolerance of more than a tenth, or of more than one. */
const wide =
  /\brel(?:_tol)?\s*=\s*(?:0\.[1-9]|[1-9])|\babs(?:_tol)?\s*=\s*[1-9]|\bplaces\s*=\s*(?:0\b|-)|\bdelta\s*=\s*[1-9]|toBeCloseTo\(.{1,200},\s*-?(?:0|-\d+)\s*\)|InDelta\(.{1,200},\s*[1-9]\d*\s*\)/

/** A function of the project that asserts. */
const own = /^(?:\w+(?:\.|::))*(?:assert|expect|check|verify|ensure)(?:[A-Z]|_)\w*!?\(/
const ofLibraries =
  /^(?:\w+\.)*(?:assert(?:Equals?|True|False|Is\w*|In|Not\w*|Raises\w*|That|Same|Null|Nil|Empty|Contains|Throws|DoesNotThrow|Greater\w*|Less\w*|AlmostEqual|Near|CloseTo)|assert_(?:eq|ne|equal|nil|not_nil|raises|includes|match|respond_to|instance_of|kind_of|in_delta|true|false)|expectTypeOf)!?\(/

function isTelling({ text, strength }: Assertion, block: TestBlock): boolean {
  if (own.test(text) && !ofLibraries.test(text)) return true
  if (strength === 0 || wide.test(text) || isOfSourceText(text, block)) return false
  if (little.test(text) || allows.test(text)) return false
  if (!condition.test(text) || /\)\.(?:to|not|is|has)\w*/.test(text)) return true
  return compares.test(withoutStrings(text)) || !(ordered.test(text) || isBareValue(text))
}

const withoutStrings = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '""')

/** One value, or one call of a function whose name does not say that it is a predicate. */
const isBareValue = (text: string): boolean =>
  /^(?:assert(?:\.ok)?|ok|t\.(?:ok|truthy))(?=[\s(])\s?\(?\s*(?:await )?(?!(?:\w+\.)*(?:is|has|can|should|may|does|contains?|includes?|equals?|matches|supports|allows?|valid\w*|check\w*|verif\w*)(?:[A-Z_]\w*)?\()[\w.$[\]]+(?:\(.*\))?\)?$/.test(
    text,
  )

const readsCode =
  /\b(?:const|let|var)?\s*(\w+)\s*=.{0,60}\b(?:readFile\w*|read_text|open|ReadFile|read_to_string|file_get_contents)\b.{0,120}\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kt|cs)\b/

/** It is about the text of the program, instead of what that does. */
function isOfSourceText(text: string, { lines }: TestBlock): boolean {
  const names = lines.flatMap(({ bare }) => readsCode.exec(bare)?.[1] ?? [])
  const bare = withoutStrings(text)
  return names.some((name) => new RegExp(`\\b${name}\\b`).test(bare)) && !/[=!]==?/.test(bare)
}

const libraries = /^(?:node:|assert|chai|vitest|@jest|expect|mocha|ava|tap|pytest|unittest|math$|json$|typing$|decimal$)/

/** Calls something that may assert for it: a helper of the tests, or what comes from elsewhere than the code. */
export function mayAssert({ path, lines }: TestBlock, changes: Change[]): boolean {
  if (path.endsWith('_test.go')) return true // its parts are tests of their own
  const file = changes.find((change) => change.path === path)
  const helpers = (file?.after ?? []).flatMap(({ bare }) => {
    const [, names = '', from = ''] = /^\s*import\s+(.{1,200}?)\s+from\s+['"]([^'"]+)['"]/.exec(bare) ?? []
    const [, module = '', imported = ''] = /^\s*from\s+(\S+)\s+import\s+(.+)$/.exec(bare) ?? []
    const isCode = from === '' ? module === '' || !/test|helper|util|support|common/.test(module) : isOfCode(from)
    return isCode ? [] : ((names || imported).match(/[A-Za-z_$][\w$]*/g) ?? [])
  })
  const asserts = /\b(?:this|self|t|fc|cy|page)\.\w+\(|->(?:expects|shouldReceive)\(|\$this->|\bsatisfies\b|\bexpectTypeOf\b/
  const idle = idleHelpers(changes)
  return lines
    .map(({ code, comment }, index) => ({ code: index === 0 ? afterHead(code) : code, comment }))
    .some(({ code, comment }) =>
      [
        asserts.test(code),
        /@ts-expect-error/.test(comment),
        helpers.some((name) => !idle.has(name) && code.includes(`${name}(`)),
      ].includes(true),
    )
}

/** What stands on the line of the declaration and belongs to the test. */
const afterHead = (code: string): string => /(?:=>|\bfunction\b[^{]*\{)(.*)$/.exec(code)?.[1] ?? ''

/** The file of the helper that it is left to. */
const idleIn = ({ text }: Assertion, idle: Map<string, string>): string | undefined =>
  /(?:assert\.|expect\()/.test(text) ? undefined : [...idle].find(([name]) => text.includes(`${name}(`))?.[1]

/** Helpers of tests that came, or changed, with the story, by name: functions in whose file nothing is compared. */
function idleHelpers(changes: Change[]): Map<string, string> {
  return new Map(
    changes.flatMap(({ path, after }): [string, string][] => {
      const language = /\.[cm]?[jt]sx?$/.test(path) && isTestCode(path) ? testsIn(path)?.language : undefined
      if (language === undefined || after.some(({ code }) => language.declares.test(code))) return []
      const block = outsideTests({ path, lines: after, language })
      const asserts = block.assertions.length > 0 && !block.assertions.some((one) => isTelling(bare(one), block))
      const names = asserts ? after.flatMap((line) => exported.exec(line.code)?.slice(1).find(Boolean) ?? []) : []
      return names.map((name): [string, string] => [name, path])
    }),
  )
}

const exported = /\bexport\s+(?:async\s+)?(?:function\s+(\w+)|const\s+(\w+)\s*=\s*(?:async\s*)?\()/
/** Without the head of a function on one line. */
const bare = (one: Assertion): Assertion => ({ ...one, text: one.text.replace(/^(?:export )?const \w+ = [^=]*=> ?\{? ?/, '') })

const isOfCode = (from: string): boolean =>
  libraries.test(from) ||
  (from.startsWith('../') && !/support|helper|util|fixture|setup|assert|expect|testing|common|harness/i.test(from))
