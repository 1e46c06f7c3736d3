// The Jobs page: turns of all doors, with filters and search.
import { maxCountedJobs } from '#core/page-limits.ts'
import { countWords, numberWords } from '#core/words.ts'
import type { Door } from '#doors/web/wire/turn.ts'
import { doorChoices } from '../lib/doors.ts'
import { Button } from '../parts/button.tsx'
import { Segments, Select } from '../parts/field.tsx'
import { Search } from '../parts/search.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, When } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { go } from '../router.ts'
import {
  countOf,
  everybody,
  isLooking,
  type JobFilter,
  jobDoor,
  jobFilter,
  jobList,
  jobSearch,
  jobStatuses,
  jobUser,
  jobUsers,
  pageSize,
  searchSize,
  shownJobs,
  requestedJobs,
} from '../store/job-list.ts'
import { useLive } from '../store/live-data.ts'
import { isOperator } from '../store/session.ts'
import { JobRow, shortNameOf } from './job-row.tsx'
import './jobs.css'

const doors: readonly { readonly value: 'all' | Door; readonly label: string }[] = [
  { value: 'all', label: 'all' },
  ...doorChoices,
]

const columns = [
  { label: 'Status' },
  { label: 'Job' },
  { label: 'Door' },
  { label: 'User' },
  { label: 'Started' },
  { label: 'Took', number: true },
  { label: 'Cost', number: true },
  { label: 'Action', unseen: true },
]

export function Jobs() {
  useLive(jobList)
  const look = (): void => void jobList.load()
  return (
    <Page
      title="Jobs"
      lead="Every turn that runs, has run or waits, whichever door it came through."
      rows=".row-link"
      aside={
        <div class="jobs-search">
          <Search
            name="Search jobs"
            value={jobSearch.value}
            onInput={(value) => {
              jobSearch.value = value
              look()
            }}
          />
        </div>
      }
    >
      <div class="jobs-bar">
        <Segments<JobFilter>
          name="Status"
          value={jobFilter.value}
          options={[
            { value: 'all', label: 'All' },
            ...jobStatuses.map((status) => ({ value: status, label: shortNameOf(status), count: countOf(status) })),
          ]}
          onChange={(status) => {
            go(status === 'all' ? '/jobs' : `/jobs?status=${status}`, { replace: true })
            look()
          }}
        />
        <div class="jobs-filters">
          <Select
            name="Door"
            before="Door"
            value={jobDoor.value}
            options={doors}
            onChange={(door) => {
              jobDoor.value = door
              look()
            }}
          />
          {isOperator.value && (
            <Select
              name="User"
              before="User"
              value={jobUser.value}
              options={jobUsers.value}
              onChange={(user) => {
                jobUser.value = user
                look()
              }}
            />
          )}
        </div>
      </div>
      <When of={jobList} what="The jobs" rows={8}>
        {({ filter, more, total }) => <List filter={filter} more={more} total={total} />}
      </When>
    </Page>
  )
}

type ListProps = { readonly filter: JobFilter; readonly more: boolean; readonly total: number }

function List({ filter, more, total }: ListProps) {
  const jobs = shownJobs.value
  if (jobs.length === 0) return <None filter={filter} more={more} />
  return (
    <>
      <Table name="Jobs" look="jobs" columns={columns}>
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </Table>
      <div class="jobs-foot">
        <span role="status">{isLooking.value ? `${numberWords(jobs.length)} found` : shownOf(jobs.length, total)}</span>
        {more && <More />}
      </div>
    </>
  )
}

/** `20 of 214`, or `20 jobs` when all are shown. */
function shownOf(count: number, total: number): string {
  if (count >= total) return countWords(count, 'job')
  return `${numberWords(count)} of ${numberWords(total)}${total >= maxCountedJobs ? ' or more' : ''}`
}

function More() {
  const step = isLooking.value ? searchSize : pageSize
  const act = (): void => {
    requestedJobs.value = Math.max(requestedJobs.value, isLooking.value ? searchSize : 0) + step
    void jobList.load()
  }
  return (
    <Button size="small" busy={jobList.loading.value && requestedJobs.value > pageSize} onClick={act}>
      {isLooking.value ? 'Look further back' : `Show ${pageSize} more`}
    </Button>
  )
}

function None({ filter, more }: { filter: JobFilter; more: boolean }) {
  const ofOne = jobUser.value !== everybody
  if (isLooking.value || ofOne) {
    const clear = (): void => {
      jobSearch.value = ''
      jobDoor.value = 'all'
      jobUser.value = everybody
      void jobList.load()
    }
    const about = jobSearch.value.trim()
    const door = jobDoor.value === 'all' ? '' : ' through this door'
    return (
      <Empty
        icon="search"
        title={about ? `Nothing about “${about}”` : `No jobs${ofOne ? ' of this user' : ''}${door}`}
        action={
          <div class="jobs-none">
            {more && <More />}
            <Button size="small" onClick={clear}>
              Clear search
            </Button>
          </div>
        }
      >
        {more
          ? `Searched the latest ${numberWords(Math.max(searchSize, requestedJobs.value))} jobs.`
          : 'Searched every job.'}
        {about && ' Try fewer or different words.'}
      </Empty>
    )
  }
  if (filter !== 'all') {
    return (
      <Empty
        icon="list"
        title={`No ${shortNameOf(filter).toLowerCase()} jobs`}
        action={
          <Button
            size="small"
            onClick={() => {
              go('/jobs', { replace: true })
              void jobList.load()
            }}
          >
            Show all jobs
          </Button>
        }
      >
        There may be jobs with another status.
      </Empty>
    )
  }
  return (
    <Empty
      icon="list"
      title="No jobs yet"
      action={
        <a class="button small" href="/">
          Start a thread
        </a>
      }
    >
      A job appears here for each message that comes through a door.
    </Empty>
  )
}
