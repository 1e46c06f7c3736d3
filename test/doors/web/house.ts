// A whole gateway for tests: real HTTP on a free port, a real SQLite store in a temporary folder, a model in the test.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setImmediate as nextTick } from 'node:timers/promises'
import { defaultBounds } from '#agent/guard.ts'
import { createHistories } from '#agent/history.ts'
import { type Item, type Message, textOf } from '#core/item.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { Store } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { registerWeb } from '#doors/web/door.ts'
import { createChatLimit } from '#http/limits.ts'
import { createGateway, type Gateway, type Timeouts } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { hashToken } from '#lib/token.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openStore } from '#store/open.ts'
import { createRunner } from '#turns/runner.ts'
import { createTurns, type Turns } from '#turns/turns.ts'

export const operatorToken = 'operator-token-of-the-tests'
export const gatewayToken = 'gateway-token-of-the-tests'

/** What a test's model says to a request. It may wait for the signal. */
export type Say = (request: ModelRequest, signal: AbortSignal) => Promise<ModelEvent[]> | ModelEvent[]

export type HouseOptions = {
  readonly say?: Say
  readonly tools?: readonly Tool[]
  readonly perMinute?: number
  readonly now?: () => number
  readonly storeAway?: () => boolean
  readonly ping?: () => Promise<void>
  readonly patienceMs?: number
  readonly timeouts?: Partial<Timeouts>
  /** Changes the store as the gateway sees it. */
  readonly wrapStore?: (store: Store) => Store
  readonly openApi?: () => Readonly<Record<string, object>>
}

export type House = {
  readonly url: string
  readonly port: number
  readonly gateway: Gateway
  readonly store: Store
  readonly turns: Turns
  /** A request with JSON both ways; `token` is the operator's unless given, null sends none. */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  readonly addUser: (name: string, expiresAt?: number) => Promise<string>
  readonly close: (graceMs?: number) => Promise<void>
}

type CallOptions = {
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
type Answer = { status: number; headers: Headers; text: string; json: any }

export async function openHouse(t: TestContext, options: HouseOptions = {}): Promise<House> {
  const { now = Date.now, tools = [] } = options
  const folder = mkdtempSync(join(tmpdir(), 'atrium-web-'))
  const opened = openStore({ path: join(folder, 'atrium.db'), seal: createSeal('0'.repeat(64)), now })
  const store = options.wrapStore?.(opened) ?? opened
  const bus = createLocalBus()
  const toolSet = { byName: new Map(tools.map((tool) => [tool.spec.name, tool])), specs: tools.map(({ spec }) => spec) }
  const runner = createRunner({
    store,
    bus,
    histories: createHistories({ threads: store.threads }),
    model: () => Promise.resolve(modelOf(options.say ?? echo)),
    tools: () => toolSet,
    lease: { owner: 'test', epoch: 1 },
    bounds: defaultBounds,
    log: silentLog,
  })
  const turns = createTurns({ store, bus, runner })
  const gateway = await createGateway({
    auth: {
      operatorTokens: [operatorToken, gatewayToken],
      accounts: store.accounts,
      now,
      ...(options.storeAway && { storeAway: options.storeAway }),
    },
    health: { ping: options.ping ?? (() => store.ping()), draining: () => false },
    log: silentLog,
    ...(options.timeouts && { timeouts: options.timeouts }),
  })
  const chatLimit = createChatLimit({ limits: store.limits, perMinute: options.perMinute ?? 0, now })
  await registerWeb(gateway.app, {
    turns,
    accounts: store.accounts,
    chatLimit,
    now,
    lastCall: gateway.lastCall,
    about: {
      version: '1.2.3',
      startedAt: now() - 5_000,
      model: () => ({ provider: 'test', name: 'test-1' }),
      databaseBackend: store.backend,
      sandboxEnabled: false,
      doors: () => [{ name: 'web', address: 'http://127.0.0.1' }],
      connections: () => gateway.connections(),
      draining: () => false,
    },
    ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
    ...(options.openApi && { openApi: [options.openApi] }),
  })
  const { port, url } = await gateway.listen('127.0.0.1', 0)
  let closed = false
  async function close(graceMs = 0): Promise<void> {
    if (closed) return
    closed = true
    await Promise.all([gateway.close(graceMs), runner.drain(graceMs)])
    await bus.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
  t.after(() => close())

  return {
    url,
    port,
    gateway,
    store,
    turns,
    close,
    async call(method, path, { token = operatorToken, body, headers = {} } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
    },
    async addUser(name, expiresAt) {
      const token = `token-of-${name.replaceAll(' ', '-')}`
      await store.accounts.addUser(name, { hash: hashToken(token), ...(expiresAt !== undefined && { expiresAt }) })
      return token
    },
  }
}

/** Asks again until the answer is one; fails when none comes. */
export async function eventually<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    assert.ok(performance.now() < deadline, 'it did not come about within 10 seconds')
    await nextTick()
  }
}

/** A job once it has a status. */
export function jobOnce(
  house: Pick<House, 'call'>,
  id: string,
  status: string,
  token = operatorToken,
): Promise<Answer> {
  return eventually(async () => {
    const job = await house.call('GET', `/api/jobs/${id}`, { token })
    return job.json.status === status && job
  })
}

/** A reply of one text. */
export function says(text: string): ModelEvent[] {
  return [
    { type: 'text', text },
    { type: 'done', usage: { ...noUsage, inputTokens: 3, outputTokens: 2, costUsd: 0.25 } },
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
export const echo: Say = ({ items }) => says(`you said: ${lastUserText(items)}`)

export function lastUserText(items: readonly Item[]): string {
  const isUser = (item: Item): item is Message => item.type === 'message' && item.role === 'user'
  const message = items.findLast(isUser)
  return message ? textOf(message) : ''
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

/** A tool that needs an approval. */
export function createWriter(ran: unknown[]): Tool {
  return {
    spec: { name: 'write_note', description: 'Writes a note', parameters: { type: 'object' } },
    effects: 'write',
    repeatable: false,
    untrusted: false,
    run(args) {
      ran.push(args)
      return Promise.resolve('written')
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
