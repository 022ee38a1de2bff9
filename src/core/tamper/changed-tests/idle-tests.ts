/** Tests that cannot fail: their assertions never run, or accept everything. */
import type { Finding } from '../../proof/finding.ts'
import type { Change, FileChange } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { testsIn } from '../code/languages.ts'
import { type SourceLine, sourceLines, syntaxOf } from '../code/source-lines.ts'
import type { StoryWords } from '../declared-changes.ts'
import type { MatchedTests } from './matched-tests.ts'
import { type TestBlock, testBlocks } from './test-blocks.ts'

export function idleTests(changes: Change[], { fresh }: MatchedTests, story: StoryWords | null): Finding[] {
  const tests = changes.filter(({ path }) => isTestCode(path))
  const own = constantsIn(changes)
  return [
    ...tests.flatMap(swallows),
    ...fresh.flatMap((block) => [
      ...uncalled(block),
      ...fromSource(block, tests, own),
      ...anything(block, story),
      ...blurred(block, tests, story),
      ...failureWanted(block),
    ]),
  ]
}

const weak = (path: string, at: number, what: string): Finding => ({
  rule: 'test-weak',
  file: path,
  line: at,
  words: `${what} in ${path} (line ${at})`,
  isBeyondChecks: true,
})

/** A context manager of the tests that goes on whatever came, an error or none. */
function swallows({ path, after, added }: Change): Finding[] {
  if (!path.endsWith('.py')) return []
  return added.flatMap((line): Finding[] => {
    if (!/^\s*yield\b/.test(line.code)) return []
    const at = after.indexOf(line)
    const above = after.slice(Math.max(0, at - 8), at)
    const behind = after.slice(at + 1, at + 6)
    const isManager = above.some(({ code }) => /^\s*@(?:contextlib\.)?(?:async)?contextmanager\b/i.test(code))
    const passes = behind.findIndex(({ code }) => /^\s*except\b/.test(code))
    const isQuiet = passes !== -1 && /^\s*(?:pass|return)\s*$/.test(behind[passes + 1]?.code ?? '')
    const asserts = behind.some(({ code }) => /^\s*else\s*:|\b(?:assert|raise|fail)\b/.test(code))
    return isManager && isQuiet && !asserts
      ? [weak(path, line.at, 'has a context manager that passes with and without an error')]
      : []
  })
}

/** It passes only if an assertion in it fails. */
function failureWanted({ path, lines }: TestBlock): Finding[] {
  const at = lines.findIndex(({ code }) => failureExpected.test(code))
  const line = lines[at]
  if (line === undefined) return []
  const indent = line.text.search(/\S/)
  const rest = lines.slice(at + 1)
  const end = rest.findIndex(({ text }) => text.trim() !== '' && text.search(/\S/) <= indent)
  const inside = [line, ...rest.slice(0, end === -1 ? rest.length : end)]
  const isOfAssertion =
    !path.endsWith('.py') || inside.some(({ code }) => /^\s*assert\b|\bself\.assert(?!Raises)\w*\(/.test(code))
  return isOfAssertion ? [weak(path, line.at, 'expects one of its assertions to fail,')] : []
}

const failureExpected =
  /\b(?:throws|rejects)\(\s*(?:async\s*)?\(\)\s*=>\s*\{?\s*(?:assert|expect)\b(?!\w)|\b(?:raises|assertRaises)\(\s*(?:AssertionError|(?:Base)?Exception)\s*\)/

/** Assertions in a function inside a test that nothing calls. */
function uncalled({ path, lines }: TestBlock): Finding[] {
  if (!path.endsWith('.py')) return []
  return lines.slice(1).flatMap((line, index): Finding[] => {
    const name = /^\s+(?:async\s+)?def\s+(\w+)\s*\((?!\s*(?:self|cls)\b)/.exec(line.code)?.[1]
    if (name === undefined) return []
    const indent = line.text.search(/\S/)
    const rest = lines.slice(index + 2)
    const end = rest.findIndex(({ text }) => text.trim() !== '' && text.search(/\S/) <= indent)
    const body = rest.slice(0, end === -1 ? rest.length : end)
    const uses = new RegExp(`(?<![\\w.])${name}\\b(?!\\s*\\()|(?<![\\w.])${name}\\(`)
    const others = lines.filter((each) => each !== line && !body.includes(each))
    const isUsed = others.some(({ code }) =>
      uses.test(code.replace(new RegExp(`\\b(?:callable|assert)\\b\\s*\\(?\\s*${name}\\b`), '')),
    )
    const isDecorated = /^\s*@/.test(lines[index]?.code ?? '')
    return !isUsed && !isDecorated && body.some(({ code }) => /^\s*assert\b|\bassert\w*\(/.test(code))
      ? [weak(path, line.at, `has assertions in ${name}(), which nothing calls,`)]
      : []
  })
}

/** Tables that came with this change, by the names of their modules. */
function constantsIn(changes: Change[]): Set<string> {
  const sources = changes.filter(({ path }) => isSource(path))
  return new Set(
    sources.flatMap(({ added }) =>
      added.flatMap(({ code }) => /^([A-Z][A-Z\d_]{2,})\b\s*(?::[^=]+)?=\s*[[{(]/.exec(code)?.[1] ?? []),
    ),
  )
}

/** Its cases, or what it expects, are a table of the code that it tests. */
function fromSource({ path, lines }: TestBlock, tests: Change[], own: Set<string>): Finding[] {
  if (own.size === 0) return []
  const imports = (tests.find((each) => each.path === path)?.after ?? []).flatMap(
    ({ code }) =>
      (/^\s*from\s+(?!.*(?:helper|util|support|fixture|tests?)\b)\S+\s+import\s+(.+)$/.exec(code)?.[1] ?? '').match(/\w+/g) ?? [],
  )
  const names = imports.filter((name) => own.has(name))
  return names.flatMap((name): Finding[] => {
    const isCases = new RegExp(
      String.raw`parametrize\(\s*["'][^"']*,[^"']*["']\s*,\s*${name}\b|\bfor\s+\w+\s*,[\w\s,]+\bin\s+${name}\b|(?:==|,)\s*${name}\[`,
    )
    const line = lines.find(({ bare }) => isCases.test(bare))
    return line === undefined ? [] : [weak(path, line.at, `takes the expected value from ${name} of the tested code,`)]
  })
}

/** Anything will do where the story says what stands there. */
function anything({ path, lines }: TestBlock, story: StoryWords | null): Finding[] {
  return lines.flatMap(({ bare, at }): Finding[] => {
    const names = [...bare.matchAll(/["'](\w{2,})["']\s*:\s*(?:mock\.)?ANY\b/g)].map(([, name = '']) => name)
    const name = names.find((each) => story !== null && new RegExp(`["'\`]${each}["'\`]`).test(story.text))
    return name === undefined ? [] : [weak(path, at, `accepts anything as ${JSON.stringify(name)}, which the story names,`)]
  })
}

/** Both sides lose their numbers before they are compared, and the story names one of them. */
function blurred({ path, lines }: TestBlock, tests: Change[], story: StoryWords | null): Finding[] {
  const all = tests.find((each) => each.path === path)?.after ?? []
  return lines.flatMap(({ bare, at }): Finding[] => {
    const [, name = '', text = ''] = /\b(\w+)\(.*\)\s*==\s*\1\(\s*["'](.*)["']\s*\)/.exec(bare) ?? []
    const number = (text.match(/\d+(?:\.\d+)?/g) ?? []).find((each) => each.length > 1 && story?.text.includes(each))
    if (name === '' || number === undefined) return []
    const from = all.findIndex(({ code }) => new RegExp(`\\bdef ${name}\\(`).test(code))
    const body = from === -1 ? [] : all.slice(from + 1, from + 6)
    const strips = body.some(({ text: own }) => /\bre\.sub\(\s*r?["'][^"']*(?:\\d|0-9)|isdigit|translate\(/.test(own))
    return strips ? [weak(path, at, `removes numbers before comparing, although the story names ${number},`)] : []
  })
}

/**
 * How many more tests must run now: of Python each one, once or more often; of JavaScript and Rust one, if there are more, since some may be made in a
 * loop or depend on the machine.
 */
export function moreTests(changes: FileChange[]): number {
  const countIn = (path: string, text: string): number => {
    const tests = counted.test(path) && !ofOtherRunners.test(path) ? testsIn(path) : null
    if (tests === null) return 0
    const lines: SourceLine[] = sourceLines(text, syntaxOf(path))
    return testBlocks({ path, lines, language: tests.language }).length
  }
  const moreIn = (some: FileChange[]): number =>
    some.reduce((sum, { path, before, after }) => sum + countIn(path, after ?? '') - countIn(path, before ?? ''), 0)
  const python = changes.filter(({ path }) => path.endsWith('.py'))
  const others = changes.filter(({ path }) => !path.endsWith('.py'))
  return moreIn(python) + Math.max(0, Math.min(1, moreIn(others)))
}

const counted = /\.(?:py|rs|[cm]?[jt]sx?)$/
const ofOtherRunners = /(^|\/)(?:e2e|cypress|playwright|bench(?:marks)?)\//
