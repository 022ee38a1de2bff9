/** Which untested parts of a function are suspicious: most are error handling and details, some hide wrong code. */
import type { CodeLine, ProbePlace } from './places.ts'

/**
 * `surroundings`: whether it runs depends on nothing that the function is given. `value`: another result is worked out there. `equal`: it runs unless one
 * value is given. `assertions`: none of a test runs; `declares`: a loop around tests does not. `calls`: the whole function does not, and the story names it.
 */
export type Telling = 'surroundings' | 'value' | 'equal' | 'assertions' | 'declares' | 'calls'

/** Asks about the places of one function. */
export function tellerOf(region: CodeLine[]): (place: ProbePlace) => Telling | undefined {
  let names: Names | undefined
  return (place) => toldBy(place, region, () => (names ??= namesIn(region)))
}

function toldBy(place: ProbePlace, region: CodeLine[], names: () => Names): Telling | undefined {
  const { given, shown, isElse, isOperand } = place
  if (given === undefined || isNothing.test(shown)) return undefined
  if (isOfSurroundings(given, names())) {
    const isTelling = isElse || isOperand ? givesValue(region, place) : isValue(shown)
    return isTelling ? 'surroundings' : undefined
  }
  if (isOperand) return undefined
  if (isElse) return equals.test(given) && !ofError.test(given) && givesValue(region, place) ? 'equal' : undefined
  const value = shown.replace(/^return\s+/, '').replace(/;$/, '')
  return isWorkedOut.test(value) && !isOrder(value, region) ? 'value' : undefined
}

/** Which of two comes first: nobody tests all ways in which that is found out. */
const isOrder = (value: string, region: CodeLine[]): boolean =>
  /^-?[01]$/.test(value) &&
  [/(?:\breturn|[?:=(,>])\s*-1\b/, /(?<![-\w.])1\b/, /[<>]|localeCompare/].every((part) =>
    region.some(({ code }) => part.test(code)),
  )

/** One of several errors that the system may give. */
const ofError = /\b(?:e|ex|err\w*|exc\w*|cause|reason)\??\.(?:code|errno|name|status\w*|type)\b/i

/** Errors, notes for people, ends. */
const isNothing =
  /^(?:throw|raise|panic|assert|continue|break|pass\b|print|log|debug|warn)|^(?:await\s+)?(?:console|log(?:ger|ging)?|process\.(?:exit|on|std\w+)|sys\.(?:exit|std\w+)|warnings?)\b/i
const isValue = (shown: string): boolean => !/^[\w.$]+\(.*\);?$/.test(shown) && shown !== ''

/** An input as it is, a number, an empty list, a sum: a result, and neither a name nor an object. */
const isWorkedOut =
  /^(?:(?!(?:true|false|null|undefined|True|False|None|NotImplemented|this|self)$)[A-Za-z_$][\w$]*|-?\d[\d_.]*|\[\]|\{\}|""|''|(?=.*\s[-+*/%]{1,2}\s)[\w$.\s()+*/%,-]+)$/
const equals =
  /(?<![=!<>])={2,3}\s*(?:"+|-?\d[\d.]*)\s*$|^\s*\w+\s+in\s+[A-Z_]+\s*$|\b[A-Z_]{2,}\.(?:includes|has|contains)\(\w+\)$/

/** The block below this condition gives or changes something. */
function givesValue(region: CodeLine[], { line }: ProbePlace): boolean {
  const at = region.findIndex(({ index }) => index === line - 1)
  const head = region[at]
  if (head === undefined) return false
  const end = region.findIndex((each, index) => index > at && each.indent !== -1 && each.indent <= head.indent)
  const body = [
    head.code.replace(/^\s*(?:\}\s*)?(?:else\s+)?if\b[^)]*\)/, ''),
    ...region.slice(at + 1, end === -1 ? region.length : end).map(({ code }) => code),
  ]
  return body.some((code) => /\breturn\b\s*\S|\byield\b|(?<![=!<>])=(?![=>])/.test(code))
}

/** It names something, and nothing that the function is given or works out from that. */
function isOfSurroundings(given: string, { own, around }: Names): boolean {
  const names = freeIn(given)
  if (names.length === 0 || /\b(?:this|self|cls)\b/.test(given)) return false
  return names.every((name) => !own.has(name)) || names.every((name) => around.has(name))
}

type Names = { own: Set<string>; around: Set<string> }

const outside =
  /\b(?:process|global(?:This)?|performance|Date|os|sys|meta|__file__|__filename|__dirname|__name__|Error|stack|env|argv|inspect|traceback|time|socket|readFileSync|existsSync|Path|open|builtins)\b/

/** Parameters, and names that are bound in the function; `around`: those that hold what is around the program. */
function namesIn(region: CodeLine[]): Names {
  const [own, around] = [new Set<string>(), new Set<string>()]
  const end = region.findIndex(({ code }) => /[:{]\s*$/.test(code))
  const head = region.slice(0, end + 1).map(({ code }) => code)
  for (const name of identifiersIn(head.join(' ').replace(/^[^(]*/, ''))) own.add(name)
  for (const { code } of region) {
    for (const [, list, other] of code.matchAll(parameters)) for (const name of identifiersIn(list ?? other ?? '')) own.add(name)
    for (const [, one = ''] of code.matchAll(/(?<![\w$.])([A-Za-z_$][\w$]*)\s*=>/g)) own.add(one)
    const [names, value] = boundIn(code)
    const isAround = outside.test(value) && freeIn(value).every((name) => !own.has(name))
    for (const name of identifiersIn(names)) {
      own.add(name)
      if (isAround) around.add(name)
    }
  }
  return { own, around }
}

const parameters =
  /(?:\bfunction\b\s*\*?\s*\w*|\bdef\s+\w+|\bcatch|^\s*(?:(?:static|async|get|set|public|private|protected|export|const|let|default|override)\s+)*(?!(?:if|for|while|switch|return|await|yield|elif|assert|throw)\b)[\w$#]+(?:\s*=\s*(?:async\s*)?)?)\s*\(([^()]*)\)?|\(([^()]*)\)\s*=>/g
const binds = /(?<![=!<>])=(?![=>])|\b(?:of|in|as)\b/

/** `const {a, b} = c`, `for x in y`, `with x as y`: what stands before, and after. */
function boundIn(code: string): [names: string, value: string] {
  const found = binds.exec(code)
  if (found === null) return ['', '']
  const [names, value] = [code.slice(0, found.index), code.slice(found.index + found[0].length)]
  return found[0] === 'as' ? [value, names] : /^[\s\w$,{}[\]:(]+$/.test(names) ? [names, value] : ['', '']
}

const words = new Set(
  'return export const let var if else elif for while in of and or not is new typeof instanceof await async true false null undefined None True False len any all str int float function def with as except lambda'.split(
    ' ',
  ),
)

/** Without those that functions and comprehensions in it bind. */
function freeIn(code: string): string[] {
  const bound = new Set(
    [...code.matchAll(/([A-Za-z_$][\w$]*)\s*=>|\(([^()]*)\)\s*=>|\bfor\s+([\w\s,]+?)\s+in\b/g)].flatMap((found) =>
      identifiersIn(found.slice(1).join(' ')),
    ),
  )
  return identifiersIn(code).filter((name) => !bound.has(name))
}

/** Not what comes after a dot. */
const identifiersIn = (code: string): string[] =>
  (code.match(/(?<![\w$.])[A-Za-z_$][\w$]*/g) ?? []).filter((name) => !words.has(name))
