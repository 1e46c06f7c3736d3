// The browser's WebSocket. In: messages, gate answers, cancels, subscriptions. Out: events of threads and lists.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { isObject } from '#core/json.ts'
import { tooLarge } from '#http/body.ts'
import type { ChatLimit, WriteLimit } from '#http/caller.ts'
import { check } from '#http/validate.ts'
import { closeCodes, type EncodedFrame, type Handler } from '#http/connection.ts'
import { smallJsonBytes } from '#http/json-reader.ts'
import { asFault } from '#http/reply.ts'
import type { Accepted, SocketDoor } from '#http/socket.ts'
import type { Log } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import type { Gates } from '#turns/gates.ts'
import type { Threads } from '#turns/threads.ts'
import type { Turns } from '#turns/turns.ts'
import { messageIdOf, sendChat } from './chat-routes.ts'
import { createLargeFrames, type LargeFrames } from './large-frames.ts'
import { createFeeds, type Feed, type Feeds } from './list-feed.ts'
import { type Following, followThread } from './thread-feed.ts'
import { type ClientFrames, clientFrames, type Frame, type Ref } from '#doors/web/wire/frame.ts'
import { gateAnswerIn } from './gate-routes.ts'
import { findThread } from './thread-routes.ts'
import { turnFrame } from './wire.ts'

/** Threads that one connection can follow at once. One more drops the least recently subscribed. */
const maxFollowed = 32

export type LiveParts = {
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  readonly chatLimit: ChatLimit
  readonly writeLimit: WriteLimit
  readonly log: Log
}

const types = Object.keys(clientFrames) as (keyof ClientFrames)[]

const Typed = z.object({ type: z.enum(types, `must be one of ${types.join(', ')}`) })

/** The handler of each connection; all share the feeds of lists. */
export function createLive(parts: LiveParts): SocketDoor {
  const shared = { feeds: createFeeds(parts), largeFrames: createLargeFrames() }
  return (accepted) => openLive(accepted, parts, shared)
}

type Shared = { readonly feeds: Feeds; readonly largeFrames: LargeFrames }

function openLive({ connection, caller, request, recheck }: Accepted, parts: LiveParts, shared: Shared): Handler {
  const { turns, threads, gates, chatLimit, writeLimit, log } = parts
  const followed = new Map<string, Following>()
  const { user } = caller
  const send = (...frames: readonly Frame[]): void => connection.send(...frames)
  const sendLarge = shared.largeFrames.open(user, connection)

  async function follow(threadId: string, after: number): Promise<void> {
    let own: Following | undefined
    const onEnd = (error: unknown): void => {
      if (followed.get(threadId) !== own) return
      followed.delete(threadId)
      if (error === undefined || connection.gone.aborted) return
      log.debug({ err: error, thread: threadId }, 'stopped following a thread')
      connection.close(closeCodes.slowReader, 'slow_reader: too much is unread; connect and subscribe again')
    }
    own = await followThread({ turns, threads, connection, sendLarge, user, threadId, after, onEnd })
    followed.get(threadId)?.close()
    if (connection.gone.aborted) return own.close()
    followed.delete(threadId)
    followed.set(threadId, own)
    if (followed.size > maxFollowed) leave(followed.keys().next().value ?? '')
  }

  function leave(threadId: string): void {
    const own = followed.get(threadId)
    followed.delete(threadId)
    own?.close()
  }

  const handlers: { readonly [Type in keyof ClientFrames]: (frame: ClientFrames[Type], tag: Ref) => Promise<void> } = {
    async message({ ref: key, message, thread_id, model }, tag) {
      await chatLimit.take(caller)
      const body = { message, ...(thread_id && { thread_id }), ...(model && { model }) }
      const bodyHash = hashToken(JSON.stringify([message, thread_id ?? null, ...(model ? [model] : [])]))
      const { turn, input, entries, events, replayed } = await sendChat(
        { turns },
        {
          caller,
          body,
          request,
          ...(key && { idempotency: { key: `live:${key}`, bodyHash } }),
        },
      )
      events.close()
      const id = replayed ? await messageIdOf(parts, turn) : input[0]?.id
      const { threadId } = turn
      send({
        type: 'accepted',
        ...tag,
        thread_id: threadId,
        turn_id: turn.id,
        message_id: id ?? null,
        status: 'accepted',
      })
      if (followed.has(threadId)) return
      const begin = turn.firstSeq ?? entries[0]?.seq
      await follow(threadId, begin === undefined ? (await findThread(threads, user, threadId)).lastSeq : begin - 1)
    },
    async cancel({ thread_id }) {
      writeLimit.take(caller)
      const turn = await turns.current(user, (await findThread(threads, user, thread_id)).id)
      if (turn) send(turnFrame(await turns.cancel(user, turn.id)))
    },
    async gate({ gate_id, thread_id, ...answer }) {
      writeLimit.take(caller)
      const known = thread_id ?? feed?.threadOf(gate_id) ?? (await threadOfGate(gates, user, gate_id))
      if (known === undefined) throw new AppError('not_found', 'there is no such gate', { param: 'gate_id' })
      const { id } = await findThread(threads, user, known)
      const turn = await gates.answer(user, id, gateAnswerIn(answer, gate_id, caller.name), caller)
      send(turnFrame(turn))
    },
    subscribe: async ({ thread_id, after }) => follow((await findThread(threads, user, thread_id)).id, after ?? 0),
    async unsubscribe({ thread_id }) {
      leave(thread_id)
      await Promise.resolve()
    },
    async ping(_frame, tag) {
      send({ type: 'pong', ...tag })
      await Promise.resolve()
    },
  }

  async function dispatch(type: keyof ClientFrames, value: unknown, tag: Ref): Promise<void> {
    const frame = check(clientFrames[type], value)
    if (type !== 'ping' && !(await recheck())) return
    // The cast is safe: `frame` was checked by the schema of this type.
    await (handlers[type] as (frame: unknown, tag: Ref) => Promise<void>)(frame, tag)
  }

  function fail(error: unknown, tag: Ref): void {
    const { code, message, param, retryAfterSecs } = asFault(error)
    if (code === 'internal') log.error({ request, err: error }, 'a WebSocket frame failed')
    const more = { ...(param !== undefined && { param }), ...(retryAfterSecs && { retry_after_secs: retryAfterSecs }) }
    send({ type: 'error', ...tag, code, message, ...more })
  }

  let feed: Feed | undefined
  const listener = {
    send(frames: readonly EncodedFrame[]) {
      connection.sendEncoded(frames)
      void connection.drained()
    },
    recheck: () => void recheck(),
  }
  const begun = shared.feeds.follow(user, listener).then(
    (made) => {
      feed = made
      if (connection.gone.aborted) made.stop()
      else send({ type: 'ready', user: caller.name, operator: caller.operator, waiting: made.waiting() })
    },
    (error: unknown) => {
      fail(error, {})
      connection.close(closeCodes.tryAgain, 'database_unavailable: try again in a moment')
    },
  )
  connection.gone.addEventListener('abort', () => {
    feed?.stop()
    for (const each of followed.values()) each.close()
    followed.clear()
  })

  /** Frames that are being answered: a message is accepted before its thread is followed. */
  let answering = 0
  return {
    async frame(frame) {
      answering++
      await begun
      let tag: Ref = {}
      try {
        const value = await frame.read()
        if (!isObject(value)) throw new AppError('invalid_input', 'a frame is a text of one JSON object with a type')
        const { ref: name } = value
        if (typeof name === 'string') tag = { ref: name.slice(0, 100) }
        const { type } = check(Typed, value, '')
        if (type !== 'message' && frame.bytes > smallJsonBytes) throw tooLarge(smallJsonBytes, `${type} frame`)
        await dispatch(type, value, tag)
      } catch (error) {
        fail(error, tag)
      } finally {
        answering--
      }
      await connection.drained()
    },
    canClose: () => answering === 0 && ![...followed.values()].some((each) => each.running()),
  }
}

/** The thread of an open gate, read from the store; undefined when the gate is not open. */
async function threadOfGate(gates: Gates, user: UserId, gateId: string): Promise<string | undefined> {
  return (await gates.list(user)).find(({ gate }) => gate.callId === gateId)?.turn.threadId
}
