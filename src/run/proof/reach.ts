/** Asks which parts of the changed functions the tests never run: code that only works for tests is wrong in just those. */
import { isReachable, type Probe, probesFor, type Reach, unreachedOf } from '../../core/proof/reach/probes.ts'
import { isSource, isTestCode } from '../../core/tamper/code/files.ts'
import type { Gate } from '../../core/types.ts'
import type { Deed } from '../parts.ts'
import { changedSources } from './changed-sources.ts'
import { probeText } from './probe-text.ts'
import { type AskedOfWork, type ExaminedWorld, replaceTexts, runChanged } from './run-changed.ts'
import { wordsOfFlight } from './story-words.ts'

/** Empty: all of them are reached; undefined: nobody knows, because the gates say nothing about these functions. */
type Unreached = { unreached?: Reach[]; durationMs: number }

/** An event names only some of them. */
const mostNamed = 20

export async function unreachedIn(world: ExaminedWorld, work: AskedOfWork, deed: Deed): Promise<Unreached> {
  const { from, now, gates, flight } = work
  const files = await changedSources(world.git, from, now, (path) => isSource(path) || isTestCode(path))
  const replaced = files
    .filter(({ path }) => isTestCode(path))
    .flatMap(({ after }) => after.split('\n').filter((line) => mocks.test(line)))
  const asked = namedIn(wordsOfFlight(world, flight, deed)).filter((name) => !replaced.some((line) => line.includes(name)))
  if (gates.length === 0 || !isReachable(files, asked)) return { durationMs: 0 }
  let probes: Probe[] = []
  const change = (folder: string, at: string): Gate[] => {
    const probed = probesFor(files, probeText(at), asked)
    probes = probed.probes
    replaceTexts(folder, probed.texts)
    return gates
  }
  const { results, said, durationMs } = await runChanged(
    world,
    work,
    { about: 'which changed code the tests reach', change },
    deed,
  )
  const reached = new Set(said.split('\n').flatMap((line) => (line === '' ? [] : [Number(line)])))
  if (reached.size === 0 || !results.every(({ passed }) => passed)) return { durationMs }
  return { unreached: unreachedOf(probes, reached).slice(0, mostNamed), durationMs }
}

/** What a test replaces, such as a request to a server, is nothing that it could call. */
const mocks = /\b(?:\w*mock\w*|\w*patch\w*|spy\w*|stub\w*|fake\w*)\b/i

/** Functions that a story writes as calls. */
const namedIn = (words: string): string[] => [...new Set(words.match(/[A-Za-z_$][\w$]*(?=\()/g))]
