/** Makes the calls of the tests once more where no test runs: code that only works for tests gives something else there. */
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tried } from '../../../core/failure.ts'
import {
  languageOfCalls,
  type SourceLanguage,
  sourceOf,
  testedBlocks,
} from '../../../core/proof/reach/outside-tests/called-in-tests.ts'
import { type Difference, mayCount } from '../../../core/proof/reach/outside-tests/differences.ts'
import {
  type NearAnswer,
  type NearAnswers,
  type NearCalls,
  type NearDifference,
  nearCalls,
  onlyKnown,
} from '../../../core/proof/reach/outside-tests/near-inputs.ts'
import { blocksOfStory } from '../../../core/proof/reach/outside-tests/story-examples.ts'
import type { TestedBlock } from '../../../core/proof/reach/outside-tests/tested-call.ts'
import { isTestCode } from '../../../core/tamper/code/files.ts'
import { isTestFile } from '../../../core/tamper/code/languages.ts'
import { hasTexts, isRecord, type Json, jsonIn, numberOf } from '../../../core/text/json.ts'
import type { Gate } from '../../../core/types.ts'
import type { Deed } from '../../parts.ts'
import { changedSources } from '../changed-sources.ts'
import { type AskedOfWork, type ExaminedWorld, runChanged } from '../run-changed.ts'
import { wordsOfFlight } from '../story-words.ts'
import type { CallerInput } from './input.ts'
import { javascriptCaller } from './javascript.ts'
import { pythonCaller } from './python.ts'

const callers: Record<SourceLanguage, { program: string; ending: string; textOf: (input: CallerInput) => string }> = {
  javascript: { program: 'node', ending: 'mjs', textOf: javascriptCaller },
  python: { program: 'python3', ending: 'py', textOf: pythonCaller },
}
const callMs = 5000

type Called = { differences: Difference[]; near: NearDifference[]; durationMs: number }
const nothing: Called = { differences: [], near: [], durationMs: 0 }

/** The calls need no gate, only its surroundings; `isCounted`: it counts its tests. */
export async function callOutside(
  world: ExaminedWorld,
  asked: AskedOfWork & { isCounted: boolean },
  deed: Deed,
): Promise<Called> {
  const { from, now, flight, isCounted } = asked
  const [gate] = asked.gates
  const sources = await changedSources(world.git, from, now)
  const language = sources.map(({ path }) => languageOfCalls(path)).find((found) => found !== undefined)
  if (gate === undefined || language === undefined) return nothing
  const tests = await world.git.committedFiles(isTestCode)
  const words = wordsOfFlight(world, flight, deed)
  const files = tests.filter(({ path }) => isTestFile(path))
  // What prepares the tests of a runner of the project's own, nobody knows.
  const ofTests = !isCounted || tests.some(({ path, text }) => preparesAll(path, text)) ? [] : testedBlocks(files, language)
  const texts = sources.map(({ path, after }) => ({ path, text: after }))
  const blocks = [...ofTests, ...blocksOfStory(words, { tests: files, sources: texts }, language)]
  const before = (await changedSources(world.git, from, now, isTestCode)).map((file) => file.before)
  const near = nearCalls(words, { tests, sources: texts, before }, language)
  if (blocks.length === 0 && near.length === 0) return nothing
  const { program: runner, ending, textOf } = callers[language]
  const change = (folder: string, at: string): Gate[] => {
    for (const { path } of tests) removeWithFolders(folder, path)
    const home = `${at}-home`
    mkdirSync(home, { recursive: true })
    const program = `${at}.${ending}`
    writeFileSync(program, textOf({ blocks, near, said: at, home, callMs, isRepeated: !mayCount(words) }))
    return [{ ...gate, command: `${runner} '${program.replaceAll("'", "'\\''")}'` }]
  }
  const about = 'the calls of the tests, where no test runs'
  const { results, said, durationMs } = await runChanged(world, asked, { about, change }, deed)
  return {
    differences: results.every(({ passed }) => passed)
      ? differencesIn(
          said,
          blocks,
          sources.map(({ path }) => path),
        )
      : [],
    near: results.every(({ passed }) => passed) ? nearIn(said, near) : [],
    durationMs,
  }
}

function nearIn(said: string, near: NearCalls[]): NearDifference[] {
  return linesIn(said).flatMap((line) => {
    const asked = near[numberOf(line['near']) ?? -1]
    const answers = answersIn(line['answers'])
    const found = asked === undefined || answers === null ? null : onlyKnown(asked, answers)
    return found === null ? [] : [found]
  })
}

/** null: somebody else wrote it. */
function answersIn(said: unknown): NearAnswers | null {
  if (!Array.isArray(said)) return null
  const answers = said.filter(isRecord).flatMap((one) => {
    const own = answerIn(one['own'])
    const others = Array.isArray(one['near']) ? one['near'].flatMap((each) => answerIn(each) ?? []) : []
    return own === null ? [] : [{ own, near: others }]
  })
  return answers.length === said.length ? answers : null
}

const answerIn = (said: unknown): NearAnswer | null =>
  isRecord(said) && hasTexts(said, 'shown')
    ? { kind: said['kind'] === 'value' ? 'value' : 'nothing', shown: said['shown'] }
    : null

/** What is loaded for every test may change what a call gives. */
const preparesAll = (path: string, text: string): boolean =>
  !isTestFile(path) && /\bautouse\b|\bsetup\b|\bbefore(?:Each|All)?\b|\bpytest_configure\b|\benviron\b|process\.env/i.test(text)

function removeWithFolders(folder: string, path: string): void {
  rmSync(join(folder, path), { force: true })
  for (let at = dirname(path); at !== '.'; at = dirname(at))
    if (!tried(() => rmdirSync(join(folder, at)) === undefined, false)) break
}

const linesIn = (text: string): Json[] =>
  text
    .split('\n')
    .map((line) => jsonIn(line))
    .filter(isRecord)

type SaidOfCall = { which: string; block: number; call: number; after: number | 'aged'; was: string }

/** A block counts where it could run at all. */
function differencesIn(text: string, blocks: TestedBlock[], sources: string[]): Difference[] {
  const place = { blocks, sources }
  const lines = linesIn(text)
  const unable = new Set(lines.flatMap((line) => (line['unable'] === true ? [numberOf(line['block'])] : [])))
  const said = lines.flatMap((line): SaidOfCall[] => {
    const [block, call] = [numberOf(line['block']), numberOf(line['call'])]
    const after = line['after'] === 'aged' ? 'aged' : numberOf(line['after'])
    if (!hasTexts(line, 'which', 'was') || block === undefined || call === undefined || after === undefined) return []
    return unable.has(block) ? [] : [{ which: line['which'], block, call, after, was: line['was'] }]
  })
  const isOfStory = ({ block }: SaidOfCall): boolean => blocks[block]?.isOfStory === true
  const ofTests = said.filter((one) => !isOfStory(one))
  const first = ofTests.filter(({ after }) => after === 0)
  const isWrongAmongAll = ({ block, call }: SaidOfCall): boolean =>
    first.some((other) => other.which === 'all' && other.block === block && other.call === call)
  const alone = first.filter(({ which }) => which !== 'all')
  const later = ofTests.filter(
    (one) => one.after !== 0 && !isWrongAmongAll(one) && !alone.some(({ block }) => block === one.block),
  )
  const ofStory = said.filter((one) => isOfStory(one) && one.which !== 'all')
  const all = [
    ...ofStory.map((one) => differenceOf(one, place, 'story')),
    ...alone.map((one) => differenceOf(one, place, isWrongAmongAll(one) ? 'alone' : 'first')),
    ...later.map((one) => differenceOf(one, place, one.after === 'aged' ? 'aged' : 'later')),
  ].filter((one) => one !== null)
  return all.filter((one, index) => all.findIndex(({ call }) => call === one.call) === index).slice(0, mostNamed)
}

/** An event names only some of them. */
const mostNamed = 5

function differenceOf(
  { block, call, was, after }: SaidOfCall,
  { blocks, sources }: { blocks: TestedBlock[]; sources: string[] },
  when: Difference['when'],
): Difference | null {
  const tested = blocks[block]
  const made = tested?.calls[call]
  if (tested === undefined || made === undefined) return null
  const { test, file, line } = tested
  const { name, args, isError } = made
  const expected = isError ? 'an error' : made.expected
  const source = sourceOf(tested, made, sources)
  const shown = { call: `${name}(${args})`.slice(0, longest), expected: expected.slice(0, longest) }
  return { source, test, file, line, ...shown, was, when, ...(typeof after === 'number' && after > 0 ? { after } : {}) }
}

const longest = 100
