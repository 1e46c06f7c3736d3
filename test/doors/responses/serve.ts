// Both API doors on a real port over the app of the tests, a scripted model at its edge.
import { specifiedRules } from '#config/responses.ts'
import type { Bus, Subscription } from '#core/bus.ts'
import { userId } from '#core/ids.ts'
import { isObject } from '#core/json.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import type { Tool } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import type { ResponsesParts, ResponsesRules } from '#doors/responses/parts.ts'
import { completionsRoutes } from '#doors/completions/routes.ts'
import { responsesRoutes } from '#doors/responses/routes.ts'
import type { ChatLimit } from '#http/caller.ts'
import { createOrigins } from '#http/origin.ts'
import { createGateway } from '#http/server.ts'
import type { Clock } from '#lib/clock.ts'
import { type Log, silentLog } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import type { Reply } from '#models/script.ts'
import { createScriptedModel } from '#models/scripted.ts'
import { createReaders } from '#turns/readers.ts'
import { openTestApp } from '../test-app.ts'

export type Wire = Record<string, unknown>
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: Wire; readonly text: string }
export type SseEvent = { readonly event: string; readonly data: Wire }

export type ServeParts = Partial<Pick<ResponsesParts, 'externalTools' | 'turnTimeoutMs' | 'now'>> & {
  readonly rules?: Partial<ResponsesRules>
  readonly chatLimit?: ChatLimit
  /** The clock that readers who left are waited for by. Without one they never stop a turn. */
  readonly clock?: Pick<Clock, 'now' | 'at'>
  readonly taskLimit?: ChatLimit
  readonly progress?: boolean
  readonly maxSilenceMs?: number
  /** Tools of the service beside the usual two. */
  readonly tools?: readonly Tool[]
  readonly replies?: readonly Reply[]
  readonly model?: Model
  readonly path?: string
  readonly room?: number
  readonly maxUserBytes?: number
  readonly log?: Log
}

export type Served = Awaited<ReturnType<typeof serve>>

/** A tool that only reads, one that must be asked for. */
const usualTools: readonly Tool[] = [
  tool('time', 'read', () => 'noon'),
  tool('workspace_write', 'write', () => 'written'),
]

/** Opens a service. The token of a request is the name of its user. */
export async function serve(parts: ServeParts = {}) {
  const tools = [...usualTools, ...(parts.tools ?? [])]
  const watching = new Set<Subscription>()
  const asked: ModelRequest[] = []
  const scripted =
    parts.model ?? createScriptedModel({ script: { replies: parts.replies ?? [{ text: 'Hello there.' }] } })
  const model: Model = {
    ...scripted,
    stream(request, signal) {
      asked.push({ ...request, items: [...request.items] })
      return scripted.stream(request, signal)
    },
  }
  const rested: Turn[] = []
  const app = await openTestApp({
    model,
    observer: { stepped() {}, rested: (turn) => void rested.push(turn) },
    tools,
    wrapBus: (bus) => counting(bus, watching),
    ...(parts.path !== undefined && { path: parts.path }),
    ...(parts.room !== undefined && { room: parts.room }),
    ...(parts.maxUserBytes !== undefined && { maxUserBytes: parts.maxUserBytes }),
  })
  const { store, bus, runner, turns, threads, gates } = app
  const users = ['ann', 'bob', 'eve'].map((name) => ({ id: userId(name), name, createdAt: 0, hash: hashToken(name) }))
  const origins = createOrigins({ allowed: [], names: [], trustProxy: false })
  const chatLimit = parts.chatLimit ?? { take: () => Promise.resolve() }
  const gateway = await createGateway({
    auth: {
      operatorTokens: [],
      accounts: { findByToken: (hash) => Promise.resolve(users.find((user) => user.hash === hash)) },
      sessions: { find: () => Promise.resolve(undefined) },
    },
    origins,
    health: { ping: () => store.ping(), draining: () => false },
    chatLimit,
    chatsPerMinute: 0,
    writeLimit: { take: () => {} },
    log: parts.log ?? silentLog,
  })
  const { fastify } = gateway
  const readers = createReaders({
    turns,
    bus,
    stopsTurns: true,
    clock: parts.clock ?? { now: Date.now, at: () => ({ stop: () => Promise.resolve() }) },
  })
  gateway.mount(
    responsesRoutes({
      turns,
      threads,
      externalTools: parts.externalTools ?? true,
      readers,
      rules: { ...specifiedRules, ...parts.rules },
      turnTimeoutMs: parts.turnTimeoutMs ?? 10_000,
      registered: () => new Set(tools.map(({ spec }) => spec.name)),
      lastCall: gateway.lastCall,
      log: parts.log ?? silentLog,
      ...(parts.now && { now: parts.now }),
    }),
  )
  gateway.mount(
    completionsRoutes({
      turns,
      threads,
      gates,
      readers,
      externalTools: parts.externalTools ?? true,
      turnTimeoutMs: parts.turnTimeoutMs ?? 10_000,
      foreignTools: parts.rules?.foreignTools ?? 'refuse',
      registered: () => new Set(tools.map(({ spec }) => spec.name)),
      choices: () => ['vendor/large'],
      progress: parts.progress ?? true,
      limits: { chat: chatLimit, task: parts.taskLimit ?? chatLimit },
      origins,
      lastCall: gateway.lastCall,
      log: parts.log ?? silentLog,
      ...(parts.maxSilenceMs !== undefined && { maxSilenceMs: parts.maxSilenceMs }),
      ...(parts.now && { now: parts.now }),
    }),
  )
  const { url } = await gateway.listen('127.0.0.1', 0)

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: 'Bearer ann',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }

  return {
    url,
    fastify,
    gateway,
    turns,
    threads,
    gates,
    store,
    bus,
    runner,
    /** Subscriptions that nobody has closed. */
    watching,
    /** Every request the model got. */
    asked,
    /** Every turn that has come to rest, as it was then. */
    rested,
    call,
    create: (body: Wire, headers?: Record<string, string>) =>
      call('POST', '/api/v1/responses', { model: 'gpt-test', ...body }, headers),
    get: (path: string, headers?: Record<string, string>) => call('GET', `/api/v1${path}`, undefined, headers),
    async stream(body: Wire, headers?: Record<string, string>): Promise<SseEvent[]> {
      return readEvents(
        (await call('POST', '/api/v1/responses', { model: 'gpt-test', stream: true, ...body }, headers)).text,
      )
    },
    async close() {
      fastify.server.closeAllConnections()
      await gateway.close(0)
      await app.close()
    },
  }
}

/** A bus whose open subscriptions are known. */
function counting(bus: Bus, watching: Set<Subscription>): Bus {
  return {
    ...bus,
    subscribe(threadId, from) {
      const inner = bus.subscribe(threadId, from)
      const subscription: Subscription = {
        partial: inner.partial,
        [Symbol.asyncIterator]: () => inner[Symbol.asyncIterator](),
        close() {
          watching.delete(subscription)
          inner.close()
        },
      }
      watching.add(subscription)
      return subscription
    },
  }
}

/** The events of a stream; comments are left out. Throws where a block is no event. */
export function readEvents(text: string): SseEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const match = /^event: (\S+)\ndata: (.+)$/.exec(block)
      if (!match) throw new Error(`no event: ${block}`)
      return { event: match[1] ?? '', data: JSON.parse(match[2] ?? '') as Wire }
    })
}

export function outputOf(body: Wire): Wire[] {
  return body['output'] as Wire[]
}

/** All text of a response's messages. */
export function textIn(body: Wire): string {
  return outputOf(body)
    .flatMap((item) => (item['content'] as Wire[] | undefined) ?? [])
    .map((part) => String(part['text']))
    .join('')
}

export function errorOf(body: Wire): Wire {
  return body['error'] as Wire
}

function parsed(text: string): Wire {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function tool(name: string, effects: Tool['effects'], run: () => string): Tool {
  return {
    spec: { name, description: name, parameters: { type: 'object', properties: {} } },
    effects,
    repeatable: true,
    untrusted: false,
    run: () => Promise.resolve(run()),
  }
}

export const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: null,
}
