// The live connection: frames of the gateway as they come, opened again whenever it breaks.
import type { ClientFrame, Frame } from '#doors/web/wire/frame.ts'

const firstWaitMs = 300
const maxWaitMs = 10_000
const beatMs = 20_000
/** Nothing for so long, not even an answer to a beat: the connection is dead, whatever the browser thinks. */
const silentMs = 45_000
const signedOutCode = 4401
const brokenCode = 1006

export type Live = {
  /** Follows a thread from after a seq. */
  subscribe(threadId: string, after: number): void
  unsubscribe(threadId: string): void
  close(): void
}

type Listener = {
  readonly frame: (frame: Frame) => void
  /** The connection stands: whatever is followed must be named again. */
  readonly up: () => void
  readonly down: () => void
  /** The gateway no longer knows who this is. */
  readonly signedOut: () => void
}

/** Opens the connection and keeps it open until closed. */
export function openLive(listener: Listener): Live {
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let beat: ReturnType<typeof setInterval> | undefined
  let waitMs = firstWaitMs
  let heardAt = 0
  let closed = false

  function connect(): void {
    clearTimeout(timer)
    const mine = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/chat/ws`)
    socket = mine
    heardAt = Date.now()
    mine.addEventListener('message', ({ data }) => {
      if (socket !== mine) return
      heardAt = Date.now()
      const frame = JSON.parse(String(data)) as Frame
      if (frame.type === 'ready') {
        waitMs = firstWaitMs
        listener.up()
      }
      listener.frame(frame)
    })
    mine.addEventListener('close', ({ code }) => {
      if (socket !== mine) return
      lost()
      // A refused upgrade tells no code: whoever is asked over HTTP says why.
      if (code === signedOutCode || code === brokenCode) listener.signedOut()
    })
  }

  function lost(): void {
    socket = undefined
    if (closed) return
    listener.down()
    timer = setTimeout(connect, waitMs * (0.75 + Math.random() / 2))
    waitMs = Math.min(waitMs * 2, maxWaitMs)
  }

  function send(frame: ClientFrame): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }

  function drop(): void {
    const old = socket
    socket = undefined
    old?.close()
  }

  function again(): void {
    if (closed || socket?.readyState === WebSocket.OPEN) return
    waitMs = firstWaitMs
    drop()
    connect()
  }

  function gone(): void {
    drop()
    clearTimeout(timer)
    lost()
  }

  beat = setInterval(() => {
    if (socket && Date.now() - heardAt > silentMs) gone()
    else send({ type: 'ping' })
  }, beatMs)
  addEventListener('online', again)
  addEventListener('offline', gone)
  connect()
  return {
    subscribe: (threadId, after) => send({ type: 'subscribe', thread_id: threadId, after }),
    unsubscribe: (threadId) => send({ type: 'unsubscribe', thread_id: threadId }),
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(beat)
      removeEventListener('online', again)
      removeEventListener('offline', gone)
      drop()
    },
  }
}
