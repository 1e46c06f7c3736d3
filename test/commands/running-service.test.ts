// How commands find the service that runs on their home.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { thisMachine } from '#commands/service-command.ts'
import { atrium } from '../atrium.ts'
import { findService, reloadService } from '#commands/running-service.ts'
import { newestVersion } from '#store/migrations.ts'
import { newHome } from '../new-home.ts'

test('a service that runs and cannot tell its status is not taken for none', async (t) => {
  const { path: home, remove } = newHome()
  t.after(remove)
  let fault = { code: 'overloaded', message: 'too much waits' }
  const service = createServer((_request, response) => {
    response.writeHead(503).end(JSON.stringify({ error: fault }))
  })
  t.after(() => service.close())
  await new Promise<void>((resolve) => service.listen(join(home, 'socket'), resolve))
  const said = `error: a service runs on ${home}, but cannot tell its status:`
  assert.deepEqual(await atrium(home, ['status']), { code: 1, stdout: '', stderr: `${said} too much waits\n` })
  fault = { code: 'database_unavailable', message: 'the database is unavailable and may not have stored this' }
  const { code, stderr } = await atrium(home, ['status'])
  assert.equal(code, 1)
  assert.match(stderr.slice(said.length), /^ its database is away: see `\S*atrium doctor`\n$/, 'it stored nothing')
  const doctor = await atrium(home, ['doctor'])
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /service: runs on this home, but without its database$/m, 'it does not send to itself')
})

test('a service that hangs is not taken for none, and what was stored for it is stored', async (t) => {
  const { path: home, remove } = newHome()
  t.after(remove)
  const service = createServer(() => {})
  t.after(() => {
    service.closeAllConnections()
    service.close()
  })
  await new Promise<void>((resolve) => service.listen(join(home, 'socket'), resolve))
  const message = `a service runs on ${home}, but did not answer within 0.1 s: try again; if it hangs or was stopped, end it and start it anew`
  await assert.rejects(findService(home, 100), { code: 'request_timeout', message })
  const written = t.mock.method(process.stderr, 'write', () => true)
  await reloadService(home, 100)
  assert.deepEqual(
    written.mock.calls.map(({ arguments: [text] }) => text),
    [`the change is stored; ${message}\n`],
  )
})

test('a service that closes every connection is not taken for none; one that ended is', async (t) => {
  const { path: home, remove } = newHome()
  t.after(remove)
  let connections = 0
  const service = createNetServer((socket) => {
    socket.destroy()
    if (++connections === 7) service.close()
  })
  await new Promise<void>((resolve) => service.listen(join(home, 'socket'), resolve))
  const { stderr } = await atrium(home, ['status'])
  assert.equal(
    stderr,
    `error: a service runs on ${home}, but closes every connection: too many files may be open, raise its limit with \`ulimit -n\`\n`,
  )
  assert.match((await atrium(home, ['status'])).stdout, /^No service runs on /)
})

test('a service of another version is named, with the way out, by every command that asks it', async (t) => {
  const { path: home, remove } = newHome()
  t.after(remove)
  // What an earlier Atrium says; it knows few routes.
  let version = {}
  const service = createServer(({ url }, response) => {
    if (url === '/status') response.end(JSON.stringify({ status: 'ok', doors: [], pid: 7, ...version }))
    else if (url === '/reload') response.end('{}')
    else response.writeHead(404).end(JSON.stringify({ error: { code: 'not_found', message: 'no such route' } }))
  })
  t.after(() => service.close())
  await new Promise<void>((resolve) => service.listen(join(home, 'socket'), resolve))
  const stderr = `error: another version of Atrium runs on ${home} (process 7): stop it, then start this one\n`
  for (const args of [['status'], ['model', 'test'], ['run', '-m', 'hello'], ['login']])
    assert.deepEqual(await atrium(home, args), { code: 1, stdout: '', stderr }, args.join(' '))
  for (const root of [true, false])
    assert.equal(await thisMachine(root).answers(home), true, 'no unit is installed beside it')
  await reloadService(home)
  version = { schema: newestVersion + 1 }
  assert.match((await atrium(home, ['status'])).stderr, /\(process 7\): use its own commands\n$/)
})
