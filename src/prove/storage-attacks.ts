// Faults of the storage: a full disk, and a database that cuts its connections.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { AppError } from '#core/errors.ts'
import { newId, operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { createSeal } from '#lib/seal.ts'
import { applyMigrations } from '#store/migrate-sqlite.ts'
import { composeStore, openPostgresStore } from '#store/open-store.ts'
import { openSqlite } from '#store/sqlite.ts'
import { type Attack, outcomeOf } from './attack.ts'
import type { Target } from './target.ts'

const seal = createSeal('0'.repeat(64))
const sparePages = 300
const password = 'a-password-of-the-proof'

export function storageAttacks({ home }: Target): Attack[] {
  return [
    {
      name: 'full disk',
      tried: 'messages until the disk has no room',
      run: async () => {
        const sql = openSqlite(join(home, 'full.db'))
        try {
          applyMigrations(sql.db)
          const pages = Number(sql.db.prepare('PRAGMA page_count').get()?.['page_count'])
          sql.db.exec(`PRAGMA max_page_count = ${pages + sparePages}`)
          const store = composeStore(sql, {
            seal,
            now: Date.now,
            check: () => Promise.resolve([]),
            prepareVectors: () => Promise.resolve(undefined),
          })
          const input = [{ id: newId(), item: textMessage('user', 'x'.repeat(100_000)) }]
          let acknowledged = 0
          let code: string | undefined
          while (code === undefined && acknowledged < 1_000) {
            const turn = { user: operator, door: 'web', title: 't', input, options: {}, whenBusy: 'queue' } as const
            await store.turns.start(turn).then(
              () => acknowledged++,
              (error: unknown) => (code = error instanceof AppError ? error.code : String(error)),
            )
          }
          const { count } = sql.db.prepare('SELECT count(*) AS count FROM turns').get() as { count: number }
          const faults = [
            ...(code === 'disk_full' ? [] : [`it ended with ${code ?? 'no error'}`]),
            ...(count === acknowledged ? [] : [`${acknowledged} were acknowledged, ${count} are stored`]),
          ]
          return outcomeOf(faults, `disk_full; all ${acknowledged} acknowledged messages are stored`)
        } finally {
          await sql.close()
        }
      },
    },
    {
      name: 'cut database',
      tried: 'a PostgreSQL that cuts each connection',
      run: async () => {
        await using server = createServer((socket) => socket.destroy())
        await once(server.listen(0, '127.0.0.1'), 'listening')
        const { port } = server.address() as AddressInfo
        const url = `postgres://someone:${password}@127.0.0.1:${port}/atrium`
        const fault = await openPostgresStore({ url, seal }).then(
          () => undefined,
          (error: unknown) => error,
        )
        const known = fault instanceof AppError && fault.code === 'database_unavailable'
        const told = String(fault).includes(password) || String(fault).includes('someone')
        return outcomeOf(
          [...(known ? [] : [`it ended with ${String(fault)}`]), ...(told ? ['the error names the user'] : [])],
          'database_unavailable, without host, user or password',
        )
      },
    },
  ]
}
