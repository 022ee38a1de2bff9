/** Runs the gates where changed functions give wrong values: new tests that pass there too do not look at what these give. */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import type { Git } from '../../adapters/git/git.ts'
import { featureFolder } from '../../adapters/project/layout.ts'
import { failingTests } from '../../core/proof/failing-tests.ts'
import { ranIn } from '../../core/proof/findings-of.ts'
import { callersOf, kindsIn, type Unheeded, unheededBy } from '../../core/proof/reach/unheeded.ts'
import { blanked, type Wronged, wronged } from '../../core/proof/reach/wrong-results.ts'
import type { EndedFlight } from '../../core/state.ts'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { isSource, isTestCode } from '../../core/tamper/code/files.ts'
import type { Gate, GateResult } from '../../core/types.ts'
import { runGates } from '../iteration/gates.ts'
import type { Deed } from '../parts.ts'
import { changedSources } from './changed-sources.ts'
import { type GateFolders, withCheckout } from './gates-on-commit.ts'
import { longestMs } from './longest-gate.ts'
import { wrapText } from './wrap-text.ts'

type Asked = { from: string; now: string; gates: Gate[]; flight: EndedFlight }
type Callers = ReturnType<typeof callersOf>

/** An event names only some of them. */
const mostNamed = 5

/**
 * First the functions work, and what they give is replaced: tests of what else they do pass. Then they do nothing, and give something of the same kind:
 * only tests that look at neither still pass.
 */
export async function unheededIn(
  world: GateFolders & { git: Git },
  asked: Asked,
  deed: Deed,
): Promise<{ unheeded: Unheeded[]; durationMs: number }> {
  const { from, now, gates, flight } = asked
  const files: FileChange[] = await changedSources(world.git, from, now, (path) => isSource(path) || isTestCode(path))
  const callers = callersOf(wronged(files, wrapText('')).names, files)
  let durationMs = 0
  const left = async (those: Callers, write: (tellTo: string) => Wronged): Promise<{ those: Unheeded[]; said: string }> => {
    const name = `wrong-${randomBytes(6).toString('hex')}`
    let file = ''
    const place = {
      what: now,
      isClean: deed.state.judgedIn === 'clean',
      without: flight.ended.hidden ?? [],
      beside: 'examination',
      async prepare(folder: string) {
        file = join(featureFolder(folder, world.feature), name)
        mkdirSync(dirname(file), { recursive: true })
        for (const [path, text] of write(file).texts) {
          const at = join(folder, path)
          if (lstatSync(at).isFile()) writeFileSync(at, text) // never through a link
        }
      },
    }
    const done = await withCheckout(world, place, deed, async (here) => ({
      results: await runGates(
        { ...here, about: 'the tests, where changed functions give wrong values', longest: longestMs(flight.gates ?? []) },
        flight.iteration,
        gates,
        deed,
      ),
      said: readIfThere(file) ?? '',
    }))
    const { results = [], said = '' } = done ?? {}
    durationMs += results.reduce((sum, result) => sum + result.durationMs, 0)
    const isKnown = results.length > 0 && results.every((result) => isWhole(result, flight))
    const failing = results.flatMap(({ output }) => failingTests(output))
    return { those: isKnown ? unheededBy(those, failing) : [], said }
  }
  const onlyIn = (names: string[]): Callers => new Map([...callers].filter(([name]) => names.includes(name)))
  if (callers.size === 0 || gates.length === 0) return { unheeded: [], durationMs }
  const first = await left(callers, (tellTo) => wronged(files, wrapText(tellTo)))
  const kinds = kindsIn(first.said)
  const names = first.those.map(({ name }) => name).filter((name) => kinds.has(name))
  if (names.length === 0 || deed.stop.aborted) return { unheeded: [], durationMs }
  const { those } = await left(onlyIn(names), () => blanked(files, kinds))
  return { unheeded: those.slice(0, mostNamed), durationMs }
}

/** As many tests ran as with the real functions, and each that failed is named. */
function isWhole({ name, passed, census, output }: GateResult, { gates = [] }: EndedFlight): boolean {
  const real = gates.find((gate) => gate.name === name)?.census
  if (census === undefined || real === undefined || ranIn(census) !== ranIn(real)) return false
  return passed || failingTests(output).length >= census.failed
}
