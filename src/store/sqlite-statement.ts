// A statement on a SQLite connection: compiled once, with rows that are quick to read.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { mapPacked } from '#lib/map-packed.ts'
import type { Row, Value } from './sql.ts'

export type PreparedStatement = { all(values: readonly Value[]): Row[] }

/** Parameters by which SQLite plans: a limit, and what is compared as in the condition of the index `items_by_id`. */
const planned = /\b(LIMIT|seq >) \?/g

/**
 * SQLite would compile the statement anew for each value of a `planned` parameter, but not for an expression. Rows are
 * ordinary objects: those of node:sqlite have no prototype, and V8 looks up each of their columns in a hash table.
 */
export function prepareOnce(db: DatabaseSync, sql: string): PreparedStatement {
  const statement = db.prepare(sql.replaceAll(planned, '$1 ? + 0'))
  statement.setReturnArrays(true)
  let names: readonly string[] = []
  return {
    all(values) {
      const rows = statement.all(...values) as unknown as Value[][]
      // The columns of `*` change with the schema.
      if (rows[0] && rows[0].length !== names.length) names = namesOf(statement)
      return mapPacked(rows, (row) => rowOf(names, row))
    },
  }
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

function rowOf(names: readonly string[], values: readonly Value[]): Row {
  const row: Record<string, Value> = {}
  for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at] as Value
  return row
}
