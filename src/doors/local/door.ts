// The local door: HTTP over a Unix socket, for commands on this machine that talk to a running service. The socket is
// in a folder of mode 0700, so only the owner of the home can connect; there is no other authentication.
import { chmodSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SettingsAdmin } from '#core/admin.ts'
import { AppError, type ErrorCode, wrongField } from '#core/errors.ts'
import { operator, userId } from '#core/ids.ts'
import { isObject, type JsonObject } from '#core/json.ts'
import { maxAttachedBytes } from '#core/page-limits.ts'
import { readJson } from '#http/json-reader.ts'
import { asFault, statusOf } from '#http/reply.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { createServer } from '#lib/http.ts'
import type { Log } from '#lib/log.ts'
import type { Gates } from '#turns/gates.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { PruneOrder } from '#turns/retention.ts'
import type { Turns } from '#turns/turns.ts'
import { numberIn, textIn } from './fields.ts'
import { operatorVerbs, type Signals, type Stream } from './operator-verbs.ts'

/** A message of 1 MiB and its files; JSON escaping can make them up to six times longer. */
const maxBodyBytes = 7 * 1024 * 1024 + 6 * maxAttachedBytes

export type LocalParts = {
  /** The path to listen on: unused, in a private folder. */
  readonly socket: string
  readonly turns: Pick<Turns, 'removeUser' | 'prune'>
  readonly gates: Pick<Gates, 'signedIn' | 'revoke'>
  /** Answers the verbs of attached terminals and commands. */
  readonly client: OperatorClient
  readonly status: () => Promise<object>
  /** Reloads settings. */
  readonly reload: () => Promise<void>
  readonly settings: Pick<SettingsAdmin, 'read' | 'change' | 'tryModel'>
  /** Makes a one-time sign-in link for the operator; undefined while the gateway is off. */
  readonly loginLink: () => Promise<string | undefined>
  readonly log: Log
}

export type LocalDoor = {
  /** Accepts nothing new; requests in progress get `graceMs` to finish. */
  close(graceMs: number): Promise<void>
}

export async function openLocalDoor(parts: LocalParts): Promise<LocalDoor> {
  // Open streams never end by themselves; this signal ends them when the door closes.
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
    'GET /model',
    async (_, { settings }) => {
      const { model, models, providers } = await settings.read()
      return { model, models, providers }
    },
  ],
  ['POST /model/test', (_, { settings }) => settings.tryModel()],
  [
    'POST /model',
    async (body, { settings }) => {
      const { settings: changes, force } = body as { settings?: unknown; force?: unknown }
      if (!isObject(changes)) throw wrongField('settings', 'must be an object')
      await settings.change(changes as JsonObject, { force: force === true, keyMoves: true })
      return (await settings.read()).model
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
  ['POST /prune', (body, { turns }) => turns.prune(pruneOrder(body))],
  [
    'POST /signed-in',
    async (body, { gates }) => {
      const secret = { tool: textIn(body, 'tool'), secret: textIn(body, 'secret'), owner: operator, by: 'operator' }
      const ofServer = isObject(body) && body['of'] === 'mcp'
      return { closed: await gates.signedIn({ ...secret, ...(ofServer && { of: 'mcp' }) }) }
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
  const body = await bodyOf(request)
  const left = new AbortController()
  response.once('close', () => left.abort())
  const answer = route(body, parts, { left: left.signal, closing })
  if (Symbol.asyncIterator in answer) return stream(response, answer)
  // A verb without a result answers null.
  response.setHeader('content-type', 'application/json').end(JSON.stringify((await answer) ?? null))
}

/** Writes each batch as one line of JSON. */
async function stream(response: ServerResponse, batches: Stream): Promise<void> {
  for await (const batch of batches) {
    if (response.destroyed) return
    // The headers wait for the first batch, so that a refused request can still get an error status.
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    await write(response, batch)
  }
  response.end()
}

/** Writes one line, and waits while the client reads slowly, until it disconnects. */
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

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const body = new ByteBlocks()
  for await (const chunk of request) {
    body.add(chunk as Buffer)
    if (body.size > maxBodyBytes) throw new AppError('too_large', `a request has at most ${maxBodyBytes} bytes`)
  }
  if (body.size === 0) return {}
  return readJson(body.take())
}

/** Faults of the disk keep their words: who asks through this door can mend them, and the words say how. */
const ownWords: ReadonlySet<unknown> = new Set(['disk_full', 'home_unwritable'] satisfies ErrorCode[])

function fail(response: ServerResponse, error: unknown, log: Log): void {
  const fault = ownWords.has((error as AppError).code) ? (error as AppError) : asFault(error)
  if (fault.code === 'internal' || response.headersSent) log.error({ err: error }, 'a local command failed')
  if (response.headersSent) {
    response.destroy()
    return
  }
  // The rest of the request is not read; the connection closes after the answer.
  response.writeHead(statusOf(fault.code), { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ error: { code: fault.code, message: fault.message, param: fault.param } }))
}

function pruneOrder(body: unknown): PruneOrder {
  const next = isObject(body) ? body['next'] : undefined
  return {
    before: numberIn(body, 'before'),
    dryRun: isObject(body) && body['dryRun'] === true,
    ...(isObject(next) && {
      next: { user: userId(textIn(next, 'user')), archived: next['archived'] === true, turn: textIn(next, 'turn') },
    }),
  }
}
