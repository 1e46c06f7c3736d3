// Receipts of turns, cached.
import { signal } from '@preact/signals'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import type { Status } from '#doors/web/wire/turn.ts'
import { evictOldest } from '#lib/evict.ts'
import { request } from '../api/client.ts'
import type { TurnState } from './conversation.ts'
import { type Loaded, loaded } from './loaded.ts'

const maxCached = 500
const receipts = new Map<string, Loaded<Receipt>>()

/** The turn whose receipt the panel shows. */
export const shownReceipt = signal<string | undefined>(undefined)

/** The status of a turn. One that ended before this visit has it in the receipt. */
export function statusOf(turnId: string, state: TurnState | undefined): Status | undefined {
  return state?.status ?? receiptOf(turnId).data.value?.status
}

/** The receipt of a turn. The caller loads it. */
export function receiptOf(turnId: string): Loaded<Receipt> {
  const found = receipts.get(turnId) ?? loaded(() => request<Receipt>('GET', `/api/turns/${turnId}/receipt`))
  receipts.delete(turnId)
  receipts.set(turnId, found)
  evictOldest(receipts, maxCached)
  return found
}
