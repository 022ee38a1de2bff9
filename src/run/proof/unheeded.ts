/** Runs the gates where changed functions give wrong values: new tests that pass there too do not look at what these give. */
import { failingTests } from '../../core/proof/failing-tests.ts'
import { callersOf, kindsIn, type Unheeded, unheededBy } from '../../core/proof/reach/unheeded.ts'
import { blanked, type Wronged, wronged } from '../../core/proof/reach/wrong-results.ts'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { isSource, isTestCode } from '../../core/tamper/code/files.ts'
import type { Gate } from '../../core/types.ts'
import type { Deed } from '../parts.ts'
import { changedSources } from './changed-sources.ts'
import { longestMs } from './longest-gate.ts'
import { isWhole } from './other-values.ts'
import { type AskedOfWork, type ExaminedWorld, replaceTexts, runChanged } from './run-changed.ts'
import { wrapText } from './wrap-text.ts'

type Callers = ReturnType<typeof callersOf>

/** An event names only some of them. */
const mostNamed = 5

/**
 * First the functions work, and what they give is replaced: tests of what else they do pass. Then they do nothing, and give something of the same kind:
 * only tests that look at neither still pass. `noticing`: the tests that failed, by the names that the runner prints.
 */
export async function unheededIn(
  world: ExaminedWorld,
  asked: AskedOfWork,
  deed: Deed,
): Promise<{ unheeded: Unheeded[]; noticing: string[]; durationMs: number }> {
  const { from, now, gates, flight } = asked
  const files: FileChange[] = await changedSources(world.git, from, now, (path) => isSource(path) || isTestCode(path))
  const callers = callersOf(wronged(files, wrapText('')).names, files)
  const noticing: string[] = []
  let durationMs = 0
  const left = async (those: Callers, write: (tellTo: string) => Wronged): Promise<{ those: Unheeded[]; said: string }> => {
    const about = 'the tests, where changed functions give wrong values'
    const longest = longestMs(flight.gates ?? [])
    const change = (folder: string, at: string): Gate[] => {
      replaceTexts(folder, write(at).texts)
      return gates
    }
    const { results, said, ...took } = await runChanged(world, asked, { about, longest, change }, deed)
    durationMs += took.durationMs
    const isKnown = results.length > 0 && results.every((result) => isWhole(result, flight))
    const failing = results.flatMap(({ output }) => failingTests(output))
    if (isKnown) noticing.push(...failing)
    return { those: isKnown ? unheededBy(those, failing) : [], said }
  }
  const onlyIn = (names: string[]): Callers => new Map([...callers].filter(([name]) => names.includes(name)))
  if (callers.size === 0 || gates.length === 0) return { unheeded: [], noticing, durationMs }
  const first = await left(callers, (tellTo) => wronged(files, wrapText(tellTo)))
  const kinds = kindsIn(first.said)
  const names = first.those.map(({ name }) => name).filter((name) => kinds.has(name))
  if (names.length === 0 || deed.stop.aborted) return { unheeded: [], noticing, durationMs }
  const { those } = await left(onlyIn(names), () => blanked(files, kinds))
  return { unheeded: those.slice(0, mostNamed), noticing, durationMs }
}
