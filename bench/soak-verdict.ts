/** Whether the measurements stayed flat: compares the end with the beginning, with limits. */
import type { Sample } from './soak-run.ts'

/** `ratio`: end to beginning; `most` null: the machine was too busy to judge. */
export type Judged = { what: string; unit: string; first: number; last: number; ratio: number; most: number | null }

export const isBroken = ({ ratio, most }: Judged): boolean => most !== null && !(ratio <= most)

const EMPTY = 'of an empty Node'

/** From a warm program on: its heap and V8's caches grow during the first hundreds of iterations. */
export function judged(samples: Sample[], keptLogs: number): Judged[] {
  const last = samples.at(-1)!
  const first = samples.find(({ iteration }) => iteration >= 1000) ?? samples[0]!
  // V8's young generation may grow to some 50 MB, soon on a busy machine, hardly ever on a quiet one; a leak continues after that.
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
    // The machine's own speed varies: the cost of an empty program at the same time shows it.
    row('processor time of an iteration, the agent and git included', EMPTY, ({ cpuMs, emptyMs }) => cpuMs / emptyMs, 1.3),
    row('gap between two agents', EMPTY, ({ gapMs, emptyMs }) => gapMs / emptyMs, isQuiet ? 1.3 : null),
    row('processor time of ralph status', EMPTY, ({ statusMs, emptyMs }) => statusMs / emptyMs, 1.3),
    row('folding one event', 'µs', ({ foldUs }) => foldUs, 1.5),
    ...bounded(first, last, keptLogs),
  ]
}

/**
 * What a run must remember: seen contents, about two per iteration here, and its stories with their commits. Measured once over 10,000
 * iterations: 21.9 MB at 1000, 23.7 at 5000, 26.2 at the end: half a kilobyte each. With the allowed margin, a leak shows here from about
 * three quarters of a kilobyte per iteration on; a smaller one does not.
 */
const perIterationMb = 0.001
/** What a running iteration holds: two looks at the same state differ by as much. */
const underWay = 1.1

function heldMemory(first: Sample, last: Sample): Judged {
  const allowedMb = first.heldMb * underWay + perIterationMb * (last.iteration - first.iteration)
  const what = 'memory held after a collection, beside what a kilobyte for each iteration makes of it'
  return { what, unit: 'MB', first: first.heldMb, last: last.heldMb, ratio: last.heldMb / allowedMb, most: 1 }
}

/** As many logs wait for their bundle, then go into one. */
const perBundle = 100
/** Plan, settings, status, memory and the like. */
const otherFiles = 30

/** Needs no clock: a short soak in the tests checks these. */
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
