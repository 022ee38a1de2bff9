/** Examples in comments that runners check: Python's `>>>`, and code blocks in Rust's documentation. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import type { SourceLine } from '../code/source-lines.ts'

export function changedExamples(change: Change): Finding[] {
  if (change.kind !== 'modified') return []
  return change.path.endsWith('.py') ? inPython(change) : change.path.endsWith('.rs') ? inRust(change) : []
}

type Example = { at: number; call: string; answer: string; isSkipped: boolean }

const prompt = /^\s*>>>\s+(.*)$/
const skip = /#\s*doctest:\s*\+(?:SKIP|ELLIPSIS|IGNORE_EXCEPTION_DETAIL)\b.*$/

function examplesIn(lines: SourceLine[]): Example[] {
  return lines.flatMap(({ at, text }, index): Example[] => {
    const call = prompt.exec(text)?.[1]
    if (call === undefined) return []
    const rest = lines.slice(index + 1)
    const end = rest.findIndex((line) => /^\s*(?:>>>|$)|"""|'''/.test(line.text))
    const answer = rest.slice(0, end === -1 ? 5 : end).map((line) => line.text.trim())
    return [{ at, call: call.replace(skip, '').trim(), answer: answer.join('\n'), isSkipped: skip.test(call) }]
  })
}

function inPython({ path, before, after }: Change): Finding[] {
  const now = examplesIn(after)
  return examplesIn(before).flatMap(({ call, answer, isSkipped }): Finding[] => {
    if (answer === '') return []
    const same = now.filter((one) => one.call === call)
    const [first] = same
    if (first === undefined) return [{ rule: 'test-deleted', file: path, words: `removed the example ${call} from ${path}` }]
    if (!isSkipped && same.every((one) => one.isSkipped))
      return [
        { rule: 'test-skipped', file: path, line: first.at, words: `skips the example ${call} in ${path} (line ${first.at})` },
      ]
    if (same.some((one) => one.answer === answer)) return []
    const words = `changed an expected value from ${answer} to ${first.answer} (line ${first.at}) in ${path}`
    return [{ rule: 'expected-changed', file: path, line: first.at, words }]
  })
}

const assertion = /^\s*\/\/[/!].*\bassert\w*!\(/
const fence = /^\s*\/\/[/!]\s*```(?:rust,)?(?:ignore|no_run|should_panic|compile_fail|text)\b/

function inRust({ path, added, removed }: Change): Finding[] {
  const gone = removed.filter(({ text }) => assertion.test(text))
  const come = added.filter(({ text }) => assertion.test(text))
  const skipped = added.find(({ text }) => fence.test(text))
  return [
    ...(gone.length > 0 && come.length >= gone.length
      ? [
          {
            rule: 'expected-changed' as const,
            file: path,
            line: come[0]?.at ?? 0,
            words: `changed an assertion of an example in ${path} (line ${come[0]?.at})`,
          },
        ]
      : []),
    ...(gone.length > come.length
      ? [{ rule: 'test-deleted' as const, file: path, words: `removed assertions of examples from ${path}` }]
      : []),
    ...(skipped !== undefined && removed.some(({ text }) => /^\s*\/\/[/!]\s*```/.test(text))
      ? [
          {
            rule: 'test-skipped' as const,
            file: path,
            line: skipped.at,
            words: `skips an example in ${path} (line ${skipped.at})`,
          },
        ]
      : []),
  ]
}
