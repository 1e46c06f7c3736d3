// Ends the connections to a host that has fallen silent, and single ones that were lost. A host that is lost, or whose
// packets are dropped, breaks no connection: a query under way would wait for its own time limit. A query may also take long
// while the host is well, so the host is asked over a connection of its own; if it answers, it is asked whether it works.
import { connect, type Socket } from 'node:net'
import { Client, type Pool, type PoolClient } from 'pg'
import { watchSilence } from '#lib/silence.ts'

export type SilenceLimits = {
  /** How often connections are looked at. */
  readonly lookMs: number
  /** The host is asked when a query is under way for this long without a byte. */
  readonly quietMs: number
  /** How long the host may take to answer. */
  readonly answerMs: number
}

const defaultLimits: SilenceLimits = { lookMs: 500, quietMs: 2_000, answerMs: 3_000 }
/** A request for TLS: the first packet of a connection, which a server answers with one byte before it knows who asks. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Of these sessions, those that wait for a query: where we wait for an answer, one of both got lost. */
const waitingSessions = `SELECT pid FROM pg_stat_activity
  WHERE pid = ANY($1) AND state LIKE 'idle%' AND state_change < now() - $2 * interval '1 millisecond'`

/** The system may still send more than this over a slow line after Node has handed it on: its query is not lost. */
const maxUnsentBytes = 64 * 1024

/** What was seen of a connection: what it had received, what it had sent when idle, and when it last received, sent or was idle. */
type Seen = { readonly bytes: number; readonly sent: number; readonly at: number }

/** Watches the connections of a pool until the returned function is called. */
export function watchHost(pool: Pool, limits = defaultLimits): () => void {
  const { lookMs, quietMs, answerMs } = limits
  const watched = new Map<PoolClient, Seen>()
  let asking = false
  let askedAt = -Infinity
  pool.on('connect', (client) => {
    watched.set(client, { bytes: 0, sent: 0, at: performance.now() })
    client.once('end', () => watched.delete(client))
  })
  const timer = setInterval(() => void look(), lookMs)
  timer.unref()

  async function look(): Promise<void> {
    const now = performance.now()
    for (const [client, { bytes, sent }] of watched) {
      const { bytesRead, bytesWritten, writableLength } = socketOf(client)
      if (client.readyForQuery || bytesRead !== bytes || writableLength > 0)
        watched.set(client, { bytes: bytesRead, sent: client.readyForQuery ? bytesWritten : sent, at: now })
    }
    const quiet = [...watched].flatMap(([client, { at }]) => (now - at >= quietMs ? [client] : []))
    const [first] = quiet
    if (!first || asking || now - askedAt < quietMs) return
    asking = true
    if (!(await answers(socketOf(first), answerMs))) end([...watched.keys()], silentHostError())
    else end(await lostOf(quiet.filter(isSent)).catch(() => []), lostConnectionError())
    asking = false
    askedAt = performance.now()
  }

  function end(clients: readonly PoolClient[], error: Error): void {
    for (const client of clients) {
      if (socketOf(client).bytesRead === watched.get(client)?.bytes) socketOf(client).destroy(error)
    }
  }

  function isSent(client: PoolClient): boolean {
    return socketOf(client).bytesWritten - (watched.get(client)?.sent ?? 0) <= maxUnsentBytes
  }

  /** Behind a pooler no session has the id of a connection: there none is found. */
  async function lostOf(clients: readonly PoolClient[]): Promise<PoolClient[]> {
    if (clients.length === 0) return []
    const asker = new Client({ ...pool.options, connectionTimeoutMillis: answerMs, query_timeout: answerMs })
    asker.on('error', () => {})
    try {
      await asker.connect()
      const ids = clients.map(({ processID }) => processID)
      const { rows } = await asker.query<{ pid: number }>(waitingSessions, [ids, quietMs])
      return clients.filter(({ processID }) => rows.some(({ pid }) => pid === processID))
    } finally {
      void asker.end().catch(() => {})
    }
  }

  return () => clearInterval(timer)
}

function silentHostError(): Error {
  return Object.assign(new Error('the host is silent'), { code: 'HOST_SILENT' })
}

function lostConnectionError(): Error {
  return Object.assign(new Error('the connection was lost on its way'), { code: 'ECONNRESET' })
}

/** Whether anything answers at the address to which a socket is connected. */
async function answers({ remoteAddress, remotePort }: Socket, answerMs: number): Promise<boolean> {
  // A Unix socket: its host is this machine.
  if (remoteAddress === undefined || remotePort === undefined) return true
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(remotePort, remoteAddress)
  const silence = watchSilence(answerMs, () => resolve(false))
  socket.once('data', () => resolve(true))
  socket.on('error', () => {})
  socket.once('close', () => resolve(false))
  socket.write(tlsRequest)
  try {
    return await promise
  } finally {
    silence.end()
    socket.destroy()
  }
}

function socketOf(client: PoolClient): Socket {
  return client.connection.stream as Socket
}

// The package's types lack what a client of a pool has as well.
declare module 'pg' {
  interface PoolClient {
    readonly connection: Connection
    /** False while a query is under way. */
    readonly readyForQuery: boolean
    readonly processID: number
  }
}
