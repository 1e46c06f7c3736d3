// Writing Server-Sent Events: keepalives, batching, and a limit on unread data.
import type { FastifyReply } from 'fastify'
import { pace } from '#lib/pace.ts'
import { unreadMs } from './in-flight.ts'

const keepaliveMs = 15_000
/** A client with more unread data than this is dropped. It can connect again and replay. */
const maxUnreadBytes = 1024 * 1024
/** Writes of `send` are at least this far apart: quick tokens share one. The beginning of a stream waits so long for the first. */
const windowMs = 15

/** JSON.stringify is quicker for a longer text. */
const maxTokenChars = 100
const needsEscape = /[^ !#-[\]-~]/

const lastChunk = '0\r\n\r\n'

const defaultTimes = { keepaliveMs, unreadMs }

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
}

export interface EventWriter {
  /** The first events. They leave with those that follow, or by themselves after a few milliseconds. */
  begin(events: string): void
  /** Writes at once after a pause, otherwise together with the events of the next few milliseconds. */
  send(events: string): void
  /** Writes the last events and closes the stream. */
  end(events: string): void
  /** Writes a long text, of which the next piece is made when the client has read most of those before. Await it. */
  sendInPieces(pieces: Iterable<string>): Promise<void>
  /** Cuts the connection, so that the client sees that the stream is incomplete. */
  drop(): void
}

/** JSON with Unicode line separators escaped: some clients would split an event at one. Most tokens need no escape. */
export function eventJson(value: unknown): string {
  const plain = typeof value === 'string' && value.length <= maxTokenChars && !needsEscape.test(value)
  return plain ? `"${value}"` : escapeLineEnds(JSON.stringify(value))
}

export function escapeLineEnds(text: string): string {
  // A search for one letter is much quicker than a pattern, and nearly every text has none of them.
  if (!text.includes('\u0085') && !text.includes('\u2028') && !text.includes('\u2029')) return text
  return text.replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Takes over the reply. `onClose` is called once, when the connection ends on either side. */
export function openEvents(reply: FastifyReply, onClose: () => void, times = defaultTimes): EventWriter {
  const { raw } = reply
  let waiting = ''
  let sentAt = Number.NEGATIVE_INFINITY
  let due: NodeJS.Timeout | undefined
  let beginning: NodeJS.Timeout | undefined
  let gone = false
  /** A comment would break up an event. */
  let isWithinEvent = false
  let readAt = performance.now()
  reply.hijack()
  reply.request.releaseAnswerSlot?.()
  raw.on('error', drop)
  raw.once('close', close)
  // Headers that the gateway has set are on the raw answer, not on Fastify's reply.
  raw.writeHead(200, headers)
  const isChunked = raw.chunkedEncoding
  raw.chunkedEncoding = false
  raw.on('drain', () => {
    readAt = performance.now()
    noteUnread()
  })
  const keepalive = setInterval(checkReader, times.keepaliveMs)
  keepalive.unref()
  // The client may have left before the stream began.
  if (raw.destroyed) close()

  /** Drops a stream with a full buffer of which nothing was read for `unreadMs`; sends a keepalive to any other that may go on. */
  function checkReader(): void {
    if (!raw.writableNeedDrain) readAt = performance.now()
    if (performance.now() - readAt > times.unreadMs) drop()
    else if (!isWithinEvent) write(': keepalive\n\n')
    void checkAccess()
  }

  /** A stream ends with its token or session. */
  async function checkAccess(): Promise<void> {
    if (!gone && (await reply.request.isStillAllowed?.()) === false) drop()
  }

  function write(text: string): void {
    if (gone || text === '') return
    if (raw.writableLength > maxUnreadBytes) return drop()
    const { socket } = raw
    // It leaves at once. By itself Node would cork the socket until the next tick.
    socket?.cork()
    raw.write(framed(text))
    socket?.uncork()
    if (raw.writableNeedDrain) noteUnread()
  }

  /** The text as HTTP sends it: in one piece, where Node writes the parts of a chunk one after another. */
  function framed(text: string): string {
    return isChunked && text !== '' ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text
  }

  function noteUnread(): void {
    reply.request.noteUnread?.(raw, gone ? 0 : raw.writableLength)
  }

  function flush(): void {
    sentAt = performance.now()
    write(taken())
  }

  /** Takes the text that waits for its write; the caller writes it now. */
  function taken(): string {
    const text = waiting
    waiting = ''
    clearTimeout(due)
    clearTimeout(beginning)
    due = undefined
    return text
  }

  function close(): void {
    if (gone) return
    gone = true
    clearInterval(keepalive)
    noteUnread()
    taken()
    onClose()
  }

  function drop(): void {
    // The client can find its turn again by the beginning.
    write(taken())
    raw.destroy()
    close()
  }

  function end(events: string): void {
    if (gone) return
    clearInterval(keepalive)
    raw.setTimeout(times.unreadMs)
    raw.end(framed(taken() + events) + (isChunked ? lastChunk : ''))
    if (raw.writableLength > 0) noteUnread()
  }

  /** Resolves once the buffer is empty or the connection has ended. */
  function drained(): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        raw.off('drain', over).off('close', over)
        resolve()
      }
      raw.on('drain', over).on('close', over)
    })
  }

  return {
    begin(events) {
      if (gone) return
      waiting = events
      beginning = setTimeout(() => write(taken()), windowMs)
    },
    send(events) {
      if (events === '' || gone) return
      waiting += events
      if (due) return
      const restMs = sentAt + windowMs - performance.now()
      if (restMs > 0) due = setTimeout(flush, restMs)
      else flush()
    },
    end,
    async sendInPieces(pieces) {
      isWithinEvent = true
      const countNoMore = reply.request.countLongAnswer?.(raw)
      write(taken())
      for (const piece of pieces) {
        if (gone) return
        if (piece !== '' && !raw.write(framed(piece))) await drained()
        await pace()
      }
      isWithinEvent = false
      countNoMore?.()
    },
    drop,
  }
}
