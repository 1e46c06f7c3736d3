// The WebSocket to the gateway: hands on its frames and reconnects whenever it breaks.
import type { ClientFrame, Frame } from '#doors/web/wire/frame.ts'

const firstWaitMs = 300
const maxWaitMs = 10_000
const heartbeatMs = 20_000
/** After a ping and this long without a frame, not even a pong, the connection counts as dead. */
const maxSilenceMs = 10_000
const signedOutCode = 4401
const slowReaderCode = 4408
const brokenCode = 1006

export type Live = {
  /** Asks for the frames of a thread after a seq. */
  subscribe(threadId: string, after: number): void
  unsubscribe(threadId: string): void
  close(): void
}

type Listener = {
  readonly frame: (frame: Frame) => void
  /** Connected, also after a break: subscriptions must be sent again. */
  readonly up: () => void
  /** The connection broke; `fellBehind` when the gateway dropped it because the page did not read. */
  readonly down: (fellBehind: boolean) => void
  /** The session may have ended: the caller must check over HTTP. */
  readonly signedOut: () => void
}

/** Opens the connection and keeps it open until `close`. */
export function openLive(listener: Listener): Live {
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let waitMs = firstWaitMs
  let closed = false

  function connect(): void {
    clearTimeout(timer)
    const current = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/chat/ws`)
    socket = current
    current.addEventListener('message', ({ data }) => {
      if (socket !== current) return
      endSilence()
      const frame = JSON.parse(String(data)) as Frame
      if (frame.type === 'ready') {
        waitMs = firstWaitMs
        listener.up()
      }
      listener.frame(frame)
    })
    current.addEventListener('close', ({ code }) => {
      if (socket !== current) return
      retryLater(code === slowReaderCode)
      // A refused upgrade has no code of its own: an HTTP request finds out why.
      if (code === signedOutCode || code === brokenCode) listener.signedOut()
    })
  }

  function retryLater(fellBehind = false): void {
    endSilence()
    socket = undefined
    if (closed) return
    listener.down(fellBehind)
    timer = setTimeout(connect, waitMs * (0.75 + Math.random() / 2))
    waitMs = Math.min(waitMs * 2, maxWaitMs)
  }

  function send(frame: ClientFrame): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }

  /** Asks for a sign of life: a connection that broke while the device slept does not tell. */
  function check(): void {
    if (!socket) return
    send({ type: 'ping' })
    silence ??= setTimeout(dropAndRetry, maxSilenceMs)
  }

  function endSilence(): void {
    clearTimeout(silence)
    silence = undefined
  }

  function drop(): void {
    endSilence()
    const old = socket
    socket = undefined
    old?.close()
  }

  function reconnectNow(): void {
    if (closed) return
    if (socket?.readyState === WebSocket.OPEN) return check()
    waitMs = firstWaitMs
    drop()
    connect()
  }

  function dropAndRetry(): void {
    drop()
    clearTimeout(timer)
    retryLater()
  }

  const heartbeat = setInterval(check, heartbeatMs)
  document.addEventListener('visibilitychange', check)
  addEventListener('online', reconnectNow)
  addEventListener('offline', dropAndRetry)
  connect()
  return {
    subscribe: (threadId, after) => send({ type: 'subscribe', thread_id: threadId, after }),
    unsubscribe: (threadId) => send({ type: 'unsubscribe', thread_id: threadId }),
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(heartbeat)
      removeEventListener('online', reconnectNow)
      removeEventListener('offline', dropAndRetry)
      document.removeEventListener('visibilitychange', check)
      drop()
    },
  }
}
