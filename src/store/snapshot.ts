// A consistent view of a whole database, read table by table in bounded memory: what a backup is made of.
import type { PortableRow, PortableTable } from './portable-schema.ts'

export interface Snapshot {
  readonly backend: 'sqlite' | 'postgres'
  /** The schema version. */
  readonly version: number
  readonly tables: readonly PortableTable[]
  count(table: PortableTable): Promise<number>
  /** All rows, in batches of bounded size. */
  rows(table: PortableTable): AsyncIterable<readonly PortableRow[]>
  close(): Promise<void>
}

/** Bounds of one batch. A row that is larger comes alone. */
export const maxBatchRows = 500
export const maxBatchBytes = 1024 * 1024

export function selectText({ name, columns, only }: PortableTable): string {
  return `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}${whereOf({ only })}`
}

export function countText({ name, only }: PortableTable): string {
  return `SELECT count(*) AS count FROM ${name}${whereOf({ only })}`
}

export function whereOf({ only }: { readonly only?: string | undefined }): string {
  return only === undefined ? '' : ` WHERE ${only}`
}
