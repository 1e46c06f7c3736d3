// A row of the job list: status, title, door, user, duration, cost, and its action.
import { useEffect } from 'preact/hooks'
import { durationWords, elapsedWords, sentence } from '#core/words.ts'
import type { Job } from '#doors/web/wire/job.ts'
import type { Status } from '#doors/web/wire/turn.ts'
import { doorOf } from '../lib/doors.ts'
import { exactTime, turnCost, whenText } from '../lib/words.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { JobName } from '../parts/job-name.tsx'
import { Dot, Spinner } from '../parts/mark.tsx'
import { now, seconds } from '../store/clock.ts'
import { isActive, jobList, ownJobs } from '../store/job-list.ts'
import { stopJob } from '../store/jobs.ts'

export function JobRow({ job }: { job: Job }) {
  const { status, title, thread_id, door, sender, created_at, error, usage } = job
  const { icon, label } = doorOf(door)
  return (
    <tr class={`job ${status}`}>
      <td class="job-status">
        <span class="job-sign">
          <Sign status={status} />
        </span>
        {names[status]}
      </td>
      <td class="job-title">
        <JobName job={job} />
        {error && <div class="job-fault">{sentence(error.message)}</div>}
      </td>
      <td class="job-door">
        <Icon name={icon} />
        <span class="job-door-name">{label}</span>
      </td>
      <td class="job-user" title={sender}>
        {sender ?? ownJobs}
      </td>
      <td class="job-start">
        <time dateTime={created_at} title={exactTime(created_at)}>
          {whenText(created_at, now.value)}
        </time>
      </td>
      <td class="job-took number">
        <Took job={job} />
      </td>
      <td class="job-cost number">{turnCost(usage)}</td>
      <td class="job-act number">
        {status === 'waiting' ? (
          <a class="button small sun" href={`/threads/${thread_id}`}>
            Review<span class="unseen"> {title}</span>
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
  const stop = async (): Promise<void> => {
    await stopJob(id)
    await jobList.load()
  }
  return (
    <ActButton size="small" act={stop} failed="The job was not stopped.">
      Stop<span class="unseen"> {title}</span>
    </ActButton>
  )
}

/** The duration, or the time since the start while it runs. */
function Took({ job: { status, created_at, completed_at } }: { job: Job }) {
  const began = new Date(created_at).getTime()
  if (status === 'queued') return <>not started</>
  if (completed_at !== null) return <>{durationWords(new Date(completed_at).getTime() - began)}</>
  return <Growing since={began} />
}

function Growing({ since }: { since: number }) {
  useEffect(() => seconds.follow(), [])
  return <>{elapsedWords(Math.max(1_000, seconds.now.value - since))}</>
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

/** The first word of the name, for filters. */
export function shortNameOf(status: Status): string {
  return names[status].replace(/ .*/, '')
}
