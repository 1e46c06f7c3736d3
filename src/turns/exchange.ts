// One message in, one reply out, as plain events: for `run` and the plain chat.
import { isModelMade } from '#core/calls.ts'
import { type Entry, type Gate, textOf } from '#core/item.ts'
import { atRest, type Turn, type TurnError, type Usage } from '#core/turn.ts'
import type { OperatorClient, OutgoingMessage } from './operator-client.ts'
import type { Watched } from './watch.ts'

export type ChatEvent =
  | { readonly type: 'started'; readonly threadId: string; readonly turnId: string; readonly queued: boolean }
  | { readonly type: 'delta'; readonly text: string }
  /** One message of the reply is whole; another may follow after tools. */
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly failed: boolean }
  /** Somebody must decide. */
  | Gate
  | {
      readonly type: 'end'
      readonly status: Turn['status']
      readonly text: string
      readonly usage: Usage
      readonly error?: TurnError
    }

export type ChatClient = Pick<OperatorClient, 'send' | 'answer' | 'follow'>

/** Sends a message and yields what comes of it, up to the rest of the turn. The message is stored before the first event. */
export async function* sendMessage(client: ChatClient, message: OutgoingMessage): AsyncGenerator<ChatEvent> {
  const sent = await client.send(message)
  yield { type: 'started', ...sent }
  yield* followChat(client, sent.turnId)
}

export type ChatAnswer = {
  readonly threadId: string
  /** The gate's. */
  readonly callId: string
  readonly decision: 'allow' | 'deny'
}

/** Answers a gate and yields what its turn does then, up to its next rest. Throws gate_closed and not_found before that. */
export async function* answerChat(
  client: ChatClient,
  { threadId, callId, decision }: ChatAnswer,
): AsyncGenerator<ChatEvent> {
  const turn = await client.answer(threadId, { callId, decision })
  yield { type: 'started', threadId, turnId: turn.id, queued: turn.status === 'queued' }
  yield* followChat(client, turn.id, callId)
}

/** What comes of a turn: all of it, or what comes after the answer to a call. */
async function* followChat(client: ChatClient, turnId: string, answered?: string): AsyncGenerator<ChatEvent> {
  const leaving = new AbortController()
  try {
    yield* chatEvents(client.follow(turnId, leaving.signal), answered)
  } finally {
    leaving.abort()
  }
}

type Told = {
  /** The call whose answer has not been seen yet: what comes before it was told already. */
  answered: string | undefined
  /** Messages that were told as they were written. */
  readonly written: Set<string>
  /** Names of tools, by call. */
  readonly names: Map<string, string>
}

async function* chatEvents(events: AsyncIterable<readonly Watched[]>, answered?: string): AsyncGenerator<ChatEvent> {
  const told: Told = { answered, written: new Set(), names: new Map() }
  let text = ''
  for await (const batch of events) {
    for (const event of batch) {
      if (event.type === 'delta' || event.type === 'snapshot') {
        if (event.after !== undefined && !told.written.has(event.itemId)) yield { type: 'delta', text: '\n\n' }
        told.written.add(event.itemId)
        yield { type: 'delta', text: event.text }
      } else if (event.type === 'entries') {
        for (const entries of responsesIn(event.entries)) {
          for (const each of entryEvents(entries, told)) {
            if (each.type === 'message') text = each.text
            yield each
          }
        }
      } else if (atRest(event.turn.status)) {
        const { status, usage, error } = event.turn
        yield { type: 'end', status, text, usage, ...(error && { error }) }
      }
    }
  }
}

function* entryEvents(entries: readonly Entry[], told: Told): Generator<ChatEvent> {
  const { written, names } = told
  const texts: string[] = []
  for (const { id, item } of entries) {
    if (item.type === 'call' || item.type === 'gate') names.set(item.callId, item.name)
    if (item.type === 'answer' && item.callId === told.answered) told.answered = undefined
    if (told.answered !== undefined) continue
    if (item.type === 'result')
      yield { type: 'tool', name: names.get(item.callId) ?? 'tool', failed: item.error ?? false }
    if (item.type === 'gate') yield item
    if (item.type !== 'message' || item.role !== 'assistant') continue
    const text = textOf(item)
    if (!written.has(id)) yield { type: 'delta', text: texts.length > 0 ? `\n\n${text}` : text }
    texts.push(text)
  }
  if (texts.length > 0) yield { type: 'message', text: texts.join('\n\n') }
}

/** Entries as the model made them, response by response, and what came between. */
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
