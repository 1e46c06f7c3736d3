// Routes of queued messages, and of stopping a thread with all of them.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import { type Route, route } from '#http/routes.ts'
import type { Threads } from '#turns/threads.ts'
import type { Turns } from '#turns/turns.ts'
import { QueuedTurnWire, StopAnswer } from '#doors/web/wire/chat.ts'
import { findThread } from './thread-routes.ts'

const EditBody = z.object({ message: z.string() })

type QueueParts = { readonly turns: Turns; readonly threads: Pick<Threads, 'get'> }

export function queueRoutes({ turns, threads }: QueueParts): Route[] {
  /** The turn of a queued message, which must be in the thread. */
  async function find(user: UserId, { id, turn: turnId }: { id: string; turn: string }): Promise<string> {
    const thread = await findThread(threads, user, id)
    const turn = isUuid(turnId) ? await turns.get(user, turnId) : undefined
    if (turn?.threadId !== thread.id) throw new AppError('not_found', 'the message does not exist')
    return turn.id
  }
  return [
    route({
      method: 'PATCH',
      path: '/api/threads/:id/queued/:turn',
      who: 'user',
      summary: 'Change the text of a message that is queued',
      maxBodyBytes: maxFileBodyBytes,
      body: EditBody,
      answers: { 200: QueuedTurnWire },
      async handle({ params, body: { message }, caller }) {
        const { user } = caller
        const turn = await turns.editQueued(user, await find(user, params), message, caller)
        return { thread_id: turn.threadId, turn_id: turn.id, status: 'queued' } satisfies z.output<
          typeof QueuedTurnWire
        >
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/threads/:id/queued/:turn',
      who: 'user',
      summary: 'Remove a message that is queued',
      answers: { 204: null },
      async handle({ params, caller: { user } }, reply) {
        await turns.removeQueued(user, await find(user, params))
        return reply.code(204).send()
      },
    }),
    route({
      method: 'POST',
      path: '/api/threads/:id/stop',
      who: 'user',
      summary: 'Stop the turn of a thread and remove all queued messages',
      answers: { 200: StopAnswer },
      async handle({ params, caller: { user } }) {
        const { id } = await findThread(threads, user, params.id)
        const { removed, stopped } = await turns.stopAll(user, id)
        return {
          thread_id: id,
          removed: removed.map((turn) => turn.id),
          ...(stopped && { stopped: stopped.id }),
        } satisfies z.output<typeof StopAnswer>
      },
    }),
  ]
}
