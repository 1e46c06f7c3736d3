// The thread that `--continue` goes on with.
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { withStore } from './home-store.ts'

const pageSize = 100

/** The operator's latest thread, without the runs of missions: those begin by themselves. Throws not_found. */
export function latestThread(): Promise<string> {
  return withStore(async ({ threads }) => {
    for (let cursor: string | undefined; ; ) {
      const { rows, nextCursor } = await threads.list(operator, {
        limit: pageSize,
        ...(cursor !== undefined && { cursor }),
      })
      // The operator's list also has the threads of the webhook channel.
      const latest = rows.find(({ userId, door }) => userId === operator && door !== 'mission')
      if (latest) return latest.id
      if (nextCursor === undefined) throw new AppError('not_found', 'there is no thread to continue yet')
      cursor = nextCursor
    }
  })
}
