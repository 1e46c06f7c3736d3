// Routes of jobs: a user's turns from every door, newest first.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid, type UserId, userId } from '#core/ids.ts'
import { maxJobsPerPage } from '#core/page-limits.ts'
import type { Turn } from '#core/turn.ts'
import { type Route, route } from '#http/routes.ts'
import type { Gates } from '#turns/gates.ts'
import { readEnd } from '#turns/job-outcome.ts'
import { openingLine } from '#turns/message.ts'
import type { Threads } from '#turns/threads.ts'
import type { Turns } from '#turns/turns.ts'
import { cursor, limit } from './paging.ts'
import { JobsAnswer, JobWire, SendersAnswer } from '#doors/web/wire/job.ts'
import { jobStatuses } from '#doors/web/wire/turn.ts'
import { gateWire } from './gate-wire.ts'
import { jobWire, replyText, senderOf } from './wire.ts'

const JobsQuery = z.object({
  status: z.optional(z.enum(jobStatuses, `must be one of ${jobStatuses.join(', ')}`)),
  /** Only jobs of this user. The operator can name itself or a webhook sender without an account. */
  user: z.optional(z.string()),
  limit: limit({ defaultLimit: 20, maxLimit: maxJobsPerPage }),
  cursor,
  total: z.optional(z.enum(['true', 'false'], 'must be true or false')),
})

type JobParts = {
  readonly turns: Turns
  readonly threads: Pick<Threads, 'get' | 'entries'>
  readonly gates: Pick<Gates, 'ofTurn'>
}

export function jobRoutes(parts: JobParts): Route[] {
  const { turns } = parts
  return [
    route({
      method: 'GET',
      path: '/api/jobs',
      who: 'user',
      summary: 'List jobs, newest first',
      query: JobsQuery,
      answers: { 200: JobsAnswer },
      async handle({ query: { status, user: of, limit, cursor, total }, caller: { user } }) {
        const which = { ...(status && { status }), ...(of && { of: userId(of) }) }
        const page = await turns.list(user, { limit, ...which, ...(cursor && { cursor }) })
        const jobs = page.rows.map((turn) => ({
          ...jobWire(turn, turn.reply),
          ...headOf(turn, user, turn),
        }))
        const counted = total === 'true' && { total: await turns.countAll(user, which) }
        return { jobs, next_cursor: page.nextCursor ?? null, ...counted } satisfies z.output<typeof JobsAnswer>
      },
    }),
    route({
      method: 'GET',
      path: '/api/senders',
      who: 'operator',
      summary: 'List users of the webhook channel, at most 200, for the filter `user` of jobs',
      answers: { 200: SendersAnswer },
      handle: async () => ({ senders: [...(await turns.senders())] }) satisfies z.output<typeof SendersAnswer>,
    }),
    route({
      method: 'GET',
      path: '/api/jobs/:id',
      who: 'user',
      summary: 'Read a job',
      answers: { 200: JobWire },
      handle: async ({ params, caller: { user } }) => show(parts, user, await find(turns, user, params.id)),
    }),
    route({
      method: 'POST',
      path: '/api/jobs/:id/cancel',
      who: 'user',
      summary: 'Cancel a job; an ended job is unchanged',
      answers: { 200: JobWire },
      async handle({ params, caller: { user } }) {
        const turn = await find(turns, user, params.id)
        return show(parts, user, await turns.cancel(user, turn.id))
      },
    }),
  ]
}

async function find(turns: Pick<Turns, 'get'>, user: UserId, id: string): Promise<Turn> {
  const turn = isUuid(id) ? await turns.get(user, id) : undefined
  if (!turn) throw new AppError('not_found', 'the job does not exist')
  return turn
}

/** A single job, with its whole response and its open gate. */
async function show({ turns, threads, gates }: JobParts, user: UserId, turn: Turn): Promise<z.output<typeof JobWire>> {
  const gate = await gates.ofTurn(turn)
  const text = replyText(await readEnd(threads, turn))
  const title = (await threads.get(user, turn.threadId))?.title ?? ''
  const opening = await turns.opening(user, turn.id)
  const job = jobWire(turn, text === null ? undefined : { text, cut: false })
  return { ...job, ...headOf(turn, user, { title, opening }), ...(gate && { gate: gateWire(gate) }) }
}

type Words = { readonly title?: string | undefined; readonly opening?: string | undefined }

/** The title of a job, the first line of its message, and its sender when that is not the caller. */
function headOf(
  turn: Pick<Turn, 'userId'>,
  user: UserId,
  { title = '', opening = '' }: Words,
): { title: string; message?: string; sender?: string } {
  const message = openingLine(opening)
  return { title, ...(message !== undefined && { message }), ...senderOf(turn, user) }
}
