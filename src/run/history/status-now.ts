/** A feature's current status, at the same cost however long its history. */
import { readdirSync } from 'node:fs'
import { readJson } from '../../adapters/files/files.ts'
import { inboxFolder, statusPath } from '../../adapters/project/layout.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { tried } from '../../core/failure.ts'
import { recordOf } from '../../core/text/json.ts'
import type { Outlook } from '../../views/report/costs.ts'
import { emptyAccount, type StatusFile, statusFile } from '../../views/status/account.ts'
import type { Status } from '../../views/status/status.ts'
import type { Project } from '../project.ts'
import { liveRun } from './live-run.ts'

/**
 * From status.json; from the log only if that is lost, broken, or from another version of the program. `env`: for the settings, which stand for
 * the policy before the first run; null: not needed.
 */
export async function statusNow(project: Project, env: NodeJS.ProcessEnv | null): Promise<StatusFile> {
  const read = keptStatus(project.dir) ?? (await (await import('./rebuild-status.ts')).rebuiltStatus(project, env))
  const isLive = liveRun(project) !== null
  const due =
    !isLive && hasRequests(project) ? await (await import('./status-with-requests.ts')).statusWithRequests(project, read) : read
  return statusAsOf({ ...due, feature: due.feature || project.feature }, isLive)
}

/** Usually there are none, and nothing more is loaded. */
const hasRequests = ({ dir }: Project): boolean =>
  tried(() => readdirSync(inboxFolder(dir)), []).some((name) => name.endsWith('.json'))

/** What status.json says; null: it is lost, broken, or from another version. */
export function keptStatus(dir: string): StatusFile | null {
  const status = readJson(statusPath(dir))
  return isStatusFile(status) && isPriced(status.forecast) ? status : null
}

/** A run that has not ended and is not live: killed. What it was about to do is over. */
export function statusAsOf<S extends Status>(status: S, isLive: boolean): S {
  const isOver = status.state === 'ended' || status.state === 'idle'
  if (isOver || isLive) return status
  const { soon: _over, ...left } = status
  return { ...(left as S), state: 'killed', cost: withLost(status) }
}

/** Nobody knows what calls cost that were under way: unknown is never 0. */
function withLost({ cost, calls, stories }: Status): Status['cost'] {
  const lost = stories.list.filter(({ state }) => state === 'working').length
  const usd = cost.usd === 0 && lost === calls ? null : cost.usd
  return lost === 0 ? cost : { ...cost, usd, unpriced: cost.unpriced + lost, uncounted: cost.uncounted + lost }
}

function isStatusFile(value: unknown): value is StatusFile {
  const { version, forecast } = recordOf(value)
  return version === 1 && isLike(value, formWith(recordOf(forecast)['kind']))
}

/** A complete example, to compare with. */
function formWith(outlook: unknown): object {
  const empty = statusFile({ state: initialState, account: emptyAccount() }, null, [], 0)
  const taken = { iterations: 0, ms: 0, costUsd: 0 }
  const kind = { mode: '', role: 'implementer', calls: 0, ms: 0, tokens: 0, costUsd: 0 }
  const costs = { ...empty.costs, perProvenStoryUsd: 0, byKind: [kind] }
  return { ...empty, costs, finished: [taken], forecast: forecastForm(outlook) }
}

/** With both ends of the range, or without a cost. */
const isPriced = (forecast: Outlook): boolean =>
  forecast.kind !== 'told' ||
  forecast.costUsd === null ||
  (Number.isFinite(forecast.costUsd.p50) && Number.isFinite(forecast.costUsd.p90))

function forecastForm(kind: unknown): Outlook | undefined {
  const range = { p50: 0, p90: 0 }
  switch (kind) {
    case 'nothing-open':
      return { kind: 'nothing-open' }
    case 'too-little':
      return { kind: 'too-little', open: 0, finished: 0, needed: 0 }
    case 'told':
      return { kind: 'told', stories: 0, from: 0, iterations: range, ms: range, costUsd: null }
    default:
      return undefined
  }
}

/** Has everything that the other has, in the same form; lists contain items like its first, if any; nullable fields are not checked. */
function isLike(value: unknown, other: unknown): boolean {
  if (other === null || value === null) return other === null || typeof other === 'number'
  if (typeof value !== typeof other || Array.isArray(value) !== Array.isArray(other)) return false
  if (Array.isArray(value)) {
    const [first] = other as unknown[]
    return value.every((item) => (first === undefined ? item !== null : isLike(item, first)))
  }
  if (typeof other !== 'object') return true
  return Object.entries(other).every(
    ([key, inner]) => Object.hasOwn(value as object, key) && isLike((value as Record<string, unknown>)[key], inner),
  )
}
