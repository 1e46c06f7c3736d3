// Waits for the answer to the gate of a call that stays open. Anybody may write the answer, in any process.
import type { Bus } from '#core/bus.ts'
import type { Answer } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { watchThread } from './watch.ts'

/** The thread is read again this often: a command that writes to the database alone announces nothing. */
const rereadMs = 10_000

type Parts = { readonly bus: Bus; readonly store: Pick<Store, 'threads'> }

/** The first answer to a call after a seq. Throws the reason of the signal. */
export async function heldAnswer(
  { bus, store }: Parts,
  { userId, threadId }: Turn,
  { callId, after, signal }: { readonly callId: string; readonly after: number; readonly signal: AbortSignal },
): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted()
    const watch = watchThread({ bus, threads: store.threads }, userId, threadId, { seq: after })
    const leave = (): void => watch.close()
    const timer = setTimeout(leave, rereadMs)
    signal.addEventListener('abort', leave)
    try {
      for await (const events of watch) {
        const entries = events.flatMap((event) => (event.type === 'entries' ? event.entries : []))
        for (const { item } of entries) if (item.type === 'answer' && item.callId === callId) return item
      }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }
}
