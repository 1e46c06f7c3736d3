// The news between two readings of the lists: turns that ended, and requests that wait.
import type { Waiting } from '#doors/web/wire/gate.ts'
import type { Thread } from '#doors/web/wire/thread.ts'

export type Look = {
  readonly threads: readonly Pick<Thread, 'id' | 'title' | 'state'>[]
  readonly gates: readonly (Pick<Waiting, 'id' | 'thread_id'> & { readonly question: { readonly text: string } })[]
}

export type BackgroundNews = {
  readonly type: 'done' | 'failed' | 'waiting'
  readonly threadId: string
  readonly title: string
  /** The question of a request. */
  readonly text?: string
}

/** News since an earlier look. A thread that waits has its request, and is not done. */
export function newsSince(before: Look, now: Look): BackgroundNews[] {
  const ran = new Set(before.threads.filter(({ state }) => state === 'running').map(({ id }) => id))
  const asked = new Set(before.gates.map(({ id }) => id))
  const titles = new Map(now.threads.map(({ id, title }) => [id, title || 'Untitled']))
  const ended = now.threads.filter(({ id, state }) => ran.has(id) && (state === 'idle' || state === 'failed'))
  return [
    ...now.gates
      .filter(({ id }) => !asked.has(id))
      .map(({ thread_id: threadId, question: { text } }) => {
        return { type: 'waiting' as const, threadId, title: titles.get(threadId) ?? 'Atrium', text }
      }),
    ...ended.map(({ id, title, state }) => {
      return {
        type: state === 'failed' ? ('failed' as const) : ('done' as const),
        threadId: id,
        title: title || 'Untitled',
      }
    }),
  ]
}
