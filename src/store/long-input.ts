// Inputs of queued turns that have megabytes: read in a thread and parsed in pieces, so that the event loop goes on meanwhile.
import type { Draft } from '#core/item.ts'
import { parseInPieces } from '#lib/json-pieces.ts'
import { inPace, nextTurn } from '#lib/pace.ts'
import { type Bodies, bodiesOf } from './append-items.ts'
import { readApart } from './long-rows.ts'
import { inputIn } from './rows.ts'
import { query, type Sql } from './sql.ts'

/** A longer input is not read with its turn. */
export const maxShortInput = 1024 * 1024
/** The input of a row, if it is short. */
export const shortInput = `CASE WHEN octet_length(input) <= ${maxShortInput} THEN input END AS input`

/** An input as it was read before the transaction that starts its turn. */
export type LongInput = {
  readonly turnId: string
  readonly text: string
  readonly drafts: readonly Draft[]
  readonly bodies: Bodies
}

/** Undefined if the turn has begun meanwhile, or is gone. */
export async function readLongInput(sql: Sql, turnId: string): Promise<Omit<LongInput, 'bodies'> | undefined> {
  const job = () => query('SELECT input FROM turns WHERE id = ?', turnId)
  const [row] = await readApart(sql, job, { of: turnId, bytes: Number.POSITIVE_INFINITY })
  const text = row?.['input']
  if (typeof text !== 'string') return undefined
  await nextTurn()
  const parsed = (await inPace(parseInPieces(Buffer.from(text)))) as Draft[]
  return { turnId, text, drafts: inputIn(text, parsed) }
}

/** The same with what is stored once the turn starts. */
export async function prepareLongInput(sql: Sql, turnId: string): Promise<LongInput | undefined> {
  const read = await readLongInput(sql, turnId)
  return read && { ...read, bodies: await bodiesOf(read.drafts) }
}
