// Finds words in one thread, also in turns that are not in the page. Loaded with the find bar.
import { signal } from '@preact/signals'
import type { FoundPart } from '#doors/web/wire/thread.ts'
import { faultText, request } from '../api/client.ts'
import type { Conversation } from './conversation.ts'

/** Places that are kept: the latest ones. */
export const maxPlaces = 1_000
/** Parts of a thread that one search reads, of up to 2,000 items each. */
export const maxParts = 200

export type Found = {
  readonly words: string
  /** The seq of the message of each place, in the order of the thread. */
  readonly seqs: readonly number[]
  /** There are other places, or parts of the thread that were not read. */
  readonly more: boolean
  readonly fault?: string
}

export type ThreadFinder = {
  /** The result of the last search; undefined before the first one and while one runs. */
  readonly found: { readonly value: Found | undefined }
  /** The place that is shown. */
  readonly at: { value: number }
  /** Looks for words; a later call ends this one. The place shown first is the latest one: threads are open at their end. */
  search(words: string): Promise<void>
  /** Moves on by a number of places, round the ends. */
  step(by: number): void
}

export function createThreadFinder(threadId: string): ThreadFinder {
  const found = signal<Found | undefined>(undefined)
  const at = signal(0)
  let latest = ''

  async function read(words: string): Promise<Found> {
    let seqs: number[] = []
    let after: number | null = 0
    let more = false
    for (let part = 0; after !== null && part < maxParts && latest === words; part++) {
      const fields = new URLSearchParams({ q: words, after: String(after) })
      const answer: FoundPart = await request('GET', `/api/threads/${encodeURIComponent(threadId)}/find?${fields}`)
      for (const { seq, count } of answer.hits) {
        seqs.push(...Array<number>(Math.min(count, maxPlaces + 1)).fill(seq))
        more ||= seqs.length > maxPlaces
        seqs = seqs.slice(-maxPlaces)
      }
      after = answer.next_after
    }
    return { words, seqs, more: more || after !== null }
  }

  return {
    found,
    at,
    async search(words) {
      latest = words
      found.value = undefined
      if (words.trim() === '') return
      const now = await read(words).catch((error) => ({ words, seqs: [], more: false, fault: faultText(error) }))
      if (latest !== words) return
      at.value = Math.max(0, now.seqs.length - 1)
      found.value = now
    },
    step(by) {
      const count = found.peek()?.seqs.length ?? 0
      if (count > 0) at.value = (at.peek() + by + count) % count
    },
  }
}

/** Loads the thread back to a message; false if that failed or the signal ended it. */
export async function loadBack(conversation: Conversation, seq: number, ended: AbortSignal): Promise<boolean> {
  const first = (): number => conversation.turns.peek()[0]?.seq ?? 1
  for (let before = first(); before > seq; before = first()) {
    if (ended.aborted) return false
    await conversation.loadEarlier()
    if (first() === before) return false
  }
  return true
}
