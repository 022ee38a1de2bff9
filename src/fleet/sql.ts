/** Statements and their rows. */
import { sure } from '../core/failure.ts'

export type Row = Record<string, unknown>
export type Sql = { query<T extends Row = Row>(text: string, values?: unknown[]): Promise<T[]> }

/** For a statement that always returns one. */
export const oneRow = async <T extends Row>(sql: Sql, text: string, values?: unknown[]): Promise<T> =>
  sure((await sql.query<T>(text, values))[0], 'row in the answer of the database')
