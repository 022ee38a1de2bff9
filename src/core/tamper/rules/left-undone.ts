/** Source that says itself that its work is not done, and functions that take something and do nothing with it. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'

const what = 'leaves something undone'
const isWork = (path: string): boolean =>
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

const header =
  /^(\s*)(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:async\s+)?(?:(?:function\*?|def|func|fn)\s+(\w+)|(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?)\s*\(([^()]*)\)/

/** A parameter that an older function has got, and that its body does not mention. */
export function unusedParameters({ path, added, after, before }: Change): Finding[] {
  if (!isWork(path)) return []
  const known = new Map(before.flatMap(({ code }) => headerOf(code)).map(({ name, parameters }) => [name, parameters]))
  return added.flatMap((line): Finding[] => {
    const [found] = headerOf(line.code)
    const old = found === undefined ? undefined : known.get(found.name)
    if (found === undefined || old === undefined || old.length >= found.parameters.length) return []
    const body = bodyOf(after, line)
    const unused = found.parameters.filter(
      (one) => !old.includes(one) && !old.includes(one.replace(/^_/, '')) && !new RegExp(`\\b${one}\\b`).test(body),
    )
    if (unused[0] === undefined || body.trim() === '' || /\barguments\b|\.\.\./.test(body)) return []
    const words = `${found.name}() takes ${unused[0]} and does nothing with it in ${path} (line ${line.at})`
    return [{ rule: 'left-undone', file: path, line: line.at, words, isBeyondChecks: true }]
  })
}

function headerOf(code: string): { name: string; parameters: string[] }[] {
  const [, , named, bound, list] = header.exec(code) ?? []
  const name = named ?? bound
  if (name === undefined || list === undefined) return []
  const parameters = plainTypes(list)
    .split(',')
    .flatMap((each) => /^\s*(?:(?:this|self|cls)\b\s*)?(?:mut\s+|ref\s+|\*{1,2})?([A-Za-z_$][\w$]*)/.exec(each)?.[1] ?? [])
  return [{ name, parameters }]
}

/** Without what brackets hold: it has commas of its own. */
function plainTypes(list: string): string {
  const now = list.replace(/\[[^[\]]*\]|<[^<>]*>|\{[^{}]*\}/g, '')
  return now === list ? list : plainTypes(now)
}

/** What is indented more, or stands on the same line. */
function bodyOf(lines: SourceLine[], line: SourceLine): string {
  const indent = line.text.search(/\S/)
  const rest = lines.slice(lines.indexOf(line) + 1)
  const end = rest.findIndex(({ text }) => text.trim() !== '' && text.search(/\S/) <= indent)
  const same = line.code.replace(header, '').replace(/^[^{:=]*(?:=>|\{|:)/, '')
  return [same, ...rest.slice(0, end === -1 ? rest.length : end).map(({ bare }) => bare)].join('\n')
}
