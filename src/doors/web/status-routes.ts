// GET /api/status: version, model, jobs and cost of the running service.
import type * as z from 'zod/mini'
import { type Route, route } from '#http/routes.ts'
import { type About, statusOf } from '#turns/service-status.ts'
import { StatusAnswer } from '#doors/web/wire/status.ts'
import type { Turns } from '#turns/turns.ts'

export type StatusParts = { readonly turns: Pick<Turns, 'count'>; readonly about: About }

/** Jobs and cost are the caller's own; the operator sees those of all users. */
export function statusRoutes({ turns, about }: StatusParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/status',
      who: 'user',
      summary: 'Show version, model, doors and load of the service',
      answers: { 200: StatusAnswer },
      handle: ({ caller }): Promise<z.output<typeof StatusAnswer>> =>
        statusOf(turns, about, caller.operator ? undefined : caller.user),
    }),
  ]
}
