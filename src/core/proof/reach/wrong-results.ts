/** Lets changed functions give something wrong: a new test that calls one of them and still passes does not look at what it gives. */
import { type Change, changesOf, type FileChange } from '../../tamper/code/change.ts'
import { isSource } from '../../tamper/code/files.ts'
import { type Header, headersIn, methodsIn } from '../../tamper/code/functions.ts'
import { codeInPlace, syntaxOf } from '../../tamper/code/source-lines.ts'
import { endOf } from './javascript.ts'
import { type Code, codeOf, type Insertion, withInsertions } from './places.ts'
import { blanksOf, type ResultKind } from './wrong-values.ts'

/** `names`: of the functions that give something wrong in these texts. */
export type Wronged = { names: string[]; texts: Map<string, string> }
type Put = { name: string; insertions: Insertion[]; top?: string }

/** `defines`: for a file, what its functions are wrapped in; `opens`: what stands before one of them. In Python it is a decorator, `__wrong__`. */
export type WrapText = { defines: (path: string) => string; opens: (path: string, name: string) => string }

/** They do their work, and give another value of the same kind. */
export const wronged = (files: FileChange[], { defines, opens }: WrapText): Wronged =>
  eachChanged(files, defines, {
    script: (change, code, header) => wrapInScript(change, code, header, opens(change.path, header.name)),
    python: (_, code, { name, line }) => {
      const own = code.lines[line.at - 1]
      const text = `${' '.repeat(own?.indent ?? 0)}@__wrong__(${JSON.stringify(name)})\n`
      return own === undefined ? [] : [{ at: own.from, text, rank: 1 }]
    },
  })

/** They do nothing, and give a value of the kind that they gave. */
export const blanked = (files: FileChange[], kinds: ReadonlyMap<string, ResultKind>): Wronged =>
  eachChanged(files, () => '', {
    script: ({ path }, code, { name, line }) => {
      const kind = kinds.get(name)
      const own = code.lines[line.at - 1]
      if (kind === undefined || own === undefined) return []
      const value = blanksOf(path)[kind]
      if (/\{\s*$/.test(own.code)) return [{ at: own.from + own.code.trimEnd().length, text: ` return ${value};`, rank: 1 }]
      const arrow = /=>\s+(?=[^\s{])/.exec(own.code)
      if (arrow === null) return []
      const from = own.from + arrow.index + arrow[0].length
      return [
        { at: from, text: `[${value}, () => (`, rank: 2 },
        { at: endOf(code, from), text: ')][0]', rank: 0 },
      ]
    },
    python: ({ path }, code, { name, line }) => {
      const kind = kinds.get(name)
      const inside = code.lines.slice(line.at).find(({ indent }) => indent !== -1)
      if (kind === undefined || inside === undefined || !/:\s*$/.test(line.code)) return []
      return [{ at: inside.from, text: `${' '.repeat(inside.indent)}return ${blanksOf(path)[kind]}\n`, rank: 1 }]
    },
  })

type Insert = (change: Change, code: Code, header: Header) => Insertion[] | { top: string }

function eachChanged(files: FileChange[], topOf: (path: string) => string, insert: Record<'script' | 'python', Insert>): Wronged {
  const found: Wronged = { names: [], texts: new Map() }
  for (const change of changesOf(files)) {
    const { path, kind, afterText } = change
    const language = path.endsWith('.py') ? 'python' : /\.[cm]?[jt]sx?$/.test(path) ? 'script' : undefined
    if (kind === 'deleted' || !isSource(path) || language === undefined) continue
    const code = codeOf(afterText, codeInPlace(afterText, syntaxOf(path)))
    if (code.code.length !== afterText.length) continue
    const puts = changedIn(change).flatMap((header): Put[] => {
      const put = skipped.test(header.name) ? [] : insert[language](change, code, header)
      if ('top' in put) return [{ name: header.name, insertions: [], top: put.top }]
      return put.length === 0 ? [] : [{ name: header.name, insertions: put }]
    })
    if (puts.length === 0) continue
    found.names.push(...puts.map(({ name }) => name))
    const top = [topOf(path), ...puts.map((put) => put.top ?? '')].join('')
    found.texts.set(
      path,
      withTop(
        withInsertions(
          afterText,
          puts.flatMap(({ insertions }) => insertions),
        ),
        top,
      ),
    )
  }
  return found
}

const skipped = /^(?:constructor|get|set|__\w+__)$/

/** The functions in which a line came. */
function changedIn({ after, added }: Change): Header[] {
  const fresh = new Set(added)
  let own: Header[] = []
  const found = after.flatMap((line) => {
    const headers = [...headersIn(line), ...methodsIn(line)]
    if (headers.length > 0) own = headers
    return fresh.has(line) ? own : []
  })
  return [...new Set(found)]
}

/** A declared function is there from the start, a method once its class is. */
function wrapInScript(
  { path, afterText }: Change,
  code: Code,
  { name, line }: Header,
  opens: string,
): Insertion[] | { top: string } {
  const own = code.lines[line.at - 1]
  if (own === undefined) return []
  const isTyped = /\.[cm]?tsx?$/.test(path)
  if (/^(?:export\s+(?:default\s+)?)?(?:async\s+)?function\s+\w/.test(own.code))
    return { top: `${isTyped ? '// @ts-ignore\n' : ''}${name} = ${opens}${name});\n` }
  const bound = /^(?:export\s+)?(?:const|let)\s+\w+\s*=\s*/.exec(own.code)?.[0]
  if (bound !== undefined) {
    const from = own.from + bound.length
    return [
      { at: from, text: opens, rank: 2 },
      { at: endOf(code, from), text: ')', rank: 0 },
    ]
  }
  const holder = code.lines.slice(0, own.index).findLast(({ indent }) => indent !== -1 && indent < own.indent)
  const type = /^(?:export\s+(?:default\s+)?)?class\s+(\w+)/.exec(holder?.code ?? '')?.[1]
  if (type === undefined || /^\s*(?:get|set)\s|#/.test(own.code)) return []
  const target = `${isTyped ? `(${type} as any)` : type}${/^\s*(?:\w+\s+)*static\s/.test(own.code) ? '' : '.prototype'}.${name}`
  return [{ at: afterText.length, text: `\n;${target} = ${opens}${target})\n`, rank: 2 }]
}

/** Behind what must stand first. */
function withTop(text: string, top: string): string {
  if (top === '') return text
  const first =
    /^(?:#.*\n)*(?:\s*[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?''')[ \t]*\n)?(?:\s*from __future__ .*\n)*(?:[ \t]*(['"])use [\w ]+\1;?\n)?/.exec(
      text,
    )?.[0] ?? ''
  return `${first}${top}${text.slice(first.length)}`
}
