/** Expected values that the source derives from the input's length, a remainder or a character code: no story asks for such a rule. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { type Expected, isTrivial, literal, plain } from './literals.ts'
import { functionAround } from './tested-inputs.ts'

/** `words`: of the story, which may name the value itself. */
type DerivedCase = { givenFor: (expected: Expected[], words: string) => Finding[] }

const asksFor =
  /(?:\.(?:length|size)|\blen\([^()]*\)|\bchar(?:CodeAt|At)\([^()]*\)|\bcodePointAt\([^()]*\)|\bord\([^()]*\))\s*===?\s*[1-9]|%\s*\d+\s*===?\s*[1-9]/
const gives = new RegExp(String.raw`(?:\breturn|=>|\?)\s*\(?(${literal})(?=\s*(?:[;:)}+*/-]|$|\bif\b))`)

export function byDerivedValues({ path, after, added }: Change): DerivedCase[] {
  return added.flatMap((line): DerivedCase[] => {
    const text = plain(line)
    if (!asksFor.test(text)) return []
    const next = after[after.indexOf(line) + 1]
    const answer = [text, ...(next === undefined ? [] : [plain(next)])].map((each) => gives.exec(each)?.[1]).find(Boolean)
    const name = functionAround(after, line)
    if (answer === undefined || name === undefined || isTrivial(answer) || isShort(answer)) return []
    return [{ givenFor: (expected, words) => found({ path, line, name, answer }, expected, words) }]
  })
}

/** A name, or a small number: kinds and counts are told by lengths. */
const isShort = (answer: string): boolean => /^"[\w -]{0,20}"$/.test(answer) || /^-?\d$/.test(answer)

type Given = { path: string; line: SourceLine; name: string; answer: string }

function found({ path, line: { at }, name, answer }: Given, expected: Expected[], words: string): Finding[] {
  const isNamed = new RegExp(String.raw`(?<![\w.])${answer.replace(/^"|"$/g, '').replace(/[^\w]/g, '\\$&')}(?!\w)`).test(words)
  const test = isNamed ? undefined : expected.find(({ values }) => values.has(answer) && values.has(`${name}()`))
  if (test === undefined) return []
  const said = `${path} derives ${answer} in ${name}() from a length, a remainder or a character code (line ${at}), as the test ${JSON.stringify(test.name)} in ${test.path} expects`
  return [{ rule: 'special-case', file: path, line: at, words: said, isBeyondChecks: true }]
}
