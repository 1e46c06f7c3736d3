// Messages between processes by LISTEN and NOTIFY, over one connection that reconnects after it breaks.
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { within } from '#lib/deadline.ts'
import type { Log } from '#lib/log.ts'
import { asAppError, withoutName } from './postgres.ts'

const channel = 'atrium'
/** PostgreSQL's limit is below 8,000. */
const maxPayloadBytes = 7_900
const maxPending = 10_000
const reconnectMs = 500
/** A connection that does not answer within this time is dropped. */
const answerMs = 5_000
/** Interval of probes: a connection that broke silently would receive nothing and never fail. */
const probeMs = 5_000
const closeMs = 500

export interface Link {
  /** Sends messages in order. Those that cannot be sent are dropped; after a reconnect `onReconnect` is called. */
  send(message: object): void
  close(): Promise<void>
}

export type LinkHandlers = {
  readonly onMessage: (message: unknown) => void
  /** The link was broken and works again: messages in both directions may be lost. */
  readonly onReconnect: () => void
}

export type LinkParts = LinkHandlers & { readonly url: string; readonly log: Log }

/** A connection that listens; `ended` resolves when it breaks or is dropped. */
type Connection = { readonly client: Client; readonly ended: Promise<void>; readonly drop: () => void }

export async function openLink({ url, onMessage, onReconnect, log }: LinkParts): Promise<Link> {
  let closed = false
  let pending: string[] = []
  let flushing: Promise<void> | undefined
  let connection: Connection | undefined = await connect()
  const keeping = keepConnected(connection)
  const probeTimer = setInterval(() => {
    connection?.client.query('SELECT 1').catch(connection.drop)
  }, probeMs)
  probeTimer.unref()

  async function connect(): Promise<Connection> {
    const client = new Client({
      connectionString: withoutName(url),
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      application_name: 'atrium-link',
    })
    const { promise: ended, resolve: drop } = Promise.withResolvers<void>()
    // Every error of a connection is followed by `end`.
    client.on('error', () => {})
    client.once('end', drop)
    client.on('notification', ({ payload }) => {
      try {
        onMessage(JSON.parse(payload ?? ''))
      } catch (error) {
        log.warn({ err: error }, 'a message from another process could not be read')
      }
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
    } catch (error) {
      void client.end().catch(() => {})
      throw asAppError(error)
    }
    return { client, ended, drop }
  }

  async function keepConnected(first: Connection): Promise<void> {
    for (let current: Connection | undefined = first; !closed; ) {
      await current?.ended
      connection = undefined
      pending = []
      if (closed) return
      void current?.client.end().catch(() => {})
      current = undefined
      await pause(reconnectMs, undefined, { ref: false })
      try {
        current = await connect()
      } catch {
        log.warn({}, 'the link to other processes is down; trying again')
        continue
      }
      connection = current
      onReconnect()
    }
  }

  function send(message: object): void {
    const payload = JSON.stringify(message)
    if (closed || !connection || Buffer.byteLength(payload) > maxPayloadBytes) return
    // At this backlog it is cheaper if the others read everything.
    if (pending.length >= maxPending) pending = [JSON.stringify({ type: 'missed' })]
    pending.push(payload)
    flushing ??= flush(connection).finally(() => {
      flushing = undefined
    })
  }

  /** Sends a batch in one statement: each commit with a NOTIFY waits for those of all other processes. */
  async function flush({ client, drop }: Connection): Promise<void> {
    while (pending.length > 0) {
      const batch = pending
      pending = []
      try {
        await client.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, batch])
      } catch {
        drop()
        return
      }
    }
  }

  return {
    send,
    async close() {
      clearInterval(probeTimer)
      // The last messages (an end, a release) should still be sent.
      if (flushing) await within(closeMs, flushing, () => {})
      closed = true
      const last = connection
      last?.drop()
      await within(closeMs, Promise.all([last?.client.end().catch(() => {}), keeping]), () => {})
    },
  }
}
