/** The connection to PostgreSQL and its queue: loaded only for fleet commands. */
import type { Pool, PoolClient, PoolConfig } from 'pg'
import type { PgBoss } from 'pg-boss'
import { EXIT, Failure } from '../core/failure.ts'
import { checkTables } from './schema.ts'
import type { Row, Sql } from './sql.ts'

/** Statements of one transaction; `db` passes the same transaction to the queue. */
export type Transaction = Sql & { db: { executeSql(text: string, values?: unknown[]): Promise<{ rows: Row[] }> } }
export type Fleet = Sql & {
  queue: PgBoss
  /** Rolled back if the body throws. */
  together<T>(body: (transaction: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The schema with the queue's own tables. */
const queueSchema = 'ralph_queue'

export type Opening = {
  url: string
  /** How many connections at most, besides one for the queue itself. */
  connections?: number
  /** How long to wait for one of them. */
  patienceMs?: number
  /** Creates the queue's tables if they are missing. */
  isNew?: boolean
  /** Errors between two statements: a connection that broke while idle. */
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
    // A server that stops answering must not hold a worker beyond its lease.
    query_timeout: 15_000,
  }
  const pool: Pool = new Pool({ ...common, max: connections })
  // Queries of the queue itself, while we hold a transaction, must not wait for the connection that waits for them.
  const aside: Pool = new Pool({ ...common, max: 1 })
  for (const each of [pool, aside]) {
    each.on('error', onTrouble)
    // A connection that breaks in a transaction, or while closing, emits another error; without a listener that would end the process.
    each.on('connect', (client) => client.on('error', onTrouble))
  }
  const queue = new PgBoss({
    db: { executeSql: async (text, values) => lastResult(await aside.query(text, values)) },
    schema: queueSchema,
    // The lease decides which worker is alive, so the queue's own expiry stays off; see lease.ts.
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
    if (!isNew) await checkTables({ query }, shownUrl(url)) // before the queue: if both are newer, this message says what to do
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
      `A fleet needs the packages pg and pg-boss, and ${missing} is missing. Install them beside Ralph: npm install pg@8 pg-boss@12.35.0 (with -g if Ralph was installed with it).`,
    )
  }
}

function checkedUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url)) return url
  throw new Failure(EXIT.usage, `"${shownUrl(url)}" is not a database URL; use postgres://user@host/database`)
}

/** The database does not answer now, but may later. */
export class Away extends Failure {}

/** The error of the server or of the connection. */
export function whyNot(error: unknown, url: string): Error {
  const { code = '', message } = error as { code?: string; message: string }
  const where = shownUrl(url)
  if (code === '28P01' || code === '28000')
    return new Failure(
      EXIT.login,
      `The database ${where} rejects the login: ${message}. Set the password in PGPASSWORD or ~/.pgpass.`,
    )
  if (code === '42501')
    return new Failure(
      EXIT.login,
      `The database role lacks a permission in ${where}: ${message}. See docs/fleet.md for what it needs.`,
    )
  if (code === '3D000') return new Failure(EXIT.data, `Database not found: ${where}. Create it: createdb <name>`)
  if (/pg-boss/.test(message) && /requires migrations/.test(message))
    return new Failure(
      EXIT.data,
      `The queue in ${where} was created by another version of pg-boss. If this machine has the newer Ralph, update it: ralph fleet init --db ${where}. Otherwise update Ralph here, with pg-boss 12.35.0.`,
    )
  if (/pg-boss is not installed/.test(message) || ['42P01', '3F000', '42883', '42703'].includes(code))
    return new Failure(EXIT.data, `${where} has no fleet yet. Create one: ralph fleet init --db ${where}`)
  if (isTrouble(error))
    return new Away(
      EXIT.missing,
      `The database ${where} is not reachable: ${message || code}. Check that it is running and that the URL is correct.`,
    )
  if (/^[0-9A-Z]{5}$/.test(code))
    return new Failure(EXIT.data, `The database ${where} rejected a statement: ${message} (SQLSTATE ${code}).`)
  return error as Error
}

/** The server or the network is away and may come back; not a mistake in the statement. */
export function isTrouble(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (/^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)/.test(code)) return true
  // Server shutting down, starting up, too many connections, out of resources; or a conflict that a retry resolves.
  if (/^(08|53|57P|40)/.test(code)) return true
  return /timeout|Connection terminated|Client was closed|connection error|not queryable/i.test(message)
}
