/** Test files that change only as the story says: everything new in them is in its words. */
import type { Finding, FindingRule } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isFixture, isSnapshot } from '../code/files.ts'
import { isTestFile } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { changedLiterals, literalsIn, skeletonOf } from '../code/statements.ts'
import { isOfAnother, type StoryWords, saidInstead } from '../declared-changes.ts'
import type { TestBlock } from './test-blocks.ts'

/** For such files, what was found about them is declared; one that nothing was found about is declared too, since its old tests fail. */
export function asAsked(found: Finding[], changes: Change[], fresh: TestBlock[], story: StoryWords | null): Finding[] {
  const asked = new Set(story === null ? [] : askedFiles(changes, fresh, story.text))
  if (asked.size === 0) return found
  const isAsked = ({ file, rule, isCertain }: Finding): boolean =>
    isCertain !== true && file !== undefined && asked.has(file) && aboutValues.includes(rule)
  const known = new Set(found.map(({ file }) => file))
  const others = [...asked].filter((path) => !known.has(path))
  return [
    ...found.map((finding): Finding => (isAsked(finding) ? { ...finding, isDeclared: true } : finding)),
    ...others.map(
      (file): Finding => ({
        rule: isTestFile(file) ? 'expected-changed' : 'fixture-changed',
        file,
        words: `changed ${file} in the words of the story`,
        isDeclared: true,
      }),
    ),
  ]
}

const aboutValues: FindingRule[] = ['expected-changed', 'assertion-changed', 'fixture-changed', 'snapshot-changed']

/** All of the changed ones or none: old checks that fail are not told by file. */
function askedFiles(changes: Change[], fresh: TestBlock[], words: string): string[] {
  const ofNewTests = new Set(fresh.flatMap(({ lines }) => lines))
  const compared = changes.filter(
    ({ path, kind, removed }) =>
      kind !== 'added' && removed.length > 0 && (isTestFile(path) || isFixture(path) || isSnapshot(path)),
  )
  const isAsked = (change: Change): boolean => change.kind === 'modified' && isInWords(change, ofNewTests, words)
  return compared.every(isAsked) ? compared.map(({ path }) => path) : []
}

function isInWords({ path, added, removed, beforeText }: Change, ofNewTests: Set<SourceLine>, words: string): boolean {
  const all = added.filter((line) => !ofNewTests.has(line) && !imports.test(line.bare))
  const lines = withoutMore(all, removed)
  const known = new Set(tokensIn(beforeText))
  const numbers = new Set((words.match(number) ?? []).map(Number))
  const isKnown = (token: string): boolean => known.has(token) || (isNumber(token) && hasNumber(known, token))
  const gone = numbersIn(removed)
  const instead = saidInstead(words).flatMap(({ from, to }) => (gone.includes(Number(from)) ? [Number(to)] : []))
  const isNamed = (token: string): boolean =>
    isNumber(token) ? (token.length > 1 && numbers.has(Number(token))) || instead.includes(Number(token)) : hasName(words, token)
  const come = lines.flatMap(({ bare }) => tokensIn(bare)).filter((token) => !isKnown(token))
  const code = new Set(lines.flatMap((line) => tokensIn(line.code)))
  const rest = come.filter((token) => !isNamed(token))
  // What a text says may have more than the story quotes of it.
  const isText = (token: string): boolean => isTestFile(path) && !isNumber(token) && !code.has(token)
  return (
    rest.length < come.length &&
    rest.every(isText) &&
    !come.some((token) => steers.test(token)) &&
    hasSameNumbers(gone, numbersIn(lines), isNamed) &&
    !lines.some((line) => takesOtherInput(line, removed, words) || takesOtherPlace(line, removed, words))
  )
}

/** Assertions that stand beside those which took the place of others only ask for more. */
function withoutMore(lines: SourceLine[], removed: SourceLine[]): SourceLine[] {
  const asserts = /^\s*(?:await\s+)?(?:assert|expect|self\.assert|t\.)\w*(?:\.\w+)*\(|^\s*assert\s/
  const shared = (one: SourceLine, other: SourceLine): number => {
    const tokens = new Set(tokensIn(one.bare))
    return tokensIn(other.bare).filter((token) => tokens.has(token)).length
  }
  const heirs = new Set(removed.map((line) => lines.toSorted((one, other) => shared(other, line) - shared(one, line))[0]))
  return lines.filter((line) => heirs.has(line) || !asserts.test(line.code))
}

/** The same yes or no is expected of another text than before, which the story does not name. */
function takesOtherInput({ text }: SourceLine, removed: SourceLine[], words: string): boolean {
  const [skeleton, values] = [skeletonOf(text), literalsIn(text)]
  if (!values.some(isVerdict)) return false
  return removed.some((line) => {
    const before = literalsIn(line.text)
    if (skeletonOf(line.text) !== skeleton || String(before.filter(isVerdict)) !== String(values.filter(isVerdict))) return false
    const fresh = values.filter((value) => /^"/.test(value) && !before.includes(value))
    return fresh.length > 0 && !fresh.some((value) => words.includes(value.slice(1, -1)))
  })
}

/** The value that the story names stands where another one stood than that which it replaces. */
function takesOtherPlace({ text }: SourceLine, removed: SourceLine[], words: string): boolean {
  const skeleton = skeletonOf(text)
  const changes = removed
    .filter((line) => skeletonOf(line.text) === skeleton)
    .map((line) => changedLiterals(line.text, text))
    .toSorted((one, other) => one.length - other.length)
  return (changes[0] ?? []).some((change) => isOfAnother(words, change))
}

const isVerdict = (value: string): boolean => /^(?:true|false|True|False)$/.test(value)

/** As many as before, each of them one of those or named: nothing is left out, and no other input takes the place of one. */
function hasSameNumbers(before: number[], after: number[], isNamed: (token: string) => boolean): boolean {
  const left = [...before]
  const others = after.filter((value) => {
    const at = left.indexOf(value)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return left.length === others.length && others.every((value) => isNamed(String(value)))
}

const numbersIn = (lines: SourceLine[]): number[] =>
  lines.filter(({ bare }) => !imports.test(bare)).flatMap(({ bare }) => tokensIn(bare).filter(isNumber).map(Number))

const imports = /^\s*(?:import\b|from\b.*\bimport\b|use\b|using\b|require\b|(?:const|let|var)\b.*\brequire\()/
const number = /-?\d+(?:\.\d+)?/g
const isNumber = (token: string): boolean => /^-?\d/.test(token)
const tokensIn = (text: string): string[] => text.match(/-?\d+(?:\.\d+)?|[A-Za-z_$][\w$]*/g) ?? []
const hasNumber = (known: Set<string>, token: string): boolean =>
  [...known].some((each) => isNumber(each) && Number(each) === Number(token))

/** Words of the language, and of runners, that are words of a story too. */
const steers =
  /^(?:if|else|elif|unless|or|and|not|in|is|any|all|for|while|try|except|catch|finally|with|return|pass|skip\w*|xfail|only|todo|mock\w*|patch\w*|approx|within|about|near|true|false|True|False|None|null|nil|undefined)$/

const hasName = (words: string, token: string): boolean =>
  token.length > 1 && new RegExp(`(?<![\\w$])${token.replaceAll('$', '\\$')}(?![\\w$])`).test(words)
