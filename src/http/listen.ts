// Opening a port, and what can go wrong with it, in words that name the way out.
import type { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'
import { type Log, warnSparingly } from '#lib/log.ts'

/** Connections of one listener. Each may hold a head of 16 KiB that is half sent, whoever opened it. */
const defaultMaxConnections = 16_384
/** Connections that may come at once, before they are taken: whose does not fit tries again after a second, then three. */
const backlog = 4_096

/** Listens, and tells where. Port 0 takes a free one. */
export async function listenOn(
  app: FastifyInstance,
  host: string,
  port: number,
): Promise<{ port: number; url: string }> {
  try {
    // One name, one address: a second listener on ::1 would be one more to close.
    await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port, backlog })
  } catch (error) {
    throw listenFault(error, { host, port, names: 'GATEWAY' })
  }
  const address = app.server.address()
  const taken = typeof address === 'object' && address ? address.port : port
  return { port: taken, url: urlOf(host, taken) }
}

/** Closes what comes while too many are open. */
export function boundConnections(server: Server, log: Log, most = defaultMaxConnections): void {
  const warn = warnSparingly(log)
  let dropped = 0
  server.maxConnections = most
  server.on('drop', () => warn({ open: most, dropped: ++dropped }, 'too many connections: new ones are closed'))
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** `names` is how the variables begin that set this host and port. */
type Listener = { readonly host: string; readonly port: number; readonly names: 'GATEWAY' | 'HTTP' }

/** Why a port did not open, where the operator can help it: port_in_use or invalid_config. */
export function listenFault(cause: unknown, { host, port, names }: Listener): unknown {
  switch ((cause as NodeJS.ErrnoException).code ?? '') {
    case 'EADDRINUSE':
      return new AppError(
        'port_in_use',
        `port ${port} on ${host} is in use: stop what listens there, or set ${names}_PORT to a free port`,
        { cause },
      )
    case 'EACCES':
      return new AppError(
        'port_in_use',
        `port ${port} on ${host} may not be opened by this user: set ${names}_PORT to a port of 1024 or above`,
        { cause },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new AppError(
        'invalid_config',
        `${host} is no address of this machine: set ${names}_HOST, for example to 127.0.0.1`,
        {
          cause,
        },
      )
    default:
      return cause
  }
}
