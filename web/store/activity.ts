// Usage by day, and the latest turns, for the Activity page.
import { computed, signal } from '@preact/signals'
import type { Job, JobPage } from '#doors/web/wire/job.ts'
import type { Receipt } from '#doors/web/wire/receipt.ts'
import type { UsageDays, UsageTotals } from '#doors/web/wire/usage.ts'
import { request } from '../api/client.ts'
import { activityOf } from '../lib/usage.ts'
import { now } from './clock.ts'
import { loaded } from './loaded.ts'

export const spans = ['7', '30', '90'] as const
export type Span = (typeof spans)[number]

const latestSize = 5
const maxCached = 50

export const span = signal<Span>('30')

const noTotals: UsageTotals = {
  before_usd: null,
  before_unpriced_calls: 0,
  failed: 0,
  cancelled: 0,
  doors: [],
  missions: [],
}

const usage = loaded(async () => {
  const days = Number(span.peek())
  const { days: rows, totals = noTotals } = await request<UsageDays>('GET', `/api/usage?days=${days}&totals=true`)
  return { days: rows, totals, span: days }
})

export const activity = {
  ...usage,
  data: computed(() => {
    const found = usage.data.value
    return found && activityOf(found, now.value)
  }),
}

/** A turn of any door, with the number of its tool calls. */
export type LatestTurn = { readonly job: Job; readonly tools: number }

const toolCounts = new Map<string, number>()

export const latest = loaded<readonly LatestTurn[]>(async () => {
  const { jobs } = await request<JobPage>('GET', `/api/jobs?limit=${latestSize}`)
  return Promise.all(jobs.map(async (job) => ({ job, tools: await toolsOf(job) })))
})

/** Tool calls of a turn, from its receipt. The receipt of an ended turn never changes, so its count is cached. */
async function toolsOf({ id, completed_at }: Job): Promise<number> {
  const known = toolCounts.get(id)
  if (known !== undefined) return known
  const { tools } = await request<Receipt>('GET', `/api/turns/${id}/receipt`)
  if (completed_at !== null) {
    if (toolCounts.size >= maxCached) toolCounts.clear()
    toolCounts.set(id, tools.length)
  }
  return tools.length
}
