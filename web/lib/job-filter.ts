// Which jobs are meant: by door and by words. Pure.
import type { Job } from '#doors/web/wire/job.ts'
import type { Door } from '#doors/web/wire/turn.ts'
import { sameDoor } from './doors.ts'

export type JobWish = {
  readonly door: 'all' | Door
  /** In small letters. */
  readonly words: readonly string[]
}

export function isMeant(job: Pick<Job, 'title' | 'door' | 'sender'>, { door, words }: JobWish): boolean {
  if (door !== 'all' && sameDoor(job.door) !== sameDoor(door)) return false
  const text = `${job.title} ${job.sender ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
