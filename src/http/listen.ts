// Opening the gateway's port, and what can go wrong with it, in words that name the way out.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'

/** Listens, and tells where. Port 0 takes a free one. */
export async function listenOn(
  app: FastifyInstance,
  host: string,
  port: number,
): Promise<{ port: number; url: string }> {
  try {
    // One name, one address: a second listener on ::1 would be one more to close.
    await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
  } catch (error) {
    throw faultOf(error, host, port)
  }
  const address = app.server.address()
  const taken = typeof address === 'object' && address ? address.port : port
  return { port: taken, url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}` }
}

function faultOf(cause: unknown, host: string, port: number): unknown {
  switch ((cause as NodeJS.ErrnoException).code ?? '') {
    case 'EADDRINUSE':
      return new AppError(
        'port_in_use',
        `port ${port} on ${host} is in use: stop what listens there, or set GATEWAY_PORT to a free port`,
        { cause },
      )
    case 'EACCES':
      return new AppError(
        'port_in_use',
        `port ${port} on ${host} may not be opened by this user: set GATEWAY_PORT to a port of 1024 or above`,
        { cause },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new AppError(
        'invalid_config',
        `${host} is no address of this machine: set GATEWAY_HOST, for example to 127.0.0.1`,
        {
          cause,
        },
      )
    default:
      return cause
  }
}
