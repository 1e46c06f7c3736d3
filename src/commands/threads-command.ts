// `atrium threads`: the operator's conversations, newest first.
import { operator } from '#core/ids.ts'
import { AppError } from '#core/errors.ts'
import { isoTime } from '#http/wire-format.ts'
import { print, table } from './report.ts'
import { withStore } from './home-store.ts'

const maxThreads = 100

export async function listThreads({ limit, json }: { limit: string; json?: boolean }): Promise<void> {
  const count = Number(limit)
  if (!Number.isInteger(count) || count < 1 || count > maxThreads)
    throw new AppError('invalid_input', `--limit takes a whole number from 1 to ${maxThreads}, not ${limit}`)
  const { rows } = await withStore(({ threads }) => threads.list(operator, { limit: count }))
  const listed = rows.map(({ id, title, door, updatedAt }) => ({
    id,
    title,
    door,
    updated_at: isoTime(updatedAt),
  }))
  const cells = listed.map(({ id, updated_at, door, title }) => [id, `${updated_at.slice(0, 16)}Z`, door, title])
  const text = listed.length > 0 ? table([['THREAD', 'UPDATED', 'DOOR', 'TITLE'], ...cells]) : 'No conversations yet.'
  print({ json: json ?? false }, listed, text)
}
