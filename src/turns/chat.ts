// One message in, one reply out, as plain events: what the terminal, `run` and the local door share.
import { replyIn } from '#core/calls.ts'
import type { UserId } from '#core/ids.ts'
import { type Gate, textMessage } from '#core/item.ts'
import type { Door, Turn, TurnError, Usage } from '#core/turn.ts'
import { checkMessage, type Start, type Turns } from './turns.ts'

export type ChatEvent =
  | { readonly type: 'started'; readonly threadId: string; readonly turnId: string; readonly queued: boolean }
  | { readonly type: 'delta'; readonly text: string }
  /** One message of the reply is whole; another may follow after tools. */
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly failed: boolean }
  | { readonly type: 'gate'; readonly callId: string; readonly name: string; readonly prompt: string }
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
}

/** Sends a message and yields what comes of it, up to the rest of the turn. The message is stored before the first event. */
export async function* sendMessage(
  turns: Turns,
  { user, door, message, threadId }: ChatMessage,
): AsyncGenerator<ChatEvent> {
  checkMessage(message)
  const { turn, events } = await turns.start({
    user,
    door,
    input: [textMessage('user', message)],
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

async function* chatEvents(events: Start['events']): AsyncGenerator<ChatEvent> {
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
        for (const { item } of event.entries) {
          if (item.type === 'call') names.set(item.callId, item.name)
          if (item.type === 'result')
            yield { type: 'tool', name: names.get(item.callId) ?? 'tool', failed: item.error ?? false }
          if (item.type === 'gate') yield gateEvent(item)
        }
        const reply = replyIn(event.entries.map(({ item }) => item))
        if (reply === undefined) continue
        text = reply
        yield { type: 'message', text }
      }
    }
  }
}

function gateEvent({ callId, name, prompt }: Gate): ChatEvent {
  return { type: 'gate', callId, name, prompt }
}
