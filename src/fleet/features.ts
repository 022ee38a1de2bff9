/** Features of the fleet as people handle them: submit, ask, pause, cancel. */
import { createHash } from 'node:crypto'
import { EXIT, Failure, sure } from '../core/failure.ts'
import { hasTexts, isListOf, isText } from '../core/text/json.ts'
import type { Fleet, Transaction } from './database.ts'
import type { FeatureState } from './schema.ts'
import { oneRow, type Row } from './sql.ts'

/** A row of ralph.features, without columns that only a worker needs. */
export type Feature = Row & {
  key: string
  repository: string
  feature: string
  labels: string[]
  priority: number
  state: FeatureState
  wanted: 'run' | 'pause' | 'cancel'
  turn: number
  worker: string | null
  branch: string
  /** JSON: `asksIn` and `fleetStatus` check it. */
  status: unknown
  asks: unknown
  exit_code: number | null
  reason: string
  submitted_at: Date
  started_at: Date | null
  ended_at: Date | null
}
/** What only a person can resolve. */
export type NeedsPerson = { kind: 'question' | 'blocked'; story: string | null; text: string }

/** Of a feature's row; none where it holds something else. */
export const asksIn = ({ asks }: Pick<Feature, 'asks'>): NeedsPerson[] => (isListOf(asks, isAsk) ? asks : [])

const isAsk = (value: unknown): value is NeedsPerson =>
  hasTexts(value, 'kind', 'text') &&
  ['question', 'blocked'].includes(value.kind) &&
  (value['story'] === null || isText(value['story']))

export type Submission = { repository: string; feature: string; base: string; priority: number; labels: string[] }

/** The same on every machine, and a valid key for the queue. */
export const keyOf = (repository: string, feature: string): string =>
  createHash('sha256').update(`${repository}\n${feature}`).digest('hex').slice(0, 24)

/** Returns what happened; a queued or running one only gets the new priority. */
export async function submit(fleet: Fleet, given: Submission): Promise<{ feature: Feature; isNew: boolean }> {
  const key = keyOf(given.repository, given.feature)
  return fleet.together(async (transaction) => {
    const rows = await transaction.query<Feature & { is_new: boolean }>(
      `insert into ralph.features as f (key, repository, feature, base, labels, priority, state)
       values ($1, $2, $3, $4, $5, $6, 'new')
       on conflict (key) do update set priority = $6,
         base = case when f.state in ('queued', 'running') then f.base else $4 end,
         labels = case when f.state in ('queued', 'running') then f.labels else $5 end
       returning *, state not in ('queued', 'running') as is_new`,
      [key, given.repository, given.feature, given.base, given.labels, given.priority],
    )
    const { is_new: isNew, ...feature } = sure(rows[0], `feature with the key ${key}`)
    return { feature: isNew ? await enqueue(transaction, key) : feature, isNew }
  })
}

/** Queues it again, with everything that was stored. */
async function enqueue(transaction: Transaction, key: string): Promise<Feature> {
  return oneRow<Feature>(
    transaction,
    `update ralph.features set state = 'queued', wanted = 'run', worker = null, lease_until = null, start_after = null,
       fruitless = 0, outcome = null, pushing_outcome = null, exit_code = null, reason = '', ended_at = null,
       queued_at = clock_timestamp(), changed_at = clock_timestamp() where key = $1 returning *`,
    [key],
  )
}

/** A person's request, for the run's inbox; a feature that waits for it continues. */
export async function ask(fleet: Fleet, key: string, request: object): Promise<'live' | 'queued' | 'kept'> {
  const kind = (request as { kind: string }).kind
  return fleet.together(async (transaction) => {
    const feature = await lockedFeature(transaction, key)
    await transaction.query('insert into ralph.requests (key, request) values ($1, $2)', [key, JSON.stringify(request)])
    await transaction.query('update ralph.features set changed_at = clock_timestamp() where key = $1', [key])
    if (feature.state === 'running') return 'live'
    const resolves = kind === 'question.answered' || kind === 'unblocked'
    if (!(feature.state === 'waiting' && resolves) && kind !== 'breaker.reset') return 'kept'
    await enqueue(transaction, key)
    return 'queued'
  })
}

/** Cancels a waiting one at once; a running one is stopped by its worker. */
export async function cancel(fleet: Fleet, key: string): Promise<FeatureState> {
  return fleet.together(async (transaction) => {
    const feature = await lockedFeature(transaction, key)
    if (feature.state === 'running') return want(transaction, feature, 'cancel')
    if (isOver(feature.state)) return feature.state
    await transaction.query(
      `update ralph.features set state = 'cancelled', reason = 'cancelled', ended_at = clock_timestamp(), changed_at = clock_timestamp()
       where key = $1`,
      [key],
    )
    return 'cancelled'
  })
}

/** After its iteration it frees its worker and pauses. */
export async function pause(fleet: Fleet, key: string): Promise<FeatureState> {
  return fleet.together(async (transaction) => {
    const feature = await lockedFeature(transaction, key)
    if (feature.state === 'running') return want(transaction, feature, 'pause')
    if (feature.state !== 'queued') return feature.state
    await transaction.query(`update ralph.features set state = 'paused', changed_at = clock_timestamp() where key = $1`, [key])
    return 'paused'
  })
}

export async function resume(fleet: Fleet, key: string): Promise<FeatureState> {
  return fleet.together(async (transaction) => {
    const feature = await lockedFeature(transaction, key)
    if (feature.state === 'running' && feature.wanted === 'pause') return want(transaction, feature, 'run')
    if (feature.state !== 'paused') return feature.state
    await enqueue(transaction, key)
    return 'queued'
  })
}

/** The feature with this name, if only one repository has it. */
export async function findFeature(fleet: Fleet, name: string, repository?: string): Promise<Feature> {
  const found = await fleet.query<Feature>(
    'select * from ralph.features where feature = $1 and ($2::text is null or repository = $2) order by repository',
    [name, repository ?? null],
  )
  const [only, ...more] = found
  if (only !== undefined && more.length === 0) return only
  if (only !== undefined)
    throw new Failure(
      EXIT.usage,
      `${name} is in several repositories. Name one with --repo: ${found.map((one) => one.repository).join(', ')}`,
    )
  const where = repository === undefined ? 'in this fleet' : `of ${repository} in this fleet`
  throw new Failure(
    EXIT.usage,
    `No feature "${name}" ${where}. Submit it with: ralph fleet submit ${name}. See: ralph fleet status`,
  )
}

export const isOver = (state: FeatureState): boolean => ['completed', 'failed', 'cancelled'].includes(state)

const lockedFeature = (transaction: Transaction, key: string): Promise<Feature> =>
  oneRow<Feature>(transaction, 'select * from ralph.features where key = $1 for update', [key])

async function want(transaction: Transaction, { key }: Feature, wanted: Feature['wanted']): Promise<FeatureState> {
  await transaction.query('update ralph.features set wanted = $2, changed_at = clock_timestamp() where key = $1', [key, wanted])
  return 'running'
}
