// GET /api/status: what runs, and how busy it is.
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import type { Turns } from '#turns/turns.ts'
import { answers, type OpenApiPaths } from './openapi.ts'

const DoorWire = z.object({ name: z.string(), address: z.optional(z.string()) })

const StatusAnswer = z.object({
  status: z.enum(['ok', 'draining']),
  version: z.string(),
  uptime_secs: z.number(),
  active_jobs: z.number(),
  llm_backend: z.string(),
  llm_model: z.string(),
  database_backend: z.string(),
  sandbox_enabled: z.boolean(),
  doors: z.array(DoorWire),
  connections: z.number(),
  cost_today_usd: z.number(),
})

/** What the service tells of itself. */
type About = {
  readonly version: string
  readonly startedAt: number
  /** The model of the moment, as configured. */
  readonly model: () => { readonly provider: string; readonly name: string }
  readonly databaseBackend: string
  readonly sandboxEnabled: boolean
  /** The doors that are open. */
  readonly doors: () => { name: string; address?: string }[]
  /** Connections open on the gateway. */
  readonly connections: () => Promise<number>
  readonly draining: () => boolean
}

export type StatusParts = { readonly turns: Turns; readonly about: About; readonly now?: () => number }

/** Jobs and cost are the caller's own; the operator sees those of all. */
export function registerStatus(app: FastifyInstance, { turns, about, now = Date.now }: StatusParts): void {
  app.get('/api/status', async ({ caller }) => {
    const [counts, connections] = await Promise.all([
      turns.counts(caller.operator ? undefined : caller.user),
      about.connections(),
    ])
    const { provider, name } = about.model()
    return {
      status: about.draining() ? 'draining' : 'ok',
      version: about.version,
      uptime_secs: Math.floor((now() - about.startedAt) / 1000),
      active_jobs: counts.queued + counts.running + counts.waiting,
      llm_backend: provider,
      llm_model: name,
      database_backend: about.databaseBackend,
      sandbox_enabled: about.sandboxEnabled,
      doors: about.doors(),
      connections,
      cost_today_usd: counts.costTodayUsd,
    } satisfies z.output<typeof StatusAnswer>
  })
}

export function statusPaths(): OpenApiPaths {
  return { '/api/status': { get: { summary: 'What runs, and how busy it is', ...answers(200, StatusAnswer) } } }
}
