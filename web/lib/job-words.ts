// The words of a job beside its thread's title. Pure.
import type { Job } from '#doors/web/wire/job.ts'

/** A title of this length may be the cut first line of the message. */
const maxTitleLength = 80

/** The message of a job, unless the title tells it already. */
export function ownWords({ title, message = '' }: Pick<Job, 'title' | 'message'>): string {
  const isCutTitle = Array.from(title).length >= maxTitleLength && message.startsWith(title)
  return message === title || isCutTitle ? '' : message
}
