// Messages between processes by LISTEN and NOTIFY: one connection that listens, one that speaks, both of which come back.
import { Client } from 'pg'
import type { Log } from '#lib/log.ts'

const channel = 'atrium'
const maxPayloadBytes = 7_900
const reconnectMs = 500
const maxWaiting = 10_000

export interface Link {
  /** Speaks in order; what cannot be said now is dropped, and everybody is told to look for themselves. */
  send(message: object): void
  close(): Promise<void>
}

export type LinkParts = {
  readonly url: string
  readonly heard: (message: unknown) => void
  /** Something may have been missed: look again at whatever is watched. */
  readonly missed: () => void
  readonly log: Log
}

export async function openLink({ url, heard, missed, log }: LinkParts): Promise<Link> {
  let closed = false
  let listener: Client | undefined
  let speaker: Client | undefined
  let waiting: string[] = []
  let speaking = false

  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: url, keepAlive: true, application_name: 'atrium-link' })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async function listen(): Promise<void> {
    const client = await connect()
    client.on('notification', ({ payload }) => {
      try {
        heard(JSON.parse(payload ?? ''))
      } catch (error) {
        log.warn({ err: error }, 'a message from another process could not be read')
      }
    })
    client.once('end', () => {
      if (!closed) void comeBack()
    })
    await client.query(`LISTEN ${channel}`)
    listener = client
  }

  async function comeBack(): Promise<void> {
    listener = undefined
    while (!closed) {
      await new Promise((resolve) => setTimeout(resolve, reconnectMs).unref())
      try {
        await listen()
        missed()
        return
      } catch {
        log.warn({}, 'PostgreSQL cannot be listened to; trying again')
      }
    }
  }

  async function speak(): Promise<void> {
    speaking = true
    while (waiting.length > 0 && !closed) {
      const batch = waiting
      waiting = []
      try {
        speaker ??= await connect()
        for (const payload of batch) await speaker.query('SELECT pg_notify($1, $2)', [channel, payload])
      } catch {
        await speaker?.end().catch(() => {})
        speaker = undefined
        if (closed) break
        waiting = [JSON.stringify({ type: 'missed' })]
        await new Promise((resolve) => setTimeout(resolve, reconnectMs).unref())
      }
    }
    speaking = false
  }

  await listen()
  return {
    send(message) {
      const payload = JSON.stringify(message)
      if (closed || Buffer.byteLength(payload) > maxPayloadBytes) return
      if (waiting.length < maxWaiting) waiting.push(payload)
      if (!speaking) void speak()
    },
    async close() {
      // What was said last (an end, a release) should still be heard.
      for (let tries = 0; (speaking || waiting.length > 0) && tries < 20; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      closed = true
      await Promise.allSettled([listener?.end(), speaker?.end()])
    },
  }
}
