/** New options that tests set to numbers, while the function only checks whether they are set. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import { bodyOf, headersIn, inWords } from '../code/functions.ts'
import { isWork } from './left-undone.ts'

const options = /\(([^()]*\{[^{}]*\}[^()]*)\)/

export function onlyAsked(changes: Change[], blocks: () => TestBlock[]): Finding[] {
  return changes.flatMap(({ path, added, before, after }) => {
    if (!isWork(path)) return []
    const known = new Map(before.flatMap((line) => headersIn(line).map(({ name }) => [name, line.code])))
    return added.flatMap((line) =>
      headersIn(line).flatMap(({ name }): Finding[] => {
        const old = known.get(name)
        const [, list = ''] = options.exec(line.code) ?? []
        if (old === undefined || list === '') return []
        const fresh = (list.match(/(?<![\w$.])[A-Za-z_$][\w$]*(?=\s*(?:[,}=]|$))/g) ?? []).filter((each) => !isThere(old, each))
        const body = bodyOf(after, line)
        const only = fresh.find((each) => isOnlyAsked(body, each) && isNumber(each, name, blocks()))
        if (only === undefined) return []
        const words = `${name}() only checks whether ${only} is set, not its value, in ${path} (line ${line.at})`
        return [{ rule: 'left-undone', file: path, line: line.at, words, isBeyondChecks: true }]
      }),
    )
  })
}

const isThere = (text: string, name: string): boolean => new RegExp(inWords(name)).test(text)

/** Each time: `if (x)`, `x > 0`, `!x`, `x ? …`, `x && …`. */
function isOnlyAsked(body: string, name: string): boolean {
  const one = inWords(name)
  const asked = new RegExp(
    `${one}\\s*(?:>=?|!==?|===?)\\s*(?:0|1|null|undefined)(?![\\w.])|!\\s*${one}(?!\\s*[.([])|${one}\\s*(?:\\?(?![.?])|&&)|\\bif\\s*\\(\\s*${one}\\s*\\)`,
    'g',
  )
  return isThere(body, name) && !isThere(body.replace(asked, ''), name)
}

/** More than there or not there, wherever a test gives it to the function. */
function isNumber(name: string, callee: string, blocks: TestBlock[]): boolean {
  const given = new RegExp(`${inWords(name)}\\s*:\\s*(-?\\d[\\d_]*(?:\\.\\d+)?)`, 'g')
  const calls = new RegExp(`(?<![\\w$])${callee}\\(`)
  const values = blocks
    .filter(({ lines }) => lines.some(({ code }) => calls.test(code)))
    .flatMap(({ lines }) => lines.flatMap(({ code }) => [...code.matchAll(given)].map(([, value = '']) => Number(value))))
  return values.some((value) => Math.abs(value) > 1)
}
