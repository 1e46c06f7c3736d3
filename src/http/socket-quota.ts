// The quota of one user's WebSockets in this process: connections, unfinished frames and large frames.
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Caller } from './caller.ts'
import { type Connection, closeCodes } from './connection.ts'
import { smallJsonBytes } from './json-reader.ts'
import { createWriteLimit } from './write-rate.ts'

/** Connections per user. */
const maxPerUser = 100

export type SocketQuota = {
  /** Counts a caller's connection until it is gone. Closes it and returns false when there are too many. */
  take(wire: { ws: WebSocket; socket: Socket; connection: Connection }, caller: Caller): boolean
}

type SocketQuotaParts = {
  /** Large frames of a user in 60 seconds; 0 means no limit. */
  readonly maxLargeFrames: number
  /** Bytes of unfinished frames per user, over all connections. */
  readonly maxUnfinishedBytes: number
}

export function createSocketQuota({ maxLargeFrames, maxUnfinishedBytes }: SocketQuotaParts): SocketQuota {
  const perUser = new Map<string, { connections: number; unfinished: number }>()
  const largeFrames = createWriteLimit({ perMinute: maxLargeFrames })

  function countLargeFrame(caller: Caller, connection: Connection): void {
    try {
      largeFrames.take(caller)
    } catch {
      const frames = `${maxLargeFrames} frames over ${smallJsonBytes / 1024} KB`
      connection.close(closeCodes.tooMany, `rate_limited: at most ${frames} in 60 s`)
    }
  }

  return {
    take({ ws, socket, connection }, caller) {
      const usage = perUser.get(caller.user) ?? { connections: 0, unfinished: 0 }
      if (usage.connections >= maxPerUser) {
        connection.close(closeCodes.tooMany, `rate_limited: at most ${maxPerUser} connections per user`)
        return false
      }
      perUser.set(caller.user, usage)
      usage.connections++
      let unfinished = 0
      const grow = ({ length }: Buffer): void => {
        unfinished += length
        usage.unfinished += length
        if (usage.unfinished > maxUnfinishedBytes)
          connection.close(closeCodes.tooMany, 'rate_limited: too many unfinished frames')
      }
      const finish = (): void => {
        usage.unfinished -= unfinished
        unfinished = 0
      }
      // Must run before ws parses the data: the bytes that end a frame are then counted before `finish` resets the count.
      socket.prependListener('data', grow)
      ws.on('message', (data: Buffer) => {
        finish()
        if (data.length > smallJsonBytes) countLargeFrame(caller, connection)
      })
      connection.gone.addEventListener('abort', () => {
        finish()
        if (--usage.connections === 0) perUser.delete(caller.user)
      })
      return true
    },
  }
}
