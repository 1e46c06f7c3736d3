// The one mark a thread carries in the list.
import { signal } from '@preact/signals'
import type { Thread } from '#doors/web/wire/thread.ts'
import { place, threadIn } from '../router.ts'
import { waiting } from './gates.ts'
import { keep, kept } from './local-storage.ts'

export type ThreadMark = 'waiting' | 'running' | 'failed' | 'unread'

const seenName = 'seen'
const maxSeen = 500

/** How far each thread was read in this browser. */
const seen = signal<Readonly<Record<string, number>>>({})

/** Waits > runs > failed > unread. */
export function markOf(thread: Thread): ThreadMark | undefined {
  if (waiting.value.some(({ thread_id }) => thread_id === thread.id)) return 'waiting'
  if (thread.state === 'running' || thread.state === 'failed') return thread.state
  if (threadIn(place.value.path) === thread.id) return undefined
  const known = seen.value[thread.id]
  return known !== undefined && known < thread.last_seq ? 'unread' : undefined
}

/** A thread was read up to here. */
export function sawThread(id: string, seq: number): void {
  if ((seen.value[id] ?? 0) >= seq) return
  const { [id]: _, ...rest } = seen.value
  seen.value = Object.fromEntries([...Object.entries(rest), [id, seq] as const].slice(-maxSeen))
  keep(seenName, JSON.stringify(seen.value))
}

/** Takes up what this browser knows of earlier visits. */
export function restoreSeen(): void {
  try {
    seen.value = (JSON.parse(kept(seenName) ?? '{}') ?? {}) as Record<string, number>
  } catch {
    seen.value = {}
  }
}
