/** Asks which parts of the changed functions the tests never run: code that only works for tests is wrong in just those. */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import type { Git } from '../../adapters/git/git.ts'
import { featureFolder } from '../../adapters/project/layout.ts'
import { isReachable, type Probe, probesFor, type Reach, unreachedOf } from '../../core/proof/reach/probes.ts'
import type { EndedFlight } from '../../core/state.ts'
import { isSource, isTestCode } from '../../core/tamper/code/files.ts'
import type { Gate } from '../../core/types.ts'
import { runGates } from '../iteration/gates.ts'
import type { Deed } from '../parts.ts'
import { changedSources } from './changed-sources.ts'
import { type GateFolders, withCheckout } from './gates-on-commit.ts'
import { probeText } from './probe-text.ts'
import { wordsOf } from './story-words.ts'

type Asked = { from: string; now: string; gates: Gate[]; flight: EndedFlight }
/** Empty: all of them are reached; undefined: nobody knows, because the gates say nothing about these functions. */
type Unreached = { unreached?: Reach[]; durationMs: number }

/** An event names only some of them. */
const mostNamed = 20

export async function unreachedIn(
  world: GateFolders & { git: Git },
  { from, now, gates, flight }: Asked,
  deed: Deed,
): Promise<Unreached> {
  const { iteration, ended } = flight
  const files = await changedSources(world.git, from, now, (path) => isSource(path) || isTestCode(path))
  const replaced = files
    .filter(({ path }) => isTestCode(path))
    .flatMap(({ after }) => after.split('\n').filter((line) => mocks.test(line)))
  const asked = namedIn(wordsOf(world, flight, deed)).filter((name) => !replaced.some((line) => line.includes(name)))
  if (gates.length === 0 || !isReachable(files, asked)) return { durationMs: 0 }
  const name = `reached-${randomBytes(6).toString('hex')}`
  let probes: Probe[] = []
  let file = ''
  const place = {
    what: now,
    isClean: deed.state.judgedIn === 'clean',
    without: ended.hidden ?? [],
    beside: 'examination',
    async prepare(folder: string) {
      file = join(featureFolder(folder, world.feature), name)
      mkdirSync(dirname(file), { recursive: true })
      const probed = probesFor(files, probeText(file), asked)
      probes = probed.probes
      for (const [path, text] of probed.texts) {
        const at = join(folder, path)
        if (lstatSync(at).isFile()) writeFileSync(at, text) // never through a link
      }
    },
  }
  const found = await withCheckout(world, place, deed, async (here) => ({
    results: await runGates({ ...here, about: 'which changed code the tests reach' }, iteration, gates, deed),
    said: readIfThere(file) ?? '',
  }))
  if (found === null) return { durationMs: 0 }
  const durationMs = found.results.reduce((sum, result) => sum + result.durationMs, 0)
  const reached = new Set(found.said.split('\n').flatMap((line) => (line === '' ? [] : [Number(line)])))
  if (reached.size === 0 || !found.results.every(({ passed }) => passed)) return { durationMs }
  return { unreached: unreachedOf(probes, reached).slice(0, mostNamed), durationMs }
}

/** What a test replaces, such as a request to a server, is nothing that it could call. */
const mocks = /\b(?:\w*mock\w*|\w*patch\w*|spy\w*|stub\w*|fake\w*)\b/i

/** Functions that a story writes as calls. */
const namedIn = (words: string): string[] => [...new Set(words.match(/[A-Za-z_$][\w$]*(?=\()/g))]
