// GET /api/usage: what was used of each model, day by day.
import * as z from 'zod/mini'
import type { AccountStore } from '#core/store.ts'
import { type Route, route } from '#http/routes.ts'
import type { Turns } from '#turns/turns.ts'
import { limit } from './paging.ts'

const UsageQuery = z.object({ days: limit({ usual: 30, most: 366 }) })

const UsageWire = z.object({
  date: z.string(),
  user: z.optional(z.string()),
  model: z.string(),
  turns: z.number(),
  input_tokens: z.number(),
  cached_tokens: z.number(),
  output_tokens: z.number(),
  cost_usd: z.nullable(z.number()),
})
const UsageAnswer = z.object({ days: z.array(UsageWire) })

export type UsageParts = { readonly turns: Turns; readonly accounts: AccountStore }

/** A user sees their own; the operator sees those of all, each with its user. */
export function usageRoutes({ turns, accounts }: UsageParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/usage',
      who: 'user',
      summary: 'What was used of each model, newest day first; for the operator of all users',
      query: UsageQuery,
      answers: { 200: UsageAnswer },
      async handle({ query: { days }, caller: { operator, user } }) {
        const [rows, users] = await Promise.all([
          turns.usage(operator ? undefined : user, days),
          operator ? accounts.listUsers() : [],
        ])
        const names = new Map(users.map(({ id, name }) => [id, name]))
        return {
          days: rows.map((row) => ({
            date: row.date,
            // Of whoever has no account, a sender of the webhook channel or a user who was removed, there is the id.
            ...(operator && { user: names.get(row.user) ?? row.user }),
            model: row.model,
            turns: row.turns,
            input_tokens: row.inputTokens,
            cached_tokens: row.cachedTokens,
            output_tokens: row.outputTokens,
            cost_usd: row.costUsd,
          })),
        } satisfies z.output<typeof UsageAnswer>
      },
    }),
  ]
}
