// Threads: a user's conversations, and what stands in them.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import type { Thread } from '#core/turn.ts'
import { type Route, route } from '#http/routes.ts'
import type { Turns } from '#turns/turns.ts'
import { after, cursor, limit } from './paging.ts'
import { ItemWire, itemWire, ThreadWire, threadWire } from './wire.ts'

/** A page ends before its items have more than this together; an item that has more comes alone. */
const maxPageBytes = 4 * 1024 * 1024

const ThreadsQuery = z.object({ limit: limit({ usual: 50, most: 200 }), cursor })
const ItemsQuery = z.object({ after, limit: limit({ usual: 200, most: 500 }) })

const ThreadsAnswer = z.object({ threads: z.array(ThreadWire), next_cursor: z.nullable(z.string()) })
const ThreadAnswer = z.object({ thread: ThreadWire, items: z.array(ItemWire), next_after: z.nullable(z.number()) })

export function threadRoutes({ turns }: { turns: Turns }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/threads',
      who: 'user',
      summary: 'List threads, last used first',
      query: ThreadsQuery,
      answers: { 200: ThreadsAnswer },
      async handle({ query: { limit, cursor }, caller: { user } }) {
        const page = await turns.threads(user, { limit, ...(cursor && { cursor }) })
        const threads = page.rows.map(threadWire)
        return { threads, next_cursor: page.nextCursor ?? null } satisfies z.output<typeof ThreadsAnswer>
      },
    }),
    route({
      method: 'GET',
      path: '/api/threads/:id',
      who: 'user',
      summary: 'A thread and its items',
      query: ItemsQuery,
      answers: { 200: ThreadAnswer },
      async handle({ params, query: { after, limit }, caller: { user } }) {
        const thread = await findThread(turns, user, params.id)
        const { entries, more } = await turns.history(user, thread.id, { after, limit, maxBytes: maxPageBytes })
        return {
          thread: threadWire(thread),
          items: entries.map(itemWire),
          next_after: more ? (entries.at(-1)?.seq ?? null) : null,
        } satisfies z.output<typeof ThreadAnswer>
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/threads/:id',
      who: 'user',
      summary: 'Erase a thread',
      answers: { 204: null },
      async handle({ params, caller: { user } }, reply) {
        await turns.removeThread(user, (await findThread(turns, user, params.id)).id)
        return reply.code(204).send()
      },
    }),
  ]
}

/** One of this user's; another's is as unknown as none. */
export async function findThread(turns: Turns, user: UserId, id: string): Promise<Thread> {
  const thread = isUuid(id) ? await turns.thread(user, id) : undefined
  if (!thread) throw new AppError('not_found', 'the thread does not exist')
  return thread
}
