/** `ralph replay`: replays a recorded run with other settings. It only reads. */
import { readLog } from '../../adapters/project/event-log.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { check, fromText } from '../../config/check.ts'
import { isKey, meantKey } from '../../config/names.ts'
import { decisive, type Patches, patchOf } from '../../config/policy.ts'
import type { Setting } from '../../config/setting.ts'
import { type Key, table } from '../../config/table.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { replay, runIn } from '../../core/replay/replay.ts'
import type { Policy } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { projectOrArchive } from '../../run/history/archived.ts'
import { replayData, replayLines } from '../../views/replay.ts'

export async function runReplay(
  args: { feature?: string; run?: string; set?: string[]; json?: boolean },
  io: Io,
): Promise<number> {
  const set = args.set ?? []
  const change = policyChange(set)
  const project = await projectOrArchive(io, args.feature)
  const { events } = readLog(eventLogPath(project.dir))
  const runs = [...new Set(events.map(({ run }) => run))].filter((run) => run !== '')
  const run = args.run ?? runs.at(-1)
  const found = run === undefined ? null : runIn(events, run)
  if (run === undefined || found === null) {
    if (args.run !== undefined) {
      const known = runs.length === 0 ? 'It has never run.' : `Last runs: ${runs.slice(-5).join(', ')}.`
      throw new Failure(EXIT.usage, `No run ${args.run} of ${project.feature}. ${known}`)
    }
    io.out(`${project.feature} has never run. Start with: ralph run\n`)
    return 0
  }
  const own = replay(found.before, found.recorded, (policy) => policy)
  if (own.split !== undefined)
    io.err(
      `! This version of Ralph decides differently from the recorded one, from iteration ${own.split.iteration} on. Differences below may not come from the settings.\n`,
    )
  const data = replayData(run, set, set.length === 0 ? own : replay(found.before, found.recorded, change))
  io.out(args.json ? `${JSON.stringify(data, null, 2)}\n` : `${replayLines(data).join('\n')}\n`)
  return 0
}

/** Applies `--set key=value` to a recorded policy, in any order; for the same key the last counts. */
export function policyChange(set: string[]): (policy: Policy) => Policy {
  const values = new Map(set.map(settingIn))
  const keys = [...Object.keys(decisive), ...Object.keys(roles)].filter((key) => values.has(key as Decisive)) as Decisive[]
  return (policy) => {
    const next = { ...policy }
    for (const key of keys) Object.assign(next, changed(key, values.get(key), next))
    return next
  }
}

function settingIn(written: string): [Decisive, unknown] {
  const equals = written.indexOf('=')
  if (equals <= 0) throw new Failure(EXIT.usage, `--set ${written} is not key=value, such as ${example}.`)
  const [key, text] = [written.slice(0, equals).trim(), written.slice(equals + 1)]
  if (!isKey(key)) {
    const meant = meantKey(key)
    const advice = meant === undefined ? '"ralph config show" lists all settings' : `did you mean "${meant}"?`
    throw new Failure(EXIT.config, `--set ${written}: unknown setting "${key}"; ${advice}`)
  }
  if (!isDecisive(key))
    throw new Failure(
      EXIT.config,
      `--set ${written}: cannot replay ${key}: it changes what agents and gates do. Settings that can be replayed: ${[...Object.keys(decisive), ...Object.keys(roles)].join(', ')}.`,
    )
  const setting: Setting = table[key]
  const checked = check(setting, fromText(setting, text))
  if ('mismatch' in checked) throw new Failure(EXIT.config, `--set ${written}: expected ${checked.mismatch.expected}.`)
  return [key, checked.value]
}

const example = 'circuit_breaker.no_progress_threshold=2'

type Decisive = keyof typeof decisive | keyof typeof roles

const isDecisive = (key: Key): key is Decisive => Object.hasOwn(decisive, key) || Object.hasOwn(roles, key)

const changed = (key: Decisive, value: unknown, policy: Policy): Partial<Policy> =>
  isOfRoles(key)
    ? (roles[key] as (value: unknown, policy: Policy) => Partial<Policy>)(value, policy)
    : patchOf(key, value, policy)

const isOfRoles = (key: Decisive): key is keyof typeof roles => Object.hasOwn(roles, key)

/** Reviewers and learners: a run asks the agents whether they take the role, a record has the answer. */
const roles = {
  'quality.review': (isWanted, { review: { quality, ...review }, agent }) => ({
    review: isWanted ? { ...review, quality: quality ?? review.spec ?? agent } : review,
  }),
  'review.final': (final, { review }) => ({ review: { ...review, final } }),
  'review.enabled': (isEnabled, { review, agent }) => ({
    review: isEnabled ? { ...review, spec: review.spec ?? agent } : { final: [] },
  }),
  'learn.enabled': (isEnabled, { learn, agent }) => ({
    learn: isEnabled ? (learn ?? { agent, aggregateEvery: table['learn.aggregate_every'].default, atEnd: true }) : undefined,
  }),
  'learn.aggregate_every': (aggregateEvery, { learn }) => ({ learn: learn && { ...learn, aggregateEvery } }),
} satisfies Patches
