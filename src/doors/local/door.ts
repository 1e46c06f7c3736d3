// The local door: how commands on this machine reach a service that already runs on their home. It listens on a Unix
// socket in a folder of mode 0700: who can connect is the home's owner, so it asks for nothing more.
import { chmodSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { isObject } from '#core/json.ts'
import { asFault, statusOf } from '#http/reply.ts'
import { createServer } from '#lib/http.ts'
import type { Log } from '#lib/log.ts'
import type { Wish } from '#safety/grants.ts'
import { answerChat, type ChatEvent, sendMessage } from '#turns/chat.ts'
import type { Said } from '#turns/gates.ts'
import type { Turns } from '#turns/turns.ts'

/** A message of a mebibyte may grow sixfold on its way into JSON. */
const maxBody = 7 * 1024 * 1024

export type LocalParts = {
  /** Where to listen: a free path in a private folder. */
  readonly socket: string
  readonly turns: Turns
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
  const server = createServer((request, response) => {
    handle(request, response, parts).catch((error: unknown) => fail(response, error, parts.log))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.socket, resolve)
  })
  chmodSync(parts.socket, 0o600)
  return {
    async close(graceMs) {
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(cut)
    },
  }
}

async function handle(request: IncomingMessage, response: ServerResponse, parts: LocalParts): Promise<void> {
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
      const { threadId, answer } = readAnswer(await readJson(request))
      const { status } = await parts.turns.answer(operator, threadId, answer)
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

function sent(body: unknown, turns: Turns): AsyncGenerator<ChatEvent> {
  const door = textIn(body, 'door')
  if (door !== 'run' && door !== 'terminal') throw new AppError('invalid_input', 'door must be run or terminal')
  const message = textIn(body, 'message')
  const threadId = isObject(body) && body['threadId'] !== undefined ? textIn(body, 'threadId') : undefined
  return sendMessage(turns, { user: operator, door, message, ...(threadId !== undefined && { threadId }) })
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

/** What `atrium gates` sends. */
function readAnswer(body: unknown): { threadId: string; answer: Said } {
  const given = isObject(body) ? body['answer'] : undefined
  const decision = textIn(given, 'decision')
  if (decision !== 'allow' && decision !== 'deny') throw new AppError('invalid_input', 'decision must be allow or deny')
  const { output, wish } = given as { output?: unknown; wish?: unknown }
  const said = { callId: textIn(given, 'callId'), by: textIn(given, 'by'), decision } as const
  const answer = {
    ...said,
    ...(output !== undefined && { output: textIn(given, 'output') }),
    ...(wish !== undefined && { wish: readWish(wish) }),
  }
  return { threadId: textIn(body, 'threadId'), answer }
}

function readWish(wish: unknown): Wish {
  const span = textIn(wish, 'for')
  const scope = isObject(wish) ? wish['scope'] : undefined
  const fits = span === 'hour' || span === 'day' || span === 'good'
  if (!fits || (scope !== undefined && scope !== 'tool' && scope !== 'target')) {
    throw new AppError('invalid_input', 'wish must have for (hour, day, good) and may have scope (tool, target)')
  }
  return { for: span, ...(scope && { scope }) }
}

function textIn(body: unknown, name: string): string {
  const value = isObject(body) ? body[name] : undefined
  if (typeof value === 'string') return value
  throw new AppError('invalid_input', `${name} must be a string`, { param: name })
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
