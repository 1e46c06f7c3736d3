// Data of event streams that their clients have not read. It stays in memory until then, so all streams together have a
// bounded amount of it: beyond that, streams are cut whose clients have been behind for the longest time.

declare module 'fastify' {
  interface FastifyRequest {
    /** Notes how many bytes of a stream are unread now. A method of all requests, as `countLongAnswer` is. */
    noteUnread?(stream: UnreadStream, bytes: number): void
  }
}

const defaultMaxBytes = 64 * 1024 * 1024

export type UnreadStream = { destroy(): unknown }

export interface UnreadStreams {
  /** Notes how many bytes of a user's stream are unread now: 0 once its client has read all of it, or the stream is closed. */
  note(user: string, stream: UnreadStream, bytes: number): void
}

/** The streams of a user whose clients are behind, from the one that is for the longest time, and the bytes of all. */
type Behind = { bytes: number; readonly streams: Map<UnreadStream, number> }

export function createUnreadStreams(maxBytes = defaultMaxBytes): UnreadStreams {
  const users = new Map<string, Behind>()
  let total = 0

  function set(user: string, stream: UnreadStream, bytes: number): void {
    const own = users.get(user) ?? { bytes: 0, streams: new Map() }
    const change = bytes - (own.streams.get(stream) ?? 0)
    own.bytes += change
    total += change
    if (bytes > 0) own.streams.set(stream, bytes)
    else own.streams.delete(stream)
    if (own.streams.size > 0) users.set(user, own)
    else users.delete(user)
  }

  /** Cuts the stream that is behind for the longest time, of the user with the most unread bytes. */
  function cutOne(): void {
    const [user, own] = [...users].reduce((most, each) => (each[1].bytes > most[1].bytes ? each : most))
    for (const stream of own.streams.keys()) {
      set(user, stream, 0)
      stream.destroy()
      return
    }
  }

  return {
    note(user, stream, bytes) {
      // Nearly every stream: its client was never behind.
      if (bytes === 0 && !users.get(user)?.streams.has(stream)) return
      set(user, stream, bytes)
      while (total > maxBytes) cutOne()
    },
  }
}
