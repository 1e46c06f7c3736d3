// One WebSocket connection: ordered JSON frames both ways. A client that does not read is dropped.
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { pace } from '#lib/pace.ts'
import { readJson } from './json-reader.ts'

/** Senders wait while more than this is unread. */
const highWaterBytes = 256 * 1024
/** A client with more unread than this is dropped; the large frame that it gets is not counted. It can connect again. */
const maxUnreadBytes = 2 * 1024 * 1024
const windowMs = 10_000

/** Codes of 4000 and above are the service's own. */
export const closeCodes = {
  goingAway: 1001,
  tryAgain: 1013,
  signedOut: 4401,
  slowReader: 4408,
  tooMany: 4429,
} as const

/** A frame as the bytes that are sent: made once for several connections. */
export type EncodedFrame = Buffer

export type Connection = {
  /** Sends frames in one write. */
  send(...frames: readonly object[]): void
  sendEncoded(frames: readonly EncodedFrame[]): void
  /** Sends a frame of any size, of which there is one at a time. Resolves once most of it is read, or the connection is gone. */
  sendLarge(frame: EncodedFrame): Promise<void>
  /**
   * Resolves to true once most of what was sent is read, to false once the connection has closed or the client has
   * stopped reading. Every sender must call it, even without awaiting it: only this call detects a stalled client.
   */
  drained(): Promise<boolean>
  close(code: number, reason: string): void
  /** Aborts when the connection has ended on either side. */
  readonly gone: AbortSignal
}

/** A frame of a client. */
export type IncomingFrame = {
  readonly bytes: number
  /** Parses it; undefined when it is binary. Rejects with invalid_input when it is not JSON, or too much of it. */
  read(): Promise<unknown>
}

/** A door's side of one connection. */
export type Handler = {
  /** Called with one frame at a time: the next call waits until this has resolved. It must not reject. */
  frame(frame: IncomingFrame): Promise<void>
  /** During shutdown: true when the connection may be closed at once. */
  canClose(): boolean
}

type Parts = {
  readonly ws: WebSocket
  readonly socket: Socket
  readonly stallMs: number
  readonly maxUnreadBytes?: number
}

export function createConnection({
  ws,
  socket,
  stallMs,
  maxUnreadBytes: maxUnread = maxUnreadBytes,
}: Parts): Connection {
  const gone = new AbortController()
  const closed = new Promise<void>((resolve) => {
    ws.once('close', () => {
      gone.abort()
      resolve()
    })
  })
  /** Bytes of the large frame that is not read yet. */
  let large = 0
  // ws closes the connection itself after a malformed frame.
  ws.on('error', () => {})

  function close(code: number, reason: string): void {
    ws.close(code, reason)
  }

  /** Concurrent callers share one wait: a second one would restart the socket's timeout. */
  let draining: Promise<boolean> | undefined
  async function drain(): Promise<boolean> {
    while (ws.readyState === ws.OPEN && ws.bufferedAmount > highWaterBytes) {
      if ((await drainOrTimeout(socket, gone.signal, stallMs)) !== 'timeout') continue
      close(closeCodes.slowReader, 'slow_reader: nothing was read for a while; connect and subscribe again')
    }
    return ws.readyState === ws.OPEN
  }

  function write<T>(frames: readonly T[], writeOne: (frame: T) => void): void {
    if (ws.readyState !== ws.OPEN) return
    if (ws.bufferedAmount - large > maxUnread) {
      return close(closeCodes.slowReader, 'slow_reader: too much is unread; connect and subscribe again')
    }
    socket.cork()
    for (const frame of frames) writeOne(frame)
    socket.uncork()
  }

  const drained = (): Promise<boolean> => (draining ??= drain().finally(() => (draining = undefined)))
  const sendEncoded = (frames: readonly EncodedFrame[]): void =>
    write(frames, (frame) => ws.send(frame, { binary: false }))

  return {
    gone: gone.signal,
    close,
    send: (...frames) => write(frames, (frame) => ws.send(JSON.stringify(frame))),
    sendEncoded,
    async sendLarge(frame) {
      sendEncoded([frame])
      large += frame.length
      // What a connection has not sent stays in memory until it is gone, also after its close frame.
      if (!(await drained())) await closed
      large -= frame.length
    },
    drained,
  }
}

export function encodeFrame(frame: object): EncodedFrame {
  return Buffer.from(JSON.stringify(frame))
}

/**
 * Resolves with what happens first: the buffer is empty, nothing has left it for a while, or the connection ended. On a
 * timeout the socket checks whether data has left its buffer since the last check, so it takes two checks to tell.
 */
function drainOrTimeout(socket: Socket, gone: AbortSignal, withinMs: number): Promise<'drain' | 'timeout' | 'gone'> {
  return new Promise((resolve) => {
    const [drain, timeout, end] = [(): void => over('drain'), (): void => over('timeout'), (): void => over('gone')]
    function over(how: 'drain' | 'timeout' | 'gone'): void {
      socket.off('drain', drain).off('timeout', timeout).setTimeout(0)
      gone.removeEventListener('abort', end)
      resolve(how)
    }
    socket.on('drain', drain).on('timeout', timeout)
    socket.setTimeout(withinMs / 2)
    gone.addEventListener('abort', end)
    if (gone.aborted) end()
  })
}

export type FrameParts = {
  readonly ws: WebSocket
  readonly connection: Connection
  readonly handler: Handler
  /** Frames that the client may send in 10 seconds. 0 means no limit. */
  readonly maxFrames: number
}

/** Passes a client's frames to the handler, one at a time. Reading is paused meanwhile: large frames wait at their sender. */
export function readFrames({ ws, connection, handler, maxFrames }: FrameParts): void {
  /** The frame that is answered, and those that came with it. In a chain of promises an error walks all of it for its stack. */
  const came: IncomingFrame[] = []
  let waiting = 0
  let windowStart = 0
  let inWindow = 0
  const hold = (): void => {
    if (waiting++ === 0) ws.pause()
  }
  const release = (): void => {
    if (--waiting === 0) ws.resume()
  }
  answerPings(ws, { hold, release })
  ws.on('message', (data: Buffer, isBinary: boolean) => {
    const now = performance.now()
    if (now - windowStart > windowMs) [windowStart, inWindow] = [now, 0]
    if (maxFrames > 0 && ++inWindow > maxFrames) {
      connection.close(closeCodes.tooMany, `rate_limited: at most ${maxFrames} frames in ${windowMs / 1000} s`)
      return
    }
    if (connection.gone.aborted || ws.readyState !== ws.OPEN) return
    const read = async (): Promise<unknown> => (isBinary ? undefined : readJson(data, { what: 'frame' }))
    if (came.push({ bytes: data.length, read }) === 1) void answerAll()
  })
  async function answerAll(): Promise<void> {
    hold()
    for (let [frame] = came; frame; [frame] = came) {
      // The frames of many connections may come at once, and most are answered without waiting for anything.
      await pace()
      if (ws.readyState === ws.OPEN) await handler.frame(frame)
      came.shift()
    }
    release()
  }
}

/**
 * Pings that arrive together get one pong, for the last of them (RFC 6455, 5.5.3), and none while too much is unread: a
 * flood of pings would fill the memory with answers. Reading is paused until then, so that others have their turn. It
 * replaces the pongs of ws, which the server switches off.
 */
function answerPings(
  ws: WebSocket,
  { hold, release }: { readonly hold: () => void; readonly release: () => void },
): void {
  let last: Buffer | undefined
  ws.on('ping', (data: Buffer) => {
    if (last === undefined) {
      hold()
      setImmediate(answer)
    }
    last = data
  })
  function answer(): void {
    if (ws.readyState === ws.OPEN && ws.bufferedAmount <= highWaterBytes) ws.pong(last)
    last = undefined
    release()
  }
}
