// Several real services over one real PostgreSQL, and what the tests ask of them.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { isCompleted } from '#store/turn-status.ts'
import { type Serving, serve } from '../atrium.ts'
import { eventData } from '../event-stream.ts'
import { newHome } from '../new-home.ts'

const operatorToken = 'operator-token-that-replicas-share'
const masterKey = 'ab'.repeat(32)
const pollMs = 50
/** Who waits for a lease to run out asks less and less often: each question costs a service and the database time. */
const maxPollMs = 500
const pollGrowth = 1.2

export type Wire = Readonly<Record<string, unknown>>
export type Answer = { readonly status: number; readonly body: Wire; readonly text: string; readonly headers: Headers }

export type Replica = Serving & {
  readonly home: string
  readonly webhook: string
  /** Asks the gateway; with a body it is a POST. The operator's token unless another is given. */
  ask(path: string, more?: Asking): Promise<Answer>
  /** POST /api/v1/responses. */
  create(body: object, more?: Asking): Promise<Answer>
  /** The events of a stream, as they come. */
  stream(path: string, more?: Asking): AsyncGenerator<StreamEvent>
}

export type Asking = {
  readonly method?: string
  readonly token?: string
  readonly body?: object
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}
export type StreamEvent = { readonly type: string; readonly data: Wire; readonly at: number }

/** What every replica over this database has to know. */
export function sharedEnv(url: string, env: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: url,
    ATRIUM_MASTER_KEY: masterKey,
    SERVICE_REBORN_WEBUI_TOKEN: operatorToken,
    LOG_LEVEL: 'warn',
    ...env,
  }
}

/** Starts a service in a home of its own. */
export async function startReplica(url: string, env: Record<string, string> = {}): Promise<Replica> {
  const home = newHome()
  const serving = await serve(home.path, sharedEnv(url, env)).catch((error: unknown) => {
    home.remove()
    throw error
  })
  void serving.ended.then(home.remove)
  const ask = (path: string, more: Asking = {}) => send(serving.url + path, more)
  return {
    ...serving,
    home: home.path,
    webhook: /webhook\s+(http:\S+)/.exec(serving.output())?.[1]?.replace('0.0.0.0', '127.0.0.1') ?? '',
    ask,
    create: (body, more = {}) => ask('/api/v1/responses', { ...more, body: { model: 'm', ...body } }),
    stream: (path, more = {}) => readStream(serving.url + path, more),
  }
}

/** Starts several at once, as an orchestrator would. */
export function startReplicas(count: number, url: string, env: Record<string, string> = {}): Promise<Replica[]> {
  return Promise.all(Array.from({ length: count }, () => startReplica(url, env)))
}

/** Ends them without ceremony: most tests do not care how they go. */
export async function killAll(replicas: readonly Replica[]): Promise<void> {
  for (const replica of replicas) {
    replica.signal('SIGCONT')
    replica.signal('SIGKILL')
  }
  await Promise.all(replicas.map(({ ended }) => ended))
}

export async function send(url: string, { method, token = operatorToken, body, headers, signal }: Asking) {
  const response = await fetch(url, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: signal ?? AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') && text !== ''
  return { status: response.status, body: json ? (JSON.parse(text) as Wire) : {}, text, headers: response.headers }
}

async function* readStream(url: string, { token = operatorToken, body, signal }: Asking): AsyncGenerator<StreamEvent> {
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: signal ?? AbortSignal.timeout(90_000),
  })
  assert.equal(response.status, 200, `${url}: ${response.status}`)
  for await (const text of eventData(response)) {
    const data = JSON.parse(text) as Wire
    yield { type: String(data['type']).replace('response.', ''), data, at: Date.now() }
  }
}

/** Reads a stream to its end, checks that it is well-formed, and tells what it said. */
export async function listen(events: AsyncIterable<StreamEvent>) {
  const told: StreamEvent[] = []
  for await (const event of events) told.push(event)
  return summary(told)
}

/** Reads a stream until so many pieces of text have come; `rest` reads it to its end, and tells all of it. */
export async function hearing(events: AsyncGenerator<StreamEvent>, pieces = 1) {
  const told: StreamEvent[] = []
  for (let heard = 0; heard < pieces; ) {
    const { value, done } = await events.next()
    assert(!done, 'the stream ended before the text')
    told.push(value)
    if (value.type === 'output_text.delta') heard++
  }
  return { rest: Array.fromAsync(events).then((rest) => summary([...told, ...rest])) }
}

/** The text of the deltas, and the response at the end; every rule of the stream holds. */
export function summary(told: readonly StreamEvent[]) {
  assert.deepEqual(
    told.map(({ data }) => data['sequence_number']),
    told.map((_, at) => at),
    'events are numbered without gaps',
  )
  assert.equal(told[0]?.type, 'created')
  const texts = new Map<string, string>()
  const open = new Set<string>()
  for (const { type, data } of told) {
    const item = data['item'] as { id: string; type: string; content?: { text: string }[] } | undefined
    if (type === 'output_item.added' && item) open.add(item.id)
    if (type === 'output_text.delta') {
      const id = String(data['item_id'])
      assert(open.has(id), 'text belongs to an open item')
      texts.set(id, (texts.get(id) ?? '') + String(data['delta']))
    }
    if (type === 'output_item.done' && item) {
      assert(open.delete(item.id), 'an item is closed once')
      if (item.type === 'message') assert.equal(texts.get(item.id) ?? '', item.content?.[0]?.text)
    }
  }
  assert.equal(open.size, 0, 'every item is closed')
  const last = told.at(-1)
  assert(last?.type === 'completed' || last?.type === 'failed', `the last event is ${last?.type}`)
  const response = last.data['response'] as Wire
  const deltas = told.filter(({ type }) => type === 'output_text.delta')
  return { told, deltas, texts: [...texts.values()], text: [...texts.values()].join(''), end: last.type, response }
}

/** All text of a response object. */
export function textOf(response: Wire): string {
  const output = (response['output'] ?? []) as { type: string; content?: { text: string }[] }[]
  return output
    .flatMap((item) => (item.type === 'message' ? (item.content ?? []).map(({ text }) => text) : []))
    .join('')
}

/** A user with a token of their own: nobody else's messages count for their rate. */
export async function newUser(replica: Replica, name: string): Promise<string> {
  const { status, body } = await replica.ask('/api/users', { body: { name } })
  assert(status === 200 || status === 201, `POST /api/users: ${status}`)
  return String(body['token'])
}

/** Waits until something holds; throws when it does not within the time. Returns how long it took. */
export async function until(what: string, withinMs: number, holds: () => Promise<boolean>): Promise<number> {
  const began = Date.now()
  for (let pause = pollMs; !(await holds()); pause = Math.min(pause * pollGrowth, maxPollMs)) {
    if (Date.now() - began > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await sleep(pause)
  }
  return Date.now() - began
}

/** Asks the database itself. */
export async function sqlRows(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Writes a script for the scripted model and returns what a replica must know of it. */
export function scripted(folder: string, replies: readonly object[]): Record<string, string> {
  const file = join(folder, 'script.json')
  writeFileSync(file, JSON.stringify({ replies, loop: true }))
  return { LLM_PROVIDER: 'scripted', LLM_SCRIPT: file }
}

/** How many items each turn has, straight from the database: what was lost, doubled or left. */
export async function tally(url: string) {
  const turns = await sqlRows(
    url,
    `SELECT t.id, t.status, ${isCompleted} AS completed,
       (SELECT count(*)::int FROM items i WHERE i.turn_id = t.id AND i.body LIKE '%"role":"user"%') AS asked,
       (SELECT count(*)::int FROM items i WHERE i.turn_id = t.id AND i.body LIKE '%"role":"assistant"%') AS answered
     FROM turns t`,
  )
  const [gaps] = await sqlRows(
    url,
    `SELECT count(*)::int AS n FROM threads h
     WHERE h.last_seq <> (SELECT count(*) FROM items i WHERE i.thread_id = h.id)`,
  )
  return {
    turns: turns.length,
    ids: new Set(turns.map(({ id }) => String(id))),
    open: turns.filter(({ status }) => ['queued', 'running', 'waiting'].includes(String(status))).length,
    notDone: turns.filter(({ completed }) => !completed).length,
    once: turns.filter(({ asked, answered }) => asked === 1 && answered === 1).length,
    gaps: Number(gaps?.['n']),
  }
}
