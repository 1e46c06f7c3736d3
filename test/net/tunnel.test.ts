// Connections of HTTP clients through a proxy: where they lead, and what stands in their way.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { ProxyFault } from '#net/network-fault.ts'
import { proxyConnector } from '#net/tunnel.ts'
import { proxiedHost, proxyPassword, startConnectProxy } from './connect-proxy.ts'
import { portOf, useDialServers } from './dial-servers.ts'

const { secure } = useDialServers()
const patientMs = 30_000

async function connect(proxy: string, hostname: string, { port = '', ms = patientMs } = {}): Promise<TLSSocket> {
  const connector = await proxyConnector(new URL(proxy), ms)
  return new Promise((resolve, reject) => {
    connector({ hostname, host: hostname, protocol: 'https:', port, servername: proxiedHost }, (error, socket) =>
      error ? reject(error) : resolve(socket as TLSSocket),
    )
  })
}

async function faultOf(connecting: Promise<unknown>): Promise<ProxyFault> {
  const error = await connecting.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert(error instanceof ProxyFault, String(error))
  assert(!error.message.includes(proxyPassword), error.message)
  return error
}

test('a tunnel leads to the host and port of the server, an address of IPv6 in brackets', async (t) => {
  const proxy = await startConnectProxy(t, 9)
  for (const [hostname, port] of [
    [proxiedHost, ''],
    [proxiedHost, '8443'],
    ['2606:4700::1111', ''],
  ] as const) {
    const socket = await connect(proxy.url, hostname, { port })
    assert.equal(socket.authorized, true)
    socket.destroy()
  }
  assert.deepEqual(
    proxy.asked.map(({ place }) => place),
    [`${proxiedHost}:443`, `${proxiedHost}:8443`, '[2606:4700::1111]:443'],
  )
})

test('the certificate is checked against the name of the server, not that of the proxy', async (t) => {
  const proxy = await startConnectProxy(t, 9, 'other.example')
  await assert.rejects(connect(proxy.url, proxiedHost), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
})

test('a proxy that does not answer is told after the time for a connection; it may answer later', async (t) => {
  const proxy = await startConnectProxy(t, 9)
  proxy.mode = 'hangs'
  const fault = await faultOf(connect(proxy.url, proxiedHost, { ms: 50 }))
  assert.deepEqual([fault.message, fault.passing], ['the proxy of HTTPS_PROXY did not answer in time', true])
})

test('a proxy that is not there may come back; one with a foreign certificate stays so', async () => {
  const gone = await faultOf(connect('http://127.0.0.1:1', proxiedHost))
  assert.deepEqual([gone.message, gone.passing], ['the proxy of HTTPS_PROXY cannot be reached (ECONNREFUSED)', true])
  const foreign = await faultOf(connect(`https://ada:${proxyPassword}@127.0.0.1:${portOf(secure)}`, proxiedHost))
  assert.match(foreign.message, /cannot be reached: its certificate is from an unknown authority/)
  assert.equal(foreign.passing, false)
})

test('a server that is no proxy is told by what it broke', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).end('220 mail.example ESMTP\r\n'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const fault = await faultOf(connect(`http://127.0.0.1:${port}`, proxiedHost))
  assert.match(fault.message, /^the proxy of HTTPS_PROXY cannot be reached \(HPE_INVALID_CONSTANT\)$/)
})
