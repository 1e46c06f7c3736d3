// The name of a job in a table: its thread's title, a link, and the job's own words below it.
import type { Job } from '#doors/web/wire/job.ts'
import { ownWords } from '../lib/job-words.ts'
import './job-name.css'

export function JobName({ job }: { job: Job }) {
  const { title, thread_id } = job
  const words = ownWords(job)
  return (
    <>
      <a class="row-link covers" dir="auto" href={`/threads/${thread_id}`} title={title}>
        {title || 'Untitled'}
      </a>
      {words && (
        <div class="job-words" dir="auto" title={words}>
          {words}
        </div>
      )}
    </>
  )
}
