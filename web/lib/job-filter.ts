// Which jobs are meant: by door, by whose they are, by words. Pure.
import type { Door, Job } from '../api/wire.ts'

/** Who sent what the reader sent. */
export const ownJobs = 'you'

export type JobWish = {
  readonly door: 'all' | Door
  readonly user: string
  /** In small letters. */
  readonly words: readonly string[]
}

export function isMeant(job: Pick<Job, 'title' | 'door' | 'sender'>, { door, user, words }: JobWish): boolean {
  if (door !== 'all' && doorName(job.door) !== doorName(door)) return false
  if (user !== 'all' && (job.sender ?? ownJobs) !== user) return false
  const text = `${job.title} ${job.sender ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Whose jobs there are to choose from, as far as they were read. */
export function usersOf(jobs: readonly Pick<Job, 'sender'>[], chosen: string): string[] {
  return [...new Set(['all', ownJobs, ...jobs.map(({ sender }) => sender ?? ownJobs), chosen])]
}

/** `run` is the terminal without its screen. */
function doorName(door: Door): Door {
  return door === 'run' ? 'terminal' : door
}
