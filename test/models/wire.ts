// What the strict servers share: a local server that records requests, refuses as told, and streams.
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as tick } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import { AppError } from '#core/errors.ts'
import assert from 'node:assert/strict'
import { textMessage } from '#core/item.ts'

export type Json = Record<string, unknown>
export type Asked = {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
  readonly text: string
}
/** Answers a request that was found good. */
export type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>

/** Thrown by a check: the status and body that the real server would answer. */
export class Refusal extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(JSON.stringify(body))
    this.status = status
    this.body = body
  }
}

export type Served = { readonly url: string; readonly asked: Asked[]; readonly closed: Promise<void> }

/** A server whose requests go through `check`, which throws a Refusal; good ones get the replies in turn, the last again. */
export async function serveStrict(
  t: TestContext,
  check: (asked: Asked) => void,
  replies: readonly Reply[],
): Promise<Served> {
  const asked: Asked[] = []
  let close: () => void
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    response.on('close', () => close())
    const one: Asked = {
      url: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(text || '{}') as Json,
      text,
    }
    try {
      check(one)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      response.writeHead(error.status, { 'content-type': 'application/json' }).end(JSON.stringify(error.body))
      return
    }
    const reply = replies[Math.min(asked.length, replies.length - 1)]
    asked.push(one)
    await reply?.(response, one)
  }
  const { port } = await listen(t, answer)
  return { url: `http://127.0.0.1:${port}`, asked, closed }
}

/** A server for one test. */
export async function listen(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** Streams pieces, one socket write each. */
export async function send(response: ServerResponse, pieces: readonly string[], end = true): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) {
    response.write(piece)
    await tick()
  }
  if (end) response.end()
}

/** Fails with a status. */
export const failing =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const never = new AbortController().signal
export const hello: ModelRequest = { system: 'Be brief.', items: [textMessage('user', 'hello')], tools: [] }

export async function collect(model: Model, request = hello, signal = never): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const batch of model.stream(request, signal)) events.push(...batch)
  return events
}

export async function fails(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof AppError, String(error))
  return error
}

export const textsOf = (events: readonly ModelEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : []))

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

/** A time of silence that is over when a test says so. */
export function createSilence(t: TestContext) {
  const idleMs = 54_321
  const wait = setTimeout
  let over = (): void => {}
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
    if (ms === idleMs) over = run
    return wait(run, ms)
  })
  return { idleMs, pass: () => over() }
}

/** Sends the beginning; once it was read, the rest comes as the time is over: so a process finds both that was stopped. */
export async function sendStopped(
  response: ServerResponse,
  { first, rest, read, silence }: { first: string; rest: string; read: Promise<void>; silence: { pass(): void } },
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
  await read
  setTimeout(() => {
    response.end(rest)
    silence.pass()
  })
}
