// A log of threads in memory, for tests of histories.
import type { Entry, Item } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { ada } from '../store/harness.ts'

export function turnIn(threadId: string): Turn {
  return { id: 't', threadId, userId: ada, door: 'web', status: 'running', options: {}, createdAt: 0, usage: noUsage }
}

/** A log that anybody can write to, and how often it was read as a whole. */
export function createLog() {
  const logs = new Map<string, Item[]>()
  let reads = 0
  return {
    append(threadId: string, ...items: Item[]): Entry[] {
      const log = logs.get(threadId) ?? []
      logs.set(threadId, [...log, ...items])
      return items.map((item, at) => ({ seq: log.length + 1 + at, id: 'i', turnId: 't', at: 0, item }))
    },
    threads: {
      history({ threadId, firstSeq = 1 }: Turn, given?: number) {
        reads++
        const log = logs.get(threadId) ?? []
        const summary = log.findLast((item) => item.type === 'summary')
        const after = given ?? Math.min(summary?.upTo ?? 0, firstSeq - 1)
        // What a database gives is never the same object.
        return Promise.resolve({ after, items: structuredClone(log.slice(after)) })
      },
    },
    get reads() {
      return reads
    },
  }
}
