// A TCP proxy between a replica and its database: it can be cut and slowed.
import { once } from 'node:events'
import { type AddressInfo, createServer, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Proxy = {
  readonly port: number
  /** Ends every connection, and refuses new ones until it is mended. */
  cut(): void
  /** Delays every piece in both directions. */
  slow(ms: number): void
  mend(): void
  close(): Promise<void>
}

export async function startProxy(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let broken = false
  let delayMs = 0
  const server = createServer((client) => {
    if (broken) {
      client.destroy()
      return
    }
    const database = connect(target.port, target.host)
    join(client, database)
    join(database, client)
  })
  /** Passes one direction on, in order. */
  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from.setNoDelay(true)
    let sent: Promise<unknown> = Promise.resolve()
    from.on('data', (piece) => {
      if (delayMs === 0 && sent === idle) {
        to.write(piece)
        return
      }
      const wait = delayMs
      const next = sent.then(async () => {
        if (wait > 0) await sleep(wait)
        to.write(piece)
      })
      sent = next
      void next.finally(() => {
        if (sent === next) sent = idle
      })
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      void sent.then(() => to.end())
    })
    sent = idle
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      broken = true
      for (const socket of sockets) socket.destroy()
    },
    slow(ms) {
      delayMs = ms
    },
    mend() {
      broken = false
      delayMs = 0
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

const idle: Promise<unknown> = Promise.resolve()
