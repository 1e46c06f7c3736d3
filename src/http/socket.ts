// WebSockets of the gateway: who may open one, how many, and whether anybody is still there.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket, WebSocketServer } from 'ws'
import { isObject } from '#core/json.ts'
import type { Log } from '#lib/log.ts'
import { type Authenticate, type Credential, credentialOf, refusalTexts } from './auth.ts'
import type { Caller } from './caller.ts'
import { type Connection, closeCodes, createConnection, type Handler, readFrames } from './connection.ts'
import type { Origins } from './origin.ts'
import { pathOf } from './reply.ts'

/** A message of a mebibyte may grow sixfold on its way into JSON. */
const maxFrameBytes = 7 * 1024 * 1024
/** Connections of one user at this process. */
const maxOfUser = 100
/** Bytes of frames that one user has begun and not ended, over all connections. */
const maxUnfinished = 64 * 1024 * 1024
/** Connections that have not said yet who they are, and what one of them may send: a token, and what comes right behind. */
const maxStrangers = 100
const strangerBytes = 128 * 1024
/** How often it is looked, while the service goes down, which connections wait for nothing any more. */
const sweepMs = 50
/** What a connection has at the end to say its farewell. */
const lastWordMs = 200

export type SocketTimes = {
  /** Within this a connection without a token says who it is. */
  readonly authMs: number
  /** How often it is looked whether somebody is there, and still may be. */
  readonly beatMs: number
  /** A reader that takes nothing for this long is dropped. */
  readonly stallMs: number
}
const defaultTimes: SocketTimes = { authMs: 10_000, beatMs: 25_000, stallMs: 15_000 }

export type SocketParts = {
  readonly authenticate: Authenticate
  readonly origins: Pick<Origins, 'isOurs'>
  readonly log: Log
  readonly times?: Partial<SocketTimes>
}

/** A connection whose caller is known; `recheck` looks whether it may stay, and closes it where it may not. */
export type Accepted = {
  readonly connection: Connection
  readonly caller: Caller
  /** The id of the request that opened it. */
  readonly request: string
  readonly recheck: () => Promise<boolean>
}

export interface Sockets {
  /** What is done with connections at these paths. */
  mount(paths: readonly string[], door: (accepted: Accepted) => Handler): void
  /** Whether a request wants a WebSocket that there is. */
  wants(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>
  /** Takes no more, closes those that wait for nothing, and all of them once the signal fires. */
  close(lastCall: AbortSignal): void
}

type Door = (accepted: Accepted) => Handler
type Open = {
  readonly ws: WebSocket
  readonly connection: Connection
  readonly handler: Handler
  beat(): Promise<void>
}

export function createSockets({ authenticate, origins, log, times }: SocketParts): Sockets {
  const { authMs, beatMs, stallMs } = { ...defaultTimes, ...times }
  const doors = new Map<string, Door>()
  const open = new Set<Open>()
  /** Not yet connections of ours: whoever asks is still looked up. */
  const entering = new Set<Socket>()
  const ofUser = new Map<string, { connections: number; unfinished: number }>()
  let strangers = 0
  let closing = false
  let server: Promise<WebSocketServer> | undefined
  let beating: NodeJS.Timeout | undefined

  /** Counts a caller's connection and hands it to its door; undefined when there are too many. */
  function admit({ ws, socket, connection, door, request }: Wire, caller: Caller, shown: Credential) {
    const held = ofUser.get(caller.user) ?? { connections: 0, unfinished: 0 }
    if (held.connections >= maxOfUser) {
      connection.close(closeCodes.tooMany, `rate_limited: at most ${maxOfUser} connections of one user`)
      return undefined
    }
    ofUser.set(caller.user, held)
    held.connections++
    let unfinished = 0
    const grow = ({ length }: Buffer): void => {
      unfinished += length
      held.unfinished += length
      if (held.unfinished > maxUnfinished)
        connection.close(closeCodes.tooMany, 'rate_limited: end the frames you began')
    }
    const finish = (): void => {
      held.unfinished -= unfinished
      unfinished = 0
    }
    // Before it is read: what ends a frame is not left over from it.
    socket.prependListener('data', grow)
    ws.on('message', finish)
    connection.gone.addEventListener('abort', () => {
      finish()
      if (--held.connections === 0) ofUser.delete(caller.user)
    })
    const recheck = async (idle?: true): Promise<boolean> => {
      const now = await authenticate(shown, idle ? { idle } : {})
      // A person whom an issuer still vouches for, but who was removed here, would come back as somebody else.
      const may = 'status' in now ? now.status === 503 : now.user === caller.user
      if (!may) connection.close(closeCodes.signedOut, 'unauthorized: the session or the token is no longer good')
      return may
    }
    return { handler: door({ connection, caller, request, recheck: () => recheck() }), recheck }
  }

  type Admitted = ReturnType<typeof admit>

  /** Whoever showed nothing says with the first frame who they are; the frames after it wait for that. */
  function introduce(wire: Wire): { handler: Handler; admitted: () => Admitted } {
    const { ws, socket, connection, request } = wire
    let admitted: Admitted
    let judged = false
    const before = socket.bytesRead
    const measure = (): void => {
      if (socket.bytesRead - before > strangerBytes) ws.terminate()
    }
    socket.on('data', measure)
    strangers++
    const late = setTimeout(() => {
      connection.close(closeCodes.signedOut, 'unauthorized: no auth frame came in time')
    }, authMs)
    const known = (): void => {
      clearTimeout(late)
      socket.off('data', measure)
      strangers--
      connection.gone.removeEventListener('abort', known)
    }
    connection.gone.addEventListener('abort', known)
    const handler: Handler = {
      async frame(value) {
        if (admitted) return admitted.handler.frame(value)
        // What came right behind a frame that was refused is nobody's.
        if (judged) return
        judged = true
        const token = isObject(value) && value['type'] === 'auth' ? value['token'] : undefined
        const shown = typeof token === 'string' ? { bearer: token } : undefined
        const caller = await authenticate(shown, { request })
        if (connection.gone.aborted) return
        known()
        if (shown && !('status' in caller)) admitted = admit(wire, caller, shown)
        else if ('status' in caller && caller.status === 503)
          connection.close(closeCodes.tryAgain, 'database_unavailable: come back in a moment')
        else
          connection.close(
            closeCodes.signedOut,
            'unauthorized: the first frame is {"type":"auth","token":…}, with a good one',
          )
      },
      mayLeave: () => admitted?.handler.mayLeave() ?? true,
    }
    return { handler, admitted: () => admitted }
  }

  function begin(wire: Wire, shown: Credential | undefined, caller: Caller | undefined): void {
    const { ws, connection } = wire
    const stranger = caller && shown ? undefined : introduce(wire)
    const known = caller && shown ? admit(wire, caller, shown) : undefined
    const handler = stranger?.handler ?? known?.handler ?? refused
    let heard = true
    ws.on('pong', () => {
      heard = true
    })
    const self: Open = {
      ws,
      connection,
      handler,
      async beat() {
        // While a frame of its own is worked on, nothing is read, and no pong is heard.
        if (!heard && !ws.isPaused) return ws.terminate()
        heard = false
        ws.ping()
        await (stranger ? stranger.admitted() : known)?.recheck(true)
      },
    }
    readFrames(ws, connection, handler)
    open.add(self)
    beating ??= setInterval(() => open.forEach((each) => void each.beat()), beatMs).unref()
    connection.gone.addEventListener('abort', () => {
      open.delete(self)
      if (open.size > 0) return
      clearInterval(beating)
      beating = undefined
    })
  }

  function leave(all: boolean): void {
    for (const { connection, handler } of open) {
      if (all || handler.mayLeave()) connection.close(closeCodes.goingAway, 'shutting_down: come back in a moment')
    }
  }

  return {
    mount(paths, door) {
      for (const path of paths) doors.set(path, door)
    },
    wants: ({ method, url = '', headers }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && doors.has(pathOf(url)),
    async upgrade(request, socket, head) {
      const note = noteOf(request, log)
      const refuse = (status: keyof typeof refusals, text?: string): void =>
        refuseUpgrade(socket, note(status), status, text)
      socket.on('error', () => socket.destroy())
      entering.add(socket)
      socket.once('close', () => entering.delete(socket))
      const door = doors.get(pathOf(request.url ?? ''))
      if (closing || !door) return refuse(503, goingDown)
      const shown = credentialOf(request)
      if (!shown && request.headers.authorization !== undefined) return refuse(401)
      if (shown && 'cookie' in shown && !origins.isOurs(request)) return refuse(403)
      const id = String(request.headers['x-request-id'])
      const caller = shown && (await authenticate(shown, { request: id }))
      if (caller && 'status' in caller) return refuse(caller.status)
      server ??= loadServer()
      const loaded = await server
      if (socket.destroyed) return
      if (closing) return refuse(503, goingDown)
      if (!shown && strangers >= maxStrangers) return refuse(503, 'too many connections have not said who they are')
      entering.delete(socket)
      // Told before the call below returns, or not at all.
      const broken = ({ message }: Error): void => refuse(400, message)
      loaded.once('wsClientError', broken)
      loaded.handleUpgrade(request, socket, head, (ws) => {
        ws.once('close', () => note(101))
        const connection = createConnection({ ws, socket, stallMs })
        begin({ ws, socket, connection, door, request: id }, shown, caller)
      })
      loaded.off('wsClientError', broken)
    },
    close(lastCall) {
      closing = true
      leave(false)
      const sweep = setInterval(() => leave(false), sweepMs)
      sweep.unref()
      lastCall.addEventListener('abort', () => {
        clearInterval(sweep)
        leave(true)
        entering.forEach((socket) => socket.destroy())
        setTimeout(() => open.forEach(({ ws }) => ws.terminate()), lastWordMs).unref()
      })
    },
  }
}

const goingDown = 'the service is going down: try again'

/** It is being closed already. */
const refused: Handler = { frame: () => Promise.resolve(), mayLeave: () => true }

type Wire = {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly connection: Connection
  readonly door: Door
  /** The id of the request. */
  readonly request: string
}

/** Loaded with the first connection. Not compressed: that would cost each of them hundreds of kilobytes. */
async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false })
  server.on('headers', (headers: string[], request: IncomingMessage) => {
    headers.push(`X-Request-Id: ${String(request.headers['x-request-id'])}`)
  })
  return server
}

/** Gives the request its id; what is returned writes its line in the log. */
function noteOf(request: IncomingMessage, log: Log): (status: number) => string {
  const id = randomUUID()
  const at = performance.now()
  request.headers['x-request-id'] = id
  return (status) => {
    const path = pathOf(request.url ?? '')
    const ms = Math.round(performance.now() - at)
    log.info({ request: id, door: 'gateway', method: 'GET', path, status, ms }, 'request')
    return id
  }
}

const refusals = {
  400: ['Bad Request', 'Sec-WebSocket-Version: 13\r\n'],
  401: ['Unauthorized', 'WWW-Authenticate: Bearer\r\n'],
  403: ['Forbidden', ''],
  503: ['Service Unavailable', 'Retry-After: 5\r\n'],
} as const
const texts = { 400: 'this is no opening of a WebSocket', ...refusalTexts } as const

function refuseUpgrade(socket: Socket, id: string, status: keyof typeof refusals, text: string = texts[status]): void {
  const [reason, more] = refusals[status]
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nX-Request-Id: ${id}\r\nCache-Control: no-store\r\n` +
      `${more}Connection: close\r\n\r\n${text}`,
    () => socket.destroy(),
  )
}
