// The words of a job beside its thread's title. Pure.
import { maxFirstTitleChars } from '#core/page-limits.ts'
import type { Job } from '#doors/web/wire/job.ts'

/** The message of a job, unless the title tells it already. */
export function ownWords({ title, message = '' }: Pick<Job, 'title' | 'message'>): string {
  // A title of this length may be the cut first line of the message.
  const isCutTitle = Array.from(title).length >= maxFirstTitleChars && message.startsWith(title)
  return message === title || isCutTitle ? '' : message
}
