// The service as it starts, in this process.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { readConfig } from '#config.ts'
import type { Settings } from '#core/store.ts'
import { silentLog } from '#lib/log.ts'
import { startService } from '#service.ts'
import { newHome } from './new-home.ts'

test('what a command stores while a service starts is in force: it found no socket to tell it through', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const configure = (settings: Settings) => {
    // The service has read its settings.
    if (settings['steps_per_turn'] === 5) {
      using db = new DatabaseSync(join(home.path, 'atrium.db'))
      db.exec(`UPDATE settings SET value = '7' WHERE name = 'steps_per_turn'`)
    }
    return readConfig({ ATRIUM_HOME: home.path, GATEWAY_ENABLED: 'false', HTTP_ENABLED: 'false' }, settings)
  }
  const start = () => startService({ configure, log: silentLog, terminal: true })
  const first = await start()
  await first.app.store.settings.change(() => ({ steps_per_turn: 5 }))
  await first.stop(0)
  const service = await start()
  t.after(() => service.stop(0))
  assert.equal(service.app.config.steps, 7)
})
