// Filters jobs by door and by words. Pure.
import type { Job } from '#doors/web/wire/job.ts'
import type { Door } from '#doors/web/wire/turn.ts'
import { sameDoor } from './doors.ts'

export type JobQuery = {
  readonly door: 'all' | Door
  /** In lower case. All must occur. */
  readonly words: readonly string[]
}

export function matches(job: Pick<Job, 'title' | 'message' | 'door' | 'sender'>, { door, words }: JobQuery): boolean {
  if (door !== 'all' && sameDoor(job.door) !== sameDoor(door)) return false
  const text = `${job.title} ${job.message ?? ''} ${job.sender ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
