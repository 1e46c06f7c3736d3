// Jobs: a user's turns from every door, newest first.
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid, type UserId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import type { Turns } from '#turns/turns.ts'
import { checkQuery } from './check.ts'
import { answers, asks, idParam, type OpenApiPaths } from './openapi.ts'
import { cursor, limit } from './paging.ts'
import { jobStatuses, JobWire, jobWire, openGate, turnStatus } from './wire.ts'

type IdParams = { Params: { id: string } }

const JobsQuery = z.object({
  status: z.optional(z.enum(jobStatuses, `must be one of ${jobStatuses.join(', ')}`)),
  limit: limit({ usual: 20, most: 100 }),
  cursor,
})

const JobsAnswer = z.object({ jobs: z.array(JobWire), next_cursor: z.nullable(z.string()) })

export function registerJobs(app: FastifyInstance, { turns }: { turns: Turns }): void {
  app.get('/api/jobs', async ({ query, caller: { user } }) => {
    const { status, limit, cursor } = checkQuery(JobsQuery, query)
    const page = await turns.list(user, {
      limit,
      ...(status && { status: turnStatus(status) }),
      ...(cursor && { cursor }),
    })
    const jobs = await Promise.all(page.rows.map(async (turn) => jobWire(turn, await lastEntry(turns, turn))))
    return { jobs, next_cursor: page.nextCursor ?? null } satisfies z.output<typeof JobsAnswer>
  })

  app.get<IdParams>('/api/jobs/:id', async ({ params, caller: { user } }) =>
    show(turns, await find(turns, user, params.id)),
  )

  app.post<IdParams>('/api/jobs/:id/cancel', async ({ params, caller: { user } }) => {
    const turn = await find(turns, user, params.id)
    return show(turns, await turns.cancel(user, turn.id))
  })
}

export function jobPaths(): OpenApiPaths {
  return {
    '/api/jobs': { get: { summary: 'List jobs, newest first', ...asks(JobsQuery), ...answers(200, JobsAnswer) } },
    '/api/jobs/{id}': { get: { summary: 'One job', ...idParam('id'), ...answers(200, JobWire) } },
    '/api/jobs/{id}/cancel': {
      post: { summary: 'Cancel a job; one that has ended stays as it is', ...idParam('id'), ...answers(200, JobWire) },
    },
  }
}

async function find(turns: Turns, user: UserId, id: string): Promise<Turn> {
  const turn = isUuid(id) ? await turns.get(user, id) : undefined
  if (!turn) throw new AppError('not_found', 'the job does not exist')
  return turn
}

async function show(turns: Turns, turn: Turn): Promise<z.output<typeof JobWire>> {
  const gate = turn.status === 'waiting' ? openGate(await turns.entries(turn.userId, turn)) : undefined
  return { ...jobWire(turn, await lastEntry(turns, turn)), ...(gate && { gate }) }
}

/** The item a turn ended with: one row, however long the turn was. */
async function lastEntry(turns: Turns, turn: Turn) {
  if (turn.lastSeq === undefined) return undefined
  return (await turns.history(turn.userId, turn.threadId, { after: turn.lastSeq - 1, limit: 1 }))[0]
}
