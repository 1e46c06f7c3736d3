// What people see of a process that ends because a newer Atrium has upgraded its database.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { migratePostgres } from '#store/migrate-postgres.ts'
import { migrations, newestVersion } from '#store/migrations.ts'
import { openPostgres } from '#store/postgres.ts'
import { needsTmux, type Screen, startTmux } from '../doors/terminal/tmux.ts'
import { newHome } from '../new-home.ts'
import { usePostgres } from '../postgres.ts'
import { onTerminal, openTerminal, type Terminal } from '../terminal.ts'
import { until } from '../until.ts'
import { scripted, sharedEnv } from './replicas.ts'

const server = usePostgres()
const words = `error: a newer Atrium has brought the database to version ${newestVersion + 1}, which this one (version ${newestVersion}) cannot work with: nothing more is stored; start the newer Atrium in its place`

/** Migrates as a newer Atrium does once the process counts no more, which beats meanwhile. */
async function upgrade(url: string): Promise<void> {
  const sql = openPostgres(url)
  const newer = [...migrations, { changes: ['ALTER TABLE settings ADD COLUMN kind TEXT'] }]
  try {
    await until(async () => {
      await sql.pool.query('UPDATE processes SET seen_at = 0')
      return migratePostgres(sql.pool, { steps: newer }).then(
        () => true,
        (error: Error) => {
          assert.match(error.message, /stop every replica/)
          return false
        },
      )
    })
  } finally {
    await sql.close()
  }
}

const options = { ...onTerminal, ...needsTmux() }

/** A chat that hosts its service, in a home of its own, with a model that does not come to the end of its reply. */
function prepare(t: TestContext, url: string) {
  const home = newHome()
  t.after(home.remove)
  const model = scripted(home.path, [{ text: ['so ', 'far', ', and more'], chunkDelayMs: 3_600_000 }])
  return { home: home.path, env: sharedEnv(url, { NO_COLOR: '1', ...model }) }
}

test(
  'each chat of an earlier process ends with the reason and a way out, also in the middle of a reply',
  options,
  async (t) => {
    const url = await server.prepared()
    const openLines = async (message?: string): Promise<Terminal> => {
      const { home, env } = prepare(t, url)
      const terminal = openTerminal(t, home, { args: [], env: { ...env, TERM: 'dumb' } })
      await terminal.until('▌ ')
      if (message === undefined) return terminal
      terminal.type(`${message}\r`)
      await terminal.until('so ')
      return terminal
    }
    const openScreen = async (message: string): Promise<Screen> => {
      const { home, env } = prepare(t, url)
      const tmux = startTmux()
      t.after(() => tmux.end())
      const screen = await tmux.open({ env: { ...env, ATRIUM_HOME: home, GATEWAY_PORT: '0' }, columns: 250 })
      await screen.shows(/● connected/)
      await screen.type(message)
      await screen.keys('Enter')
      await screen.shows(/^ so/m)
      return screen
    }
    const [idle, busy, screen] = await Promise.all([openLines(), openLines('hello'), openScreen('hello')])
    await upgrade(url)
    for (const terminal of [idle, busy]) {
      assert.equal(await terminal.ended, 1)
      const shown = terminal.shown().replaceAll('\r', '')
      assert(shown.endsWith(`\n${words}\n`), shown)
      assert.doesNotMatch(shown, /finishing open work|the service ran in this terminal|bug/)
    }
    const shown = await screen.shows(/ended with 1/)
    // The terminal is given back, with the thread to go on with.
    assert.match(shown, /^thread \S+\nerror: .*\nended with 1/m)
    assert(shown.includes(words), shown)
  },
)
