// Listening on a port, with errors that name the setting to change.
import { readFileSync } from 'node:fs'
import type { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'
import { type Log, warnSparingly } from '#lib/log.ts'

/** Connections per listener. Each may hold 16 KiB of unfinished headers, authenticated or not. */
const defaultMaxConnections = 16_384
/** Connections that may wait to be accepted. Further clients retry their SYN after one second, then three. */
const backlog = 4_096

/** Port 0 takes a free one; the result names it. */
export async function listenOn(
  fastify: FastifyInstance,
  host: string,
  port: number,
): Promise<{ port: number; url: string }> {
  try {
    // Fastify would open a second listener on ::1 for localhost.
    await fastify.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port, backlog })
  } catch (error) {
    throw listenFault(error, { host, port, envPrefix: 'GATEWAY' })
  }
  const address = fastify.server.address()
  const actual = typeof address === 'object' && address ? address.port : port
  return { port: actual, url: urlOf(host, actual) }
}

/** Closes new connections while `max` are open. */
export function boundConnections(server: Server, log: Log, max = maxConnections(readLimits())): void {
  const warn = warnSparingly(log)
  let dropped = 0
  server.maxConnections = max
  server.on('drop', () => warn({ open: max, dropped: ++dropped }, 'too many connections: new ones are closed'))
}

/**
 * Each of the two listeners gets a third of the files that the process may open. The last third is for what connections ask
 * for: connections to models, tools, files. With idle connections alone a client could else stop all turns.
 */
export function maxConnections(limits: string): number {
  const files = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity)
  return Math.min(defaultMaxConnections, Math.floor(files / 3))
}

/** The limits of this process as Linux tells them; empty elsewhere. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** `envPrefix` begins the names of the variables that set this host and port. */
type Listener = { readonly host: string; readonly port: number; readonly envPrefix: 'GATEWAY' | 'HTTP' }

/** port_in_use or invalid_config where the operator can fix it; any other cause unchanged. */
export function listenFault(cause: unknown, { host, port, envPrefix }: Listener): unknown {
  const portSetting = envPrefix === 'GATEWAY' ? '--port N or GATEWAY_PORT' : 'HTTP_PORT'
  switch ((cause as NodeJS.ErrnoException).code ?? '') {
    case 'EADDRINUSE':
      return new AppError(
        'port_in_use',
        `port ${port} on ${host} is in use: stop what listens there, or choose a free one with ${portSetting}`,
        { cause },
      )
    case 'EACCES':
      return new AppError(
        'port_in_use',
        `port ${port} on ${host} may not be opened by this user: choose one of 1024 or above with ${portSetting}`,
        { cause },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new AppError(
        'invalid_config',
        `${host} is not an address of this machine: set ${envPrefix}_HOST, for example to 127.0.0.1`,
        { cause },
      )
    case 'EINVAL':
      return new AppError(
        'invalid_config',
        `${host} cannot be listened on: an address of one link needs its interface, as in ${envPrefix}_HOST=fe80::1%eth0; else take another address, for example 127.0.0.1`,
        { cause },
      )
    default:
      return cause
  }
}
