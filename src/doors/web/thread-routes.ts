// Routes of threads: list, search, read, rename, pin, archive, fork, delete.
import * as z from 'zod/mini'
import { maxQueryChars } from '#core/document.ts'
import { AppError, wrongField } from '#core/errors.ts'
import { maxFindChars } from '#core/find-pattern.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import { maxDeletedThreads, maxThreadsPerPage, maxThreadTitleChars } from '#core/page-limits.ts'
import type { Thread } from '#core/turn.ts'
import { type Route, route } from '#http/routes.ts'
import type { FoundThread } from '#turns/thread-search.ts'
import { isTitle } from '#turns/thread-title.ts'
import { queuedBounds, type Threads } from '#turns/threads.ts'
import { after, cursor, limit } from './paging.ts'
import { FoundAnswer, type ListedThreadWire, ThreadAnswer, ThreadsAnswer, ThreadWire } from '#doors/web/wire/thread.ts'
import { itemWire, queuedWire, threadWire } from './wire.ts'

/** Maximum size of a page's items together. A larger item is a page of its own. */
const maxPageBytes = 4 * 1024 * 1024

/** Maximum threads that a search returns. */
const maxFound = 50

const searched = z.string().check(z.trim(), z.minLength(1, 'must have words'), z.maxLength(maxQueryChars))
const ThreadsQuery = z.object({
  limit: limit({ defaultLimit: 50, maxLimit: maxThreadsPerPage }),
  cursor,
  q: z.optional(searched),
  shelf: z.optional(z.enum(['pinned', 'archived'], 'must be pinned or archived')),
})
const found = z.string().check(
  z.refine((words) => words.trim() !== '', 'must have words'),
  z.maxLength(maxFindChars),
)
const FindQuery = z.object({ q: found, after })
const ItemsQuery = z.object({ after, limit: limit({ defaultLimit: 200, maxLimit: 500 }) })

const titleFault = `must be 1 to ${maxThreadTitleChars} characters in one line`
const title = z.string().check(z.trim(), z.refine(isTitle, titleFault))
const ChangeBody = z.object({
  title: z.exactOptional(title),
  /** Null for the usual model. */
  model: z.exactOptional(z.nullable(z.string())),
  pinned: z.exactOptional(z.boolean()),
  archived: z.exactOptional(z.boolean()),
  /** Shows this variant in lists. */
  shown: z.exactOptional(z.literal(true)),
})
const idsFault = `must be a list of 1 to ${maxDeletedThreads} thread ids`
const DeleteBody = z.object({
  ids: z
    .array(z.string().check(z.refine(isUuid, 'must be the id of a thread')), idsFault)
    .check(z.minLength(1, idsFault), z.maxLength(maxDeletedThreads, idsFault)),
})
const DeleteAnswer = z.object({ deleted: z.number() })
const seqFault = 'must be the sequence number of an item'
const ForkBody = z.object({ before_seq: z.int(seqFault).check(z.minimum(1, seqFault)) })

export function threadRoutes({ threads }: { threads: Threads }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/threads',
      who: 'user',
      searches: true,
      summary: 'List threads, last used first; with q those whose titles or messages match, best first',
      query: ThreadsQuery,
      answers: { 200: ThreadsAnswer },
      async handle({ query: { limit, cursor, q, shelf }, caller: { user } }) {
        if (q !== undefined) {
          const found = await threads.search(user, { query: q, limit: Math.min(limit, maxFound) })
          return { threads: found.map(foundWire), next_cursor: null } satisfies z.output<typeof ThreadsAnswer>
        }
        const page = await threads.list(user, { limit, ...(cursor && { cursor }), ...(shelf && { shelf }) })
        const listed = page.rows.map(threadWire)
        return { threads: listed, next_cursor: page.nextCursor ?? null } satisfies z.output<typeof ThreadsAnswer>
      },
    }),
    route({
      method: 'GET',
      path: '/api/threads/:id',
      who: 'user',
      summary: 'Read a thread and its items',
      query: ItemsQuery,
      answers: { 200: ThreadAnswer },
      async handle({ params, query: { after, limit }, caller: { user } }) {
        // Queued messages are read first: one that begins meanwhile is then in both lists, never in neither.
        const queued = isUuid(params.id) ? await threads.queued(user, params.id, queuedBounds) : []
        const thread = await findThread(threads, user, params.id)
        const { entries, more } = await threads.entries(user, thread.id, { after, limit, maxBytes: maxPageBytes })
        const { variants, origin } = await threads.conversation(user, thread)
        return {
          thread: threadWire(thread),
          items: entries.map(itemWire),
          next_after: more ? (entries.at(-1)?.seq ?? null) : null,
          queued: queued.map(queuedWire),
          ...(variants.length > 0 && {
            variants: variants.map(({ seq, threadIds, at }) => ({ seq, threads: [...threadIds], at })),
          }),
          ...(origin && { origin: { id: origin.id, title: origin.title, seq: origin.beforeSeq } }),
        } satisfies z.output<typeof ThreadAnswer>
      },
    }),
    route({
      method: 'GET',
      path: '/api/threads/:id/find',
      who: 'user',
      searches: true,
      summary: 'Find where words stand in the messages of a thread, a part of the thread with each call',
      query: FindQuery,
      answers: { 200: FoundAnswer },
      async handle({ params, query: { q, after }, caller: { user } }) {
        const { id } = await findThread(threads, user, params.id)
        const { hits, nextAfter } = await threads.find(user, id, { words: q, after })
        return { hits: [...hits], next_after: nextAfter ?? null } satisfies z.output<typeof FoundAnswer>
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/threads/:id',
      who: 'user',
      summary:
        'Rename, pin or archive a thread, choose its model (null is the usual one), or show it in place of its variants',
      body: ChangeBody,
      answers: { 200: ThreadWire },
      async handle({ params, body, caller: { user } }) {
        const { title, model, shown, ...where } = body
        if (Object.keys(body).length === 0)
          throw wrongField('title', 'is missing, and so are model, pinned, archived and shown')
        if (where.pinned && where.archived) throw wrongField('pinned', 'and archived cannot both be true')
        const { id } = await findThread(threads, user, params.id)
        if (shown) await threads.show(user, id)
        if (model !== undefined) await threads.setModel(user, id, model)
        if (title !== undefined) await threads.rename(user, id, title)
        if (Object.keys(where).length > 0) await threads.shelve(user, id, where)
        return threadWire(await findThread(threads, user, id))
      },
    }),
    route({
      method: 'POST',
      path: '/api/threads/:id/fork',
      who: 'user',
      summary: 'Fork a thread: a new one with the items before a message',
      counted: true,
      body: ForkBody,
      answers: { 201: ThreadWire },
      async handle({ params, body: { before_seq: beforeSeq }, caller: { user } }, reply) {
        const { id } = await findThread(threads, user, params.id)
        const fork = await threads.fork(user, id, { beforeSeq, door: 'web' })
        return reply.code(201).send(threadWire(fork) satisfies z.output<typeof ThreadWire>)
      },
    }),
    route({
      method: 'POST',
      path: '/api/threads/delete',
      who: 'user',
      summary: 'Delete several threads with their variants and their content',
      body: DeleteBody,
      answers: { 200: DeleteAnswer },
      async handle({ body: { ids }, caller: { user } }) {
        return { deleted: await threads.removeAll(user, ids) } satisfies z.output<typeof DeleteAnswer>
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/threads/:id',
      who: 'user',
      summary: 'Delete a thread with its variants and their content',
      answers: { 204: null },
      async handle({ params, caller: { user } }, reply) {
        await threads.remove(user, (await findThread(threads, user, params.id)).id)
        return reply.code(204).send()
      },
    }),
  ]
}

function foundWire({ match, ...thread }: FoundThread): z.output<typeof ListedThreadWire> {
  return { ...threadWire(thread), ...(match && { match }) }
}

/** A thread of this user. Throws not_found, also for a thread of another user. */
export async function findThread(threads: Pick<Threads, 'get'>, user: UserId, id: string): Promise<Thread> {
  const thread = isUuid(id) ? await threads.get(user, id) : undefined
  if (!thread) throw new AppError('not_found', 'the thread does not exist')
  return thread
}
