// Who may connect to the local door: the owner of the home alone.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { openLocalDoor } from '#doors/local/door.ts'
import { takeSocket } from '#home/socket.ts'
import { newHome } from '../../new-home.ts'
import { fakeParts } from './parts.ts'

test('only the owner can connect', async (t) => {
  const home = newHome()
  const socket = takeSocket(home.path)
  const door = await openLocalDoor(fakeParts({ socket }))
  t.after(async () => {
    await door.close(0)
    home.remove()
  })
  assert.equal(statSync(socket).mode & 0o777, 0o600)
  assert.equal(statSync(home.path).mode & 0o777, 0o700)
  if (process.getuid?.() !== 0) return
  // It becomes somebody else once it runs: they may not be able to read where Node stands.
  const code = `process.setgroups([]); process.setgid(65534); process.setuid(65534)
    require('node:net').connect(${JSON.stringify(socket)}).on('connect', () => process.exit(0)).on('error', (e) => process.exit(e.code === 'EACCES' ? 13 : 1))`
  const child = spawn(process.execPath, ['-e', code], { cwd: '/', stdio: 'ignore' })
  assert.deepEqual(await once(child, 'exit'), [13, null])
})
