/** The connection to PostgreSQL: loaded only for fleet commands. */
import type { Pool, PoolClient } from 'pg'
import { EXIT, Failure } from '../core/failure.ts'
import { checkTables } from './schema.ts'
import type { Row, Sql } from './sql.ts'

export type Transaction = Sql
export type Fleet = Sql & {
  /** Rolled back if the body throws. */
  together<T>(body: (transaction: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export type Opening = {
  url: string
  /** How many connections at most. */
  connections?: number
  /** How long to wait for one of them. */
  patienceMs?: number
  /** Its tables are made next. */
  isNew?: boolean
  /** Errors between two statements: a connection that broke while idle. */
  onTrouble?(error: Error): void
}

export async function openFleet(opening: Opening): Promise<Fleet> {
  const { url, connections = 4, isNew = false, onTrouble = () => {}, patienceMs = 10_000 } = opening
  const Pool = await library()
  const pool: Pool = new Pool({
    connectionString: checkedUrl(url),
    application_name: 'ralph',
    keepAlive: true,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 10_000,
    // A server that stops answering must not hold a worker beyond its lease.
    query_timeout: 15_000,
    max: connections,
  })
  pool.on('error', onTrouble)
  // A connection that breaks in a transaction, or while closing, emits another error; without a listener that would end the process.
  pool.on('connect', (client) => client.on('error', onTrouble))
  const query: Sql['query'] = async (text, values) => lastResult(await pool.query(text, values)).rows as never
  try {
    await (isNew ? query('select 1') : checkTables({ query }, shownUrl(url)))
  } catch (error) {
    await pool.end().catch(() => {})
    throw whyNot(error, url)
  }
  return { query, together: (body) => inTransaction(pool, body), close: () => pool.end() }
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
    const result = await body({ query: async (text, values) => (await run(text, values)).rows as never })
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

async function library(): Promise<typeof import('pg').Pool> {
  try {
    return (await import('pg')).default.Pool
  } catch (error) {
    if (!/'pg'/.test((error as Error).message)) throw error
    throw new Failure(
      EXIT.missing,
      'A fleet needs the package pg, which is missing. Install it beside Ralph: npm install pg@8 (with -g if Ralph was installed with it).',
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
  if (['42P01', '3F000', '42883', '42703'].includes(code))
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
