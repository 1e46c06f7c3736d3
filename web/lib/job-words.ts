// The words of a job beside its thread's title. Pure.
import { maxFirstTitleChars } from '#core/page-limits.ts'
import type { Job } from '#doors/web/wire/job.ts'

/** The message of a job, unless the title tells it already. */
export function ownWords({ title, message = '', door }: Pick<Job, 'title' | 'message' | 'door'>): string {
  // The title of a mission's run ends with its date.
  const words = door === 'mission' ? title.replace(/, [^,]*$/, '') : title
  // A title of this length may be the cut first line of the message.
  const isCutTitle = Array.from(words).length >= maxFirstTitleChars && message.startsWith(words)
  return message === words || isCutTitle ? '' : message
}
