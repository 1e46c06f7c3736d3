// Servers on this machine for requests on the wire, a proxy that tunnels to one of them, and one request.
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect as connectTo } from 'node:net'
import { after, before } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { createDial, type Dialled, type DialParts, type Outgoing } from '#net/dial.ts'
import type { GuestAnswer } from '#sandbox/egress/egress.ts'
import { readUrl } from '#safety/urls.ts'
import { createCertificate } from './certificate.ts'

export const crumbs = 'crumb '.repeat(100)

/** Servers that listen while the tests of a file run, with what they and the proxy were asked. */
export function useDialServers() {
  const seen: { url: string | undefined; headers: IncomingMessage['headers'] }[] = []
  const tunnels: { place: string | undefined; auth: string | undefined }[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push({ url: request.url, headers: request.headers })
    answerAll(request, response)
  }
  const { key, cert } = createCertificate('a.example')
  const plain = createServer(answer)
  const secure = createTlsServer({ key, cert }, answer)
  const proxy = createServer()
  proxy.on('connect', (request, socket) => {
    tunnels.push({ place: request.url, auth: request.headers['proxy-authorization'] })
    if (request.url?.startsWith('refused.')) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const onward = connectTo(portOf(secure), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const end of [onward, socket]) end.on('error', () => {})
  })
  const servers = [plain, secure, proxy]
  before(async () => {
    for (const server of servers) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  after(() => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
  })
  const local = (path: string): string => `http://127.0.0.1:${portOf(plain)}${path}`
  return { plain, secure, proxy, cert, seen, tunnels, local }
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

export function to(url: string, more: Partial<Outgoing> = {}): Outgoing {
  const target = readUrl(url)
  assert(typeof target !== 'string', url)
  return { method: 'GET', target, headers: new Map(), ...more }
}

export async function dial(request: Outgoing, parts: Partial<DialParts> = {}, timeoutMs = 30_000): Promise<Dialled> {
  const lookup = (): Promise<LookupAddress[]> => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  const bounds = { maxBytes: 1_000_000, signal: AbortSignal.timeout(timeoutMs) }
  return createDial({ lookup, ...parts })(request, bounds)
}

export function faultOf(answer: Dialled | GuestAnswer): string {
  assert(answer.type === 'fault', 'it was answered')
  return `${answer.fault.code}: ${answer.fault.message}`
}

function answerAll(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/slow') return
  if (request.url === '/big') response.end(Buffer.alloc(3_000_000))
  else if (request.url === '/bomb')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(3_000_000)))
  else if (request.url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'))
  else if (request.url === '/br')
    response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync('packed'))
  else if (request.url === '/x-gzip') response.writeHead(200, { 'content-encoding': 'X-GZIP' }).end(gzipSync('packed'))
  else if (request.url === '/deflate')
    response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync('packed'))
  else if (request.url === '/broken') response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
  else if (request.url === '/parts') response.write('one ', () => setImmediate(() => response.end('two')))
  else if (request.url === '/crumbs') void sendCrumbs(response)
  else if (request.url === '/drip') response.write('x')
  else if (request.url === '/drip-without-length') response.socket?.write('HTTP/1.1 200 OK\r\n\r\nx')
  else if (request.url === '/odd') response.writeHead(200, { 'content-encoding': 'zz' }).end('x')
  else if (request.url === '/inherited') response.writeHead(200, { 'content-encoding': 'constructor' }).end('x')
  else if (request.url === '/switch')
    response.socket?.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  else if (request.url === '/cut')
    response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy())
  else response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'] }).end(`got ${request.method} ${request.url}`)
}

/** Sends each byte as a chunk of its own, which comes alone. */
async function sendCrumbs(response: ServerResponse): Promise<void> {
  for (const crumb of crumbs) {
    response.write(crumb)
    await tick()
  }
  response.end()
}
