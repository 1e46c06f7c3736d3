// Receipts of turns, cached.
import { signal } from '@preact/signals'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import { request } from '../api/client.ts'
import { type Loaded, loaded } from './loaded.ts'
import { evictOldest } from '../lib/evict.ts'

const maxCached = 500
const receipts = new Map<string, Loaded<Receipt>>()

/** The turn whose receipt the panel shows. */
export const shownReceipt = signal<string | undefined>(undefined)

/** The receipt of a turn. The caller loads it. */
export function receiptOf(turnId: string): Loaded<Receipt> {
  const found = receipts.get(turnId) ?? loaded(() => request<Receipt>('GET', `/api/turns/${turnId}/receipt`))
  receipts.delete(turnId)
  receipts.set(turnId, found)
  evictOldest(receipts, maxCached)
  return found
}
