// Threads: a user's conversations, what stands in them, and the gates that wait in them.
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import type { Thread } from '#core/turn.ts'
import type { Turns } from '#turns/turns.ts'
import { checkBody, checkQuery } from './check.ts'
import { answers, asks, idParam, nothing, type OpenApiPaths, takes } from './openapi.ts'
import { after, cursor, limit } from './paging.ts'
import { ItemWire, itemWire, jobStatus, jobStatuses, ThreadWire, threadWire } from './wire.ts'

type IdParams = { Params: { id: string } }
type GateParams = { Params: { id: string; gate: string } }

const maxWordChars = 2_000

const ThreadsQuery = z.object({ limit: limit({ usual: 50, most: 200 }), cursor })
const ItemsQuery = z.object({ after, limit: limit({ usual: 200, most: 500 }) })

const ThreadsAnswer = z.object({ threads: z.array(ThreadWire), next_cursor: z.nullable(z.string()) })
const ThreadAnswer = z.object({ thread: ThreadWire, items: z.array(ItemWire), next_after: z.nullable(z.number()) })

const GateBody = z.object({
  action: z.enum(['approve', 'always', 'deny'], 'must be approve, always or deny'),
  word: z.nullish(z.string().check(z.maxLength(maxWordChars, `must have at most ${maxWordChars} characters`))),
})
const GateAnswer = z.object({ thread_id: z.string(), turn_id: z.string(), status: z.enum(jobStatuses) })

export function registerThreads(app: FastifyInstance, { turns }: { turns: Turns }): void {
  app.get('/api/threads', async ({ query, caller: { user } }) => {
    const { limit, cursor } = checkQuery(ThreadsQuery, query)
    const page = await turns.threads(user, { limit, ...(cursor && { cursor }) })
    const threads = page.rows.map(threadWire)
    return { threads, next_cursor: page.nextCursor ?? null } satisfies z.output<typeof ThreadsAnswer>
  })

  app.get<IdParams>('/api/threads/:id', async ({ params, query, caller: { user } }) => {
    const { after, limit } = checkQuery(ItemsQuery, query)
    const thread = await find(turns, user, params.id)
    const entries = await turns.history(user, thread.id, { after, limit })
    const last = entries.at(-1)?.seq
    return {
      thread: threadWire(thread),
      items: entries.map(itemWire),
      next_after: last !== undefined && last < thread.lastSeq ? last : null,
    } satisfies z.output<typeof ThreadAnswer>
  })

  app.delete<IdParams>('/api/threads/:id', async ({ params, caller: { user } }, reply) => {
    await turns.removeThread(user, (await find(turns, user, params.id)).id)
    return reply.code(204).send()
  })

  app.post<GateParams>('/api/threads/:id/gates/:gate', async ({ params, body, caller }) => {
    const { action, word } = checkBody(GateBody, body)
    const thread = await find(turns, caller.user, params.id)
    const turn = await turns.answer(caller.user, thread.id, {
      callId: params.gate,
      // `always` allows this one call: there is no lasting permission yet.
      decision: action === 'deny' ? 'deny' : 'allow',
      by: caller.name,
      ...(word && { output: word }),
    })
    return { thread_id: turn.threadId, turn_id: turn.id, status: jobStatus(turn.status) } satisfies z.output<
      typeof GateAnswer
    >
  })
}

export function threadPaths(): OpenApiPaths {
  return {
    '/api/threads': {
      get: { summary: 'List threads, last used first', ...asks(ThreadsQuery), ...answers(200, ThreadsAnswer) },
    },
    '/api/threads/{id}': {
      get: { summary: 'A thread and its items', ...asks(ItemsQuery, 'id'), ...answers(200, ThreadAnswer) },
      delete: { summary: 'Erase a thread', ...idParam('id'), ...nothing() },
    },
    '/api/threads/{id}/gates/{gate}': {
      post: { summary: 'Answer a gate', ...idParam('id', 'gate'), ...takes(GateBody), ...answers(200, GateAnswer) },
    },
  }
}

/** One of this user's; another's is as unknown as none. */
async function find(turns: Turns, user: UserId, id: string): Promise<Thread> {
  const thread = isUuid(id) ? await turns.thread(user, id) : undefined
  if (!thread) throw new AppError('not_found', 'the thread does not exist')
  return thread
}
