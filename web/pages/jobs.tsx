// Every turn that runs, has run or waits, whichever door it came through.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { faultText } from '../api/client.ts'
import type { Door, Job, Status } from '../api/wire.ts'
import { ownJobs } from '../lib/job-filter.ts'
import { costText, countText, durationText, exactTime, numberText, whenText } from '../lib/words.ts'
import { Button } from '../parts/button.tsx'
import { Search, Segments, Select } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { doorOf, Dot, Spinner } from '../parts/mark.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, When } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { go } from '../router.ts'
import { now, seconds } from '../store/clock.ts'
import {
  countOf,
  isActive,
  isLooking,
  type JobFilter,
  jobDoor,
  jobFilter,
  jobList,
  jobSearch,
  jobStatuses,
  jobUser,
  jobUsers,
  mostCounted,
  pageSize,
  searchSize,
  shownJobs,
  wanted,
} from '../store/job-list.ts'
import { stopJob } from '../store/jobs.ts'
import { useLive } from '../store/live-data.ts'
import { tell } from '../store/notices.ts'
import { operator } from '../store/session.ts'
import './jobs.css'

const doors: readonly { readonly value: 'all' | Door; readonly label: string }[] = [
  { value: 'all', label: 'all' },
  { value: 'terminal', label: 'Terminal' },
  { value: 'web', label: 'Browser' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'responses', label: 'API' },
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
          {operator.value && (
            <Select
              name="User"
              before="User"
              value={jobUser.value}
              options={jobUsers.value.map((user) => ({ value: user, label: user }))}
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
          <Row key={job.id} job={job} />
        ))}
      </Table>
      <div class="jobs-foot">
        <span role="status">{isLooking.value ? `${numberText(jobs.length)} found` : shownOf(jobs.length, total)}</span>
        {more && <More />}
      </div>
    </>
  )
}

/** `20 of 214`: what is shown, of all. */
function shownOf(count: number, total: number): string {
  if (count >= total) return countText(count, 'job')
  return `${numberText(count)} of ${numberText(total)}${total >= mostCounted ? ' or more' : ''}`
}

function More() {
  const step = isLooking.value ? searchSize : pageSize
  const act = (): void => {
    wanted.value = Math.max(wanted.value, isLooking.value ? searchSize : 0) + step
    void jobList.load()
  }
  return (
    <Button size="small" busy={jobList.loading.value && wanted.value > pageSize} onClick={act}>
      {isLooking.value ? 'Look further back' : `Show ${pageSize} more`}
    </Button>
  )
}

function None({ filter, more }: { filter: JobFilter; more: boolean }) {
  if (isLooking.value) {
    const clear = (): void => {
      jobSearch.value = ''
      jobDoor.value = 'all'
      jobUser.value = 'all'
    }
    const about = jobSearch.value.trim()
    return (
      <Empty
        icon="search"
        title={
          about
            ? `Nothing about “${about}”`
            : jobDoor.value === 'all'
              ? 'No jobs of this user'
              : 'No jobs through this door'
        }
        action={
          <div class="jobs-none">
            {more && <More />}
            <Button size="small" onClick={clear}>
              Clear search
            </Button>
          </div>
        }
      >
        {more ? `Searched the latest ${numberText(Math.max(searchSize, wanted.value))} jobs.` : 'Searched every job.'}{' '}
        Fewer or other words may help.
      </Empty>
    )
  }
  if (filter !== 'all') {
    return (
      <Empty
        icon="list"
        title={`No ${shortNameOf(filter).toLowerCase()} jobs`}
        action={
          <Button size="small" onClick={() => go('/jobs', { replace: true })}>
            Show all jobs
          </Button>
        }
      >
        Jobs of another status may be there.
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

function Row({ job }: { job: Job }) {
  const { status, title, thread_id, door, sender, created_at, error, usage } = job
  const { icon, name } = doorOf(door)
  return (
    <tr class={`job ${status}`}>
      <td class="job-status">
        <span class="job-sign">
          <Sign status={status} />
        </span>
        {nameOf(status)}
      </td>
      <td class="job-title">
        <a class="row-link" href={`/threads/${thread_id}`} title={title}>
          {title || 'Untitled'}
        </a>
        {error && <div class="job-fault">{error.message}</div>}
      </td>
      <td class="job-door">
        <Icon name={icon} />
        <span class="job-door-name">{name}</span>
      </td>
      <td class="job-user">{sender ?? ownJobs}</td>
      <td class="job-start">
        <time dateTime={created_at} title={exactTime(created_at)}>
          {whenText(created_at, now.value)}
        </time>
      </td>
      <td class="job-took number">
        <Took job={job} />
      </td>
      <td class="job-cost number">{status === 'queued' ? '' : costText(usage.cost_usd)}</td>
      <td class="job-act number">
        {status === 'waiting' ? (
          <a class="button small sun" href={`/threads/${thread_id}`}>
            Review<span class="unseen">: {title}</span>
          </a>
        ) : (
          isActive(status) && <Stop job={job} />
        )}
        <span class={isActive(status) ? 'row-sign only-phone' : 'row-sign'}>
          <Icon name="right" />
        </span>
      </td>
    </tr>
  )
}

function Stop({ job: { id, title } }: { job: Job }) {
  const busy = useSignal(false)
  const act = async (): Promise<void> => {
    busy.value = true
    try {
      await stopJob(id)
      await jobList.load()
    } catch (error) {
      tell(`The job was not stopped. ${faultText(error)}`)
    } finally {
      busy.value = false
    }
  }
  return (
    <Button size="small" busy={busy.value} onClick={() => void act()}>
      Stop<span class="unseen">: {title}</span>
    </Button>
  )
}

/** How long it took, or takes. */
function Took({ job: { status, created_at, completed_at } }: { job: Job }) {
  const began = new Date(created_at).getTime()
  if (status === 'queued') return <>not started</>
  if (completed_at !== null) return <>{durationText(new Date(completed_at).getTime() - began)}</>
  return <Growing since={began} />
}

function Growing({ since }: { since: number }) {
  useEffect(() => seconds.follow(), [])
  return <>{durationText(Math.max(1_000, Math.floor((seconds.now.value - since) / 1_000) * 1_000))}</>
}

function Sign({ status }: { status: Status }) {
  if (status === 'waiting') return <Dot kind="sun" />
  if (status === 'running') return <Spinner />
  if (status === 'completed') return <Icon name="check" />
  if (status === 'failed') return <Icon name="triangle" />
  if (status === 'cancelled') return <Icon name="stop" />
  return <span class="job-ring" aria-hidden="true" />
}

const names: Readonly<Record<Status, string>> = {
  waiting: 'Waiting for you',
  running: 'Running',
  queued: 'Queued',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Stopped',
}

function nameOf(status: Status): string {
  return names[status]
}

function shortNameOf(status: Status): string {
  return names[status].replace(/ .*/, '')
}
