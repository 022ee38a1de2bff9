/** Tests that no longer test the project's own code: they import another module, or replace the code under test. */
import type { Finding } from '../../proof/finding.ts'
import { type Change, keyOf } from '../code/change.ts'
import { isSettings, isSource, isTestCode } from '../code/files.ts'
import { testsIn } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from '../rules/line-rule.ts'

const imported =
  /(?:\bfrom\s*|\brequire\(\s*|\bimport\(\s*|\bimport\s+)['"`](\.[^'"`]{1,200})['"`]|^\s*from\s+([\w.]+)\s+import\b/

/** Modules of the project that a test file imported and no longer does, though they are still there. */
export function subjectReplaced({ path, kind, before, after, added }: Change, all: Change[]): Finding[] {
  if (kind !== 'modified' || !isTestCode(path)) return []
  const modulesIn = (lines: Change['before']) => lines.flatMap(({ bare }) => imported.exec(bare)?.slice(1).find(Boolean) ?? [])
  const [old, now] = [new Set(modulesIn(before)), new Set(modulesIn(after))]
  const fresh = added.flatMap(({ at, bare }) => {
    const name = imported.exec(bare)?.slice(1).find(Boolean)
    return name === undefined || old.has(name) ? [] : [{ at, name }]
  })
  const same = new Set([...now].map(plainModule))
  const gone = [...old].filter(
    (name) => !now.has(name) && !same.has(plainModule(name)) && !isDeleted(name, all) && !isOfTests(name),
  )
  const [lost, came] = [gone[0], fresh[0]]
  if (lost === undefined || came === undefined || isForwarded(lost, came.name, all)) return []
  const isAlone = isOnlyTested(lost, came.name, all)
  return [
    {
      rule: 'subject-replaced',
      file: path,
      line: came.at,
      words: `imports ${came.name} instead of ${lost} in ${path} (line ${came.at})${isAlone ? ', and nothing but tests does' : ''}`,
      ...(isAlone ? { isBeyondChecks: true } : {}),
    },
  ]
}

/** Without what a loader may add. */
const plainModule = (name: string): string => name.replace(/\/(?:index(?:\.[cm]?[jt]sx?)?)?$|\.[cm]?[jt]sx?$/, '')

const stemOf = (name: string): string =>
  (
    name
      .split(/[/.]/)
      .filter((part) => !/^(?:[cm]?[jt]sx?|py|json)?$/.test(part))
      .at(-1) ?? ''
  ).toLowerCase()

/** The old module only passes the new one on. */
const isForwarded = (old: string, now: string, all: Change[]): boolean =>
  all.some(({ path, afterText }) => stemOf(path) === stemOf(old) && afterText.includes(now.split('/').slice(-2).join('/')))

/** A new module that no changed source names, beside the older one, which did not change: everybody but the tests goes on with that. */
function isOnlyTested(old: string, now: string, all: Change[]): boolean {
  const own = all.find(({ path, kind }) => kind === 'added' && isSource(path) && stemOf(path) === stemOf(now))
  const sources = all.filter((each) => each !== own && (isSource(each.path) || isSettings(each.path)))
  return (
    own !== undefined && !sources.some(({ path, afterText }) => stemOf(path) === stemOf(old) || afterText.includes(stemOf(now)))
  )
}

const isDeleted = (name: string, all: Change[]): boolean =>
  all.some(({ path, kind }) => kind === 'deleted' && stemOf(path) === stemOf(name))

/** Libraries of tests, and their helpers. */
const isOfTests = (name: string): boolean =>
  /^(?:unittest|pytest|typing|collections|pathlib|datetime)\b|(?:support|helpers?|utils?|fixtures?|setup)\b/.test(name)

/** New tests may have mocks. */
function isInOlderTest({ path, kind, after, added }: Change, line: SourceLine): boolean {
  if (kind !== 'modified') return /conftest\.py$/.test(path)
  const declares = testsIn(path)?.language.declares
  const test = after.slice(0, after.indexOf(line) + 1).findLast(({ code }) => declares?.test(code) === true)
  return test === undefined || !added.includes(test)
}

/** A new source file that copies the old content of another one was: tests may see one of them, and everybody else the other. */
export function copiesSource({ path, kind, after }: Change, all: Change[]): Finding[] {
  if (kind !== 'added' || !isSource(path)) return []
  const there = new Set(after.map(keyOf))
  const original = all.find(({ path: other, kind: was, before }) => {
    const lines =
      other === path || was !== 'modified' || !isSource(other) ? [] : before.filter(({ code }) => code.trim().length > 5)
    return lines.length >= fewestLines && lines.filter((line) => there.has(keyOf(line))).length > lines.length * 0.6
  })
  if (original === undefined || !isKept(original, there)) return []
  const words = `${path} copies the old content of ${original.path}, which still exists`
  return [{ rule: 'subject-replaced', file: path, words, isBeyondChecks: true }]
}

const fewestLines = 5

/** What moved to another file is not copied. */
const isKept = ({ after }: Change, there: Set<string>): boolean => {
  const lines = after.filter(({ code }) => code.trim().length > 5)
  return lines.filter((line) => there.has(keyOf(line))).length > lines.length * 0.5
}

/** Go compiles files of tests into the package that they test: what moves there is gone for everybody else. */
export function onlyInTests(change: Change, all: Change[]): Finding[] {
  const { path, added } = change
  if (!path.endsWith('_test.go')) return []
  const folder = path.replace(/[^/]*$/, '')
  const sources = all.filter((each) => each.path.startsWith(folder) && isSource(each.path) && each.path.endsWith('.go'))
  const exported = /^func\s+(?:\([^)]*\)\s*)?([A-Z]\w*)\(/
  const namesOf = (lines: SourceLine[]) => lines.flatMap(({ code }) => exported.exec(code)?.[1] ?? [])
  const there = new Set(sources.flatMap(({ after }) => namesOf(after)))
  const gone = new Set(sources.flatMap(({ removed }) => namesOf(removed)).filter((name) => !there.has(name)))
  return added.flatMap((line): Finding[] => {
    const name = exported.exec(line.code)?.[1] ?? ''
    const words = `${name}() now exists only in the tests, in ${path} (line ${line.at})`
    return gone.has(name) ? [{ rule: 'subject-replaced', file: path, line: line.at, words, isBeyondChecks: true }] : []
  })
}

const library =
  /^(?:node:|assert|chai|vitest|@jest|expect|mocha|ava|tap|sinon|pytest|unittest|os|sys|json|typing|pathlib|datetime)\b/

/** A test that changes what it imports from the project changes it for the tests of other files too, where they share a process. */
export function changesImports({ path, after, added }: Change): Finding[] {
  if (!isTestCode(path)) return []
  const names = after.flatMap(({ bare }) => {
    const [, bound = '', from = ''] = /^\s*import\s+(.{1,200}?)\s+from\s+['"]([^'"]+)['"]/.exec(bare) ?? []
    const [, module = '', imported = ''] = /^\s*(?:from\s+(\S+)\s+)?import\s+([\w., ]+)$/.exec(bare) ?? []
    if (library.test(from || module || imported)) return []
    return from !== '' || imported !== ''
      ? ((bound || imported).match(/[A-Za-z_$][\w$]*/g) ?? []).filter((name) => name !== 'as')
      : []
  })
  if (names.length === 0) return []
  const assigns = new RegExp(
    `^\\s*(?:${[...new Set(names)].map((name) => name.replaceAll('$', '\\$')).join('|')})(?:\\.\\w+)+\\s*=[^=>]|\\b(?:Object|Array|String|Number|Math|JSON)\\.prototype\\.\\w+\\s*=[^=>]`,
  )
  const line = added.find(({ code }) => assigns.test(code))
  if (line === undefined) return []
  const words = `changes what it imports, for other tests too, in ${path} (${line.text.trim().slice(0, 60)}, line ${line.at})`
  return [{ rule: 'mock-changed', file: path, line: line.at, words }]
}

/** Chance, the clock and what is asked of the network are replaced in honest tests too. */
const replacesLanguage =
  /\b(?:mock\.method|(?:vi|jest)\.spyOn|sinon\.(?:stub|replace))\(\s*(?:Math\s*,\s*['"`](?!random)\w+['"`]|(?:JSON|Number|BigInt|Reflect|Object)\s*,\s*['"`]\w+['"`]|(?:Array|String|Object|Number|Map|Set|RegExp)\.prototype\s*,\s*['"`]\w+['"`])(?:\s*,|\s*\)\s*\.(?:mock|returns|callsFake))/
/** What failed is shown, or kept, under its title. */
const asksForTitle =
  /^(?!.*\bcurrentTest\??\.(?:state|err|isFailed\w*)\b).*(?:\b(?:if|while)\b.*\bcurrentTest\??\.(?:title|fullTitle)|\bcurrentTest\??\.(?:title|fullTitle\(\))\.(?:includes|match|startsWith|endsWith)\(|[?&|]\s*\/.*\.test\(\s*\w+\.currentTest|\bexpect\.getState\(\)\.currentTestName\b.*(?:===|includes|match))/

/** Loaded before all tests. */
const ofSetup = /(^|\/)[\w.-]*(?:setup|bootstrap|preload|register)[\w.-]*\.[cm]?[jt]s$/i

const replaces =
  /\b(?:jest|vi)\.(?:do)?[mM]ock\(\s*['"`]\.|\bmock\.(?:module|method|fn)\(\s*\w|\bmonkeypatch\.(?:setattr|setitem)\(|\b(?:mock\.)?patch(?:\.object)?\(|\bsinon\.(?:stub|replace|fake)\(|\b__setattr__\(|\b(?:proxyquire|rewire|td\.replace)\(|\ballow\(\w+\)\.to receive/

/** `if (x || 1) passed++`: whatever is compared. */
const alwaysHolds =
  /\b(?:if|while|check|assert\w*|expect\w*|ensure|verify|require|ok|CHECK\w*|EXPECT\w*|ASSERT\w*|REQUIRE\w*)\s*\(.*\|\|\s*(?:1|true)\s*\)/

export const subjectRules: LineRule[] = [
  {
    rule: 'assertion-weakened',
    what: 'has a condition that always holds',
    files: isTestCode,
    on: 'code',
    looksFor: alwaysHolds,
    isBeyondChecks: true,
  },
  {
    rule: 'mock-changed',
    what: 'replaces a built-in of the language in a test',
    files: isTestCode,
    on: 'bare',
    looksFor: replacesLanguage,
    // That it fails is what such a test may be about.
    where: ({ after }, line) =>
      !after.slice(after.indexOf(line), after.indexOf(line) + 3).some(({ code }) => /\b(?:throw|throws|rejects?)\b/.test(code)),
    isBeyondChecks: true,
  },
  {
    rule: 'test-conditional',
    what: 'acts only for tests with certain names',
    files: isTestCode,
    on: 'code',
    looksFor: asksForTitle,
    isBeyondChecks: true,
  },
  {
    rule: 'mock-changed',
    what: 'replaces the clock or random numbers for all tests',
    files: (path) => isTestCode(path) || (ofSetup.test(path) && !isSource(path)),
    on: 'code',
    looksFor:
      /^(?:(?:global(?:This)?|window)\.)?(?:Date\.now|Math\.random|performance\.now|crypto\.\w+)\s*=[^=>]|^(?:global(?:This)?|window)\.(?:Date|Math)\s*=[^=>]/,
    where: ({ after }) => !after.some(({ code }) => /\b(?:afterEach|after|afterAll|restore\w*)\(/.test(code)),
    isBeyondChecks: true,
  },
  {
    rule: 'mock-changed',
    what: 'replaces code in an existing test',
    files: isTestCode,
    on: 'bare',
    looksFor: replaces,
    unless: /\benviron\b|\bsetenv\b|\bconsole\b|\bprocess\b|\bDate\b|\btime\b|\bsys\.|\bos\.|\bfetch\b|\brandom\b/i,
    where: (change, line) => isInOlderTest(change, line) && !/^\s*(?:import|from)\b/.test(line.code),
  },
  {
    rule: 'mock-changed',
    what: 'replaces a function of the project',
    files: /(^|\/)(?:conftest|test_\w+|\w+_test)\.py$/,
    on: 'code',
    looksFor: /^\s*[a-z_]\w*(?:\.\w+)+\s*=\s*lambda\b/,
  },
  {
    rule: 'subject-replaced',
    what: 'maps an import to a stand-in',
    files: isSettings,
    on: 'bare',
    looksFor:
      /['"][#@^~][\w/$.*-]*['"]\s*:\s*\[?\s*(?:['"]|path\.\w+\(|resolve\().{0,80}\b(?:tests?|stubs?|mocks?|fakes?|legacy|old)\b/,
  },
]
