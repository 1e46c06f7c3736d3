// A TCP proxy before a server. It can fall silent, like a host whose packets are dropped: nothing is forwarded, nothing breaks.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type SilentProxy = {
  readonly port: number
  /** How many connections were made so far. */
  connections(): number
  fallSilent(): void
  /** Only the connections of now fall silent, as when a firewall forgets them. */
  forgetConnections(): void
  /** Forwards again, also what was held back. */
  speak(): void
  close(): Promise<void>
}

export async function openSilentProxy(port: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>()
  let silent = false
  let count = 0
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (bytes) => to.write(bytes))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (silent) from.pause()
  }
  const server = createServer((near) => {
    count++
    const far = connect(port, '127.0.0.1')
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => count,
    fallSilent() {
      silent = true
      for (const socket of sockets) socket.pause()
    },
    forgetConnections() {
      for (const socket of sockets) socket.pause()
    },
    speak() {
      silent = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
