// Whether a gateway is ready, and why it cannot listen.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { createHold } from '../doors/test-app.ts'
import { openHouse, operatorToken } from '../doors/web/house.ts'
import { openBare } from './socket.ts'
import { bareGateway } from './bare-gateway.ts'

const bearer = `Authorization: Bearer ${operatorToken}\r\n`
const head = `POST /api/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${bearer}`

test('ready tells why work cannot be taken; health does not mind', async (t) => {
  let fault: Error | undefined
  const { call } = await openHouse(t, { ping: () => (fault ? Promise.reject(fault) : Promise.resolve()) })
  assert.deepEqual((await call('GET', '/api/ready', { token: null })).json, { status: 'ready' })
  fault = new AppError('database_unavailable', 'postgres://user:secret@host is away')
  const { status, json } = await call('GET', '/api/ready', { token: null })
  assert.equal(status, 503)
  assert.deepEqual(json, { status: 'unavailable', reasons: ['the database is unavailable'] })
  fault = new AppError('disk_full', '/home/ann has no room')
  const full = await call('GET', '/api/ready', { token: null })
  assert.deepEqual([full.status, full.json.reasons], [503, ['the disk is full']])
  fault = new AppError('home_unwritable', '/home/ann is read-only')
  assert.deepEqual((await call('GET', '/api/ready', { token: null })).json.reasons, ['the home cannot be written'])
  assert.deepEqual((await call('GET', '/api/health', { token: null })).json, { status: 'ok' })
})

test('a service that is going down is not ready, and says so', async (t) => {
  let draining = false
  const { call } = await openHouse(t, { draining: () => draining })
  assert.equal((await call('GET', '/api/ready', { token: null })).status, 200)
  draining = true
  const { status, json } = await call('GET', '/api/ready', { token: null })
  assert.equal(status, 503)
  assert.deepEqual(json.reasons, ['the service is going down'])
})

test('a gateway that closes is not ready, whatever the service says', async (t) => {
  const hold = createHold()
  const { port, gateway } = await openHouse(t, { say: hold.say })
  const bare = openBare(port)
  bare.write(`${head}Content-Length: 16\r\n\r\n{"message":"hi"}`)
  await hold.asked
  const closing = gateway.close(30_000)
  bare.write('GET /api/ready HTTP/1.1\r\nHost: a\r\n\r\n')
  hold.release('done')
  assert.match(
    await bare.closed,
    /"response":"done"[\s\S]*HTTP\/1.1 503 [\s\S]*"reasons":\["the service is going down"\]/,
  )
  await closing
})

test('a port in use is told with the way out', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  await assert.rejects(gateway.listen('127.0.0.1', port), (error: AppError) => {
    assert.equal(error.code, 'port_in_use')
    assert.match(error.message, new RegExp(`port ${port} on 127.0.0.1 .*GATEWAY_PORT`))
    return true
  })
})

test('an address of another machine is told with the variable', async (t) => {
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  await assert.rejects(gateway.listen('203.0.113.7', 0), (error: AppError) => {
    assert.equal(error.code, 'invalid_config')
    assert.match(error.message, /203.0.113.7.*GATEWAY_HOST/)
    return true
  })
})
