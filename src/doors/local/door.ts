// The local door: how commands on this machine reach a service that already runs on their home. It listens on a Unix
// socket in a folder of mode 0700: who can connect is the home's owner, so it asks for nothing more.
import { chmodSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isLocalDoor } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { isObject } from '#core/json.ts'
import { asFault, statusOf } from '#http/reply.ts'
import { createServer } from '#lib/http.ts'
import type { Log } from '#lib/log.ts'
import { maxTotalBytes } from '#turns/attachments.ts'
import { answerChat, type ChatEvent, sendMessage } from '#turns/exchange.ts'
import type { Desk } from '#turns/operator.ts'
import type { Turns } from '#turns/turns.ts'
import { askDesk, filesIn, followDesk, readGateAnswer } from './desk.ts'
import { textIn } from './fields.ts'

/** A message of a mebibyte, and the files that go with it, may grow sixfold on their way into JSON. */
const maxBody = 7 * 1024 * 1024 + 6 * maxTotalBytes

export type LocalParts = {
  /** Where to listen: a free path in a private folder. */
  readonly socket: string
  readonly turns: Turns
  /** What an attached terminal does. */
  readonly desk: Desk
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
    handle(request, response, { ...parts, closing: closing.signal }).catch((error: unknown) =>
      fail(response, error, parts.log),
    )
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

type Open = LocalParts & { readonly closing: AbortSignal }

async function handle(request: IncomingMessage, response: ServerResponse, parts: Open): Promise<void> {
  const verb = request.method === 'POST' && /^\/desk\/(\w+)$/.exec(request.url ?? '')?.[1]
  if (verb) return serveDesk(response, parts, { verb, body: await readJson(request) })
  switch (`${request.method} ${request.url}`) {
    case 'GET /status':
      return answerWith(response, await parts.status())
    case 'POST /reload':
      await parts.reload()
      return answerWith(response, {})
    case 'POST /login': {
      const link = await parts.loginLink()
      if (link === undefined) throw new AppError('not_found', 'the web gateway is off: set GATEWAY_ENABLED=true')
      return answerWith(response, { link })
    }
    case 'POST /messages':
      return relay(response, sent(await readJson(request), parts.turns))
    case 'POST /answers':
      return relay(response, answered(await readJson(request), parts.turns))
    case 'POST /cancel': {
      const { status } = await parts.turns.cancel(operator, textIn(await readJson(request), 'turnId'))
      return answerWith(response, { status })
    }
    case 'POST /users/remove': {
      const name = textIn(await readJson(request), 'name')
      const erased = await parts.turns.removeUser(name)
      if (!erased) throw new AppError('not_found', `no user is named ${name}`)
      return answerWith(response, erased)
    }
    case 'POST /gates/answer': {
      const body = await readJson(request)
      const given = isObject(body) ? body['answer'] : undefined
      const answer = readGateAnswer(given, textIn(given, 'by'))
      const { status } = await parts.turns.answer(operator, textIn(body, 'threadId'), answer)
      return answerWith(response, { status })
    }
    case 'POST /signed-in': {
      const body = await readJson(request)
      const brought = { tool: textIn(body, 'tool'), secret: textIn(body, 'secret'), owner: operator, by: 'operator' }
      return answerWith(response, { closed: await parts.turns.signedIn(brought) })
    }
    case 'POST /grants/remove': {
      const id = textIn(await readJson(request), 'id')
      if (!(await parts.turns.revoke(operator, id))) throw new AppError('not_found', `no grant has the id ${id}`)
      return answerWith(response, { removed: id })
    }
    default:
      throw new AppError('not_found', 'no such route')
  }
}

async function serveDesk(
  response: ServerResponse,
  { desk, closing }: Open,
  { verb, body }: { verb: string; body: unknown },
): Promise<void> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  const stream = await followDesk(desk, verb, body, AbortSignal.any([left.signal, closing]))
  if (stream) return follow(response, stream)
  const answer = askDesk(desk, verb, body)
  if (!answer) throw new AppError('not_found', 'no such route')
  response.setHeader('content-type', 'application/json').end(JSON.stringify((await answer) ?? null))
}

/** Writes batches as lines of JSON, an empty one first: who follows knows at once that it is heard. */
async function follow(response: ServerResponse, batches: AsyncIterable<object>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  await write(response, [])
  for await (const batch of batches) {
    if (response.destroyed) return
    await write(response, batch)
  }
  response.end()
}

function sent(body: unknown, turns: Turns): AsyncGenerator<ChatEvent> {
  const door = textIn(body, 'door')
  if (!isLocalDoor(door)) throw new AppError('invalid_input', 'door must be run or terminal')
  const message = textIn(body, 'message')
  const threadId = isObject(body) && body['threadId'] !== undefined ? textIn(body, 'threadId') : undefined
  const thread = threadId === undefined ? {} : { threadId }
  return sendMessage(turns, { user: operator, door, message, files: filesIn(body), ...thread })
}

function answered(body: unknown, turns: Turns): AsyncGenerator<ChatEvent> {
  const decision = textIn(body, 'decision')
  if (decision !== 'allow' && decision !== 'deny') throw new AppError('invalid_input', 'decision must be allow or deny')
  const seq = isObject(body) ? body['seq'] : undefined
  if (typeof seq !== 'number') throw new AppError('invalid_input', 'seq must be a number', { param: 'seq' })
  const [threadId, callId] = [textIn(body, 'threadId'), textIn(body, 'callId')]
  return answerChat(turns, { user: operator, threadId, callId, seq, decision })
}

/** Writes the events of a turn as lines of JSON. The turn goes on when the client leaves. */
async function relay(response: ServerResponse, events: AsyncGenerator<ChatEvent>): Promise<void> {
  // Before the head of the answer: what is wrong with the request has a status of its own.
  const first = await events.next()
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  if (!first.done) await write(response, first.value)
  for await (const event of events) {
    if (response.destroyed) return
    await write(response, event)
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

function answerWith(response: ServerResponse, value: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
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
  if (fault.code === 'internal' || response.headersSent) log.error({ err: error }, 'a command was not answered')
  if (response.headersSent) {
    response.destroy()
    return
  }
  // What a client still sends is not read; the connection ends with the answer.
  response.writeHead(statusOf(fault.code), { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ error: { code: fault.code, message: fault.message, param: fault.param } }))
}
