// GET /api/usage: tokens, turns and cost of each model, per day.
import * as z from 'zod/mini'
import type { AccountStore } from '#core/account.ts'
import type { MissionCost, MissionRecords } from '#core/mission.ts'
import type { UsageStore, UsageTotals } from '#core/usage.ts'
import { type Route, route } from '#http/routes.ts'
import { type TotalsWire, UsageAnswer } from '#doors/web/wire/usage.ts'
import { limit } from './paging.ts'

const UsageQuery = z.object({
  days: limit({ defaultLimit: 30, maxLimit: 366 }),
  totals: z.optional(z.enum(['true', 'false'], 'must be true or false')),
})

export type UsageParts = {
  readonly usage: Pick<UsageStore, 'list' | 'totals'>
  readonly missionCosts: MissionRecords['costs']
  readonly accounts: AccountStore
}

/** A user sees their own usage; the operator sees that of all users, each row with its user. */
export function usageRoutes({ usage, missionCosts, accounts }: UsageParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/usage',
      who: 'user',
      summary: 'Usage of each model by day, newest first; for the operator, of all users',
      query: UsageQuery,
      answers: { 200: UsageAnswer },
      async handle({ query: { days, totals }, caller: { operator, user } }) {
        const whose = operator ? undefined : user
        const [rows, users, sums, missions] = await Promise.all([
          usage.list(whose, days),
          operator ? accounts.listUsers() : [],
          totals === 'true' ? usage.totals(whose, days) : undefined,
          totals === 'true' ? missionCosts(user, days) : [],
        ])
        const names = new Map(users.map(({ id, name }) => [id, name]))
        return {
          days: rows.map((row) => ({
            date: row.date,
            // Webhook senders and removed users have no account: their id is shown instead of a name.
            ...(operator && { user: names.get(row.user) ?? row.user }),
            model: row.model,
            turns: row.turns,
            input_tokens: row.inputTokens,
            cached_tokens: row.cachedTokens,
            output_tokens: row.outputTokens,
            cost_usd: row.costUsd,
            unpriced_calls: row.unpricedCalls,
          })),
          ...(sums && { totals: totalsWire(sums, missions) }),
        } satisfies z.output<typeof UsageAnswer>
      },
    }),
  ]
}

function totalsWire(
  { before, failed, cancelled, doors }: UsageTotals,
  missions: readonly MissionCost[],
): z.output<typeof TotalsWire> {
  return {
    before_usd: before?.costUsd ?? null,
    before_unpriced_calls: before?.unpricedCalls ?? 0,
    failed,
    cancelled,
    doors: doors.map(({ door = null, turns, costUsd, unpricedCalls }) => ({
      door,
      turns,
      cost_usd: costUsd,
      unpriced_calls: unpricedCalls,
    })),
    missions: missions.map(({ missionId, title, runs, costUsd, unpricedRuns }) => ({
      id: missionId,
      title,
      runs,
      cost_usd: costUsd,
      unpriced_runs: unpricedRuns,
    })),
  }
}
