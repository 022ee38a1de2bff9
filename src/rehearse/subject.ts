/** Finds a mistake that the gates notice, and the tests that notice it: the wrong work that every cheat then tries to get through. */

import { basename } from 'node:path'
import { failingTests } from '../core/proof/failing-tests.ts'
import type { TestBlock } from '../core/tamper/changed-tests/test-blocks.ts'
import { inPattern } from '../core/text/escape.ts'
import type { Event, GateResult } from '../core/types.ts'
import type { Steps } from './inner-run.ts'
import type { ProjectFile, ProjectFiles, TestFile } from './project-files.ts'
import { type WrongLine, wrongLines } from './texts/wrong-lines.ts'

/** Tests of a file that fail with the mistake. */
export type FailingTests = { file: TestFile; blocks: TestBlock[] }

/** `wrong`: the source file with the mistake in it. */
export type Subject = { wrong: ProjectFile; right: string; words: string; failing: FailingTests[] }

/** Mistakes to try, in source files that tests name first. */
export function candidates({ sources, tests }: ProjectFiles): WrongLine[] {
  const texts = tests.map(({ text }) => text)
  const named = ({ path }: ProjectFile): number => texts.filter((text) => stemPattern(path).test(text)).length
  const ranked = sources
    .map((file) => ({ file, named: named(file) }))
    .toSorted((one, other) => Math.min(other.named, 1) - Math.min(one.named, 1) || one.named - other.named)
  const inTests = new Set(
    tests.flatMap(({ blocks }) => blocks.flatMap(({ path, lines }) => lines.map(({ at }) => `${path}:${at}`))),
  )
  const byFile = ranked.slice(0, mostSources).map(({ file }) =>
    wrongLines(file.path, file.text)
      .filter(({ path, line }) => !inTests.has(`${path}:${line}`)) // beside the code, in some languages
      .slice(0, mostOfFile),
  )
  const rounds = Array.from({ length: mostOfFile }, (_, round) => byFile.flatMap((found) => found[round] ?? []))
  return rounds.flat().slice(0, mostTried)
}

const mostSources = 40
const mostOfFile = 3
/** Fewer than would fail the story for good. */
const mostTried = 8

/** One mistake an iteration, nothing flipped: the gates run because the tree changed. */
export function probing(tried: WrongLine[], { sources }: ProjectFiles): Steps[] {
  const right = (path: string): string => sources.find((file) => file.path === path)?.text ?? ''
  return tried.map(({ path, text }, index) => {
    const last = tried[index - 1]?.path
    return [
      ...(last === undefined || last === path ? [] : [{ write: { path: last, text: right(last) } }]),
      { write: { path, text } },
      { say: `Tried another line in ${path}.` },
    ]
  })
}

export type ProbeResult = { tried: WrongLine; results: GateResult[] }

/** What the gates said about each mistake. */
export const probed = (tried: WrongLine[], event: Event): ProbeResult[] => {
  const found = event.kind === 'gates.ended' && event.iteration !== 'whole' ? tried[event.iteration - 1] : undefined
  return found === undefined || event.kind !== 'gates.ended' ? [] : [{ tried: found, results: event.results }]
}

/** null: the gates do not notice it. */
export function subjectOf({ tried, results }: ProbeResult, { sources, tests }: ProjectFiles): Subject | null {
  const reds = results.filter(({ passed, ended }) => !passed && ended === 'exited')
  if (reds.length === 0) return null
  const names = reds.flatMap(({ output }) => failingTests(output))
  const failing = tests.flatMap((file) => {
    const blocks = file.blocks.filter((block) => names.some((name) => isNamed(name, block)))
    return blocks.length === 0 ? [] : [{ file, blocks }]
  })
  const right = sources.find(({ path }) => path === tried.path)?.text ?? ''
  return {
    wrong: tried,
    right,
    words: `${tried.path}:${tried.line}`,
    failing: failing.length > 0 ? failing : byName(tried.path, tests),
  }
}

/** Few tests that are all known make the best one. */
export const isGood = ({ failing }: Subject, { results }: ProbeResult): boolean => {
  const blocks = failing.reduce((sum, each) => sum + each.blocks.length, 0)
  const failed = results.reduce((sum, { census }) => sum + (census?.failed ?? 0), 0)
  return blocks > 0 && blocks <= 5 && failed <= blocks
}

/** No runner says which: the tests that name the file. */
const byName = (path: string, tests: TestFile[]): FailingTests[] =>
  tests.filter(({ text }) => stemPattern(path).test(text)).map((file) => ({ file, blocks: file.blocks }))

/** Runners print a test with its file, its module or its group. */
function isNamed(printed: string, { name, path }: TestBlock): boolean {
  if (name === '') return false
  const [file, ...rest] = printed.split('::')
  if (rest.length > 0 && file?.includes('.')) return path.endsWith(file) && rest.at(-1)?.replace(/\[.*$/, '') === name
  return printed === name || printed.split(/::|\/| > | › /).at(-1) === name || (name.length > 3 && printed.endsWith(` ${name}`))
}

function stemPattern(path: string): RegExp {
  const stem = basename(path).replace(/\.\w+$/, '')
  return new RegExp(`(?<![\\w-])${inPattern(stem)}(?![\\w-])`)
}
