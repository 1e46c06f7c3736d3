// WebSockets of the gateway: authentication, limits per user, heartbeats and shutdown.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import { isObject } from '#core/json.ts'
import { AppError } from '#core/errors.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import { type Authenticate, type Credential, credentialOf } from './auth.ts'
import type { Caller } from './caller.ts'
import { type Connection, closeCodes, createConnection, type Handler, readFrames } from './connection.ts'
import { hostFault } from './host.ts'
import type { Origins } from './origin.ts'
import { pathOf } from './reply.ts'
import { createSocketQuota } from './socket-quota.ts'
import { type Refusal, refuseUpgrade, startRequestLog } from './upgrade.ts'

/** A message of 1 MiB may grow sixfold when it is escaped as JSON. */
const maxFrameBytes = 7 * 1024 * 1024
/** Connections that have not authenticated yet, and bytes that each may send: a token and the frames right after it. */
const maxAnonymous = 100
const maxAnonymousBytes = 128 * 1024
/** How often connections with nothing to wait for are closed during shutdown. */
const sweepMs = 50
/** How long connections get at the end of shutdown for the closing handshake. */
const closeHandshakeMs = 200

export type SocketBounds = {
  /** Deadline for the auth frame of a connection that was opened without a credential. */
  readonly authMs: number
  /** How often each connection is pinged and its credential checked again. */
  readonly beatMs: number
  /** A client that reads nothing for this long is dropped. */
  readonly stallMs: number
  /** Bytes of unfinished frames per user, over all connections. */
  readonly maxUnfinishedBytes: number
}
export const defaultBounds: SocketBounds = {
  authMs: 10_000,
  beatMs: 25_000,
  stallMs: 15_000,
  maxUnfinishedBytes: 64 * 1024 * 1024,
}

export type SocketParts = {
  readonly authenticate: Authenticate
  readonly origins: Pick<Origins, 'isAllowed'>
  readonly log: Log
  /** The chat rate: messages per user in 60 seconds. The limits of frames follow it. 0 means no limit. */
  readonly chatsPerMinute: number
  readonly bounds?: Partial<SocketBounds>
}

/** An authenticated connection. `recheck` checks its credential again, and closes it when that is no longer valid. */
export type Accepted = {
  readonly connection: Connection
  readonly caller: Caller
  /** The id of the request that opened it. */
  readonly request: string
  readonly recheck: () => Promise<boolean>
}

export interface Sockets {
  /** Sets the door of connections at these paths; each connection asks for it. */
  mount(paths: readonly string[], load: () => Promise<SocketDoor>): void
  /** True for a WebSocket request to a mounted path. */
  accepts(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
  /** Refuses new connections, closes those with nothing to wait for, and all others once the signal aborts. */
  close(lastCall: AbortSignal): void
}

/** Handles each accepted connection. */
export type SocketDoor = (accepted: Accepted) => Handler

type Open = {
  readonly ws: WebSocket
  readonly connection: Connection
  readonly handler: Handler
  beat(): Promise<void>
}

/** Frames of a connection in 10 seconds, and large frames of a user in 60: more than the chat rate allows. */
export function frameLimitsOf(chatsPerMinute: number): { maxFrames: number; maxLargeFrames: number } {
  if (chatsPerMinute === 0) return { maxFrames: 0, maxLargeFrames: 0 }
  return { maxFrames: Math.max(200, 2 * chatsPerMinute), maxLargeFrames: Math.max(60, 2 * chatsPerMinute) }
}

export function createSockets(parts: SocketParts): Sockets {
  const { authenticate, origins, log, chatsPerMinute, bounds } = parts
  const { authMs, beatMs, stallMs, maxUnfinishedBytes } = { ...defaultBounds, ...bounds }
  const doors = new Map<string, () => Promise<SocketDoor>>()
  const open = new Set<Open>()
  /** Sockets whose upgrade is not finished yet, because authentication is pending. */
  const upgrading = new Set<Socket>()
  const { maxFrames, maxLargeFrames } = frameLimitsOf(chatsPerMinute)
  const quota = createSocketQuota({ maxLargeFrames, maxUnfinishedBytes })
  let anonymous = 0
  let closing = false
  const openServer = loadOnce(loadServer)
  let beating: NodeJS.Timeout | undefined

  /** Counts a caller's connection and passes it to its door; undefined when there are too many. */
  function admit(wire: Wire, caller: Caller, credential: Credential) {
    if (!quota.take(wire, caller)) return undefined
    const { connection, door, request } = wire
    const recheck = async (idle?: true): Promise<boolean> => {
      const now = await authenticate(credential, idle ? { idle } : {})
      // A user who was removed here but still has a valid JWT would be enrolled again, under another user id.
      const valid = 'status' in now ? now.status === 503 : now.user === caller.user
      if (!valid) connection.close(closeCodes.signedOut, 'unauthorized: the session or token is no longer valid')
      return valid
    }
    return { handler: door({ connection, caller, request, recheck: () => recheck() }), recheck }
  }

  type Admitted = ReturnType<typeof admit>

  /** Authenticates by the first frame a connection that was opened without a credential. Later frames wait for that. */
  function authenticateByFrame(wire: Wire): { handler: Handler; admitted: () => Admitted } {
    const { ws, socket, connection, request } = wire
    let admitted: Admitted
    let decided = false
    const before = socket.bytesRead
    const measure = (): void => {
      if (socket.bytesRead - before > maxAnonymousBytes) ws.terminate()
    }
    socket.on('data', measure)
    anonymous++
    const late = setTimeout(() => {
      connection.close(closeCodes.signedOut, 'unauthorized: no auth frame arrived in time')
    }, authMs)
    const stopWaiting = (): void => {
      clearTimeout(late)
      socket.off('data', measure)
      anonymous--
      connection.gone.removeEventListener('abort', stopWaiting)
    }
    connection.gone.addEventListener('abort', stopWaiting)
    const handler: Handler = {
      async frame(frame) {
        if (admitted) return admitted.handler.frame(frame)
        // Frames right after a refused auth frame are ignored.
        if (decided) return
        decided = true
        const value = await frame.read().catch(() => undefined)
        const token = isObject(value) && value['type'] === 'auth' ? value['token'] : undefined
        const credential = typeof token === 'string' ? { bearer: token } : undefined
        const caller = await authenticate(credential, { request })
        if (connection.gone.aborted) return
        stopWaiting()
        if (credential && !('status' in caller)) admitted = admit(wire, caller, credential)
        else if ('status' in caller && caller.status === 503)
          connection.close(closeCodes.tryAgain, 'database_unavailable: try again in a moment')
        else
          connection.close(
            closeCodes.signedOut,
            'unauthorized: send {"type":"auth","token":…} with a valid token as the first frame',
          )
      },
      canClose: () => admitted?.handler.canClose() ?? true,
    }
    return { handler, admitted: () => admitted }
  }

  function begin(wire: Wire, credential: Credential | undefined, caller: Caller | undefined): void {
    const { ws, connection } = wire
    const pending = caller && credential ? undefined : authenticateByFrame(wire)
    const known = caller && credential ? admit(wire, caller, credential) : undefined
    const handler = pending?.handler ?? known?.handler ?? refused
    let alive = true
    ws.on('pong', () => {
      alive = true
    })
    const self: Open = {
      ws,
      connection,
      handler,
      async beat() {
        // ws cuts a connection whose close frame is not read for 30 s. Until then the client may still learn the reason.
        if (ws.readyState !== ws.OPEN) return
        // A paused connection is handling a frame. Nothing is read meanwhile, so a pong cannot arrive.
        if (!alive && !ws.isPaused) {
          connection.close(closeCodes.slowReader, 'slow_reader: a ping was not answered; connect and subscribe again')
          return
        }
        alive = false
        ws.ping()
        await (pending ? pending.admitted() : known)?.recheck(true)
      },
    }
    readFrames({ ws, connection, handler, maxFrames })
    open.add(self)
    // After what has arrived is read: the pongs of a time in which this process stood still are among it.
    const beatAll = (): void => open.forEach((each) => void each.beat())
    beating ??= setInterval(() => setImmediate(beatAll), beatMs).unref()
    connection.gone.addEventListener('abort', () => {
      open.delete(self)
      if (open.size > 0) return
      clearInterval(beating)
      beating = undefined
    })
  }

  function closeOpen(all: boolean): void {
    for (const { connection, handler } of open) {
      if (all || handler.canClose()) connection.close(closeCodes.goingAway, 'shutting_down: connect again in a moment')
    }
  }

  return {
    mount(paths, load) {
      for (const path of paths) doors.set(path, load)
    },
    accepts: ({ method, url = '', headers }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && doors.has(pathOf(url)),
    async upgrade(request, socket, head) {
      const logStatus = startRequestLog(request, log)
      const refuse = (refusal: Refusal): void => refuseUpgrade(socket, logStatus(refusal.status), refusal)
      socket.on('error', () => socket.destroy())
      upgrading.add(socket)
      socket.once('close', () => upgrading.delete(socket))
      const load = doors.get(pathOf(request.url ?? ''))
      if (closing || !load) return refuse(goingDown())
      const badHost = hostFault(request)
      if (badHost) return refuse({ status: 400, fault: badHost })
      const credential = credentialOf(request)
      if (!credential && request.headers.authorization !== undefined) return refuse({ status: 401 })
      if (credential && 'cookie' in credential && !origins.isAllowed(request)) return refuse({ status: 403 })
      const id = String(request.headers['x-request-id'])
      const caller = credential && (await authenticate(credential, { request: id }))
      if (caller && 'status' in caller) return refuse(caller)
      const [loaded, door] = await Promise.all([openServer(), load()])
      if (socket.destroyed) return
      if (closing) return refuse(goingDown())
      if (!credential && anonymous >= maxAnonymous) return refuse(tooManyUnauthenticated())
      upgrading.delete(socket)
      // ws emits this before handleUpgrade returns, or not at all.
      const onClientError = ({ message }: Error): void =>
        refuse({ status: 400, fault: new AppError('invalid_input', message) })
      loaded.once('wsClientError', onClientError)
      loaded.handleUpgrade(request, socket, head, (ws) => {
        ws.once('close', () => logStatus(101))
        const connection = createConnection({ ws, socket, stallMs })
        begin({ ws, socket, connection, door, request: id }, credential, caller)
      })
      loaded.off('wsClientError', onClientError)
    },
    close(lastCall) {
      closing = true
      closeOpen(false)
      const sweep = setInterval(() => closeOpen(false), sweepMs)
      sweep.unref()
      lastCall.addEventListener('abort', () => {
        clearInterval(sweep)
        closeOpen(true)
        upgrading.forEach((socket) => socket.destroy())
        setTimeout(() => open.forEach(({ ws }) => ws.terminate()), closeHandshakeMs).unref()
      })
    },
  }
}

function goingDown(): Refusal {
  return { status: 503, fault: new AppError('shutting_down', 'the service is going down: try again') }
}

function tooManyUnauthenticated(): Refusal {
  return { status: 503, fault: new AppError('overloaded', 'too many connections wait for their auth frame') }
}

/** For a connection that `admit` has refused: it is being closed already. */
const refused: Handler = { frame: () => Promise.resolve(), canClose: () => true }

type Wire = {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly connection: Connection
  readonly door: SocketDoor
  /** The request id. */
  readonly request: string
}

/**
 * Loads ws with the first connection. Compression is off: it would cost hundreds of kilobytes per connection. Each
 * connection answers pings itself.
 */
async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    autoPong: false,
  })
  server.on('headers', (headers: string[], request: IncomingMessage) => {
    headers.push(`X-Request-Id: ${String(request.headers['x-request-id'])}`)
  })
  return server
}
