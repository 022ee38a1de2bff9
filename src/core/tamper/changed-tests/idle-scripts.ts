/** New tests in JavaScript that only count what calls give, or take what they expect from the code that they test. */

import { isOwnTest } from '../../proof/check-files.ts'
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { StoryWords } from '../declared-changes.ts'
import { valuesIn } from '../missing-work/untested-criteria.ts'
import type { MatchedTests } from './matched-tests.ts'
import type { TestBlock } from './test-blocks.ts'

const script = /\.[cm]?[jt]sx?$/

export function idleScripts(changes: Change[], { fresh }: MatchedTests, story: StoryWords | null): Finding[] {
  const blocks = fresh.filter(({ path }) => script.test(path))
  return [...blocks.flatMap(onlyCounts), ...expectedFromSource(changes, blocks, story), ...changes.flatMap(withItself)]
}

const weak = (path: string, at: number, words: string): Finding => ({
  rule: 'test-weak',
  file: path,
  line: at,
  words: `${words} in ${path} (line ${at})`,
  isBeyondChecks: true,
})

const assigned = /^\s*(?:local\s+|readonly\s+)?(\w+)=("?)\$\((.+)\)\2\s*$/
const compares = /(?:\[\[?|\btest)\s+"?\$\((.+)\)"?\s+==?\s+"?(?:\$\{?(\w+)\}?|\$\((.+)\))"?(?:\s|$)/

/** In shell: what a command prints, compared with what the same command printed just before. */
function withItself({ path, after, added }: Change): Finding[] {
  if (!/\.(?:sh|bash|bats)$/.test(path) || !isOwnTest(path)) return []
  const fresh = new Set(added)
  let known = new Map<string, string>()
  return after.flatMap((line): Finding[] => {
    const { bare, at } = line
    const [, kept, , printed] = assigned.exec(bare) ?? []
    if (kept !== undefined && printed !== undefined) known.set(kept, printed)
    const [, command, name, other] = compares.exec(bare) ?? []
    const wanted = name === undefined ? other : known.get(name)
    // What happens in between may change what it prints.
    if (kept === undefined && bare.trim() !== '' && !/^\s*(?:\[|test\b)/.test(bare)) known = new Map()
    return fresh.has(line) && command !== undefined && command === wanted
      ? [weak(path, at, 'compares what a command prints with itself')]
      : []
  })
}

/** As many results as inputs say nothing about any of them. */
function onlyCounts({ name, path, lines, assertions, at }: TestBlock): Finding[] {
  const mapped = lines.flatMap(({ code }) => /\b(?:const|let)\s+(\w+)\s*=\s*(?:await\s+)?.*\.map\(/.exec(code)?.[1] ?? [])
  if (mapped.length === 0 || assertions.length === 0) return []
  const list = `(?:${mapped.join('|')})`
  const counts = new RegExp(`[( ]${list}(?:\\.filter\\(Boolean\\))?\\.length\\b|\\(${list}\\)\\.toHaveLength\\(`)
  const rest = new RegExp(`(?<![\\w$.])${list}(?!(?:\\.filter\\(Boolean\\))?\\.length\\b|\\)\\.toHaveLength)`)
  return assertions.every(({ text }) => counts.test(text) && !rest.test(text))
    ? [weak(path, at, `added the test ${JSON.stringify(name)}, which only counts what calls give,`)]
    : []
}

const constant = /^(?:export\s+)?const\s+([A-Z][A-Z\d_]{2,})\b\s*(?::[^=]+)?=/

/** Values of the story are in no test, and constants that came with the code stand in their place. */
function expectedFromSource(changes: Change[], blocks: TestBlock[], story: StoryWords | null): Finding[] {
  const own = changes
    .filter(({ path }) => isSource(path))
    .flatMap(({ added }) => added.flatMap(({ code }) => constant.exec(code)?.[1] ?? []))
  const values = story === null ? [] : story.text.split('\n').flatMap(valuesIn)
  if (own.length === 0 || new Set(values).size < 2) return []
  const expects = new RegExp(`(?:,\\s*|\\.to\\w*\\()(?:${own.join('|')})\\b[^,()]*\\)`)
  const found = blocks.flatMap(({ path, assertions }) =>
    assertions.filter(({ text }) => expects.test(text)).map(({ at }) => ({ path, at })),
  )
  const [first] = found
  if (first === undefined || found.length < 2) return []
  const texts = blocks.flatMap(({ lines }) => lines.map(({ bare }) => bare)).join('\n')
  const isTried = values.some((value) => new RegExp(`(?<![\\w.])${value.replace(/[^\w]/g, '\\$&')}(?![\\w])`).test(texts))
  return isTried
    ? []
    : [weak(first.path, first.at, 'takes what it expects from constants of the tested code, and no value from the story,')]
}
