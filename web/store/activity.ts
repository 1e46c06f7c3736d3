// What was done and what it cost.
import { computed, signal } from '@preact/signals'
import type { Job, JobPage } from '#doors/web/wire/job.ts'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import type { UsageDays, UsageTotals } from '#doors/web/wire/usage.ts'
import { ask } from '../api/client.ts'
import { activityOf } from '../lib/usage.ts'
import { now } from './clock.ts'
import { loaded } from './loaded.ts'

export const spans = ['7', '30', '90'] as const
export type Span = (typeof spans)[number]

const latestSize = 5
const maxKept = 50

export const span = signal<Span>('30')

const noTotals: UsageTotals = { before_usd: null, failed: 0, cancelled: 0, doors: [] }

const usage = loaded(async () => {
  const days = Number(span.peek())
  const { days: rows, totals = noTotals } = await ask<UsageDays>('GET', `/api/usage?days=${days}&totals=true`)
  return { days: rows, totals, span: days }
})

export const activity = {
  ...usage,
  data: computed(() => {
    const found = usage.data.value
    return found && activityOf(found, now.value)
  }),
}

/** A turn of any door, with how many tools it called. */
export type LatestTurn = { readonly job: Job; readonly tools: number }

const kept = new Map<string, number>()

export const latest = loaded<readonly LatestTurn[]>(async () => {
  const { jobs } = await ask<JobPage>('GET', `/api/jobs?limit=${latestSize}`)
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
