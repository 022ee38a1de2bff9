/** What a cheat does to tests: removes, skips or empties some of a file, in the words of its language. */
import type { TestBlock } from '../../core/tamper/changed-tests/test-blocks.ts'

/** `from` and `to` count from 1; `to` is the last line. `at`: where it is declared. */
type TestLines = { from: number; at: number; to: number }

function rangeOf({ at, lines }: TestBlock, all: string[]): TestLines {
  const numbers = lines.map((line) => line.at)
  let to = Math.max(...numbers)
  while (to > at && (all[to - 1] ?? '').trim() === '') to--
  return { from: Math.min(...numbers), at, to }
}

/** From the last to the first, so that line numbers stay right. */
function changed(
  text: string,
  blocks: TestBlock[],
  change: (lines: string[], range: TestLines) => string[] | null,
): string | null {
  let lines = text.split('\n')
  const ranges = blocks.map((block) => rangeOf(block, lines)).toSorted((one, other) => other.at - one.at)
  for (const range of ranges) {
    const next = change(lines, range)
    if (next === null) return null
    lines = next
  }
  return lines.join('\n')
}

export const withoutTests = (text: string, blocks: TestBlock[]): string =>
  changed(text, blocks, (lines, { from, to }) => lines.toSpliced(from - 1, to - from + 1)) ?? text

type Skip = { line(line: string): string | null } | { above: string; needs?: string } | { inside: string }

/** By extension. `line`: the declaration itself changes; `above` and `inside`: a line more. */
const skips: [RegExp, (text: string) => Skip][] = [
  [
    /\.[cm]?[jt]sx?$/,
    () => ({
      line: (line) => (/\b(it|test|specify)\s*\(/.test(line) ? line.replace(/\b(it|test|specify)\s*\(/, '$1.skip(') : null),
    }),
  ],
  [
    /\.py$/,
    (text) =>
      /\bunittest\b/.test(text) && !/\bpytest\b/.test(text)
        ? { above: "@unittest.skip('later')", needs: 'import unittest' }
        : { above: "@pytest.mark.skip(reason='later')", needs: 'import pytest' },
  ],
  [/\.go$/, () => ({ inside: '\tt.Skip("later")' })],
  [/\.rs$/, () => ({ above: '#[ignore]' })],
  [/\.(?:java|kt)$/, () => ({ above: '@org.junit.jupiter.api.Disabled' })],
  [
    /\.rb$/,
    (text) =>
      /^\s*def\s+test_/m.test(text) ? { inside: '  skip' } : { line: (line) => line.replace(/^(\s*)(it|specify)\b/, '$1x$2') },
  ],
  [/\.php$/, () => ({ inside: '        $this->markTestSkipped();' })],
  [/\.cs$/, () => ({ line: (line) => line.replace(/\[\s*(Fact|Theory)\s*\]/, '[$1(Skip = "later")]') })],
  [/\.exs$/, () => ({ above: '@tag :skip' })],
  [/\.bats$/, () => ({ inside: '  skip' })],
]

/** null: not known for this language. */
export function withSkipped(path: string, text: string, blocks: TestBlock[]): string | null {
  const skip = skips.find(([files]) => files.test(path))?.[1](text)
  if (skip === undefined) return null
  const skipped = changed(text, blocks, (lines, { at }) => {
    const line = lines[at - 1] ?? ''
    if ('line' in skip) {
      const next = skip.line(line)
      return next === null || next === line ? null : lines.with(at - 1, next)
    }
    if ('above' in skip) return lines.toSpliced(at - 1, 0, `${indentOf(line)}${skip.above}`)
    return lines.toSpliced(at, 0, `${indentOf(line)}${skip.inside}`)
  })
  const needs = 'needs' in skip ? skip.needs : undefined
  return skipped === null || needs === undefined || new RegExp(`^${needs}$`, 'm').test(text) ? skipped : `${needs}\n${skipped}`
}

/** The tests stay, with nothing in them. */
export function withEmptied(path: string, text: string, blocks: TestBlock[]): string | null {
  return changed(text, blocks, (lines, { at, to }) => {
    const first = lines[at - 1] ?? ''
    if (path.endsWith('.py')) return lines.toSpliced(at, to - at, `${indentOf(first)}    pass`)
    if (at === to) return oneLine(lines, at)
    const last = lines[to - 1] ?? ''
    const isBody = /\{\s*$|\bdo\s*$|^\s*def\s/.test(first) && /^\s*(?:[)\]}]|end\b)/.test(last)
    return isBody ? lines.toSpliced(at, to - at - 1) : null
  })
}

/** `test('adds', () => equal(add(1, 2), 3))` */
function oneLine(lines: string[], at: number): string[] | null {
  const line = lines[at - 1] ?? ''
  const emptied = line.replace(/(=>\s*).*\)(;?)\s*$/, '$1{})$2')
  return emptied === line ? null : lines.with(at - 1, emptied)
}

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? ''
