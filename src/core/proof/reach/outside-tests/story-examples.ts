/** Calls that a story writes out with what they give, such as `slug("A b") is "a-b"`: they can be made, whatever its tests are. */
import { functionsIn } from '../../../tamper/code/functions.ts'
import { sourceLines, syntaxOf } from '../../../tamper/code/source-lines.ts'
import { importsIn, type SourceLanguage } from './called-in-tests.ts'
import { endOfList, endOfLiteral, skip } from './literal.ts'
import type { Imported, TestedBlock, TestedCall } from './tested-call.ts'

type File = { path: string; text: string }
/** Where a function may be known from: test files that import it, sources that changed. */
export type CallPlaces = { tests: File[]; sources: File[] }

const call = /(?<![\w$.#])(?<!\bnew )([A-Za-z_$][\w$]*)\(/g
const gives =
  /`?\s*(?:(?:is|must be|should be|gives|must give|should give|returns|must return|should return|equals|yields)(?: still| now)?|=>|->|→|⇒|={1,3})\s*`?/y
const fails = /`?\s*(?:raises|throws|must raise|must throw|should raise|should throw)\b(?!\s+(?:no|nothing)\b)/y
/** Nothing that would change what was read goes on behind it. */
const isOver = /^`?(?:$|[.,;:)](?!\w)|\s+(?:and|but|not|because|while|for)\b|\s*[(])/

/** In the order of the text; each once. */
export function examplesIn(text: string): TestedCall[] {
  const found = text.split('\n').flatMap((line) =>
    [...line.matchAll(call)].flatMap(({ 0: head, 1: name = '', index }): TestedCall[] => {
      const argsAt = index + head.length
      const argsEnd = endOfList(line, argsAt, ')')
      if (argsEnd === -1 || isOfBefore.test(line)) return []
      const args = line.slice(argsAt, argsEnd - 1).trim()
      if (args === '') return []
      if (skip(fails, line, argsEnd, -1) !== -1) return [{ name, args, expected: '', isError: true }]
      const from = skip(gives, line, argsEnd, -1)
      const to = from === -1 ? -1 : endOfLiteral(line, from)
      if (to === -1 || !isOver.test(line.slice(to))) return []
      const expected = line.slice(from, to).trim()
      // In a text about quotes they may belong to the value.
      return isQuotedOtherwise(args, expected) ? [] : [{ name, args, expected }]
    }),
  )
  return [...new Map(found.map((one) => [`${one.name}(${one.args})`, one])).values()]
}

const isQuotedOtherwise = (args: string, expected: string): boolean =>
  (args.includes('"') && !args.includes("'") && expected.startsWith("'")) ||
  (args.includes("'") && !args.includes('"') && expected.startsWith('"'))

/** It says what was, or what would be elsewhere. */
const isOfBefore =
  /\b(?:today|currently|before|was|were|used to|instead of|until now|so far|wrongly|bug|if|when|unless|with|where|after)\b/i

/** One for each function that a test imports, or a changed source defines. */
export function blocksOfStory(text: string, { tests, sources }: CallPlaces, language: SourceLanguage): TestedBlock[] {
  const calls = Map.groupBy(examplesIn(text), ({ name }) => name)
  return [...calls].flatMap(([name, own]): TestedBlock[] => {
    const place = placeOf(name, { tests, sources }, language)
    return place === undefined ? [] : [{ test: '', line: 0, isOfStory: true, ...place, calls: own }]
  })
}

export function placeOf(
  name: string,
  { tests, sources }: CallPlaces,
  language: SourceLanguage,
): { file: string; imports: Record<string, Imported> } | undefined {
  for (const { path, text } of tests) {
    const imported = importsIn(path, text, language)[name]
    if (imported !== undefined) return { file: path, imports: { [name]: imported } }
  }
  const source = sources.find(({ path, text }) => functionsIn(sourceLines(text, syntaxOf(path))).includes(name))
  if (source === undefined) return undefined
  const module =
    language === 'python'
      ? source.path
          .replace(/^(?:src|lib)\//, '')
          .replace(/(?:\/__init__)?\.py$/, '')
          .replaceAll('/', '.')
      : `./${source.path}`
  return { file: source.path.endsWith('.py') ? source.path : 'package.json', imports: { [name]: { module, member: name } } }
}
