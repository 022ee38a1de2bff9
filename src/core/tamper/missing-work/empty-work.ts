/** Work in name only: methods without a body, unused options and limits, names of the story that a module lacks. */
import type { Finding } from '../../proof/finding.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isTestCode } from '../code/files.ts'
import { headersIn, methodsIn } from '../code/functions.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { StoryWords } from '../declared-changes.ts'
import { isWork } from './left-undone.ts'

export function namedOnly(changes: Change[], story: StoryWords | null): Finding[] {
  if (story === null) return []
  const works = changes.filter(({ path, added }) => isWork(path) && added.length > 0)
  return works.flatMap((change) => [
    ...emptyMethods(change, story),
    ...unusedOptions(change, works),
    ...unusedLimits(change, works, story),
    ...missingNames(change, story),
  ])
}

const finding = (path: string, at: number | undefined, words: string): Finding => ({
  rule: 'left-undone',
  file: path,
  ...(at === undefined ? {} : { line: at }),
  words: `${words} in ${path}${at === undefined ? '' : ` (line ${at})`}`,
  isBeyondChecks: true,
})

const has = (text: string, name: string): boolean => new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text)
const fresh = (change: Change): SourceLine[] => freshIn(change, (other) => !isTestCode(other))

/** `thaw()` in the story, and a function of that name with a docstring alone. */
function emptyMethods(change: Change, { text }: StoryWords): Finding[] {
  const { path, after } = change
  if (!path.endsWith('.py')) return []
  return fresh(change).flatMap((line) =>
    [...headersIn(line), ...methodsIn(line)].flatMap(({ name }): Finding[] => {
      const at = after.indexOf(line)
      const indent = line.text.search(/\S/)
      const rest = after.slice(at + 1)
      const end = rest.findIndex((each) => each.text.trim() !== '' && each.text.search(/\S/) <= indent)
      const body = rest.slice(0, end === -1 ? rest.length : end).filter(({ code }) => code.trim() !== '')
      const isEmpty = body.length > 0 && body.every(({ code }) => /^\s*(?:"{2,6}|'{2,6}|pass|\.\.\.)\s*$/.test(code))
      const isOverridden = after.slice(Math.max(0, at - 3), at).some(({ code }) => /^\s*@(?!\w*cache)/.test(code))
      return isEmpty && !isOverridden && text.includes(`${name}(`)
        ? [finding(path, line.at, `leaves ${name}(), which the story names, without a body`)]
        : []
    }),
  )
}

const option = /\b(?:add_argument|option)\(\s*(?:["']-\w["']\s*,\s*)?["']--([a-z][\w-]+)["']/
/** All options go somewhere at once. */
const givesAll =
  /\bvars\(|\*\*|\(\s*(?:args|options|opts|known|ns|namespace)\s*\)|,\s*(?:args|options|opts|known|ns|namespace)\s*\)/

function unusedOptions(change: Change, works: Change[]): Finding[] {
  if (!change.path.endsWith('.py')) return []
  return fresh(change).flatMap((line): Finding[] => {
    const name = option.exec(line.bare)?.[1]
    if (name === undefined || /\b(?:dest|action\s*=\s*["'](?:version|help))\b/.test(line.bare)) return []
    const word = name.replaceAll('-', '_')
    const others = works.flatMap(({ after }) => after).filter((each) => each !== line)
    if (
      others.some(
        ({ code, bare }) => has(code, word) || bare.includes(`"${word}"`) || bare.includes(`'${word}'`) || givesAll.test(code),
      )
    )
      return []
    return [finding(change.path, line.at, `takes --${name} and ignores it`)]
  })
}

/** The story names it, the tests may compare it, and no code asks for it. */
function unusedLimits(change: Change, works: Change[], { text }: StoryWords): Finding[] {
  return fresh(change).flatMap((line): Finding[] => {
    const name = /^(?:export\s+)?(?:const\s+)?([A-Z][A-Z\d_]{2,})\s*(?::[^=]+)?=\s*[^=]/.exec(line.code)?.[1]
    if (name === undefined || !has(text, name)) return []
    const isUsed = works.flatMap(({ after }) => after).some(({ code }, at, all) => all[at] !== line && has(code, name))
    return isUsed ? [] : [finding(change.path, line.at, `has ${name}, which the story names but no code uses,`)]
  })
}

/** `ledger.rates.to_gbp(cents)` of the story: a module that changed, and that has no such name. */
function missingNames({ path, afterText }: Change, { text }: StoryWords): Finding[] {
  if (!path.endsWith('.py') || /\bimport\s+\*/.test(afterText)) return []
  const module = path
    .replace(/(?:\/__init__)?\.py$/, '')
    .split('/')
    .slice(-2)
    .join('.')
  const names = [...text.matchAll(/(?<![\w.])((?:[a-z_]\w*\.)+)([a-z_]\w*)\(/g)]
    .filter(([, place = '']) => place.split('.').length > 2 && module === place.split('.').slice(-3, -1).join('.'))
    .map(([, , name = '']) => name)
  const gone = /\b(?:remov\w*|delet\w*|drop\w*|no longer|renam\w*|instead of)\b/i.test(text)
  const missing = gone ? undefined : names.find((name) => !has(afterText, name))
  return missing === undefined ? [] : [finding(path, undefined, `has no ${missing}(), which the story names,`)]
}
