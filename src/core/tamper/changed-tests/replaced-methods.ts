/** Methods of the story that tests replace by code of their own: in a prototype, or in a class that they derive. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { bodyOf, type Header, headersIn, methodsIn } from '../code/functions.ts'
import type { SourceLine } from '../code/source-lines.ts'

const patched = /(?<![\w$.])([A-Z][\w$]*)\.prototype\.(\w+)\s*=\s*(?:async\s*)?(?:function\b|\()/
const derived = /^\s*(?:export\s+)?(?:const\s+\w+\s*=\s*)?class\s+(\w+)\s*(?:extends\s+[\w.]+\s*\{|\([\w.]+\)\s*:)/

export function replacedMethods(changes: Change[]): Finding[] {
  const sources = changes.filter(({ path }) => isSource(path))
  const known = sources.flatMap((change) => methodsOf(change))
  const changed = new Set(known.map(({ name }) => name))
  const fresh = new Set(
    sources.flatMap((change) => methodsOf({ ...change, after: change.added }, change.after)).map(({ name }) => name),
  )
  return changes
    .filter(({ path }) => isTestCode(path))
    .flatMap(({ path, added, after }) =>
      added.flatMap((line): Finding[] => {
        const [, owner = '', name = ''] = patched.exec(line.code) ?? []
        if (changed.has(name)) return [found(`${owner}.${name}`, path, line)]
        const own = derived.exec(line.code)?.[1]
        if (own === undefined) return []
        const inside = insideOf(after, line).flatMap((each) => [...methodsIn(each), ...headersIn(each)])
        const other = inside.find((method) => fresh.has(method.name) && isCalled(after, method))
        return other === undefined ? [] : [found(`${own}.${other.name}`, path, other.line)]
      }),
    )
}

const found = (what: string, path: string, { at }: SourceLine): Finding => ({
  rule: 'mock-changed',
  file: path,
  line: at,
  words: `replaces ${what}() by code of its tests, which then test that code, in ${path} (line ${at})`,
  isBeyondChecks: true,
})

/** Methods that do something: what only throws is meant to be replaced. */
function methodsOf({ after }: Pick<Change, 'after'>, all: SourceLine[] = after): Header[] {
  return after.flatMap((line) =>
    [...methodsIn(line), ...headersIn(line)].filter(
      ({ name, line: own }) => /^\s/.test(own.code) && !/^(?:constructor|__\w+__)$/.test(name) && !isAbstract(bodyOf(all, own)),
    ),
  )
}

const isAbstract = (body: string): boolean => /^[\s;})]*(?:(?:throw|raise)\b.*|pass|\.\.\.)?[\s;})]*$/.test(body)

/** All that is indented more. */
function insideOf(lines: SourceLine[], line: SourceLine): SourceLine[] {
  const indent = line.text.search(/\S/)
  const rest = lines.slice(lines.indexOf(line) + 1)
  const end = rest.findIndex(({ text }) => text.trim() !== '' && text.search(/\S/) <= indent)
  return rest.slice(0, end === -1 ? rest.length : end)
}

/** By a test itself, not only by what it tests. */
const isCalled = (lines: SourceLine[], { name, line }: Header): boolean =>
  lines.some((each) => each !== line && new RegExp(`(?<!\\bsuper(?:\\(\\))?)\\.${name}\\(`).test(each.code))
