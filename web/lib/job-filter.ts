// Which jobs are meant: by door and by words. Pure.
import type { Job } from '#doors/web/wire/job.ts'
import type { Door } from '#doors/web/wire/turn.ts'

export type JobWish = {
  readonly door: 'all' | Door
  /** In small letters. */
  readonly words: readonly string[]
}

export function isMeant(job: Pick<Job, 'title' | 'door' | 'sender'>, { door, words }: JobWish): boolean {
  if (door !== 'all' && doorName(job.door) !== doorName(door)) return false
  const text = `${job.title} ${job.sender ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** `run` is the terminal without its screen. */
function doorName(door: Door): Door {
  return door === 'run' ? 'terminal' : door
}
