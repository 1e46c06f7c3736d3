// Server-Sent Events on an open connection: keepalives, a bound on what a slow reader may hold back, and an end.
import type { FastifyReply } from 'fastify'
import { unreadMs } from './in-flight.ts'

const keepaliveMs = 15_000
/** Beyond this much unread text the reader is dropped; it can come back and replay. */
const maxUnreadBytes = 1024 * 1024
/** Text that follows within this time is written together: trickling tokens share a write. */
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
  /** Writes at once after a silence, else together with what comes within a moment. */
  sendSoon(events: string): void
  /** Writes the last events and closes the stream. */
  end(events: string): void
  /** Cuts the connection: the client sees that the stream is not whole. */
  drop(): void
}

/** Takes over the reply. `onGone` is called once when the connection ends, whoever ended it. */
export function openEvents(reply: FastifyReply, onGone: () => void, times = defaultTimes): EventWriter {
  const { raw } = reply
  let waiting = ''
  let window: NodeJS.Timeout | undefined
  let gone = false
  let readAt = performance.now()
  reply.hijack()
  reply.request.letOthers?.()
  raw.on('error', drop)
  raw.once('close', close)
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers })) {
    if (value !== undefined) raw.setHeader(name, value)
  }
  raw.writeHead(200)
  raw.on('drain', () => {
    readAt = performance.now()
  })
  const keepalive = setInterval(keepUp, times.keepaliveMs)
  keepalive.unref()
  // The client may have left before the stream began.
  if (raw.destroyed) close()

  /** A stream that has piled up and of which nothing was read for a while has no reader. */
  function keepUp(): void {
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
    onGone()
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
