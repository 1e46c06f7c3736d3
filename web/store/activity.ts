// What was done and what it cost.
import { computed, signal } from '@preact/signals'
import { ask } from '../api/client.ts'
import type { DayUsage, Job, Receipt, UsageTotals } from '../api/wire.ts'
import { activityOf } from '../lib/usage.ts'
import { now } from './clock.ts'
import { loaded } from './loaded.ts'

export const spans = ['7', '30', '90'] as const
export type Span = (typeof spans)[number]

const latestSize = 5
const maxKept = 50

export const span = signal<Span>('30')

const rows = loaded(async () => {
  const days = Number(span.peek())
  const answer = await ask<{ days: readonly DayUsage[]; totals: UsageTotals }>(
    'GET',
    `/api/usage?days=${days}&totals=true`,
  )
  return { ...answer, span: days }
})

export const activity = {
  ...rows,
  data: computed(() => {
    const found = rows.data.value
    return found && activityOf(found, now.value)
  }),
}

/** A turn of any door, with how many tools it called. */
export type LatestTurn = { readonly job: Job; readonly tools: number }

const kept = new Map<string, number>()

export const latest = loaded<readonly LatestTurn[]>(async () => {
  const { jobs } = await ask<{ jobs: readonly Job[] }>('GET', `/api/jobs?limit=${latestSize}`)
  return Promise.all(jobs.map(async (job) => ({ job, tools: await toolsOf(job) })))
})

/** From the receipt; that of a turn which has ended stays as it is. */
async function toolsOf({ id, completed_at }: Job): Promise<number> {
  const known = kept.get(id)
  if (known !== undefined) return known
  const { tools } = await ask<Receipt>('GET', `/api/turns/${id}/receipt`)
  if (completed_at !== null) {
    if (kept.size >= maxKept) kept.clear()
    kept.set(id, tools.length)
  }
  return tools.length
}
