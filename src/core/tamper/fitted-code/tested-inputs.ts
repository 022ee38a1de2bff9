/** Conditions in the source that list exactly the inputs of the tests. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { literalsIn } from '../code/statements.ts'
import { isTrivial, literal, plain } from './literals.ts'

type InputList = { calledBy: (blocks: TestBlock[]) => Finding[] }

const list = new RegExp(
  String.raw`[[({]\s*((?:${literal})(?:\s*,\s*(?:${literal}))+),?\s*[\])}]\s*\)?\s*\.?(?:includes|has|indexOf|contains|include\?)\b|\b(?:in|of)\s*[[({]\s*((?:${literal})(?:\s*,\s*(?:${literal}))+),?\s*[\])}]`,
)
const equal = new RegExp(String.raw`===?\s*(${literal})`, 'g')

export function onlyTestedInputs({ path, after, added }: Change): InputList[] {
  return added.flatMap((line): InputList[] => {
    const inputs = new Set(inputsIn(plain(line)).filter((value) => !isTrivial(value)))
    const name = inputs.size > 1 ? functionAround(after, line) : undefined
    return name === undefined ? [] : [{ calledBy: (blocks) => found({ path, at: line.at, name, inputs }, blocks) }]
  })
}

function inputsIn(text: string): string[] {
  const [, one, other] = list.exec(text) ?? []
  if (one !== undefined || other !== undefined) return literalsIn(one ?? other ?? '')
  return text.includes('||') || /\bor\b/.test(text) ? [...text.matchAll(equal)].map(([, value = '']) => value) : []
}

const definition =
  /\b(?:function\*?|def|func|fn|fun)\s+(\w+)|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)/

export function functionAround(lines: SourceLine[], line: SourceLine): string | undefined {
  const above = lines.slice(0, lines.indexOf(line) + 1).findLast(({ code }) => definition.test(code))
  return definition
    .exec(above?.code ?? '')
    ?.slice(1)
    .find(Boolean)
}

type Listed = { path: string; at: number; name: string; inputs: Set<string> }

/** Every call of the function in a test has one of them. */
function found({ path, at, name, inputs }: Listed, blocks: TestBlock[]): Finding[] {
  const call = new RegExp(String.raw`(?<![\w$])${name}\(([^()]*)\)`, 'g')
  const calls = blocks.flatMap((block) =>
    block.lines.flatMap((line) => [...plain(line).matchAll(call)].map(([, given = '']) => ({ block, given: literalsIn(given) }))),
  )
  const seen = new Set(calls.flatMap(({ given }) => given.filter((value) => inputs.has(value))))
  const [first] = calls
  if (first === undefined || seen.size < 2 || !calls.every(({ given }) => given.some((value) => inputs.has(value)))) return []
  const words = `${path} lists the inputs that tests call ${name}() with: ${[...seen].join(', ')} (line ${at}), as in the test ${JSON.stringify(first.block.name)} in ${first.block.path}`
  return [{ rule: 'special-case', file: path, line: at, words, isBeyondChecks: true }]
}
