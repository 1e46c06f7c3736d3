// Where words stand in one thread, also in turns that are not in the page. Loaded with the bar that shows it.
import { signal } from '@preact/signals'
import type { FoundPart } from '#doors/web/wire/thread.ts'
import { faultText, request } from '../api/client.ts'
import type { Conversation } from './conversation.ts'

/** Places that are counted; a thread with more is not looked through to its end. */
export const maxPlaces = 1_000

export type Found = {
  readonly words: string
  /** The seq of the message of each place, in the order of the thread. */
  readonly seqs: readonly number[]
  readonly more: boolean
  readonly fault?: string
}

export type ThreadFinder = {
  /** What was found last; undefined before the first search and while one runs. */
  readonly found: { readonly value: Found | undefined }
  /** The place that is shown. */
  readonly at: { value: number }
  /** Looks for words; a later call ends this one. The place shown first is the latest one: threads are open at their end. */
  search(words: string): Promise<void>
  /** Goes to the place so many further, round the ends. */
  step(by: number): void
}

export function createThreadFinder(threadId: string): ThreadFinder {
  const found = signal<Found | undefined>(undefined)
  const at = signal(0)
  let latest = ''

  async function read(words: string): Promise<Found> {
    const seqs: number[] = []
    let after: number | null = 0
    while (after !== null && seqs.length <= maxPlaces && latest === words) {
      const fields = new URLSearchParams({ q: words, after: String(after) })
      const part: FoundPart = await request('GET', `/api/threads/${encodeURIComponent(threadId)}/find?${fields}`)
      for (const { seq, count } of part.hits) {
        for (let left = count; left > 0 && seqs.length <= maxPlaces; left--) seqs.push(seq)
      }
      after = part.next_after
    }
    return { words, seqs: seqs.slice(0, maxPlaces), more: after !== null || seqs.length > maxPlaces }
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

/** Loads the thread back to a message; false if that failed. */
export async function loadBack(conversation: Conversation, seq: number): Promise<boolean> {
  const first = (): number => conversation.turns.peek()[0]?.seq ?? 1
  for (let before = first(); before > seq; before = first()) {
    await conversation.loadEarlier()
    if (first() === before) return false
  }
  return true
}
