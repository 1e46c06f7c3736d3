// The mark of a thread in the list: at most one.
import { signal } from '@preact/signals'
import type { Thread } from '#doors/web/wire/thread.ts'
import { route, threadIdIn } from '../router.ts'
import { waiting } from './gates.ts'
import { writeStored, readStored } from './local-storage.ts'

export type ThreadMark = 'waiting' | 'running' | 'failed' | 'unread'

const seenName = 'seen'
const maxSeen = 500

/** The last seq of each thread that was shown in this browser. */
const seen = signal<Readonly<Record<string, number>>>({})

/** In this order: waiting, running, failed, unread. */
export function markOf(thread: Thread): ThreadMark | undefined {
  if (waiting.value.some(({ thread_id }) => thread_id === thread.id)) return 'waiting'
  if (thread.state === 'running' || thread.state === 'failed') return thread.state
  if (threadIdIn(route.value.path) === thread.id) return undefined
  const known = seen.value[thread.id]
  return known !== undefined && known < thread.last_seq ? 'unread' : undefined
}

/** Notes that a thread was shown up to a seq. */
export function sawThread(id: string, seq: number): void {
  if ((seen.value[id] ?? 0) >= seq) return
  const { [id]: _, ...rest } = seen.value
  seen.value = Object.fromEntries([...Object.entries(rest), [id, seq] as const].slice(-maxSeen))
  writeStored(seenName, JSON.stringify(seen.value))
}

/** Reads what earlier visits of this browser have seen. */
export function restoreSeen(): void {
  try {
    seen.value = (JSON.parse(readStored(seenName) ?? '{}') ?? {}) as Record<string, number>
  } catch {
    seen.value = {}
  }
}
