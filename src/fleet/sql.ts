/** Statements and their rows. */

export type Row = Record<string, unknown>
export type Sql = { query<T extends Row = Row>(text: string, values?: unknown[]): Promise<T[]> }
