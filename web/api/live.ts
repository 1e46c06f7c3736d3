// The live connection: frames of the gateway as they come, opened again whenever it breaks.
import type { Item, Job, Thread, Waiting } from './wire.ts'

const firstWaitMs = 300
const maxWaitMs = 10_000
const beatMs = 20_000
/** Nothing for so long, not even an answer to a beat: the connection is dead, whatever the browser thinks. */
const silentMs = 45_000
const signedOutCode = 4401
const brokenCode = 1006

/** A piece of text of an item that is being written. */
type Place = { readonly thread_id: string; readonly turn_id: string; readonly item_id: string }

/** How a turn stands. */
export type TurnState = Pick<Job, 'id' | 'thread_id' | 'status' | 'error'>

export type Frame =
  | { readonly type: 'ready'; readonly waiting: number }
  | { readonly type: 'item'; readonly thread_id: string; readonly seq: number; readonly item: Item }
  | ({ readonly type: 'delta'; readonly offset: number; readonly text: string } & Place)
  | ({ readonly type: 'snapshot'; readonly text: string } & Place)
  | ({ readonly type: 'turn' } & TurnState)
  | ({ readonly type: 'thread' } & Thread)
  | { readonly type: 'thread'; readonly id: string; readonly removed: true }
  | ({ readonly type: 'gate' } & Waiting)
  | { readonly type: 'gate'; readonly id: string; readonly thread_id: string; readonly closed: true }
  | { readonly type: 'reload' }
  | { readonly type: 'pong' }
  | { readonly type: 'error'; readonly code: string; readonly message: string }

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

  function send(frame: object): void {
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
