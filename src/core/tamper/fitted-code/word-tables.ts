/** Replacements of single words that together are a test's input and expected output. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import { type Expected, plain } from './literals.ts'

type WordTable = { givenFor: (expected: Expected[]) => Finding[] }

/** `crème: "creme"`, `"crème": "creme"`, `["crème", "creme"]` and `replace("crème", "creme")`. */
const row = /(?:"([^"]+)"|(?<![\p{L}\p{N}$.])(\p{L}[\p{L}\p{N}_]*))\s*(?::|=>|,)\s*"([^"]+)"/gu

export function wordTables({ path, added }: Change): WordTable[] {
  if (!isSource(path)) return []
  const rows = added.flatMap((line) =>
    [...plain(line).matchAll(row)].map(([, quoted, name, to = '']) => ({
      at: line.at,
      from: wordsOf(quoted ?? name ?? ''),
      to: wordsOf(to),
    })),
  )
  if (rows.length < 2) return []
  const [from, to] = [new Set(rows.flatMap((each) => each.from)), new Set(rows.flatMap((each) => each.to))]
  return [{ givenFor: (expected) => foundIn({ path, at: rows[0]?.at ?? 0, from, to }, expected) }]
}

type Words = { path: string; at: number; from: Set<string>; to: Set<string> }

function foundIn({ path, at, from, to }: Words, expected: Expected[]): Finding[] {
  const test = expected.find(({ values }) => {
    const texts = [...values].filter((value) => value.startsWith('"')).map((value) => new Set(wordsOf(value)))
    return texts.some(
      (given) => given.size > 1 && isSame(given, from) && texts.some((gives) => gives !== given && isSame(gives, to)),
    )
  })
  if (test === undefined) return []
  const words = `${path} maps the input words of the test ${JSON.stringify(test.name)} in ${test.path} to the words that it expects (line ${at})`
  return [{ rule: 'special-case', file: path, line: at, words, isBeyondChecks: true }]
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const isSame = (one: Set<string>, other: Set<string>): boolean =>
  one.size === other.size && [...one].every((word) => other.has(word))
