// Requests of the clients. Every answer is looked through for marks of other users, and one that is documented nowhere is
// written down.
import { setTimeout as sleep } from 'node:timers/promises'
import { eventData } from '../event-stream.ts'
import { hasSecret, marksIn } from './history.ts'
import type { World } from './world.ts'

/** How long a client goes on trying: a replica that was stopped, or a database that restarts, comes back. */
const patienceMs = 180_000
const requestMs = 120_000
const pauseMs = 60

export type Reply = {
  readonly status: number
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
}
export type Sending = {
  readonly method?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** How long the client waits for its answer. */
  readonly waitMs?: number
}
export type Caller = { readonly name: string; readonly token: string }

/** Answers that a client must expect. 401 is none: every token is valid throughout. */
const documented = [200, 201, 202, 204, 404, 408, 409, 502, 503, 504]
/** Answers after which the same request is sent again. A replica that was stopped got it too late, as it sees it. */
export const again: readonly number[] = [408, 503]

/** One try. Undefined when there was no answer, or only a part of it. */
export async function trySend(world: World, caller: Caller, url: string, sending: Sending): Promise<Reply | undefined> {
  try {
    const response = await open(caller, url, sending)
    const text = await response.text()
    const reply = replyOf(response, text)
    note(world, caller, url, reply)
    return reply
  } catch {
    return undefined
  }
}

/** Tries until there is an answer that stands. The caller makes a repeated request safe: it reads, or has a key. */
export async function send(
  world: World,
  caller: Caller,
  url: () => string,
  sending: Sending = {},
): Promise<Reply | undefined> {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const reply = await trySend(world, caller, url(), sending)
    if (reply && !again.includes(reply.status)) return reply
    await sleep(pauseMs)
  }
  world.record({ type: 'strange', where: url(), status: 0, text: `no answer within ${patienceMs} ms` })
  return undefined
}

type Reading = {
  readonly sending: Sending
  /** Takes the data of one event; false ends the reading. */
  readonly read: (data: string) => boolean
  readonly begun?: (headers: Headers) => void
}

/** A stream of events: `data:` lines as they come. Ends without a word when it is cut. */
export async function readEvents(
  world: World,
  caller: Caller,
  url: string,
  { sending, read, begun }: Reading,
): Promise<Reply | undefined> {
  try {
    const response = await open(caller, url, sending)
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const reply = replyOf(response, await response.text())
      note(world, caller, url, reply)
      return reply
    }
    begun?.(response.headers)
    for await (const data of eventData(response)) {
      show(world, caller, url, data)
      if (!read(data)) return undefined
    }
  } catch {
    // Cut: what was read counts.
  }
  return undefined
}

function open(
  { token }: Caller,
  url: string,
  { method, body, headers, waitMs = requestMs }: Sending,
): Promise<Response> {
  return fetch(url, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(waitMs),
  })
}

function replyOf({ status, headers }: Response, text: string): Reply {
  const json = headers.get('content-type')?.includes('json') === true && text !== ''
  return { status, text, headers, body: json ? (JSON.parse(text) as Reply['body']) : {} }
}

function note(world: World, caller: Caller, url: string, { status, text }: Reply): void {
  const where = new URL(url).pathname
  if (!documented.includes(status)) world.record({ type: 'strange', where, status, text: text.slice(0, 300) })
  show(world, caller, url, text)
}

function show(world: World, { name }: Caller, url: string, text: string): void {
  const marks = marksIn(text)
  if (hasSecret(text)) world.record({ type: 'leaked', where: `${new URL(url).pathname} to ${name}` })
  if (marks.length > 0) world.record({ type: 'shown', user: name, marks, where: new URL(url).pathname })
}
