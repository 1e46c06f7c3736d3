// Connections for jobs. A server that has no room for as many as the pool may have is used with those that it gives.
import type { Pool, PoolClient } from 'pg'

/** After this long the server is asked again for more. */
const scarceMs = 10_000
/** The server's error code for too many connections, of all or of its user. */
const noRoom = '53300'

/** Takes a connection of a pool. Where the server has no room for another one, a job waits for one that the pool has. */
export function createPoolRoom(pool: Pool): () => Promise<PoolClient> {
  const { max } = pool.options
  let connected = 0
  let scarceUntil = -Infinity
  pool.on('connect', (client) => {
    connected++
    client.once('end', () => connected--)
  })

  return async () => {
    if (performance.now() > scarceUntil) pool.options.max = max
    try {
      return await pool.connect()
    } catch (error) {
      if ((error as { code?: string }).code !== noRoom || connected === 0) throw error
      pool.options.max = connected
      scarceUntil = performance.now() + scarceMs
      return await pool.connect()
    }
  }
}
