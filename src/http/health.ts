// Whether the service is up, and whether it takes work: open routes for probes.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'

const pingMs = 2_000

export type HealthParts = {
  /** Throws while the database cannot take work. */
  readonly ping: () => Promise<void>
  /** True once the service is going down. */
  readonly draining: () => boolean
}

export function registerHealth(app: FastifyInstance, { ping, draining }: HealthParts): void {
  let pinging: Promise<string | undefined> | undefined

  /** Anybody may ask, so those who ask together share one look. */
  function databaseProblem(): Promise<string | undefined> {
    pinging ??= problemOf(ping).finally(() => {
      pinging = undefined
    })
    return pinging
  }

  app.get('/api/health', { config: { open: true } }, () => ({ status: 'ok' }))
  app.get('/api/ready', { config: { open: true } }, async (_request, reply) => {
    const database = await databaseProblem()
    const reasons = [...(draining() ? ['the service is going down'] : []), ...(database ? [database] : [])]
    if (reasons.length === 0) return { status: 'ready' }
    return reply.code(503).send({ status: 'unavailable', reasons })
  })
}

/** The answer is open to all: it names the fault, not the database's own words. */
async function problemOf(ping: () => Promise<void>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the database does not answer'), pingMs)
  })
  try {
    return await Promise.race([ping().then(() => undefined), late])
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'internal'
    return code === 'disk_full' ? 'the disk is full' : 'the database is unavailable'
  } finally {
    clearTimeout(timer)
  }
}
