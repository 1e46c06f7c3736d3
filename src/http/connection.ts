// One WebSocket: frames of JSON both ways, in order; a reader that does not read is dropped.
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { valueIn } from '#core/json.ts'

/** With more than this unread, whoever sends waits. */
const highWater = 256 * 1024
/** Frames of a client in a span of time: more than any page has reason to send. */
const maxFrames = 200
const spanMs = 10_000

/** Why a connection was closed; those of 4000 and above are ours. */
export const closeCodes = {
  goingAway: 1001,
  tryAgain: 1013,
  signedOut: 4401,
  refused: 4403,
  slowReader: 4408,
  tooMany: 4429,
} as const

export type Connection = {
  /** Sends frames in one write. */
  send(...frames: readonly object[]): void
  /**
   * Waits until what was sent is nearly read; false once the connection is gone, or its reader does not read. Whoever sends
   * asks, even without waiting for it: that is how a reader who does not read is noticed.
   */
  drained(): Promise<boolean>
  close(code: number, reason: string): void
  /** Aborts when the connection has ended, whoever ended it. */
  readonly gone: AbortSignal
}

/** What a door does with a connection. */
export type Handler = {
  /** Frames come one after the other: the next is not handed over before this has resolved. It must not reject. */
  frame(value: unknown): Promise<void>
  /** The service goes down: true when the connection may be closed at once. */
  mayLeave(): boolean
}

type Parts = { readonly ws: WebSocket; readonly socket: Socket; readonly stallMs: number }

export function createConnection({ ws, socket, stallMs }: Parts): Connection {
  const gone = new AbortController()
  ws.once('close', () => gone.abort())
  // What is wrong with a frame ends the connection by itself.
  ws.on('error', () => {})

  function close(code: number, reason: string): void {
    ws.close(code, reason)
  }

  /** All who wait do so together: each wait of its own would begin the time of the others anew. */
  let draining: Promise<boolean> | undefined
  async function drain(): Promise<boolean> {
    while (ws.readyState === ws.OPEN && ws.bufferedAmount > highWater) {
      if ((await left(socket, gone.signal, stallMs)) !== 'timeout') continue
      close(closeCodes.slowReader, 'slow_reader: nothing was read for a while; come back and subscribe again')
    }
    return ws.readyState === ws.OPEN
  }

  return {
    gone: gone.signal,
    close,
    send(...frames) {
      if (ws.readyState !== ws.OPEN) return
      socket.cork()
      for (const frame of frames) ws.send(JSON.stringify(frame))
      socket.uncork()
    },
    drained: () => (draining ??= drain().finally(() => (draining = undefined))),
  }
}

/**
 * What comes first: all has left, nothing did for a while, or the connection ended. A socket that times out looks whether
 * something has left its buffer since it looked last, so it takes two looks to tell.
 */
function left(socket: Socket, gone: AbortSignal, withinMs: number): Promise<'drain' | 'timeout' | 'gone'> {
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

/**
 * Hands a client's frames over, one after the other; meanwhile nothing is read, so that frames of megabytes wait with their
 * sender. What is no JSON is handed over as undefined.
 */
export function readFrames(ws: WebSocket, connection: Connection, handler: Handler): void {
  let last = Promise.resolve()
  let waiting = 0
  let spanAt = 0
  let inSpan = 0
  ws.on('message', (data: Buffer, isBinary: boolean) => {
    const now = performance.now()
    if (now - spanAt > spanMs) [spanAt, inSpan] = [now, 0]
    if (++inSpan > maxFrames) {
      connection.close(closeCodes.tooMany, `rate_limited: at most ${maxFrames} frames in ${spanMs / 1000} s`)
      return
    }
    if (connection.gone.aborted || ws.readyState !== ws.OPEN) return
    const value = isBinary ? undefined : valueIn(data.toString('utf8'))
    if (waiting++ === 0) ws.pause()
    last = last
      .then(() => handler.frame(value))
      .finally(() => {
        if (--waiting === 0) ws.resume()
      })
  })
}
