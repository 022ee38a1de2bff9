/** Computations for one number only: the only one that tests pass. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import type { SourceLine } from '../code/source-lines.ts'
import { isWork } from '../missing-work/left-undone.ts'
import { plain } from './literals.ts'
import { functionAround } from './tested-inputs.ts'

type OnlyNumber = { givenBy: (blocks: TestBlock[], words: string) => Finding[] }

const asks = /(?<![\w$.])([a-z]\w*)\s*===?\s*(-?\d[\d_]*(?:\.\d+)?)(?![\w.])/
/** No more, or no less, than it. */
const clamps = /\b[Mm]ath\.(?:min|max)\(\s*([a-z]\w*)\s*,\s*(-?\d[\d_]*(?:\.\d+)?)\s*\)/
/** Something is worked out: not only chosen, as for the code of an answer. */
const computes = /[\w)\]]\s*[*/]\s*[\w(]/
/** Numbers that stand for something have cases of their own everywhere. */
const codes =
  'status|code|errno|key|type|kind|version|port|year|month|week|day|hour|minute|second|signal|length|size|count|level|depth|id|index|byte|char|digit|base|radix|width|height|bits?|retries|attempts?|total|sum|len|denominator|divisor'
const isCode = new RegExp(`^(?:\\w+_)?(?:${codes}|\\w)$|[a-z](?:${codes.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())})$`)

export function onlyNumbers({ path, after, added }: Change): OnlyNumber[] {
  if (!isWork(path)) return []
  return added.flatMap((line): OnlyNumber[] => {
    const text = plain(line)
    const [, name = '', number = ''] = asks.exec(text) ?? clamps.exec(text) ?? []
    const at = after.indexOf(line)
    const body = [text, ...(/\bif\b/.test(line.code) ? after.slice(at + 1, at + 2).map(plain) : [])].join('\n')
    if (
      name === '' ||
      isCode.test(name) ||
      Math.abs(Number(number)) < 3 ||
      !computes.test(body.replace(asks, '').replace(clamps, 'x'))
    )
      return []
    return [
      { givenBy: (blocks, words) => found({ path, line, name, number, callee: functionAround(after, line) }, blocks, words) },
    ]
  })
}

type Asked = { path: string; line: SourceLine; name: string; number: string; callee: string | undefined }

/** Under its name, in every test that gives one to the function. */
function found({ path, line: { at }, name, number, callee }: Asked, blocks: TestBlock[], story: string): Finding[] {
  const given = new RegExp(String.raw`(?<![\w$])${name}"?\s*[:=]\s*(-?\d[\d_]*(?:\.\d+)?)(?![\w.])`, 'g')
  const calls = new RegExp(String.raw`(?<![\w$])${callee ?? ''}\(`)
  const all = blocks
    .filter(({ lines }) => lines.some(({ code }) => calls.test(code)))
    .flatMap((block) =>
      block.lines.flatMap((line) => [...plain(line).matchAll(given)].map(([, value = '']) => ({ block, value }))),
    )
  const others = all.filter(({ value }) => value !== number && Number(value) !== 0)
  const [first] = all.filter(({ value }) => value === number)
  if (first === undefined || others.length > 0 || new RegExp(String.raw`(?<![\w.])${number}(?![\w.])`).test(story)) return []
  const words = `${path} computes a result only for ${name} ${number} (line ${at}), the only value that tests pass, as in the test ${JSON.stringify(first.block.name)} in ${first.block.path}`
  return [{ rule: 'special-case', file: path, line: at, words, isBeyondChecks: true }]
}
