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
  return fresh.flatMap((block) => {
    const file = changes.find(({ path }) => path === block.path)
    if (file !== undefined && /\.py$/.test(block.path)) return ofPython(block, added)
    if (file === undefined || !/\.[cm]?[jt]sx?$/.test(block.path)) return []
    const names = [...mockedIn([...block.lines, ...aroundTests(file.after, block.path, fresh)]), ...functionsIn(file.after)]
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
  const inside = fresh.filter((block) => block.path === path)
  return lines.filter(({ at }) => !inside.some((block) => at >= block.at && at <= block.end))
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
