// The service as it starts, in this process.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
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
  const file = join(home.path, 'atrium.db')
  let told = false
  const configure = (settings: Settings) => {
    // The service has read its settings from a file that is there.
    if (!told && existsSync(file)) {
      told = true
      using db = new DatabaseSync(file)
      db.exec(`INSERT INTO settings (name, value, updated_at) VALUES ('steps_per_turn', '7', 1)`)
    }
    return readConfig({ ATRIUM_HOME: home.path, GATEWAY_ENABLED: 'false', HTTP_ENABLED: 'false' }, settings)
  }
  const service = await startService({ configure, log: silentLog, terminal: true })
  t.after(() => service.stop(0))
  assert.deepEqual([told, service.app.config.steps], [true, 7])
})
