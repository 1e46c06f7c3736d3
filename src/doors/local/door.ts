// The local door: how commands on this machine reach a service that already runs on their home. It listens on loopback
// only and opens to a token that stands in the home, where only its owner can read it.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { isObject } from '#core/json.ts'
import { asFault, statusOf } from '#http/reply.ts'
import { createServer } from '#lib/http.ts'
import type { Log } from '#lib/log.ts'
import { sendMessage } from '#turns/chat.ts'
import type { Turns } from '#turns/turns.ts'

const maxBody = 1024 * 1024

export type LocalParts = {
  readonly turns: Turns
  readonly status: () => Promise<object>
  /** Reads settings again. */
  readonly reload: () => Promise<void>
  readonly log: Log
}

export type LocalDoor = { readonly port: number; readonly token: string; close(): Promise<void> }

export async function openLocalDoor(parts: LocalParts): Promise<LocalDoor> {
  const token = randomBytes(32).toString('hex')
  const expected = Buffer.from(`Bearer ${token}`)
  const server = createServer((request, response) => {
    handle(request, response, parts, expected).catch((error: unknown) => fail(response, error, parts.log))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    token,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  parts: LocalParts,
  expected: Buffer,
): Promise<void> {
  const given = Buffer.from(request.headers.authorization ?? '')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new AppError('unauthorized', 'this door is for commands on the same home')
  }
  switch (`${request.method} ${request.url}`) {
    case 'GET /status':
      response.setHeader('content-type', 'application/json').end(JSON.stringify(await parts.status()))
      return
    case 'POST /reload':
      await parts.reload()
      response.writeHead(204).end()
      return
    case 'POST /messages':
      await relay(await readJson(request), response, parts)
      return
    default:
      throw new AppError('not_found', 'no such route')
  }
}

/** Runs a message and writes its events as lines of JSON. The turn goes on when the client leaves. */
async function relay(body: unknown, response: ServerResponse, { turns, log }: LocalParts): Promise<void> {
  if (!isObject(body) || typeof body['message'] !== 'string')
    throw new AppError('invalid_input', 'message must be a string')
  const { message, threadId, door } = body
  const events = sendMessage(turns, {
    user: operator,
    door: door === 'terminal' ? 'terminal' : 'run',
    message,
    ...(typeof threadId === 'string' && { threadId }),
  })
  const first = await events.next()
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  try {
    if (!first.done) response.write(`${JSON.stringify(first.value)}\n`)
    for await (const event of events) {
      if (response.destroyed) return
      response.write(`${JSON.stringify(event)}\n`)
    }
  } catch (error) {
    log.error({ err: error }, 'a local client was cut off')
  } finally {
    response.end()
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBody) throw new AppError('too_large', `a request has at most ${maxBody} bytes`)
    chunks.push(chunk as Buffer)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    throw new AppError('invalid_input', 'the body is not JSON', { cause: error })
  }
}

function fail(response: ServerResponse, error: unknown, log: Log): void {
  const fault = asFault(error)
  if (fault.code === 'internal') log.error({ err: error }, 'local door')
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(statusOf(fault.code), { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { code: fault.code, message: fault.message, param: fault.param } }))
}
