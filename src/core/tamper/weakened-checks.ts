/** Finds weakened checks: tests that were deleted, skipped or hidden, bypassed hooks, and changes to the gates' own files. */
import type { GateFile } from './gate-files.ts'
import { hookBypass } from './hooks.ts'
import { codeOf, isTestFile, type Language, testsIn } from './test-code.ts'

/** What happened to one file, with its added and removed lines. */
export type FileChange = {
  path: string
  kind: 'added' | 'deleted' | 'modified' | 'renamed'
  from?: string
  added: CodeLine[]
  removed: string[]
}
export type CodeLine = { at: number; text: string }

/** One sentence each, without a subject: "deleted the test file test/a.test.ts". Says nothing if in doubt. */
export function weakenedChecks(input: { changes: FileChange[]; commands: string[]; gateFiles: GateFile[] }): string[] {
  const { changes, commands, gateFiles } = input
  const found = [
    ...changes.flatMap((change) => weakenedTests(change, changes)),
    ...changes.flatMap((change) => leftOut(change)),
    ...changes.flatMap((change) => gateFiles.flatMap((file) => changedGate(change, file))),
    ...commands.flatMap(pastHooks),
  ]
  return [...new Set(found)]
}

/** Names of tests that were added in these files; for a new test file without recognisable names, the file's own. */
export function addedTests(changes: FileChange[], touched: string[]): string[] {
  const found = changes.flatMap(({ path, kind, added, removed }) => {
    const tests = touched.includes(path) && kind !== 'deleted' ? testsIn(path) : null
    if (tests === null) return []
    const namesIn = (texts: string[]): string[] =>
      declarations(texts, tests.language)
        .map(nameOf)
        .filter((name) => name !== '')
    const before = new Set(namesIn(removed))
    const names = namesIn(added.map(({ text }) => text)).filter((name) => !before.has(name))
    return names.length === 0 && kind === 'added' && tests.isNamed ? [path] : names
  })
  return [...new Set(found)].slice(0, mostAdded)
}

const mostAdded = 50

/** If no changed file is one of these, no check was weakened, whatever their lines say. */
export const countsForChecks = (path: string, gateFiles: GateFile[]): boolean =>
  testsIn(path) !== null || runnerFiles.test(path) || gateFiles.some((file) => file.path === path)

const most = 3

function weakenedTests(change: FileChange, all: FileChange[]): string[] {
  const { path, kind, from } = change
  const tests = testsIn(kind === 'renamed' && from !== undefined && !testsIn(path) ? from : path)
  if (tests === null) return []
  if (kind === 'deleted') return isLost(change, tests, all) ? [`deleted the test file ${path}`] : []
  if (kind === 'renamed' && from !== undefined && isTestFile(from) && testsIn(path) === null)
    return [`renamed the test file ${from} to ${path}, which is not a test file name`]
  return [
    ...newlySkipped(change, tests.language, all),
    ...newlyHidden(change, tests.language),
    ...fewer(change, tests.language, all),
  ]
}

function isLost(change: FileChange, { language, isNamed }: NonNullable<ReturnType<typeof testsIn>>, all: FileChange[]): boolean {
  const hasTests = change.removed.some((text) => declares(text, language))
  if (!isNamed && (!hasTests || language.isAnywhere)) return false
  const others = all.filter((other) => other !== change)
  const subject = stemOf(change.path)
  const wentWithItsCode = others.some(({ kind, path }) => kind === 'deleted' && !testsIn(path) && stemOf(path) === subject)
  return !wentWithItsCode && !isMoved(change.removed, others)
}

/** Most of its lines are in another file now. */
function isMoved(removed: string[], others: FileChange[]): boolean {
  const lines = removed.map((text) => text.trim()).filter((text) => text.length > 3)
  if (lines.length === 0) return false
  const elsewhere = addedTexts(others)
  return lines.filter((text) => elsewhere.has(text)).length > lines.length / 2
}

const addedTexts = (changes: FileChange[]): Set<string> =>
  new Set(changes.flatMap(({ added }) => added.map(({ text }) => text.trim())))

/** test/cart.test.ts, test_cart.py and CartTest.java are about cart. */
const stemOf = (path: string): string =>
  path
    .replace(/^.*\//s, '')
    .replace(/\..*$/, '')
    .replace(/^test_|[-_](?:test|spec)s?$|(?:Tests?|Spec)$/g, '')
    .toLowerCase()

function newlySkipped({ path, added, removed }: FileChange, language: Language, all: FileChange[]): string[] {
  const before = removed.flatMap((text) =>
    marksIn(text, language.skips, language).concat(marksIn(text, language.skipsNow, language)),
  )
  const marks = added.flatMap((line, index) => {
    const previous = added[index - 1]
    const above = previous?.at === line.at - 1 ? previous.text : ''
    const now = isCondition.test(above) ? [] : marksIn(line.text, language.skipsNow, language)
    return [...marksIn(line.text, language.skips, language), ...now].map((mark) => ({ mark, line }))
  })
  if (marks.length <= before.length) return []
  const others = new Set(all.flatMap((other) => (other.path === path ? [] : other.removed.map((text) => text.trim()))))
  const cameAlong = marks.filter(({ line }) => others.has(line.text.trim())).length
  const count = marks.length - before.length - cameAlong
  if (count <= 0) return []
  const fresh = marks.filter(({ line }) => !removed.includes(line.text) && !others.has(line.text.trim())).slice(0, count)
  return [`${sayTests(count)} newly skipped in ${path} (${sayMarks(fresh)})`]
}

function newlyHidden({ path, added, removed }: FileChange, language: Language): string[] {
  const marks = added.flatMap((line) => marksIn(line.text, language.focuses, language).map((mark) => ({ mark, line })))
  const before = removed.flatMap((text) => marksIn(text, language.focuses, language))
  return marks.length > before.length ? [`disabled the other tests of ${path} (${sayMarks(marks)})`] : []
}

const isCondition = /^\s*(?:\}\s*)?(?:if|elif|else|unless|except|catch|rescue|guard)\b|\?\s*$/

function marksIn(text: string, pattern: RegExp | undefined, language: Language): string[] {
  return pattern === undefined ? [] : [...codeOf(text, language).matchAll(pattern)].map(([mark]) => mark.trim())
}

function sayMarks(marks: { mark: string; line: CodeLine }[]): string {
  const shown = marks.slice(0, most).map(({ mark, line }) => `${mark}, line ${line.at}`)
  return [...shown, ...(marks.length > most ? ['…'] : [])].join('; ')
}

/** Tests that moved to another file, or into a table, are not gone. */
function fewer({ path, added, removed }: FileChange, language: Language, all: FileChange[]): string[] {
  const addedHere = added.map(({ text }) => text)
  const gone = declarations(removed, language)
  const come = declarations(addedHere, language)
  if (gone.length <= come.length || addedHere.some((text) => isTable.test(text))) return []
  const elsewhere = addedTexts(all.filter((other) => other.path !== path))
  const names = new Set(come.map(nameOf))
  const missing = gone.filter((declaration) => !come.includes(declaration) && !names.has(nameOf(declaration)))
  const lost = missing.filter((declaration) => !elsewhere.has(declaration))
  const count = Math.min(lost.length, gone.length - come.length - (missing.length - lost.length))
  if (count <= 0) return []
  const called = lost.map(nameOf).filter((name) => name !== '')
  const shown = [...called.slice(0, most).map((name) => JSON.stringify(name)), ...(called.length > most ? ['…'] : [])]
  return [`${sayTests(count)} fewer in ${path}${shown.length === 0 ? '' : ` (gone: ${shown.join(', ')})`}`]
}

/** The line that names each test: after a decorator, the next line. */
function declarations(texts: string[], language: Language): string[] {
  return texts.flatMap((text, index) => {
    if (!declares(text, language)) return []
    return [(/^\s*(?:@|#\[|\[)[^"']*$/.test(text) ? (texts[index + 1] ?? text) : text).trim()]
  })
}

const sayTests = (count: number): string => `${count} ${count === 1 ? 'test' : 'tests'}`

const isTable =
  /\.each\b|\bparametrize\b|@ParameterizedTest|\[(?:InlineData|TestCase|DataRow)\b|^\s*for\b|\bforEach\b|\bt\.Run\(|#\[(?:case|test_case)\b/

const declares = (text: string, language: Language): boolean => language.declares.test(codeOf(text, language))

const nameOf = (text: string): string =>
  (/(['"`])((?:\\.|(?!\1).)+)\1/.exec(text)?.[2] ?? /(\w+)\s*\(/.exec(text)?.[1] ?? '').slice(0, 80)

const runnerFiles =
  /(^|\/)(?:(?:jest|vitest|vite|playwright)\.config\.\w+|package\.json|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|conftest\.py|\.mocharc\.\w+|\.rspec)$/
const runnerLeavesOut =
  /\b(?:testPathIgnorePatterns|testIgnore|collect_ignore(?:_glob)?)\b|--ignore(?:-glob)?(?=[= ])|--deselect\b|\bexclude\b(?=.*\b(?:tests?|spec)\b)/
const harmless = /(['"])[^'"]*(?:node_modules|dist|build|coverage|\.git)\b[^'"]*\1/g

/** Tests that the runner's settings now exclude. */
function leftOut({ path, kind, added, removed }: FileChange): string[] {
  if (kind === 'added' || !runnerFiles.test(path)) return []
  const known = new Set(removed.map((text) => text.trim().replace(/,$/, '')))
  return added.flatMap(({ at, text }) => {
    const rest = text.replace(harmless, '')
    const mark = /^\s*(?:#|\/\/)/.test(text) || known.has(text.trim().replace(/,$/, '')) ? null : runnerLeavesOut.exec(rest)
    if (mark === null) return []
    const what = rest.slice(mark.index + mark[0].length).replace(/^["']?\s*[:=,[\]\s]*/, '')
    return /[\w*]/.test(what) ? [`excluded tests in ${path} (${mark[0]}, line ${at})`] : []
  })
}

/** A new gate file, or one that only grew outside the gate's part, runs what it ran before. */
function changedGate(change: FileChange, { gate, path, entry }: GateFile): string[] {
  if (change.kind === 'added' || (change.path !== path && change.from !== path)) return []
  if (change.kind === 'deleted') return [`deleted ${path}, which gate ${gate} runs`]
  if (change.kind === 'renamed' && change.from === path) return [`renamed ${path}, which gate ${gate} runs, to ${change.path}`]
  if (entry === undefined) return [`changed ${path}, which gate ${gate} runs`]
  if (path.endsWith('package.json')) {
    return changedScript(change, entry) ? [`changed the script ${entry} in ${path}, which gate ${gate} runs`] : []
  }
  const isRedefined = entry !== '' && change.added.some(({ text }) => text.startsWith(`${entry}:`))
  return isRedefined || change.removed.some((text) => !/^\s*(?:#.*)?$/.test(text))
    ? [`changed ${path}, which gate ${gate} runs`]
    : []
}

/** Also in a file that is all on one line. */
function changedScript({ added, removed }: FileChange, script: string): boolean {
  const own = [`"pre${script}"`, `"${script}"`, `"post${script}"`]
  const entries = (text: string): string[] =>
    [...text.matchAll(/("(?:[^"\\]|\\.){1,200}")\s*:\s*("(?:[^"\\]|\\.){0,4000}")/g)].flatMap(([, key = '', value = '']) =>
      own.includes(key) ? [`${key}: ${value}`] : [],
    )
  const now = new Set(added.flatMap(({ text }) => entries(text)))
  return removed.flatMap(entries).some((entry) => !now.has(entry))
}

function pastHooks(command: string): string[] {
  const how = hookBypass(command)
  if (how === null) return []
  return [how.startsWith('git config') ? `disabled the hooks (${how})` : `bypassed the hooks in a commit (${how})`]
}
