// A stand-in of Telegram's Bot API, as strict as the real one: one poller, offsets, rate limits, sizes, entities, edits.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBotChats, type Params, Refusal } from './bot-api-chats.ts'

const maxBatch = 100

export type ApiCall = { readonly method: string; readonly params: Params; readonly at: number }
export type Watcher = (method: string, when: 'before' | 'behind') => boolean
export type FakeBotApi = Awaited<ReturnType<typeof startBotApi>>

/** The only token that is known. */
const token = '4711:AAE-a-token-for-the-tests-of-atrium'

export async function startBotApi() {
  const updates: { readonly update_id: number; readonly [kind: string]: unknown }[] = []
  const calls: ApiCall[] = []
  /** Faults to answer with, before the call has any effect; by method. */
  const faults: { readonly method: string; readonly fault: Refusal }[] = []
  /** Calls that have their effect but get no answer. */
  const lost: string[] = []
  const held = new Map<string, Promise<void>>()
  /** Is called before and behind the effect of each call; true ends the connection without an answer. */
  let watcher: Watcher = () => false
  let poller: { end(): void } | undefined
  let conflicts = 0
  let readsMarkup = true
  let served = 0
  let nextUpdate = 1_000
  let secret = token
  const { methods, files, person, pressAnswered } = createBotChats(Number(token.split(':')[0]), (kind, value) => {
    updates.push({ update_id: nextUpdate++, [kind]: value })
  })

  async function poll(params: Params, response: ServerResponse): Promise<unknown> {
    poller?.end()
    const offset = Number(params['offset'] ?? 0)
    while ((updates[0]?.update_id ?? Infinity) < offset) updates.shift()
    const until = performance.now() + Number(params['timeout'] ?? 0) * 1000
    let ended = false
    const own = {
      end(): void {
        ended = true
        conflicts++
      },
    }
    poller = own
    response.once('close', () => {
      if (poller === own) poller = undefined
    })
    try {
      while (updates.length === 0 && performance.now() < until && !response.destroyed) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (ended) break
      }
      if (ended) {
        const only = 'terminated by other getUpdates request; make sure that only one bot instance is running'
        throw new Refusal(409, `Conflict: ${only}`)
      }
      served += Math.min(updates.length, maxBatch)
      return updates.slice(0, maxBatch)
    } finally {
      if (poller === own) poller = undefined
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given = '', path = ''] = /^\/(?:file\/)?bot([^/]+)\/(.+)$/.exec(request.url ?? '') ?? []
    const body = await bodyOf(request)
    if (given !== secret) throw new Refusal(401, 'Unauthorized')
    if (request.url?.startsWith('/file/')) {
      const bytes = files.get(path.replace('documents/', ''))
      response.writeHead(bytes ? 200 : 404).end(bytes)
      return
    }
    const params = paramsIn(request, body)
    calls.push({ method: path, params, at: performance.now() })
    await held.get(path)
    if (response.destroyed) return
    const at = faults.findIndex(({ method }) => method === path)
    const [planted] = at < 0 ? [] : faults.splice(at, 1)
    if (planted) throw planted.fault
    if (!readsMarkup && params['parse_mode'] !== undefined)
      throw new Refusal(400, "Bad Request: can't parse entities: Unsupported start tag")
    const method = methods[path]
    if (path !== 'getUpdates' && !method) throw new Refusal(404, 'Not Found')
    if (watcher(path, 'before')) return void response.destroy()
    const result = path === 'getUpdates' ? await poll(params, response) : method?.(params)
    if (watcher(path, 'behind')) return void response.destroy()
    const unanswered = lost.indexOf(path)
    if (unanswered >= 0) {
      lost.splice(unanswered, 1)
      response.destroy()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      const answer = { ok: false, error_code: error.code, description: error.message, ...error.more }
      response.writeHead(error.code, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    calls,
    person,
    /** How often a poller was cut off by another. */
    get conflicts() {
      return conflicts
    },
    get served() {
      return served
    },
    get polling() {
      return poller !== undefined
    },
    /** Updates that were not confirmed. */
    get pending() {
      return updates.length
    },
    /** The next call of a method is refused. */
    refuse: (method: string, code: number, description: string, more: object = {}) =>
      void faults.push({ method, fault: new Refusal(code, description, more) }),
    /** From now on texts with markup are refused. */
    refuseMarkup: () => void (readsMarkup = false),
    limit: (method: string, secs: number) =>
      void faults.push({
        method,
        fault: new Refusal(429, `Too Many Requests: retry after ${secs}`, { parameters: { retry_after: secs } }),
      }),
    /** The next call of a method has its effect, and its answer is lost. */
    lose: (method: string) => void lost.push(method),
    /** Calls of a method wait until the returned function is called. */
    hold(method: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(method, promise)
      return () => {
        held.delete(method)
        resolve()
      }
    },
    watch(next: Watcher): void {
      watcher = next
    },
    revoke: () => {
      secret = 'none'
    },
    pressAnswered,
    async close() {
      for (const release of held.keys()) held.delete(release)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function paramsIn(request: IncomingMessage, body: Buffer): Params {
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) return body.length > 0 ? (JSON.parse(body.toString()) as Params) : {}
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type)?.[1]
  if (boundary === undefined) throw new Refusal(400, 'Bad Request: unsupported content type')
  const params: Params = {}
  for (const part of body.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const value = Buffer.from(rest.join('\r\n\r\n').replace(/\r\n$/, ''), 'latin1')
    const name = /name="([^"]+)"/.exec(head)?.[1] ?? ''
    const file = /filename="([^"]+)"/.exec(head)?.[1]
    params[name] = file === undefined ? value.toString() : { name: file, bytes: value }
  }
  return params
}
