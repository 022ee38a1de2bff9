/** Expected values that are written out in the source although they should be computed from the test's input: they were copied from the test. */
import type { Finding } from '../../proof/finding.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import { literalsIn } from '../code/statements.ts'
import { isData } from './answer-tables.ts'
import { isWord, plain } from './literals.ts'

type AnswerInSource = { path: string; at: number; answer: string; beside: string[] }
export type WrittenAnswer = { copiedFrom: (blocks: TestBlock[]) => Finding[] }

const given = /(?:\breturn|=>|[?:,])\s*\(?("(?:[^"\\]|\\.)*")/g
/** What is given for nothing but this value: it must be there too. */
const isRow = /[:,]\s*\(?$/

export function writtenAnswers({ path, added }: Change): WrittenAnswer[] {
  const isTable = isData(path)
  if (!isSource(path) && !isTable) return []
  return added.flatMap((line): WrittenAnswer[] => {
    const text = plain(line)
    return [...text.matchAll(given)].flatMap((match): WrittenAnswer[] => {
      const [whole, answer = ''] = match
      const before = text.slice(0, match.index + whole.length - answer.length)
      if (!isLong(answer)) return []
      const isPaired = isTable || (isRow.test(before.trimEnd()) && !/\?[^?]*:\s*\(?$/.test(before))
      const beside = isPaired ? literalsIn(before) : []
      if (isPaired && beside.length === 0) return []
      return [{ copiedFrom: (blocks) => found({ path, at: line.at, answer, beside }, blocks) }]
    })
  })
}

const isLong = (value: string): boolean => value.length > 7 && tokensOf(value).some((token) => token.length > 2)

function found({ path, at, answer, beside }: AnswerInSource, blocks: TestBlock[]): Finding[] {
  const test = blocks.find(({ assertions }) =>
    assertions.some(({ text }) => {
      const values = literalsIn(text)
      return (
        values.includes(answer) &&
        values.some((input) => isMadeOf(answer, input) && (beside.length === 0 || beside.includes(input)))
      )
    }),
  )
  if (test === undefined) return []
  const words = `${path} has the answer ${answer} written out (line ${at}), as the test ${JSON.stringify(test.name)} in ${test.path} expects`
  return [{ rule: 'special-case', file: path, line: at, words, isBeyondChecks: true }]
}

/** Every part of the answer is in the input, which is more than a name. */
function isMadeOf(answer: string, input: string): boolean {
  if (input === answer || !input.startsWith('"') || input.length < 6 || isWord(input) || /^"-/.test(input)) return false
  const text = folded(input)
  return tokensOf(answer).every((token) => text.includes(token))
}

const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const tokensOf = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? []
