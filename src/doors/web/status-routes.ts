// GET /api/status: what runs, and how busy it is.
import * as z from 'zod/mini'
import { type Route, route } from '#http/routes.ts'
import { type About, statusOf } from '#turns/service-status.ts'
import type { Turns } from '#turns/turns.ts'

const DoorWire = z.object({ name: z.string(), address: z.optional(z.string()) })

const StatusAnswer = z.object({
  status: z.enum(['ok', 'draining']),
  version: z.string(),
  uptime_secs: z.number(),
  active_jobs: z.number(),
  llm_backend: z.string(),
  llm_model: z.string(),
  llm_passed_over: z.optional(z.array(z.string())),
  database_backend: z.string(),
  sandbox_enabled: z.boolean(),
  doors: z.array(DoorWire),
  connections: z.number(),
  cost_today_usd: z.number(),
})

export type StatusParts = { readonly turns: Pick<Turns, 'count'>; readonly about: About; readonly now?: () => number }

/** Jobs and cost are the caller's own; the operator sees those of all. */
export function statusRoutes({ turns, about, now = Date.now }: StatusParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/status',
      who: 'user',
      summary: 'What runs, and how busy it is',
      answers: { 200: StatusAnswer },
      handle: ({ caller }): Promise<z.output<typeof StatusAnswer>> =>
        statusOf(turns, about, caller.operator ? undefined : caller.user, now()),
    }),
  ]
}
