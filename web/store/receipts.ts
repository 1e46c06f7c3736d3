// Receipts of turns, read when they are first looked at.
import { signal } from '@preact/signals'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import { ask } from '../api/client.ts'
import { type Loaded, loaded } from './loaded.ts'
import { evictOldest } from '../lib/evict.ts'

const maxKept = 500
const known = new Map<string, Loaded<Receipt>>()

/** The turn whose receipt stands in the panel. */
export const shownReceipt = signal<string | undefined>(undefined)

/** The receipt of a turn; whoever shows it loads it. */
export function receiptOf(turnId: string): Loaded<Receipt> {
  const found = known.get(turnId) ?? loaded(() => ask<Receipt>('GET', `/api/turns/${turnId}/receipt`))
  known.delete(turnId)
  known.set(turnId, found)
  evictOldest(known, maxKept)
  return found
}
