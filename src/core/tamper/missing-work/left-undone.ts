/** Source that says that its work is unfinished, and functions that ignore their arguments. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import { bodyOf, headersIn } from '../code/functions.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from '../rules/line-rule.ts'

const what = 'leaves work unfinished'
export const isWork = (path: string): boolean =>
  isSource(path) && !/(^|\/)(?:tests?|specs?|stubs?|mocks?)\/|\.d\.[cm]?ts$|\.pyi$/.test(path)

/** Meant to be overridden. */
const isAbstract = ({ after }: Change, line: SourceLine): boolean => {
  const at = after.indexOf(line)
  const above = after.slice(Math.max(0, at - 12), at)
  const owner = after
    .slice(0, at)
    .findLast(({ code }) => /^\s*(?:export\s+)?(?:abstract\s+)?(?:class|module|interface|trait)\b/.test(code))
  return (
    above.some(({ code }) => /\babstract|@(?:abc\.)?abstract|Protocol\b|interface\b/i.test(code)) ||
    /\b(?:abstract|Abstract\w*|Base\w*|\w*Base|ABC|Protocol|Interface|\w*Mixin)\b/.test(owner?.code ?? '') ||
    isDerivedFrom(after, owner)
  )
}

/** Another class in the same file overrides it. */
function isDerivedFrom(lines: SourceLine[], owner: SourceLine | undefined): boolean {
  const name = /\b(?:class|module|interface|trait)\s+(\w+)/.exec(owner?.code ?? '')?.[1]
  if (name === undefined) return false
  const derives = new RegExp(
    `\\bclass\\s+\\w+\\s*(?:\\([^)]*\\b${name}\\b|.*\\bextends\\s+${name}\\b|<\\s*${name}\\b|:.*\\b${name}\\b)`,
  )
  return lines.some(({ code }) => derives.test(code))
}

export const leftUndone: LineRule[] = [
  {
    rule: 'left-undone',
    what,
    files: isWork,
    on: 'bare',
    looksFor:
      /\b(?:throw|raise|panic!?|fatalError|die|abort|fail)\b.{0,40}\b(?:not (?:yet )?(?:implemented|supported yet|done)|unimplemented|todo)\b|\braise NotImplementedError\b|\b(?:todo|unimplemented)!\s*\(|^\s*(?:return\s+)?TODO\(|\bthrow new NotImplementedException\b/i,
    where: (change, line) => line.code.trim() !== '' && !isAbstract(change, line),
    isBeyondChecks: true,
  },
  {
    rule: 'left-undone',
    what,
    files: isWork,
    on: 'comment',
    looksFor:
      /\b(?:TODO|FIXME)\b.{0,60}\b(?:implement\w*|take|handle|apply|real|actual|finish|complete)\b|\bnot (?:yet )?implemented\b|\bplaceholder (?:implementation|logic|value|until|for now)\b|\b(?:just|only) a (?:placeholder|stub|dummy)\b|\b(?:stub|dummy|fake|mock) implementation\b|\bhard-?coded (?:for now|until|to (?:make|pass|satisfy))|\bfor now\b.{0,40}\b(?:only|just|ignor\w+|return\w*|accept\w*|hard-?cod\w+|pretend\w*)\b|\bin a (?:real|production) (?:app\w*|implementation|system|world|version)\b|\bsimplified (?:implementation|version|for)\b|\b(?:to|so that) (?:make )?(?:the )?tests? (?:pass|happy|green)/i,
    isBeyondChecks: true,
  },
]

/** Parameters of older functions: a new one that the body does not mention, or one that it mentioned and no longer does. */
export function unusedParameters({ path, added, after, before }: Change): Finding[] {
  if (!isWork(path) || added.length === 0) return []
  const [olds, news] = [before.flatMap(headersIn), after.flatMap(headersIn)]
  const known = new Map(olds.map((each) => [each.name, each]))
  // Methods of several classes may share a name: nobody knows which is which.
  const isAlone = known.size === olds.length && new Set(news.map(({ name }) => name)).size === news.length
  return news.flatMap(({ name, parameters, line }): Finding[] => {
    const old = known.get(name)
    if (old === undefined) return []
    const body = bodyOf(after, line)
    if (body.trim() === '' || /\barguments\b|\.\.\.|\blocals\(\)/.test(body)) return []
    const unused = parameters.filter((one) => !mentions(body, one))
    const isKnown = (one: string): boolean => old.parameters.includes(one) || old.parameters.includes(one.replace(/^_/, ''))
    const isGrown = added.includes(line) && parameters.length > old.parameters.length
    const ignored = isGrown ? unused.find((one) => !isKnown(one)) : undefined
    // One that uses nothing any more gives a constant: another rule compares that with the tests.
    const was = isAlone && unused.length < parameters.length ? bodyOf(before, old.line) : ''
    const dropped = unused.find((one) => !isOwner.test(one) && old.parameters.includes(one) && mentions(was, one))
    const how =
      ignored !== undefined
        ? `takes ${ignored} and ignores it`
        : dropped !== undefined
          ? `still takes ${dropped} but no longer uses it`
          : undefined
    if (how === undefined) return []
    const words = `${name}() ${how} in ${path} (line ${line.at})`
    return [{ rule: 'left-undone', file: path, line: line.at, words, isBeyondChecks: true }]
  })
}

/** New functions that take nothing, do nothing but end, and are given something by other new lines. */
export function emptyFunctions(changes: Change[]): Finding[] {
  const works = changes.filter(({ path, added }) => isWork(path) && added.length > 0)
  const stubs = works.flatMap(({ path, added, after }) =>
    added
      .flatMap(headersIn)
      .filter(({ line }) => takesNothing.test(line.code) && doesNothing(bodyOf(after, line)))
      .map(({ name, line }) => ({ path, name, at: line.at })),
  )
  return stubs.flatMap(({ path, name, at }): Finding[] => {
    const gives = new RegExp(`(?<![\\w$.]|\\b(?:function|def|func|fn)\\s+)${name}\\(\\s*[^\\s)]`)
    if (!works.some(({ added }) => added.some(({ code }) => gives.test(code)))) return []
    const words = `${name}() is called with arguments but takes none and does nothing in ${path} (line ${at})`
    return [{ rule: 'left-undone', file: path, line: at, words, isBeyondChecks: true }]
  })
}

const isOwner = /^(?:self|cls|this)$/
const takesNothing = /^[^()]*\(\s*\)/
const doesNothing = (body: string): boolean => onlyEnds.test(body) && !/\barguments\b/.test(body)
const onlyEnds = /^\s*(?:(?:throw|raise|panic)\b.*|return\b[^()]*);?\s*$/
const mentions = (body: string, name: string): boolean => new RegExp(`\\b${name.replaceAll('$', '\\$')}\\b`).test(body)
