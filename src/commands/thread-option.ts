// `--thread` and `--continue`: the thread that a message goes to.
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { allRows } from '#core/page.ts'
import { withStore } from './home-store.ts'

const pageSize = 100

export type ThreadOptions = {
  readonly thread?: string
  /** The latest thread. */
  readonly continue?: boolean
}

/** Undefined for a new thread. Throws not_found, and invalid_input for both options. */
export async function chosenThread({ thread, continue: latest }: ThreadOptions): Promise<string | undefined> {
  if (latest && thread !== undefined) throw new AppError('invalid_input', 'give either --thread or --continue')
  return latest ? latestThread() : thread
}

/** The operator's latest thread, without the runs of missions: those begin by themselves. */
function latestThread(): Promise<string> {
  return withStore(async ({ threads }) => {
    const all = allRows((cursor) => threads.list(operator, { limit: pageSize, ...(cursor && { cursor }) }))
    // The operator's list also has the threads of the webhook channel.
    for await (const { id, userId, door } of all) if (userId === operator && door !== 'mission') return id
    throw new AppError('not_found', 'there is no thread to continue yet')
  })
}
