// Messages between processes by LISTEN and NOTIFY, over one connection that comes back when it breaks.
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { within } from '#lib/deadline.ts'
import type { Log } from '#lib/log.ts'
import { asAppError } from './postgres.ts'

const channel = 'atrium'
/** PostgreSQL takes less than 8,000. */
const maxPayloadBytes = 7_900
const maxWaiting = 10_000
const reconnectMs = 500
/** A connection that does not answer within this is given up. */
const answerMs = 5_000
/** How often an idle connection is tried: one that was cut off in silence would hear nothing and not know. */
const tryMs = 5_000
const closeMs = 500

export interface Link {
  /** Speaks in order, after what was said before. What cannot be said is dropped; once it can, `missed` goes out instead. */
  send(message: object): void
  close(): Promise<void>
}

export type LinkParts = {
  readonly url: string
  readonly heard: (message: unknown) => void
  /** The link was broken and is whole again: things may have been said meanwhile, and others may have missed ours. */
  readonly missed: () => void
  readonly log: Log
}

/** A connection that listens, and a promise of its end. */
type Line = { readonly client: Client; readonly over: Promise<void>; readonly giveUp: () => void }

export async function openLink({ url, heard, missed, log }: LinkParts): Promise<Link> {
  let closed = false
  let waiting: string[] = []
  let speaking: Promise<void> | undefined
  let line: Line | undefined = await connect()
  const keeping = keep(line)
  const trying = setInterval(() => {
    line?.client.query('SELECT 1').catch(line.giveUp)
  }, tryMs)
  trying.unref()

  async function connect(): Promise<Line> {
    const client = new Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      application_name: 'atrium-link',
    })
    const { promise: over, resolve: giveUp } = Promise.withResolvers<void>()
    // Every error of a connection is followed by its end.
    client.on('error', () => {})
    client.once('end', giveUp)
    client.on('notification', ({ payload }) => {
      try {
        heard(JSON.parse(payload ?? ''))
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
    return { client, over, giveUp }
  }

  async function keep(first: Line): Promise<void> {
    for (let held: Line | undefined = first; !closed; ) {
      await held?.over
      line = undefined
      waiting = []
      if (closed) return
      void held?.client.end().catch(() => {})
      held = undefined
      await pause(reconnectMs, undefined, { ref: false })
      try {
        held = await connect()
      } catch {
        log.warn({}, 'the link to other processes is down; trying again')
        continue
      }
      line = held
      missed()
    }
  }

  function send(message: object): void {
    const payload = JSON.stringify(message)
    if (closed || !line || Buffer.byteLength(payload) > maxPayloadBytes) return
    // More than can be said is worse than a look at everything.
    if (waiting.length >= maxWaiting) waiting = [JSON.stringify({ type: 'missed' })]
    waiting.push(payload)
    speaking ??= speak(line).finally(() => {
      speaking = undefined
    })
  }

  /** What came together is said by one statement: each commit with a NOTIFY waits for those of all other processes. */
  async function speak({ client, giveUp }: Line): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await client.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [channel, batch])
      } catch {
        giveUp()
        return
      }
    }
  }

  return {
    send,
    async close() {
      clearInterval(trying)
      // What was said last (an end, a release) should still be heard.
      if (speaking) await within(closeMs, speaking, () => {})
      closed = true
      const last = line
      last?.giveUp()
      await within(closeMs, Promise.all([last?.client.end().catch(() => {}), keeping]), () => {})
    },
  }
}
