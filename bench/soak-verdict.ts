/** Whether what was seen on the way stayed flat: the end beside the beginning, and how far apart they may lie. */
import type { Sample } from './soak-run.ts'

/** `ratio`: of the end to the beginning, of whatever is judged; `most` null: the machine was too busy to judge it. */
export type Judged = { what: string; unit: string; first: number; last: number; ratio: number; most: number | null }

export const isBroken = ({ ratio, most }: Judged): boolean => most !== null && !(ratio <= most)

const EMPTY = 'of an empty Node'

/** From a warm program on: what grows in its first hundreds of iterations are its heap and the caches of V8. */
export function judged(samples: Sample[], keptLogs: number): Judged[] {
  const last = samples.at(-1)!
  const first = samples.find(({ iteration }) => iteration >= 1000) ?? samples[0]!
  // V8 lets its young generation grow to some 50 MB, on a busy machine soon, on a quiet one hardly ever; what leaks goes on after that.
  const half = samples.findLast(({ iteration }) => iteration <= last.iteration / 2) ?? first
  const row = (what: string, unit: string, of: (sample: Sample) => number, most: number | null, from = first): Judged => {
    const [before, after] = [of(from), of(last)]
    return { what, unit, first: before, last: after, ratio: after / before, most }
  }
  const isQuiet = first.load <= 1 && last.load <= 1
  return [
    heldMemory(first, last),
    row('resident memory, from halfway to the end', 'MB', ({ rssMb }) => rssMb, 1.15, half),
    row('resident memory, at its peak', 'MB', ({ peakMb }) => peakMb, 1.5),
    // The machine itself is faster at one time than at another: what an empty program costs at the same time tells.
    row('processor time of an iteration, the agent and git included', EMPTY, ({ cpuMs, emptyMs }) => cpuMs / emptyMs, 1.3),
    row('gap between two agents', EMPTY, ({ gapMs, emptyMs }) => gapMs / emptyMs, isQuiet ? 1.3 : null),
    row('processor time of ralph status', EMPTY, ({ statusMs, emptyMs }) => statusMs / emptyMs, 1.3),
    row('folding one event', 'µs', ({ foldUs }) => foldUs, 1.5),
    ...bounded(first, last, keptLogs),
  ]
}

/**
 * What a run must remember: the contents that it has seen, some two for each iteration of the soak's, and its stories with their commits.
 * Measured once, over 10,000 iterations: 21.9 MB at 1000, 23.7 at 5000, 26.2 at the end, which is half a kilobyte for each. With what is
 * allowed beside it, a leak shows here from about three quarters of a kilobyte for each iteration on; a smaller one does not.
 */
const perIterationMb = 0.001
/** What an iteration holds while it is under way: two looks at the same state differ by as much. */
const underWay = 1.1

function heldMemory(first: Sample, last: Sample): Judged {
  const allowedMb = first.heldMb * underWay + perIterationMb * (last.iteration - first.iteration)
  const what = 'memory held after a collection, beside what a kilobyte for each iteration makes of it'
  return { what, unit: 'MB', first: first.heldMb, last: last.heldMb, ratio: last.heldMb / allowedMb, most: 1 }
}

/** As many logs wait for their bundle, and go into one. */
const perBundle = 100
/** Plan, settings, status, memory and the like. */
const otherFiles = 30

/** What needs no clock: a short soak in the tests judges these. */
export function bounded(first: Sample, last: Sample, keptLogs: number): Judged[] {
  const perThousand = (one: number, other: number): number => (1000 * (other - one)) / (last.iteration - first.iteration)
  const megabytesBefore = (1000 * first.megabytes) / first.iteration
  const megabytes = perThousand(first.megabytes, last.megabytes)
  return [
    {
      what: 'state, by story begun',
      unit: 'kB',
      first: first.stateKb / first.stories,
      last: last.stateKb / last.stories,
      ratio: last.stateKb / last.stories / (first.stateKb / first.stories),
      most: 1.3,
    },
    {
      what: 'files under .ralph, beside those that may be there',
      unit: '',
      first: first.files,
      last: last.files,
      ratio: last.files / (keptLogs + perBundle + last.iteration / perBundle + otherFiles),
      most: 1,
    },
    {
      what: 'growth of .ralph in a thousand iterations',
      unit: 'MB',
      first: megabytesBefore,
      last: megabytes,
      ratio: megabytes / megabytesBefore,
      most: 1.3,
    },
  ]
}
