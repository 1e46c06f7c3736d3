// The words of a job beside its thread's title. Pure.
import { maxFirstTitleChars } from '#core/page-limits.ts'
import type { Job } from '#doors/web/wire/job.ts'

/** The message of a job, unless the title tells it already. */
export function ownWords({ title, message = '', door }: Pick<Job, 'title' | 'message' | 'door'>): string {
  // Of a long message the title is the beginning. Behind it stands the date of a mission's run.
  const told = Array.from(message).slice(0, maxFirstTitleChars).join('')
  return title === told || (door === 'mission' && title.startsWith(`${told}, `)) ? '' : message
}
