// A port that is open: how many may come at once.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { AppError } from '#core/errors.ts'
import { boundConnections, listenFault, maxConnections } from '#http/listen.ts'
import { logTo } from '#lib/log.ts'
import { eventually } from '../doors/test-app.ts'
import { openHouse } from '../doors/web/house.ts'

test('a port in use is told with what chooses another', () => {
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' })
  const wayOut = (envPrefix: 'GATEWAY' | 'HTTP') => listenFault(taken, { host: '127.0.0.1', port: 3000, envPrefix })
  assert.match(String(wayOut('GATEWAY')), /port 3000 on 127\.0\.0\.1 is in use: .* with --port N or GATEWAY_PORT$/)
  assert.match(String(wayOut('HTTP')), /with HTTP_PORT$/)
})

test('an address of one link is told with its interface', () => {
  const refused = Object.assign(new Error('listen EINVAL'), { code: 'EINVAL' })
  const fault = listenFault(refused, { host: 'fe80::1', port: 3000, envPrefix: 'HTTP' })
  assert.ok(fault instanceof AppError)
  assert.equal(fault.code, 'invalid_config')
  assert.match(fault.message, /^fe80::1 cannot be listened on: .*HTTP_HOST=fe80::1%eth0/)
})

test('while too many connections are open, further ones are closed and told of once', async (t) => {
  const lines: object[] = []
  const held: Socket[] = []
  const server = createServer((socket) => void held.push(socket.resume()))
  boundConnections(
    server,
    logTo((level, fields, msg) => lines.push({ level, msg, ...fields }), 'debug'),
    2,
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const open = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1').resume()
  const kept = [open(), open()]
  t.after(() => kept.forEach((each) => each.destroy()))
  await eventually(() => Promise.resolve(held.length === 2))
  for (let at = 0; at < 3; at++) await once(open(), 'close')
  assert.equal(held.length, 2)
  assert.deepEqual(lines, [{ level: 'warn', msg: 'too many connections: new ones are closed', open: 2, dropped: 1 }])
  kept[0]?.destroy()
  await once(held[0] ?? assert.fail(), 'close')
  kept.push(open())
  await eventually(() => Promise.resolve(held.length === 3))
})

test('a listener takes a third of the files that the process may open, at most 16,384', () => {
  const limits = (files: string) =>
    `Max processes   96365  96365  processes\nMax open files            ${files}  files\n`
  assert.equal(maxConnections(limits('1024                 4096')), 341)
  assert.equal(maxConnections(limits('1048576              1048576')), 16_384)
  assert.equal(maxConnections(limits('unlimited            unlimited')), 16_384)
  assert.equal(maxConnections(''), 16_384)
})

test('a process that may open few files takes fewer connections', {
  skip: process.platform !== 'linux' && 'no /proc here',
}, async () => {
  const script = `import { createServer } from 'node:net'
    import { boundConnections } from '#http/listen.ts'
    const server = createServer()
    boundConnections(server, {})
    console.log(server.maxConnections)`
  const args = ['-c', 'ulimit -n 300 && exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)('sh', args, { cwd: join(import.meta.dirname, '..', '..') })
  assert.equal(stdout, '100\n')
})

test('the gateway has such a bound', async (t) => {
  const { gateway } = await openHouse(t)
  const { maxConnections: max } = gateway.fastify.server
  assert(max > 0 && max <= 16_384)
})
