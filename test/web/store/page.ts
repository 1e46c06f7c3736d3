// A page without a browser: a gateway that answers as the test says, a socket that the test speaks through, storage,
// address and pictures. Import it before any store: the stores read the page when they are loaded.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ClientFrame, Frame } from '#doors/web/wire/frame.ts'
import type { Item, Thread } from '#doors/web/wire/thread.ts'
import '../bytes.ts'

export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  /** It goes on when the page is closed. */
  readonly keepalive: boolean
}

/** An answer of the gateway: a status and a body, or a text that is no JSON; `lost` when it never comes, `cut` in its middle. */
export type Answer =
  | 'lost'
  | 'cut'
  | { readonly status?: number; readonly body?: unknown; readonly text?: string; readonly retryAfter?: string }
type Answering = (asked: Asked) => Answer | Promise<Answer>

/** What was asked of the gateway, and its answers by `METHOD /path`. A path that ends in `*` is a prefix. */
export const gateway = {
  asked: [] as Asked[],
  answers: new Map<string, Answering>(),
  on(what: string, answer: Answer | Answering): void {
    gateway.answers.set(what, typeof answer === 'function' ? answer : () => answer)
  },
  /** The requests of one kind, oldest first. */
  of(what: string): Asked[] {
    return gateway.asked.filter(({ method, path }) => matches(what, `${method} ${path}`))
  },
  bodies: (what: string): unknown[] => gateway.of(what).map(({ body }) => body),
}

function matches(what: string, asked: string): boolean {
  return what.endsWith('*') ? asked.startsWith(what.slice(0, -1)) : what === asked
}

export const ok = (body: unknown): Answer => ({ body })

/** What a request for a part of a list of so many rows gets: their numbers, and the cursor of the next part. */
export function partOf(query: URLSearchParams, count: number) {
  const from = Number(query.get('cursor') ?? 0)
  const to = Math.min(count, from + Number(query.get('limit')))
  const numbers = Array.from({ length: to - from }, (_, at) => from + at)
  return { numbers, next_cursor: to < count ? String(to) : null }
}

export function refusal(status: number, code: string, message = code): Answer {
  return { status, body: { error: { code, message } } }
}

async function fakeFetch(address: string, init: RequestInit): Promise<unknown> {
  const [path = '', query = ''] = address.split('?')
  const body = init.body === undefined ? undefined : (JSON.parse(init.body as string) as unknown)
  const headers = init.headers as Record<string, string>
  const asked: Asked = {
    method: init.method ?? '',
    path,
    query: new URLSearchParams(query),
    body,
    headers,
    keepalive: init.keepalive ?? false,
  }
  gateway.asked.push(asked)
  const found = [...gateway.answers].findLast(([what]) => matches(what, `${asked.method} ${path}`))
  const answer = found ? await found[1](asked) : refusal(404, 'not_found')
  if (answer === 'lost') throw new TypeError('fetch failed')
  if (answer === 'cut') return { ok: true, status: 200, text: () => Promise.reject(new TypeError('network error')) }
  const { status = 200, body: said, text = said === undefined ? '' : JSON.stringify(said), retryAfter } = answer
  return {
    ok: status < 400,
    status,
    headers: new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    text: () => Promise.resolve(text),
  }
}

/** The sockets that the page opened, the latest last. */
export const sockets: FakeSocket[] = []

export class FakeSocket extends EventTarget {
  static readonly OPEN = 1
  readonly url: string
  readonly sent: ClientFrame[] = []
  readyState = 0

  constructor(url: string) {
    super()
    this.url = url
    sockets.push(this)
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientFrame)
  }

  close(): void {
    this.readyState = 3
  }

  /** The gateway accepts the connection. */
  accept(): void {
    this.readyState = FakeSocket.OPEN
    this.tell({ type: 'ready', user: 'ada', operator: true, waiting: 0 })
  }

  tell(...frames: readonly object[]): void {
    for (const frame of frames) this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
  }

  break(code = 1006): void {
    this.readyState = 3
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }

  of(type: ClientFrame['type']): ClientFrame[] {
    return this.sent.filter((frame) => frame.type === type)
  }
}

export function socket(): FakeSocket {
  const last = sockets.at(-1)
  assert(last, 'the page has opened no socket')
  return last
}

/** Storage whose keys are its own, as in a browser. With `blocked` it refuses everything. */
class FakeStorage {
  getItem(key: string): string | null {
    this.#check()
    return (this as unknown as Record<string, string>)[key] ?? null
  }

  setItem(key: string, text: string): void {
    this.#check()
    ;(this as unknown as Record<string, string>)[key] = text
  }

  removeItem(key: string): void {
    this.#check()
    delete (this as unknown as Record<string, string>)[key]
  }

  #check(): void {
    if (storage.blocked) throw new DOMException('no storage here', 'SecurityError')
  }
}

export const storage = { blocked: false, local: new FakeStorage(), session: new FakeStorage() }

/** What is kept in the browser, by name. */
export function stored(): Record<string, string> {
  return Object.fromEntries(Object.entries(storage.local))
}

let pictures: FrameRequestCallback[] = []

/** Draws the next picture: what waited for it happens. */
export function draw(): void {
  const due = pictures
  pictures = []
  for (const each of due) each(0)
}

/** Everything that needs no time and no answer of the test has happened. The fakes answer in microtasks. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(setImmediate)
}

export const address = {
  protocol: 'http:',
  host: 'atrium.test',
  origin: 'http://atrium.test',
  pathname: '/',
  search: '',
  reloads: 0,
  reload: (): void => void address.reloads++,
  /** What Back would return to. */
  past: [] as string[],
}

function moveTo(to: string): void {
  const [pathname = '', search = ''] = to.split(/(?=\?)/)
  Object.assign(address, { pathname, search })
}

const marks = new Map<string, string>()
export const fakeDocument = Object.assign(new EventTarget(), {
  hidden: false,
  documentElement: {
    setAttribute: (name: string, value: string) => void marks.set(name, value),
    removeAttribute: (name: string) => void marks.delete(name),
    getAttribute: (name: string) => marks.get(name),
  },
})

/** The channel to the other windows of the browser: what was told last, and what they tell. */
export const otherWindows = {
  heard: undefined as unknown,
  tell: (data: unknown): boolean => channels.dispatchEvent(new MessageEvent('message', { data })),
}

const channels = new EventTarget()

class FakeChannel {
  addEventListener = channels.addEventListener.bind(channels)
  postMessage = (data: unknown): void => void (otherWindows.heard = data)
}

const view = new EventTarget()

const globals = {
  fetch: fakeFetch,
  WebSocket: FakeSocket,
  BroadcastChannel: FakeChannel,
  location: address,
  history: {
    pushState(_state: unknown, _title: string, to: string): void {
      address.past.push(address.pathname + address.search)
      moveTo(to)
    },
    replaceState: (_state: unknown, _title: string, to: string): void => moveTo(to),
  },
  document: fakeDocument,
  requestAnimationFrame: (act: FrameRequestCallback): number => pictures.push(act),
  addEventListener: view.addEventListener.bind(view),
  removeEventListener: view.removeEventListener.bind(view),
  dispatchEvent: view.dispatchEvent.bind(view),
  localStorage: storage.local,
  sessionStorage: storage.session,
}
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

/** Begins a test with nothing asked, nothing stored, and a clock that the test moves. */
export function freshPage(t: TestContext, { now = 1_000_000 } = {}): void {
  gateway.asked.length = 0
  gateway.answers.clear()
  sockets.length = 0
  pictures = []
  storage.blocked = false
  fakeDocument.hidden = false
  for (const each of [storage.local, storage.session]) {
    for (const key of Object.keys(each)) each.removeItem(key)
  }
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now })
}

/** Begins a test whose gateway takes every request; its lists are empty. */
export function serveAll(t: TestContext): void {
  freshPage(t)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) gateway.on(`${method} /api/*`, ok({}))
  gateway.on('GET /api/*', ok({}))
  for (const list of ['tools', 'users', 'grants', 'gates', 'tokens']) gateway.on(`GET /api/${list}`, ok({ [list]: [] }))
}

export function threadOf(id: string, more: Partial<Thread> = {}): Thread {
  const at = new Date(0).toISOString()
  return { id, title: `Thread ${id}`, door: 'web', created_at: at, updated_at: at, last_seq: 0, state: 'idle', ...more }
}

/** The messages of a thread from one seq to another, each a turn of its own. */
export function itemsFrom(first: number, last: number): Item[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => messageOf(first + at))
}

export function messageOf(seq: number, turnId = `turn ${seq}`, text = `message ${seq}`): Item {
  const content = [{ type: 'text' as const, text }]
  return {
    type: 'message',
    role: 'user',
    seq,
    id: `item ${seq}`,
    turn_id: turnId,
    at: new Date(0).toISOString(),
    content,
  }
}

/** The gateway has a thread with messages up to a seq, which the test may raise. */
export function serveThread(id: string, given: { lastSeq: number; queued?: unknown[]; perAnswer?: number }): void {
  gateway.on(`GET /api/threads/${id}`, ({ query }) => {
    const after = Number(query.get('after'))
    const { lastSeq, queued = [], perAnswer = Infinity } = given
    const limit = Math.min(Number(query.get('limit')), perAnswer)
    const last = Math.min(lastSeq, after + limit)
    const next_after = last < lastSeq ? last : null
    return ok({ thread: threadOf(id, { last_seq: lastSeq }), items: itemsFrom(after + 1, last), next_after, queued })
  })
}

export function itemFrame(threadId: string, item: Item): Frame {
  return { type: 'item', thread_id: threadId, seq: item.seq, item }
}

export function turnFrame(threadId: string, id: string, status: string): object {
  return { type: 'turn', id, turn_id: id, thread_id: threadId, status }
}
