// One message in, one reply out, as plain events: what the terminal, `run` and the local door share.
import { replyIn } from '#core/calls.ts'
import type { Door } from '#core/doors.ts'
import type { UserId } from '#core/ids.ts'
import type { Event } from '#core/event.ts'
import { type Gate, type Part, textMessage } from '#core/item.ts'
import { atRest, type Turn, type TurnError, type Usage } from '#core/turn.ts'
import { checkMessage } from './message.ts'
import type { Turns } from './turns.ts'
import type { Watch } from './watch.ts'

export type ChatEvent =
  | { readonly type: 'started'; readonly threadId: string; readonly turnId: string; readonly queued: boolean }
  | { readonly type: 'delta'; readonly text: string }
  /** One message of the reply is whole; another may follow after tools. */
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly failed: boolean }
  /** Somebody must decide; `seq` is its place in the thread. */
  | (Gate & { readonly seq: number })
  | {
      readonly type: 'end'
      readonly status: Turn['status']
      readonly text: string
      readonly usage: Usage
      readonly error?: TurnError
    }

export type ChatMessage = {
  readonly user: UserId
  readonly door: Door
  readonly message: string
  readonly threadId?: string
  /** What goes with it. */
  readonly files?: readonly Part[]
}

/** Sends a message and yields what comes of it, up to the rest of the turn. The message is stored before the first event. */
export async function* sendMessage(
  turns: Turns,
  { user, door, message, threadId, files = [] }: ChatMessage,
): AsyncGenerator<ChatEvent> {
  checkMessage(message)
  const { turn, events } = await turns.start({
    user,
    door,
    input: [textMessage('user', message, files)],
    options: {},
    whenBusy: 'queue',
    ...(threadId !== undefined && { threadId }),
  })
  try {
    yield { type: 'started', threadId: turn.threadId, turnId: turn.id, queued: turn.status === 'queued' }
    yield* chatEvents(events)
  } finally {
    // Whoever leaves after the first event has read none of these.
    events.close()
  }
}

export type ChatAnswer = {
  readonly user: UserId
  readonly threadId: string
  /** The gate's, as its event has told them. */
  readonly callId: string
  readonly seq: number
  readonly decision: 'allow' | 'deny'
}

/** Answers a gate and yields what comes of its turn, up to its next rest. Throws gate_closed and not_found before that. */
export async function* answerChat(
  turns: Turns,
  { user, threadId, callId, seq, decision }: ChatAnswer,
): AsyncGenerator<ChatEvent> {
  const watch = turns.watch(user, threadId, seq - 1)
  try {
    const turn = await turns.answer(user, threadId, { callId, decision, by: user })
    yield { type: 'started', threadId, turnId: turn.id, queued: turn.status === 'queued' }
    // Another gate of the turn is still open.
    if (turn.status === 'waiting') yield { type: 'end', status: turn.status, text: '', usage: turn.usage }
    else yield* chatEvents(upToRest(watch, turn.id), callId)
  } finally {
    watch.close()
  }
}

/** What a watch tells of one turn. */
async function* upToRest(watch: Watch, turnId: string): AsyncGenerator<readonly Event[]> {
  for await (const batch of watch) {
    for (const event of batch) {
      if (event.type === 'snapshot') continue
      if (event.type === 'entries') {
        yield [{ ...event, entries: event.entries.filter((entry) => entry.turnId === turnId) }]
      } else if ((event.type === 'turn' ? event.turn.id : event.turnId) === turnId) yield [event]
      if (event.type === 'turn' && event.turn.id === turnId && atRest(event.turn.status)) return
    }
  }
}

/** `told` is a gate that is known already. */
async function* chatEvents(events: AsyncIterable<readonly Event[]>, told?: string): AsyncGenerator<ChatEvent> {
  const names = new Map<string, string>()
  let text = ''
  for await (const batch of events) {
    for (const event of batch) {
      if (event.type === 'delta') {
        if (event.after !== undefined && event.offset === 0) yield { type: 'delta', text: '\n\n' }
        yield { type: 'delta', text: event.text }
      }
      if (event.type === 'turn') {
        const { status, usage, error } = event.turn
        if (status === 'queued' || status === 'running') continue
        yield { type: 'end', status, text, usage, ...(error && { error }) }
      }
      if (event.type === 'entries') {
        for (const { item, seq } of event.entries) {
          if (item.type === 'call' || item.type === 'gate') names.set(item.callId, item.name)
          if (item.type === 'result')
            yield { type: 'tool', name: names.get(item.callId) ?? 'tool', failed: item.error ?? false }
          if (item.type === 'gate' && item.callId !== told) yield { ...item, seq }
        }
        const reply = replyIn(event.entries.map(({ item }) => item))
        if (reply === undefined) continue
        text = reply
        yield { type: 'message', text }
      }
    }
  }
}
