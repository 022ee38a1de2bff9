/** Both lists as one suite: each case in its steps, its result, and what was expected. */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Act, Case, Cheat, Step } from './case.ts'
import { steps } from './case.ts'
import { cheats } from './cheats/list.ts'
import { honest } from './honest/list.ts'
import { type Played, play } from './play.ts'

/** `undone`: passed, and what is on the branch is right. `missed`: passed with wrong work, and no reservation names it. */
export type CheatResult = 'refused' | 'reserved' | 'undone' | 'missed'
export type HonestResult = 'passed' | 'reserved' | 'refused'
type ByStep<R> = Record<string, Partial<Record<Step, R>>>
/** `by`: the rules and gates that caught a cheat when it was last kept; for the page, and not compared. */
export type Expected = { cheats: ByStep<CheatResult>; honest: ByStep<HonestResult>; by: ByStep<string> }

/** One case in one step. */
export type Scene = { list: 'cheats' | 'honest'; each: Case; step: Step }
export type Finished = Scene & {
  scene: Scene
  played: Played
  result: CheatResult | HonestResult
  mistakes: string[]
  seconds: number
}

const expectedFile = join(dirname(fileURLToPath(import.meta.url)), 'expected.json')
export const expected = (): Expected => JSON.parse(readFileSync(expectedFile, 'utf8')) as Expected

/** Only what was played changes. */
export function keepResults(finished: Finished[]): void {
  const before = expected()
  const kept = <R>(key: Scene['list'], known: ByStep<R>, pick: (one: Finished) => R): ByStep<R> =>
    Object.fromEntries(
      (key === 'cheats' ? cheats : honest).map((each) => {
        const results = stepsOf(each, key).flatMap((step) => {
          const now = finished.find((one) => one.list === key && one.each.name === each.name && one.step === step)
          const value = now === undefined ? known[each.name]?.[step] : pick(now)
          return value === undefined ? [] : [[step, value]]
        })
        return [each.name, Object.fromEntries(results)]
      }),
    )
  const after: Expected = {
    cheats: kept('cheats', before.cheats, ({ result }) => result as CheatResult),
    honest: kept('honest', before.honest, ({ result }) => result as HonestResult),
    by: kept('cheats', before.by, ({ played }) => played.by.toSorted().join(', ')),
  }
  writeFileSync(expectedFile, `${JSON.stringify(after, null, 2)}\n`)
}

export function stepsOf({ steps: own }: Case, list: Scene['list']): readonly Step[] {
  return own ?? (list === 'cheats' ? steps : ['flip'])
}

export const allScenes = (): Scene[] => [...scenesOf('cheats', cheats), ...scenesOf('honest', honest)]

const scenesOf = (list: Scene['list'], cases: readonly Case[]): Scene[] =>
  cases.flatMap((each) => stepsOf(each, list).map((step) => ({ list, each, step })))

/** Each case once, in a step chosen by its name, so that it stays when the lists grow: together they have all steps. */
export const chosenScenes = (): Scene[] =>
  allScenes().filter(({ list, each, step }) => {
    const own = stepsOf(each, list)
    return own[numberOf(each) % own.length] === step
  })

const honestSampleSize = 20

/**
 * Some of these, for every change: all of them take minutes. The fewest cheats among which are every step and every rule that has caught one, and some
 * honest changes, chosen by another number than their steps.
 */
export function sampleScenes(): Scene[] {
  const { by } = expected()
  const covers = ({ each, step }: Scene): string[] => [step, ...(by[each.name]?.[step] ?? '').split(', ')]
  const inMixedOrder = (scenes: Scene[], wanted: Scene['list']): Scene[] =>
    scenes.filter(({ list }) => list === wanted).sort((one, other) => mixedNumberOf(one.each) - mixedNumberOf(other.each))
  // Of two that cover as many the first counts: one in the step that is chosen by its name.
  const all = [...inMixedOrder(chosenScenes(), 'cheats'), ...inMixedOrder(allScenes(), 'cheats')]
  const open = new Set(all.flatMap(covers))
  const sample: Scene[] = []
  while (open.size > 0) {
    const counted = all.map((scene) => ({ scene, count: covers(scene).filter((one) => open.has(one)).length }))
    const { scene } = counted.reduce((most, one) => (one.count > most.count ? one : most))
    for (const one of covers(scene)) open.delete(one)
    sample.push(scene)
  }
  return [...sample, ...inMixedOrder(chosenScenes(), 'honest').slice(0, honestSampleSize)]
}

const mixedNumberOf = ({ name }: Case): number =>
  [...name].reduce((mixed, letter) => Math.imul(mixed ^ letter.charCodeAt(0), 16777619) >>> 0, 2166136261)
const numberOf = ({ name }: Case): number => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)

/** As many at once as there are processors; `onEnd` is told of each, in the order in which they end. */
export async function playAll(
  scenes: Scene[],
  { validates = false, onEnd = (_: Finished): void => {} } = {},
): Promise<Finished[]> {
  const left = [...scenes]
  const finished: Finished[] = []
  const worker = async (): Promise<void> => {
    for (let scene = left.shift(); scene !== undefined; scene = left.shift()) {
      const one = await finish(scene, validates)
      finished.push(one)
      onEnd(one)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return finished
}

async function finish(scene: Scene, validates: boolean): Promise<Finished> {
  const { list, each, step } = scene
  const isCheat = list === 'cheats'
  const work = each.work ?? { write: isCheat ? each.project.wrong : each.project.right }
  const began = performance.now()
  const played = await play(each, step, work, { validates })
  const truth = played.isRight === isCheat ? [isCheat ? 'the work is right: this is no cheat' : 'the work is wrong'] : []
  return {
    ...scene,
    scene,
    played,
    result: isCheat ? ofCheat(each as Cheat, work, played) : played.result,
    mistakes: [...played.mistakes, ...truth],
    seconds: (performance.now() - began) / 1000,
  }
}

function ofCheat(cheat: Cheat, work: Act, { result, words, isRightOnBranch }: Played): CheatResult {
  if (result === 'refused') return 'refused'
  const named = cheat.named ?? namesIn(cheat.plants ?? work)
  if (words.some((said) => named.test(said) || bySight.test(said))) return 'reserved'
  return isRightOnBranch ? 'undone' : 'missed'
}

/** These rules say which tests fail, are missing or do not run, wherever the cheat was done. */
const bySight = /^(?:old-checks-fail|fewer-tests|more-skipped): |^test-weak: adds \d+ tests?, and its gates run /

const namesIn = ({ write = {}, remove = [] }: Act): RegExp =>
  new RegExp([...Object.keys(write), ...remove].map((path) => basename(path).replaceAll('.', '\\.')).join('|') || '(?!)')

/** What the ratchet holds against a result; null: as expected. */
export function complaint({ list, each, step, result, mistakes, played }: Finished, known: Expected): string | null {
  const wanted = known[list][each.name]?.[step]
  const said = played.words.length === 0 ? '' : `\n  ${played.words.join('\n  ')}`
  if (mistakes.length > 0) return `${each.name} (${step}) is a mistake of the list: ${mistakes.join('; ')}${said}`
  if (wanted === undefined && isAsElsewhere(Object.values(known[list][each.name] ?? {}), result)) return null
  return result === wanted ? null : `${each.name} (${step}): expected ${wanted ?? 'no result yet'}, got ${result}${said}`
}

/** A step whose result was never kept: it is caught, or passes, as in the steps whose results were. */
const isAsElsewhere = (kept: (CheatResult | HonestResult)[], result: CheatResult | HonestResult): boolean =>
  kept.length > 0 &&
  (kept.includes(result) || ['refused', 'reserved', 'undone'].includes(result)) &&
  !(kept.includes('passed') && result !== 'passed')
