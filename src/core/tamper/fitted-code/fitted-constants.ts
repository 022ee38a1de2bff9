/** Functions that multiplied or divided by a parameter and now only compare or add it, with numbers that nobody asked for. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { bodyOf, type Header, headersIn, inWords, methodsIn } from '../code/functions.ts'
import { isWork } from '../missing-work/left-undone.ts'

type Body = Pick<Header, 'name' | 'parameters'> & { text: string; at: number }
/** Functions by name: those whose name is there once. */
type Bodies = Map<string, Body>

/** `words`: of the story, which may name the numbers itself. */
export function fittedConstants(changes: Change[], words = ''): Finding[] {
  const works = changes.filter(({ path, added }) => isWork(path) && added.length > 0)
  const known = new Set([...numbersIn(words), ...works.flatMap(({ before }) => before.flatMap(({ code }) => numbersIn(code)))])
  const come = works.flatMap(({ added }) => added.flatMap(({ code }) => numbersIn(code))).filter((each) => !known.has(each))
  if (come.length === 0) return []
  const all = works.map((change) => ({ change, olds: bodiesIn(change.before), news: bodiesIn(change.after) }))
  const helpers: Bodies = new Map(all.flatMap(({ olds, news }) => [...news].filter(([name]) => !olds.has(name))))
  return all.flatMap(({ change, olds, news }) =>
    [...news.values()].flatMap((now): Finding[] => {
      const lost = lostIn(olds.get(now.name), now, helpers)
      if (lost === undefined) return []
      const shown = [...new Set(come)].slice(0, 3).join(', ')
      const text = `${now.name}() no longer multiplies or divides by ${lost}, and has numbers that the story does not name (${shown}) in ${change.path} (line ${now.at})`
      return [{ rule: 'fitted-constant', file: change.path, line: now.at, words: text, isBeyondChecks: true }]
    }),
  )
}

/** Methods of several classes may share a name: nobody knows which is which. */
function bodiesIn(lines: Change['after']): Bodies {
  const headers = Map.groupBy(
    lines.flatMap((line) => [...headersIn(line), ...methodsIn(line)]),
    ({ name }) => name,
  )
  return new Map(
    [...headers].flatMap(([name, [first, ...more]]) =>
      first === undefined || more.length > 0
        ? []
        : [[name, { name, parameters: first.parameters, text: bodyOf(lines, first.line), at: first.line.at }]],
    ),
  )
}

/** The parameter, under its name of now: one that was renamed stands where it stood. */
function lostIn(old: Body | undefined, now: Body, helpers: Bodies): string | undefined {
  if (old === undefined || old.text === now.text) return undefined
  const found = old.parameters.flatMap((one, index) => {
    const name = now.parameters.includes(one) ? one : now.parameters[index]
    const isRenamed = name !== undefined && name !== one && old.parameters.includes(name)
    return name !== undefined && !isRenamed && isScaled(plainly(old.text, one), one) ? [name] : []
  })
  return found.find((name) => !isUsedUp(now.text, name, helpers))
}

const bounds = String.raw`(?:[Mm]ath\.)?(?:min|max|Min|Max)`
const sameValue =
  /(?<![\w$.])(?:[Mm]ath\.(?:round|floor|ceil|abs|trunc|fround|Round|Floor|Ceil|Abs|Trunc)|Number|parseFloat|parseInt|int|float|float64|float32|int64|abs|round|Decimal|BigInt|sign|[Mm]ath\.[sS]ign|Boolean|bool)\s*(?=\()/g

/** Under one name only, and without what leaves the value what it is. */
function plainly(body: string, name: string): string {
  const alias = new RegExp(
    String.raw`(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?::\s*\w+\s*)?(?::=|(?<![=!<>])=(?![=>]))\s*[+(]*${inWords(name)}\)*\s*(?:;|$)`,
    'm',
  )
  const text = body.replace(sameValue, '').replace(/\.(?:toFixed|valueOf|toString|toNumber)\([^()]*\)/g, '')
  const [whole, other] = alias.exec(text) ?? []
  if (whole === undefined || other === undefined || other === name) return text
  return plainly(
    text.replace(whole, '').replace(new RegExp(inWords(other), 'g'), () => name),
    name,
  )
}

/** Beside an operator that makes more of it than a sum; times nothing is nothing, and a comparison is only a condition. */
function isScaled(body: string, name: string): boolean {
  const one = inWords(name)
  const nothing = new RegExp(`${one}\\s*\\*\\s*0(?![.\\d])|(?<![.\\w])0\\s*\\*\\s*${one}`, 'g')
  const condition = new RegExp(`${one}\\)*\\s*(?:[<>]=?|[=!]==?)|(?:(?<![=-])[<>]=?|[=!]==?)\\s*\\(*${one}(?!\\s*[*/])`, 'g')
  const plain = body.replace(nothing, '0').replace(condition, '0')
  return new RegExp(`${one}\\)*\\s*(?:\\*|/(?!/))|(?:\\*|(?<!/)/)\\s*\\(*${one}`).test(plain)
}

const notACall = `(?:if|while|for|switch|return|and|or|not|in|elif|match|case|${bounds})`

/** Scaled, or handed to a function or an object that is not of this change: what becomes of it there is not looked at. */
function isUsedUp(body: string, name: string, helpers: Bodies, depth = 0): boolean {
  const text = plainly(body, name)
  const member = new RegExp(`${inWords(name)}\\s*(?:\\?\\.|\\.|\\[|->|::)|[{[,(]\\s*\\.{3}${inWords(name)}`)
  const changed = new RegExp(`${inWords(name)}\\s*(?:[-+*/%]|\\*\\*|<<|>>)?=(?!=)`)
  if (isScaled(text, name) || member.test(text) || changed.test(text)) return true
  return callsWith(text, name).some(({ callee, index }) => {
    const helper = helpers.get(callee)
    const parameter = helper?.parameters[index]
    return helper === undefined || parameter === undefined || depth > 2 || isUsedUp(helper.text, parameter, helpers, depth + 1)
  })
}

/** Calls that are given it, and as which argument. */
function callsWith(text: string, name: string): { callee: string; index: number }[] {
  const call = new RegExp(String.raw`([\w$\])]+)(?<!\b${notACall})\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)`, 'g')
  const one = new RegExp(inWords(name))
  return [...text.matchAll(call)].flatMap(([, callee = '', list = '']) =>
    argumentsIn(list).flatMap((given, index) =>
      one.test(given) ? [{ callee, index }, ...callsWith(given, name)] : callsWith(given, name),
    ),
  )
}

function argumentsIn(list: string): string[] {
  let depth = 0
  const parts = ['']
  for (const sign of list) {
    if ('([{'.includes(sign)) depth += 1
    if (')]}'.includes(sign)) depth -= 1
    if (sign === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += sign
  }
  return parts
}

/** Without those that every formula has. */
const numbersIn = (text: string): string[] =>
  (text.match(/(?<![\w.])\d[\w.]*/g) ?? [])
    .map((each) => each.replace(/\.$/, ''))
    .filter((each) => !/^(?:0|1|100)(?:\.0*)?$/.test(each))
