// Liveness and readiness routes for probes. They need no token.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { within } from '#lib/deadline.ts'
import { type Route, route } from './routes.ts'

const pingMs = 2_000

export type HealthParts = {
  /** Throws while the database cannot take work. */
  readonly ping: () => Promise<void>
  /** True once shutdown has begun. */
  readonly draining: () => boolean
}

const Health = z.object({ status: z.string(), reasons: z.optional(z.array(z.string())) })

export function healthRoutes({ ping, draining }: HealthParts): Route[] {
  let pinging: Promise<string | undefined> | undefined

  /** Concurrent requests share one ping: anyone may call these routes. */
  function databaseProblem(): Promise<string | undefined> {
    pinging ??= problemOf(ping).finally(() => {
      pinging = undefined
    })
    return pinging
  }

  return [
    route({
      method: 'GET',
      path: '/api/health',
      who: 'anyone',
      summary: 'Check that the service is up',
      answers: { 200: Health },
      handle: () => ({ status: 'ok' }) satisfies z.output<typeof Health>,
    }),
    route({
      method: 'GET',
      path: '/api/ready',
      who: 'anyone',
      summary: 'Check that the service can take work',
      answers: { 200: Health, 503: Health },
      async handle(_call, reply) {
        const database = await databaseProblem()
        const reasons = [...(draining() ? ['the service is going down'] : []), ...(database ? [database] : [])]
        if (reasons.length === 0) return { status: 'ready' } satisfies z.output<typeof Health>
        return reply.code(503).send({ status: 'unavailable', reasons } satisfies z.output<typeof Health>)
      },
    }),
  ]
}

/** The answer is public, so it never contains the database's own error message. */
async function problemOf(ping: () => Promise<void>): Promise<string | undefined> {
  try {
    return await within<undefined, string>(
      pingMs,
      ping().then(() => undefined),
      () => 'the database does not answer',
    )
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'internal'
    if (code === 'disk_full') return 'the disk is full'
    return code === 'home_unwritable' ? 'the home cannot be written' : 'the database is unavailable'
  }
}
