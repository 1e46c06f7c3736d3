// The local door: how commands on this machine reach a service that already runs on their home. It listens on a Unix
// socket in a folder of mode 0700: who can connect is the home's owner, so it asks for nothing more.
import { chmodSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { asFault, statusOf } from '#http/reply.ts'
import { createServer } from '#lib/http.ts'
import type { Log } from '#lib/log.ts'
import { maxTotalBytes } from '#turns/attachments.ts'
import type { Gates } from '#turns/gates.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Turns } from '#turns/turns.ts'
import { textIn } from './fields.ts'
import { operatorVerbs, type Signals, type Stream } from './operator-verbs.ts'

/** A message of a mebibyte, and the files that go with it, may grow sixfold on their way into JSON. */
const maxBody = 7 * 1024 * 1024 + 6 * maxTotalBytes

export type LocalParts = {
  /** Where to listen: a free path in a private folder. */
  readonly socket: string
  readonly turns: Pick<Turns, 'removeUser'>
  readonly gates: Pick<Gates, 'signedIn' | 'revoke'>
  /** What attached terminals and commands ask. */
  readonly client: OperatorClient
  readonly status: () => Promise<object>
  /** Reads settings again. */
  readonly reload: () => Promise<void>
  /** A link that signs the operator in, once; undefined while the gateway is off. */
  readonly loginLink: () => Promise<string | undefined>
  readonly log: Log
}

export type LocalDoor = {
  /** Takes no more at once; what is being answered gets a while. */
  close(graceMs: number): Promise<void>
}

export async function openLocalDoor(parts: LocalParts): Promise<LocalDoor> {
  // Whoever follows would do so for ever: the end of the door is theirs.
  const closing = new AbortController()
  const server = createServer((request, response) => {
    handle(request, response, parts, closing.signal).catch((error: unknown) => fail(response, error, parts.log))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.socket, resolve)
  })
  chmodSync(parts.socket, 0o600)
  return {
    async close(graceMs) {
      closing.abort()
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(cut)
    },
  }
}

type Route = (body: unknown, parts: LocalParts, signals: Signals) => Promise<unknown> | Stream

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['GET /status', (_, { status }) => status()],
  [
    'POST /reload',
    async (_, { reload }) => {
      await reload()
      return {}
    },
  ],
  [
    'POST /login',
    async (_, { loginLink }) => {
      const link = await loginLink()
      if (link === undefined) throw new AppError('not_found', 'the web gateway is off: set GATEWAY_ENABLED=true')
      return { link }
    },
  ],
  [
    'POST /users/remove',
    async (body, { turns }) => {
      const name = textIn(body, 'name')
      const erased = await turns.removeUser(name)
      if (!erased) throw new AppError('not_found', `no user is named ${name}`)
      return erased
    },
  ],
  [
    'POST /signed-in',
    async (body, { gates }) => {
      const brought = { tool: textIn(body, 'tool'), secret: textIn(body, 'secret'), owner: operator, by: 'operator' }
      return { closed: await gates.signedIn(brought) }
    },
  ],
  [
    'POST /grants/remove',
    async (body, { gates }) => {
      const id = textIn(body, 'id')
      if (!(await gates.revoke(operator, id))) throw new AppError('not_found', `no grant has the id ${id}`)
      return { removed: id }
    },
  ],
  ...Object.entries(operatorVerbs).map(([verb, call]): [string, Route] => [
    `POST /operator/${verb}`,
    (body, { client }, signals) => call(client, body, signals),
  ]),
])

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  parts: LocalParts,
  closing: AbortSignal,
): Promise<void> {
  const route = routes.get(`${request.method} ${request.url}`)
  if (!route) throw new AppError('not_found', 'no such route')
  const body = await readJson(request)
  const left = new AbortController()
  response.once('close', () => left.abort())
  const answer = route(body, parts, { left: left.signal, closing })
  if (Symbol.asyncIterator in answer) return stream(response, answer)
  // A verb that finds nothing, or has nothing to say, answers null.
  response.setHeader('content-type', 'application/json').end(JSON.stringify((await answer) ?? null))
}

/** Writes batches as lines of JSON. */
async function stream(response: ServerResponse, batches: Stream): Promise<void> {
  for await (const batch of batches) {
    if (response.destroyed) return
    // After the first batch: a request that is refused has a status of its own.
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    await write(response, batch)
  }
  response.end()
}

/** Waits for a client that reads slowly, until it leaves. */
async function write(response: ServerResponse, event: object): Promise<void> {
  if (response.write(`${JSON.stringify(event)}\n`) || response.destroyed) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBody) throw new AppError('too_large', `a request has at most ${maxBody} bytes`)
    chunks.push(chunk as Buffer)
  }
  if (bytes === 0) return {}
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    throw new AppError('invalid_input', 'the body is not JSON', { cause: error })
  }
}

function fail(response: ServerResponse, error: unknown, log: Log): void {
  const fault = asFault(error)
  if (fault.code === 'internal' || response.headersSent) log.error({ err: error }, 'a command was not answered')
  if (response.headersSent) {
    response.destroy()
    return
  }
  // What a client still sends is not read; the connection ends with the answer.
  response.writeHead(statusOf(fault.code), { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ error: { code: fault.code, message: fault.message, param: fault.param } }))
}
