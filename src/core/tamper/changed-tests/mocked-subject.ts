/** New tests that replace the function under test with a mock, and then check the mock's result. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import { headersIn, methodsIn } from '../code/functions.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { MatchedTests } from './matched-tests.ts'
import type { TestBlock } from './test-blocks.ts'

/** Each with what it is told to give: a spy alone only listens. */
const methods = [
  /\bmock\.method\(\s*([\w$.]+)\s*,\s*['"`](\w+)['"`]\s*,/,
  /\b(?:jest|vi)\.spyOn\(\s*([\w$.]+)\s*,\s*['"`](\w+)['"`]\s*\)\s*\.mock(?:Return|Resolved|Rejected|Implementation)/,
  /\bsinon\.stub\(\s*([\w$.]+)\s*,\s*['"`](\w+)['"`]\s*\)/,
  /^\s*([\w$]+)\.(\w+)\s*=\s*(?:(?:jest|vi|mock)\.fn\(|(?:async\s*)?\(\)\s*=>)/,
]
const modules = /\b(?:jest|vi)\.mock\(\s*['"`](\.[^'"`]+)['"`]\s*,/
const isPartial = /\b(?:importActual|requireActual|importOriginal|original\w*)\b/
const imports = [
  /^\s*import\s+(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*['"`](\.[^'"`]+)['"`]/,
  /\b(?:const|let|var)\s*\{([^}]*)\}\s*=\s*(?:await\s+import|require)\(\s*['"`](\.[^'"`]+)['"`]/,
]

export function mockedSubjects(changes: Change[], { fresh }: MatchedTests): Finding[] {
  const added = new Set(changes.filter(({ path }) => isSource(path)).flatMap(newFunctions))
  const ofFiles = new Map<string, string[]>()
  const ofFile = ({ path, after }: Change): string[] => {
    const known = ofFiles.get(path) ?? [...mockedIn(aroundTests(after, path, fresh)), ...functionsIn(after)]
    ofFiles.set(path, known)
    return known
  }
  return fresh.flatMap((block) => {
    const file = changes.find(({ path }) => path === block.path)
    if (file !== undefined && /\.py$/.test(block.path)) return ofPython(block, added)
    if (file === undefined || !/\.[cm]?[jt]sx?$/.test(block.path)) return []
    const names = [...mockedIn(block.lines), ...ofFile(file)]
    const name = names.find((each) => isCompared(each, block) || isCalled(each.split('.').at(-1) ?? '', block, added))
    if (name === undefined) return []
    const words = `replaces ${name}() with a mock and only checks the mock's result, in the test ${JSON.stringify(block.name)} in ${block.path} (line ${block.at})`
    return [{ rule: 'mock-changed', file: block.path, line: block.at, words, isBeyondChecks: true }]
  })
}

const patched = /\bpatch\.object\(\s*([\w.]+)\s*,\s*["'](\w+)["']\s*,\s*(?:side_effect|return_value|new|lambda|\w+)/

/** What a method gives is told, and then asked of it. */
function ofPython(block: TestBlock, added: Set<string>): Finding[] {
  return block.lines.flatMap(({ bare }): Finding[] => {
    const [, owner = '', name = ''] = patched.exec(bare) ?? []
    const asks = new RegExp(String.raw`^(?:self\.assert\w*Equal\(\s*|assert\s+)[\w.]+\.${name}\(`)
    if (name === '' || !(isCalled(name, block, added) || block.assertions.some(({ text }) => asks.test(text)))) return []
    const words = `replaces ${owner}.${name}() with a mock and only checks the mock's result, in the test ${JSON.stringify(block.name)} in ${block.path} (line ${block.at})`
    return [{ rule: 'mock-changed', file: block.path, line: block.at, words, isBeyondChecks: true }]
  })
}

/** The test itself calls what it has replaced, and the story added that. */
const isCalled = (name: string, { lines }: TestBlock, added: Set<string>): boolean =>
  added.has(name) && lines.some(({ code }) => new RegExp(`\\.${name}\\(`).test(code))

/** Functions and methods that the story added. */
const newFunctions = ({ added }: Change): string[] =>
  added.flatMap((line) => [...headersIn(line), ...methodsIn(line)].map(({ name }) => name))

/** Hooks of the file: what they replace is replaced in each of its tests. */
function aroundTests(lines: SourceLine[], path: string, fresh: TestBlock[]): SourceLine[] {
  let end = 0 // of the blocks so far, which come in the order of the file
  const blocks = fresh.filter((block) => block.path === path).toSorted((one, two) => one.at - two.at)
  let next = 0
  return lines.filter(({ at }) => {
    for (let block = blocks[next]; block !== undefined && block.at <= at; block = blocks[++next]) end = Math.max(end, block.end)
    return at > end
  })
}

const mockedIn = (lines: SourceLine[]): string[] =>
  lines.flatMap(({ bare }) => methods.flatMap((pattern) => pattern.exec(bare)?.slice(1, 3).join('.') ?? []))

/** Functions of a module of the project that the file replaces as a whole. */
function functionsIn(lines: SourceLine[]): string[] {
  const replaced = new Set(lines.flatMap(({ bare }) => modules.exec(bare)?.[1] ?? []))
  if (replaced.size === 0 || lines.some(({ bare }) => isPartial.test(bare))) return []
  return lines.flatMap(({ bare }) =>
    imports.flatMap((pattern) => {
      const [, names = '', from = ''] = pattern.exec(bare) ?? []
      return replaced.has(from) ? (names.match(/[A-Za-z_$][\w$]*(?=\s*(?:,|$))/g) ?? []) : []
    }),
  )
}

/** Its result is what an assertion is about: not what it was called with. */
function isCompared(name: string, { assertions }: TestBlock): boolean {
  const call = new RegExp(
    String.raw`^(?:await )?(?:expect\(|assert(?:\.\w+)*\(|t\.\w+\()(?:await )?${name.replace(/[.$]/g, '\\$&')}\(`,
  )
  return assertions.some(({ text }) => call.test(text) && !/\b(?:rejects|throws|toThrow)/.test(text))
}
