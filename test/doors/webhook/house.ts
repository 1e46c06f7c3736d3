// The webhook channel for tests: real HTTP on a free port, a real SQLite store in a temporary folder, a model in the test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { defaultBounds } from '#agent/guard.ts'
import { createHistories } from '#agent/history.ts'
import { type Item, type Message, textOf } from '#core/item.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { Store } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { openWebhook, type Webhook, type WebhookParts } from '#doors/webhook/door.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openStore } from '#store/open.ts'
import { createRunner, type Runner } from '#turns/runner.ts'
import { createTurns, type Turns } from '#turns/turns.ts'

export const secret = 'secret of the tests'
export const jobWaitMs = 10_000

export type Say = (request: ModelRequest, signal: AbortSignal) => Promise<ModelEvent[]> | ModelEvent[]

export type HouseOptions = Partial<Pick<WebhookParts, 'ratePerMinute' | 'trustProxy' | 'now' | 'timeouts' | 'log'>> & {
  readonly say?: Say
  readonly tools?: readonly Tool[]
  /** Changes the store as the hall sees it. */
  readonly wrapStore?: (store: Store) => Store
}

export type House = {
  readonly door: Webhook
  readonly store: Store
  readonly turns: Turns
  readonly runner: Runner
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
  const { say = echo, tools = [], wrapStore = (store) => store, ...over } = options
  const folder = mkdtempSync(join(tmpdir(), 'atrium-webhook-'))
  const store = wrapStore(openStore({ path: join(folder, 'atrium.db'), seal: createSeal('0'.repeat(64)) }))
  const bus = createLocalBus()
  const toolSet = { byName: new Map(tools.map((tool) => [tool.spec.name, tool])), specs: tools.map(({ spec }) => spec) }
  const runner = createRunner({
    store,
    bus,
    histories: createHistories({ threads: store.threads }),
    model: () => Promise.resolve(modelOf(say)),
    tools: () => toolSet,
    lease: { owner: 'test', epoch: 1 },
    bounds: defaultBounds,
    log: silentLog,
  })
  const turns = createTurns({ store, bus, runner })
  const parts = { turns, limits: store.limits, secret, host: '127.0.0.1', port: 0, log: silentLog }
  const door = await openWebhook({ ...parts, ratePerMinute: 0, trustProxy: false, ...over })
  t.after(async () => {
    await Promise.all([door.close(0), runner.drain(0)])
    await bus.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
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
    runner,
    post: (body, headers = {}) =>
      send('POST', '/webhook', { 'content-type': 'application/json', 'x-webhook-secret': secret, ...headers }, body),
    request: (method, path, headers = {}) => send(method, path, { 'x-webhook-secret': secret, ...headers }),
    job: (id) => house.request('GET', `/jobs/${id}`),
    async completed(id) {
      for (const until = Date.now() + jobWaitMs; ; ) {
        const answer = await house.job(id)
        if (answer.status !== 200 || answer.json.status === 'completed') return answer
        if (Date.now() > until) throw new Error(`job ${id} is still ${answer.json.status}`)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  }
  return house
}

/** A reply of one text. */
export function says(text: string): ModelEvent[] {
  return [
    { type: 'text', text },
    { type: 'done', usage: noUsage },
  ]
}

/** A reply of one call. */
export function calls(name: string, args: object): ModelEvent[] {
  return [
    { type: 'call', name, args: JSON.stringify(args) },
    { type: 'done', usage: noUsage },
  ]
}

/** Says back what the user said last. */
const echo: Say = ({ items }) => says(`you said: ${userTexts(items).at(-1)}`)

export function userTexts(items: readonly Item[]): string[] {
  const isUser = (item: Item): item is Message => item.type === 'message' && item.role === 'user'
  return items.filter(isUser).map(textOf)
}

/** A model that waits for a word of the test. */
export function createHold(): { say: Say; asked: Promise<void>; release: (text: string) => void } {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<string>()
  return {
    asked,
    release,
    async say(_request, signal) {
      ask()
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      })
      return says(await Promise.race([released, aborted]))
    },
  }
}

function modelOf(say: Say): Model {
  return {
    provider: 'test',
    name: 'test-1',
    window: 100_000,
    async *stream(request, signal) {
      yield await say(request, signal)
    },
  }
}
