// A proxy on this machine that answers CONNECT, and https in front of a plain server: what a client finds in a company.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { ProxySettings } from '#core/proxy.ts'
import { createCertificate } from './certificate.ts'

/** The name in the certificate; the proxy alone knows where it is. */
export const proxiedHost = 'model.example'
export const proxyPassword = 'hidden@word'

export type ConnectProxy = {
  /** The place of each tunnel, and the credentials that came with it. */
  readonly asked: { readonly place: string | undefined; readonly auth: string | undefined }[]
  /** Resolves when a tunnel ends. */
  readonly closed: Promise<void>
  /** What it does now; a number is the status of its refusal. */
  mode: 'tunnels' | 'hangs' | 'drops' | number
  readonly url: string
  readonly settings: ProxySettings
  /** Where https is reached directly. */
  readonly securePort: number
  /** PEM. */
  readonly cert: string
}

/** Leads every tunnel to https in front of the plain server at a port. This process trusts its certificate meanwhile. */
export async function startConnectProxy(t: TestContext, port: number, host = proxiedHost): Promise<ConnectProxy> {
  const { key, cert } = createCertificate(host)
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert])
  t.after(() => setDefaultCACertificates(trusted))
  const sockets = new Set<Socket>()
  const closed = Promise.withResolvers<void>()
  const join = (one: Socket, other: Socket): void => {
    for (const end of [one, other]) sockets.add(end.on('error', () => {}))
    one.pipe(other).pipe(one)
    one.on('close', () => other.destroy())
    other.on('close', () => one.destroy())
  }
  const secure = createTlsServer({ key, cert }, (socket) => join(socket, connect(port, '127.0.0.1')))
  const proxy = createServer().on('connect', (request, client: Socket) => {
    asked.push({ place: request.url, auth: request.headers['proxy-authorization'] })
    sockets.add(client.on('error', () => {}))
    if (made.mode === 'drops') return client.destroy()
    if (made.mode === 'hangs') return undefined
    if (made.mode !== 'tunnels') return client.end(`HTTP/1.1 ${made.mode} No\r\nproxy-authenticate: Basic\r\n\r\nno`)
    client.once('close', () => closed.resolve())
    const onward = connect(portOf(secure), '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
    return join(client, onward)
  })
  for (const server of [secure, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of [secure, proxy]) server.close()
  })
  const url = `http://ada:${encodeURIComponent(proxyPassword)}@127.0.0.1:${portOf(proxy)}`
  const asked: ConnectProxy['asked'] = []
  const made: ConnectProxy = {
    asked,
    closed: closed.promise,
    mode: 'tunnels',
    url,
    settings: { httpsProxy: url },
    securePort: portOf(secure),
    cert,
  }
  return made
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
