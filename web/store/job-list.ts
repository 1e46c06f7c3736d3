// The jobs of the page: what is active, then what has ended, newest first, as far back as was asked for.
import { computed, signal } from '@preact/signals'
import type { Job, JobPage, SenderList } from '#doors/web/wire/job.ts'
import type { Door, Status } from '#doors/web/wire/turn.ts'
import { ask } from '../api/client.ts'
import { senderName } from '../lib/doors.ts'
import { isMeant } from '../lib/job-filter.ts'
import { place } from '../router.ts'
import { loaded } from './loaded.ts'
import { operator } from './session.ts'

export const pageSize = 20
/** How far back a search looks at first, and with each further look. */
export const searchSize = 200
/** What one answer of the gateway holds at most. */
const maxInAnswer = 100
/** Nobody reads further down a list; a search by its words is quicker. */
const maxJobs = 2_000
/** The gateway counts no further. */
export const maxCounted = 10_000

export const jobStatuses = ['running', 'waiting', 'queued', 'completed', 'failed'] as const
export type JobFilter = 'all' | (typeof jobStatuses)[number]
/** In the order in which they stand at the top. */
const active = ['waiting', 'running', 'queued'] as const

type Jobs = {
  readonly filter: JobFilter
  readonly active: readonly Job[]
  readonly jobs: readonly Job[]
  readonly more: boolean
  /** All that there are of the status that is shown. */
  readonly total: number
  /** Users of the webhook channel, as the service names them. */
  readonly senders: readonly string[]
}

/** Who sent what the reader sent. */
export const ownJobs = 'you'
/** Whose jobs are shown: everybody's, or those of one, by the id that the service knows them by. */
export const everybody = 'all'
const own = 'operator'

/** Which jobs are shown: the address says so. */
export const jobFilter = computed<JobFilter>(
  () => jobStatuses.find((each) => each === place.value.query.get('status')) ?? 'all',
)
export const jobSearch = signal('')
export const jobDoor = signal<'all' | Door>('all')
export const jobUser = signal(everybody)
/** How many jobs were asked for. */
export const wanted = signal(pageSize)

const words = computed(() => jobSearch.value.toLowerCase().split(/\s+/).filter(Boolean))
/** Whether the page looks for something among the jobs that it was given. */
export const isLooking = computed(() => words.value.length > 0 || jobDoor.value !== 'all')

export const jobList = loaded<Jobs>(async () => {
  const filter = jobFilter.peek()
  const most = Math.min(isLooking.peek() ? Math.max(searchSize, wanted.peek()) : wanted.peek(), maxJobs)
  const user: Readonly<Record<string, string>> = jobUser.peek() === everybody ? {} : { user: jobUser.peek() }
  const limit = String(maxInAnswer)
  const [found, { senders }, ...lists] = await Promise.all([
    readJobs({ ...user, ...(filter !== 'all' && { status: filter }) }, most),
    operator.peek() ? ask<SenderList>('GET', '/api/senders') : { senders: [] },
    ...active.map((status) => ask<JobPage>('GET', `/api/jobs?${new URLSearchParams({ ...user, status, limit })}`)),
  ])
  // One that moves on while the lists are read may be in two of them.
  const standing = new Map(lists.flatMap(({ jobs }) => jobs.map((job) => [job.id, job] as const)))
  return { filter, ...found, senders, active: [...standing.values()] }
})

/** The jobs as the page shows them. */
export const shownJobs = computed<readonly Job[]>(() => {
  const { filter, jobs, active } = jobList.data.value ?? { filter: 'all', jobs: [], active: [] }
  const ids = new Set(active.map(({ id }) => id))
  const all = filter === 'all' ? [...active, ...jobs.filter(({ id }) => !ids.has(id))] : jobs
  const wish = { door: jobDoor.value, words: words.value }
  return all.filter((job) => isMeant(job, wish))
})

/** Whose jobs there are to choose from. */
export const jobUsers = computed(() => [
  { value: everybody, label: everybody },
  { value: own, label: ownJobs },
  ...(jobList.data.value?.senders ?? []).map((sender) => ({ value: sender, label: senderName(sender) ?? sender })),
])

/** How many have a status that is not an end. */
export function countOf(status: JobFilter): number {
  return (jobList.data.value?.active ?? []).filter((job) => job.status === status).length
}

export function isActive(status: Status): boolean {
  return active.some((each) => each === status)
}

async function readJobs(
  which: Readonly<Record<string, string>>,
  most: number,
): Promise<{ jobs: readonly Job[]; more: boolean; total: number }> {
  const jobs: Job[] = []
  let total = 0
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ ...which, limit: String(Math.min(most - jobs.length, maxInAnswer)) })
    if (cursor) query.set('cursor', cursor)
    else query.set('total', 'true')
    const answer: JobPage = await ask<JobPage>('GET', `/api/jobs?${query}`)
    jobs.push(...answer.jobs)
    cursor = answer.next_cursor
    total = answer.total ?? total
  } while (cursor && jobs.length < most)
  return { jobs, more: cursor !== null && most < maxJobs, total }
}
