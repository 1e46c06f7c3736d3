// Writing Server-Sent Events: keepalives, batching, and a limit on unread data.
import type { FastifyReply } from 'fastify'
import { unreadMs } from './in-flight.ts'

const keepaliveMs = 15_000
/** A client with more unread data than this is dropped. It can connect again and replay. */
const maxUnreadBytes = 1024 * 1024
/** Events within this time share one write, as with a stream of tokens. */
const windowMs = 15

const defaultTimes = { keepaliveMs, unreadMs }

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
}

export interface EventWriter {
  /** Writes at once. */
  send(events: string): void
  /** Writes at once after a pause, otherwise together with the events of the next few milliseconds. */
  sendSoon(events: string): void
  /** Writes the last events and closes the stream. */
  end(events: string): void
  /** Cuts the connection, so that the client sees that the stream is incomplete. */
  drop(): void
}

/** Takes over the reply. `onClose` is called once, when the connection ends on either side. */
export function openEvents(reply: FastifyReply, onClose: () => void, times = defaultTimes): EventWriter {
  const { raw } = reply
  let waiting = ''
  let window: NodeJS.Timeout | undefined
  let gone = false
  let readAt = performance.now()
  reply.hijack()
  reply.request.releaseAnswerSlot?.()
  raw.on('error', drop)
  raw.once('close', close)
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers })) {
    if (value !== undefined) raw.setHeader(name, value)
  }
  raw.writeHead(200)
  raw.on('drain', () => {
    readAt = performance.now()
  })
  const keepalive = setInterval(checkReader, times.keepaliveMs)
  keepalive.unref()
  // The client may have left before the stream began.
  if (raw.destroyed) close()

  /** Drops a stream with a full buffer of which nothing was read for `unreadMs`; sends a keepalive to any other. */
  function checkReader(): void {
    if (!raw.writableNeedDrain) readAt = performance.now()
    if (performance.now() - readAt > times.unreadMs) drop()
    else write(': keepalive\n\n')
  }

  function write(text: string): void {
    if (gone || text === '') return
    if (raw.writableLength > maxUnreadBytes) drop()
    else raw.write(text)
  }

  function flush(): void {
    window = undefined
    const text = waiting
    waiting = ''
    if (text === '') return
    write(text)
    window = setTimeout(flush, windowMs)
  }

  function close(): void {
    if (gone) return
    gone = true
    clearInterval(keepalive)
    clearTimeout(window)
    waiting = ''
    onClose()
  }

  function drop(): void {
    raw.destroy()
    close()
  }

  return {
    send: write,
    sendSoon(events) {
      if (events === '' || gone) return
      waiting += events
      if (!window) flush()
    },
    end(events) {
      if (gone) return
      clearTimeout(window)
      clearInterval(keepalive)
      raw.setTimeout(times.unreadMs)
      raw.end(waiting + events)
      waiting = ''
    },
    drop,
  }
}
