// One job of the list: how it stands, whose it is, how long it took and what it cost, and what may be done with it.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Job } from '#doors/web/wire/job.ts'
import type { Status } from '#doors/web/wire/turn.ts'
import { faultText } from '../api/client.ts'
import { doorOf } from '../lib/doors.ts'
import { sentence } from '../lib/failure.ts'
import { costText, durationText, elapsedText, exactTime, whenText } from '../lib/words.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Dot, Spinner } from '../parts/mark.tsx'
import { now, seconds } from '../store/clock.ts'
import { isActive, jobList, ownJobs } from '../store/job-list.ts'
import { stopJob } from '../store/jobs.ts'
import { tell } from '../store/notices.ts'

export function JobRow({ job }: { job: Job }) {
  const { status, title, thread_id, door, sender, created_at, error, usage } = job
  const { icon, label } = doorOf(door)
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
        {error && <div class="job-fault">{sentence(error.message)}</div>}
      </td>
      <td class="job-door">
        <Icon name={icon} />
        <span class="job-door-name">{label}</span>
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
  return <>{elapsedText(Math.max(1_000, seconds.now.value - since))}</>
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

/** As a filter has it. */
export function shortNameOf(status: Status): string {
  return names[status].replace(/ .*/, '')
}
