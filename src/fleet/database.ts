/** The door to PostgreSQL and to the queue on it: loaded only when somebody asks for a fleet. */
import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { PgBoss } from 'pg-boss'
import { EXIT, Failure } from '../core/failure.ts'
import { checkTables } from './schema.ts'
import type { Row, Sql } from './sql.ts'

/** Statements of one transaction; `db` hands the same transaction to the queue. */
export type Transaction = Sql & { db: { executeSql(text: string, values?: unknown[]): Promise<{ rows: Row[] }> } }
export type Fleet = Sql & {
  queue: PgBoss
  /** Rolled back if the body throws. */
  together<T>(body: (transaction: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The schema that the queue keeps its own tables in. */
const queueSchema = 'ralph_queue'

export type Opening = {
  url: string
  /** How many connections at most, besides one for the queue itself. */
  connections?: number
  /** How long to wait for one of them. */
  patienceMs?: number
  /** Makes the queue's tables where they are missing. */
  isNew?: boolean
  /** What went wrong between two statements: a connection that broke while nobody used it. */
  onTrouble?(error: Error): void
}

export async function openFleet(opening: Opening): Promise<Fleet> {
  const { url, connections = 4, isNew = false, onTrouble = () => {}, patienceMs = 10_000 } = opening
  const { Pool, PgBoss } = await libraries()
  const common: PoolConfig = {
    connectionString: checkedUrl(url),
    application_name: 'ralph',
    keepAlive: true,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 10_000,
    // A server that no longer answers must not hold a worker beyond its lease.
    query_timeout: 15_000,
  }
  const pool: Pool = new Pool({ ...common, max: connections })
  // What the queue looks up for itself while we hold a transaction must not wait for the connection that waits for it.
  const aside: Pool = new Pool({ ...common, max: 1 })
  for (const each of [pool, aside]) {
    each.on('error', onTrouble)
    // One that breaks in a transaction, or on its way out, says so once more; without a listener that would end the process.
    each.on('connect', (client) => client.on('error', onTrouble))
  }
  const queue = new PgBoss({
    db: { executeSql: async (text, values) => lastResult(await aside.query(text, values)) },
    schema: queueSchema,
    // The lease is the judge of who lives, so the queue's own expiry stays off; see lease.ts.
    supervise: false,
    schedule: false,
    migrate: isNew,
    createSchema: isNew,
  })
  queue.on('error', onTrouble)
  const close = async (): Promise<void> => {
    await queue.stop({ graceful: false, close: false }).catch(() => {})
    await Promise.all([pool.end(), aside.end()])
  }
  const query: Sql['query'] = async (text, values) => lastResult(await pool.query(text, values)).rows as never
  try {
    if (!isNew) await checkTables({ query }, shownUrl(url)) // before the queue: where both are newer, this says what to do
    await queue.start()
  } catch (error) {
    await close().catch(() => {})
    throw whyNot(error, url)
  }
  return {
    queue,
    query,
    together: (body) => inTransaction(pool, body),
    close,
  }
}

/** For people: without the password. */
export function shownUrl(url: string): string {
  try {
    const parsed = new URL(url)
    parsed.password = ''
    return parsed.href
  } catch {
    return url.replace(/:[^:@/]*@/, '@')
  }
}

async function inTransaction<T>(pool: Pool, body: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client: PoolClient = await pool.connect()
  let isBroken = false
  const run = async (text: string, values?: unknown[]): Promise<{ rows: Row[] }> => lastResult(await client.query(text, values))
  try {
    await run('begin')
    const result = await body({ query: async (text, values) => (await run(text, values)).rows as never, db: { executeSql: run } })
    await run('commit')
    return result
  } catch (error) {
    await run('rollback').catch(() => {
      isBroken = true
    })
    throw error
  } finally {
    client.release(isBroken)
  }
}

/** Several statements in one text give several results; the last one counts. */
const lastResult = (result: unknown): { rows: Row[] } => (Array.isArray(result) ? result.at(-1) : result) as { rows: Row[] }

async function libraries(): Promise<{ Pool: typeof import('pg').Pool; PgBoss: typeof import('pg-boss').PgBoss }> {
  try {
    const [pg, boss] = await Promise.all([import('pg'), import('pg-boss')])
    return { Pool: pg.default.Pool, PgBoss: boss.PgBoss }
  } catch (error) {
    const missing = /'(pg|pg-boss)'/.exec((error as Error).message)?.[1]
    if (missing === undefined) throw error
    throw new Failure(
      EXIT.missing,
      `A fleet needs the packages pg and pg-boss, and ${missing} is not there. Install them beside Ralph: npm install pg@8 pg-boss@12.35.0 (with -g if Ralph was installed with it).`,
    )
  }
}

function checkedUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url)) return url
  throw new Failure(EXIT.usage, `"${shownUrl(url)}" is no address of a database: it begins with postgres://user@host/database`)
}

/** The database does not answer now, and may later. */
export class Away extends Failure {}

/** What the server, or the way to it, said. */
export function whyNot(error: unknown, url: string): Error {
  const { code = '', message } = error as { code?: string; message: string }
  const where = shownUrl(url)
  if (code === '28P01' || code === '28000')
    return new Failure(
      EXIT.login,
      `The database ${where} refuses the login: ${message}. Give the password with PGPASSWORD or ~/.pgpass.`,
    )
  if (code === '42501')
    return new Failure(EXIT.login, `The role may not do this in ${where}: ${message}. docs/fleet.md says what it needs.`)
  if (code === '3D000') return new Failure(EXIT.data, `There is no such database: ${where}. Make it first: createdb <name>`)
  if (/pg-boss/.test(message) && /requires migrations/.test(message))
    return new Failure(
      EXIT.data,
      `The queue in ${where} was made by another version of pg-boss. If this machine has the newer Ralph, update it: ralph fleet init --db ${where}. Otherwise update Ralph here, with pg-boss 12.35.0.`,
    )
  if (/pg-boss is not installed/.test(message) || ['42P01', '3F000', '42883', '42703'].includes(code))
    return new Failure(EXIT.data, `${where} holds no fleet yet. Make one: ralph fleet init --db ${where}`)
  if (isTrouble(error))
    return new Away(
      EXIT.missing,
      `The database ${where} cannot be reached: ${message || code}. Check that it runs and that its address is right.`,
    )
  if (/^[0-9A-Z]{5}$/.test(code))
    return new Failure(EXIT.data, `The database ${where} refused a statement: ${message} (SQLSTATE ${code}).`)
  return error as Error
}

/** The server or the network is away, and may come back; no mistake of the statement. */
export function isTrouble(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (/^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)/.test(code)) return true
  // Of the server: shutting down, starting up, too many connections, out of resources; and a conflict that another try resolves.
  if (/^(08|53|57P|40)/.test(code)) return true
  return /timeout|Connection terminated|Client was closed|connection error|not queryable/i.test(message)
}
