// The webhook channel for tests: real HTTP on a free port over the app of the tests.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openWebhook, type Webhook, type WebhookParts } from '#doors/webhook/door.ts'
import { silentLog } from '#lib/log.ts'
import { eventually, type TestApp, type TestAppOptions, openTestApp } from '../test-app.ts'

export const secret = 'secret of the tests'
export const hello = { user_id: 'ada', message: 'hello' }

export type HouseOptions = Pick<TestAppOptions, 'say' | 'tools' | 'wrapStore' | 'maxUserBytes'> &
  Partial<Pick<WebhookParts, 'ratePerMinute' | 'trustProxy' | 'now' | 'timeouts' | 'log'>>

export type House = Pick<TestApp, 'store' | 'turns' | 'threads' | 'gates'> & {
  readonly door: Webhook
  /** POST /webhook, with the secret and JSON unless told otherwise; a header that is null is not sent. */
  post(body: unknown, headers?: Headers): Promise<Answer>
  request(method: string, path: string, headers?: Headers): Promise<Answer>
  job(id: string): Promise<Answer>
  /** Polls a job until it is completed. */
  completed(id: string): Promise<Answer>
}

type Headers = Readonly<Record<string, string | null>>
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
export type Answer = { status: number; headers: globalThis.Headers; json: any }

export async function openHouse(t: TestContext, options: HouseOptions = {}): Promise<House> {
  const { say, tools, wrapStore, maxUserBytes = 0, ...over } = options
  const app = await openTestApp({
    ...(say && { say }),
    ...(tools && { tools }),
    ...(wrapStore && { wrapStore }),
    maxUserBytes,
  })
  const { store, turns, threads, gates } = app
  const parts = { turns, threads, gates, limits: store.limits, secret, host: '127.0.0.1', port: 0, log: silentLog }
  const door = await openWebhook({ ...parts, ratePerMinute: 0, trustProxy: false, ...over })
  t.after(async () => {
    await Promise.all([door.close(0), app.runner.drain(0)])
    await app.close()
  })

  async function send(method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> {
    const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)
    const raw = typeof body === 'string' || Buffer.isBuffer(body) || body === undefined
    const response = await fetch(door.url + path, {
      method,
      headers: given,
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, json: await response.json() }
  }

  const house: House = {
    door,
    store,
    turns,
    threads,
    gates,
    post: (body, headers = {}) =>
      send('POST', '/webhook', { 'content-type': 'application/json', 'x-webhook-secret': secret, ...headers }, body),
    request: (method, path, headers = {}) => send(method, path, { 'x-webhook-secret': secret, ...headers }),
    job: (id) => house.request('GET', `/jobs/${id}`),
    completed: (id) =>
      eventually(async () => {
        const answer = await house.job(id)
        return (answer.status !== 200 || answer.json.status === 'completed') && answer
      }),
  }
  return house
}

/** The answer is a fault in its envelope. */
export function assertFault(answer: Answer, status: number, code: string, message: RegExp): void {
  assert.equal(answer.status, status, JSON.stringify(answer.json))
  assert.deepEqual(Object.keys(answer.json), ['error'])
  assert.deepEqual(Object.keys(answer.json.error).slice(0, 2), ['code', 'message'])
  assert.equal(answer.json.error.code, code)
  assert.match(answer.json.error.message, message)
}
