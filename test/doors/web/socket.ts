// A client of the live connection, for tests: frames in the order they came, and waiting for one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { patienceMs } from '../../until.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into frames of every shape
export type Frame = any

export type Client = {
  readonly ws: WebSocket
  /** All that came. */
  readonly frames: Frame[]
  send(frame: unknown): void
  /** The first frame that fits and was not waited for before. */
  next(fits: string | ((frame: Frame) => boolean)): Promise<Frame>
  /** How it was closed. */
  readonly closed: Promise<{ code: number; reason: string }>
  cut(): void
}

/** The status that refused an upgrade. */
export class Refused extends Error {
  readonly status: number
  readonly text: string
  constructor(status: number, text: string) {
    super(`${status} ${text}`)
    this.status = status
    this.text = text
  }
}

/** Opens a connection; throws Refused when the gateway does. */
export async function openClient(
  url: string,
  headers: Record<string, string> = {},
  path = '/api/chat/ws',
): Promise<Client> {
  const ws = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, { headers })
  const frames: Frame[] = []
  const taken = new Set<Frame>()
  let wake = (): void => {}
  ws.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString('utf8')))
    wake()
  })
  const closed = once(ws, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }))
  closed.catch(() => {})
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve)
    ws.on('error', reject)
    ws.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => reject(new Refused(response.statusCode ?? 0, text)))
    })
  })
  return {
    ws,
    frames,
    closed,
    send: (frame) => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next(fits) {
      const deadline = Date.now() + patienceMs
      const test = typeof fits === 'string' ? (frame: Frame) => frame.type === fits : fits
      for (;;) {
        const found = frames.find((frame) => !taken.has(frame) && test(frame))
        if (found) {
          taken.add(found)
          return found
        }
        const left = deadline - Date.now()
        assert.ok(
          left > 0 && ws.readyState <= 1,
          `no such frame came: ${String(fits)} in ${frames.map(({ type }) => type).join(' ')}`,
        )
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(left, 200))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
    cut: () => ws.terminate(),
  }
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** The frame that tells that a turn has ended, or waits. */
export function rests({ type, status }: Frame): boolean {
  return type === 'turn' && status !== 'running' && status !== 'queued'
}
