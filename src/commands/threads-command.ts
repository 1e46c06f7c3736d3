// `atrium threads`: the operator's threads, newest first, or those that match a search.
import { operator } from '#core/ids.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { isoTime } from '#core/time.ts'
import { proseOf } from '#safety/printable.ts'
import { catchUp } from '#turns/thread-indexer.ts'
import { createThreadSearch, type FoundThread } from '#turns/thread-search.ts'
import { readLimit } from './limit-option.ts'
import { minuteOf, print, table } from './report.ts'
import { withStore } from './home-store.ts'

const maxThreads = 100

type ListOptions = {
  readonly limit: string
  readonly search?: string
  readonly archived?: boolean
  readonly json?: boolean
}

export async function listThreads(options: ListOptions): Promise<void> {
  const { search, archived = false, json = false } = options
  const limit = readLimit(options.limit, maxThreads)
  if (archived && search !== undefined)
    throw new AppError('invalid_input', 'give either --search, which finds archived ones too, or --archived')
  const rows = await withStore((store) =>
    search === undefined ? newest(store, limit, archived) : find(store, search, limit),
  )
  const listed = rows.map(({ id, title, door, updatedAt, match }) => ({
    id,
    title,
    door,
    updated_at: isoTime(updatedAt),
    ...(match && { snippet: match.snippet }),
  }))
  if (search !== undefined) {
    const found = listed.map(({ id, title, snippet }) => {
      const words = snippet === undefined ? '' : `${proseOf(snippet)}\n`
      return `${id}  ${proseOf(title)}\n${words}`
    })
    print({ json }, listed, found.join('\n') || 'Nothing matches.')
    return
  }
  const cells = listed.map(({ id, updated_at, door, title }) => [id, minuteOf(updated_at), door, title])
  const text = listed.length > 0 ? table([['THREAD', 'UPDATED', 'DOOR', 'TITLE'], ...cells]) : 'No threads yet.'
  print({ json }, listed, text)
}

async function newest({ threads }: Store, limit: number, archived: boolean): Promise<readonly FoundThread[]> {
  return (await threads.list(operator, { limit, ...(archived && { shelf: 'archived' }) })).rows
}

/** Without a service that has done so, what is new is indexed first. */
async function find({ threadIndex, threads }: Store, query: string, limit: number): Promise<readonly FoundThread[]> {
  await catchUp(threadIndex)
  return createThreadSearch({ index: threadIndex, threads })(operator, { query, limit })
}
