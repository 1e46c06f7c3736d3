// Sends one message and yields its reply as plain events, for `run` and the line chat.
import { isModelMade } from '#core/calls.ts'
import { type Entry, type Gate, isAssistantMessage, textOf } from '#core/item.ts'
import type { Turn, TurnError, Usage } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { OperatorClient, OutgoingMessage } from './operator-client.ts'
import type { Watched } from './watch.ts'

export type ChatEvent =
  | { readonly type: 'started'; readonly threadId: string; readonly turnId: string; readonly queued: boolean }
  | { readonly type: 'delta'; readonly text: string }
  /** A complete message of the reply; another may follow after tool calls. */
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly failed: boolean }
  /** A person must decide. */
  | Gate
  | {
      readonly type: 'end'
      readonly status: Turn['status']
      readonly text: string
      readonly usage: Usage
      readonly error?: TurnError
    }

export type ChatClient = Pick<OperatorClient, 'send' | 'answer' | 'follow'>

/** Sends a message and yields the turn's events up to its rest. The message is stored before the first event. */
export async function* sendMessage(client: ChatClient, message: OutgoingMessage): AsyncGenerator<ChatEvent> {
  const sent = await client.send(message)
  yield { type: 'started', ...sent }
  yield* followChat(client, sent.turnId)
}

export type ChatAnswer = {
  readonly threadId: string
  /** The call of the gate. */
  readonly callId: string
  readonly decision: 'allow' | 'deny'
  /** Values entered at an `input` gate. */
  readonly values?: unknown
}

/** Answers a gate and yields its turn's events up to the next rest. Throws gate_closed and not_found before the first. */
export async function* answerChat(client: ChatClient, { threadId, ...answer }: ChatAnswer): AsyncGenerator<ChatEvent> {
  const { callId } = answer
  const turn = await client.answer(threadId, answer)
  yield { type: 'started', threadId, turnId: turn.id, queued: turn.status === 'queued' }
  yield* followChat(client, turn.id, callId)
}

/** The events of a turn: all, or those after the answer to the call `answered`. */
async function* followChat(client: ChatClient, turnId: string, answered?: string): AsyncGenerator<ChatEvent> {
  const leaving = new AbortController()
  try {
    yield* chatEvents(client.follow(turnId, leaving.signal), answered)
  } finally {
    leaving.abort()
  }
}

type Progress = {
  /** The call whose answer was not seen yet: events before it were yielded by an earlier exchange. */
  answered: string | undefined
  /** Messages that were yielded as deltas. */
  readonly written: Set<string>
  /** Names of tools, by call. */
  readonly names: Map<string, string>
}

async function* chatEvents(events: AsyncIterable<readonly Watched[]>, answered?: string): AsyncGenerator<ChatEvent> {
  const progress: Progress = { answered, written: new Set(), names: new Map() }
  let text = ''
  for await (const batch of events) {
    for (const event of batch) {
      if (event.type === 'delta' || event.type === 'snapshot') {
        if (event.after !== undefined && !progress.written.has(event.itemId)) yield { type: 'delta', text: '\n\n' }
        progress.written.add(event.itemId)
        yield { type: 'delta', text: event.text }
      } else if (event.type === 'entries') {
        for (const entries of responsesIn(event.entries)) {
          for (const each of entryEvents(entries, progress)) {
            if (each.type === 'message') text = each.text
            yield each
          }
        }
      } else if (event.type === 'turn' && isAtRest(event.turn.status)) {
        const { status, usage, error } = event.turn
        yield { type: 'end', status, text, usage, ...(error && { error }) }
      }
    }
  }
}

function* entryEvents(entries: readonly Entry[], progress: Progress): Generator<ChatEvent> {
  const { written, names } = progress
  const texts: string[] = []
  for (const { id, item } of entries) {
    if (item.type === 'call' || item.type === 'gate') names.set(item.callId, item.name)
    if (item.type === 'answer' && item.callId === progress.answered) progress.answered = undefined
    if (progress.answered !== undefined) continue
    if (item.type === 'result')
      yield { type: 'tool', name: names.get(item.callId) ?? 'tool', failed: item.error ?? false }
    if (item.type === 'gate') yield item
    if (!isAssistantMessage(item)) continue
    const text = textOf(item)
    if (!written.has(id)) yield { type: 'delta', text: texts.length > 0 ? `\n\n${text}` : text }
    texts.push(text)
  }
  if (texts.length > 0) yield { type: 'message', text: texts.join('\n\n') }
}

/** Groups adjacent entries: each model response, and the entries between responses. */
function responsesIn(entries: readonly Entry[]): Entry[][] {
  const runs: Entry[][] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    if (last && before && isModelMade(before.item) === isModelMade(entry.item)) last.push(entry)
    else runs.push([entry])
  }
  return runs
}
