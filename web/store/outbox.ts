// Messages being sent: shown at once, held while offline, removed when the thread shows them.
import { signal } from '@preact/signals'
import type { Attachment, Sent } from '#doors/web/wire/chat.ts'
import type { QueuedItem } from '#doors/web/wire/thread.ts'
import { ApiFault, request, faultText } from '../api/client.ts'
import { ownTextOf } from '../lib/conversation.ts'
import { newKey } from '../lib/key.ts'
import { filesIn } from '../lib/message-files.ts'
import { go, route } from '../router.ts'
import { moveRefused } from './files.ts'
import { isStored, readStored, storedNames, writeStored } from './local-storage.ts'
import { threadList } from './threads.ts'

/** A message is stored by itself: the tabs of one browser share the storage. */
const storagePrefix = 'outbox.'

export type Outgoing = {
  /** The idempotency key: a repeated attempt is the same message. */
  readonly key: string
  /** When it was written; no two of a page are equal. */
  readonly at: number
  /** Undefined until the thread exists. */
  readonly threadId: string | undefined
  readonly text: string
  readonly files: readonly Attachment[]
  /** The model of the thread from this message on. */
  readonly model?: string
  readonly state: 'sending' | 'held' | 'sent' | 'failed'
  readonly turnId?: string
  readonly fault?: string
}

/** Nothing answers, or a proxy in its place. */
const awayCodes: readonly string[] = ['offline', 'http_502', 'http_504']

const outbox = signal<readonly Outgoing[]>([])

/** Messages being sent to a thread; undefined for a new thread. Those that the gateway has stand in its order. */
export function outgoingTo(threadId: string | undefined): readonly Outgoing[] {
  const mine = outbox.value.filter((each) => each.threadId === threadId)
  // The ids of turns grow.
  const taken = mine.filter(isTaken).toSorted((a, b) => (a.turnId < b.turnId ? -1 : 1))
  return mine.map((each) => (isTaken(each) && taken.shift()) || each)
}

function isTaken(each: Outgoing): each is Outgoing & { readonly turnId: string } {
  return each.turnId !== undefined
}

/** Sends a message after all earlier ones of its thread. Never throws: the outbox has its state. */
export async function send(message: Pick<Outgoing, 'threadId' | 'text' | 'files' | 'model'>): Promise<void> {
  const at = Math.max(Date.now(), (outbox.peek().at(-1)?.at ?? 0) + 1)
  put([...outbox.peek(), { ...message, key: newKey(), at, state: 'sending' }])
  await deliver(message.threadId)
}

/** Sends a message that failed once more. */
export async function retry({ key, threadId }: Outgoing): Promise<void> {
  change(key, { state: 'sending' })
  await deliver(threadId)
}

/** Sends the held messages. */
export async function sendHeld(): Promise<void> {
  for (const threadId of new Set(held().map((each) => each.threadId))) {
    await deliver(threadId)
    // Still held: those of other threads would fail too.
    if (held().some((each) => each.threadId === threadId)) return
  }
}

function held(): Outgoing[] {
  return outbox.peek().filter(({ state }) => state === 'held')
}

/** Whether a message would be lost with the page: it is unsent, and the browser had no room to store it. */
export function hasUnstored(): boolean {
  return outbox.peek().some(({ state, key }) => state !== 'sent' && !isStored(storagePrefix + key))
}

export function removeOutgoing({ key }: Outgoing): void {
  put(outbox.peek().filter((each) => each.key !== key))
}

/** Removes the messages whose turns the thread shows. Reads the outbox's signal: call it in an effect, since either may change first. */
export function removeArrived(turnIds: ReadonlySet<string>): void {
  if (outbox.value.some(({ turnId }) => turnId !== undefined && turnIds.has(turnId))) {
    put(outbox.peek().filter(({ turnId }) => turnId === undefined || !turnIds.has(turnId)))
  }
}

/** The turns of messages that a thread has not shown yet. */
export function sentTurns(threadId: string): readonly string[] {
  return outbox.peek().flatMap((each) => (each.threadId === threadId && each.turnId ? [each.turnId] : []))
}

/**
 * Takes over what the gateway has queued behind a running turn: a reloaded page does not know it, and another page may have
 * changed or removed it. `sentBefore` are the turns of messages that were sent before the list was read. The list is
 * bounded: nothing is known of messages after its last one.
 */
export function takeQueued(threadId: string, items: readonly QueuedItem[], sentBefore: readonly string[]): void {
  const messages = items.filter((item) => item.type === 'message')
  const queued = new Map(messages.map((message) => [message.turn_id, outgoingOf(threadId, message)]))
  const last = messages.at(-1)?.turn_id
  const isGone = ({ turnId }: Outgoing): boolean =>
    turnId !== undefined && sentBefore.includes(turnId) && !queued.has(turnId) && (last === undefined || turnId < last)
  const known = outbox.peek().filter((each) => !isGone(each))
  const changed = known.map((each) => {
    const now = queued.get(each.turnId ?? '')
    queued.delete(each.turnId ?? '')
    return now && now.text !== each.text ? { ...each, text: now.text } : each
  })
  put([...changed, ...queued.values()])
}

function outgoingOf(
  threadId: string,
  { turn_id: turnId, content }: Extract<QueuedItem, { type: 'message' }>,
): Outgoing {
  const [text, files] = [ownTextOf({ content }), filesIn(content)]
  return { key: turnId, at: 0, threadId, text, files, state: 'sent', turnId }
}

/** Changes the text of a message that the gateway has queued. */
export function changeQueued(turnId: string, text: string): void {
  put(outbox.peek().map((each) => (each.turnId === turnId ? { ...each, text } : each)))
}

/** The threads whose messages are being sent. */
const delivering = new Set<string | undefined>()

/** Sends the messages of a thread one at a time, so that none overtakes another. Stops where the gateway is away. */
async function deliver(threadId: string | undefined): Promise<void> {
  // The loop that runs already sends what was added.
  if (delivering.has(threadId)) return
  delivering.add(threadId)
  const isNext = (each: Outgoing): boolean =>
    each.threadId === threadId && (each.state === 'sending' || each.state === 'held')
  for (let next = outbox.peek().find(isNext); next; next = outbox.peek().find(isNext)) {
    change(next.key, { state: 'sending' })
    if (await attempt(next)) continue
    put(outbox.peek().map((each) => (isNext(each) ? { ...each, state: 'held' } : each)))
    break
  }
  delivering.delete(threadId)
}

/** Sends one message and sets its state. False when the gateway is away. */
async function attempt({ key, threadId, text, files, model }: Outgoing): Promise<boolean> {
  try {
    const sent = await request<Sent>('POST', '/api/chat/send', {
      body: {
        message: text,
        ...(threadId && { thread_id: threadId }),
        ...(files.length > 0 && { attachments: files }),
        ...(model && { model }),
      },
      headers: { 'idempotency-key': key },
    })
    // `takeQueued` may have added the same message meanwhile.
    put(outbox.peek().filter(({ turnId }) => turnId !== sent.turn_id))
    change(key, { state: 'sent', threadId: sent.thread_id, turnId: sent.turn_id })
    if (threadId === undefined) showThread(sent.thread_id)
    void threadList.load()
    return true
  } catch (error) {
    if (error instanceof ApiFault && (awayCodes.includes(error.code) || [401, 503].includes(error.status))) return false
    change(key, { state: 'failed', fault: faultText(error) })
    return true
  }
}

/** Goes from the page of a new thread to the thread. What else was written on that page belongs to it. */
function showThread(threadId: string): void {
  put(outbox.peek().map((each) => (each.threadId === undefined ? { ...each, threadId } : each)))
  moveRefused('new', threadId)
  if (route.peek().path === '/') go(`/threads/${threadId}`)
  void deliver(threadId)
}

function change(key: string, to: Partial<Outgoing>): void {
  put(outbox.peek().map((each) => (each.key === key ? { ...each, ...to } : each)))
}

function put(next: readonly Outgoing[]): void {
  for (const { key } of outbox.peek()) writeStored(storagePrefix + key, undefined)
  for (const each of next) if (each.state !== 'sent') writeStored(storagePrefix + each.key, JSON.stringify(each))
  outbox.value = next
}

/** Reads the messages that a closed page left unsent. They are held until `sendHeld`. */
export function restoreOutbox(): void {
  const left = storedNames(storagePrefix).flatMap((name) => readOutgoing(name) ?? [])
  outbox.value = left
    .toSorted((a, b) => a.at - b.at)
    .map((each) => ({ ...each, state: each.state === 'failed' ? 'failed' : 'held' }))
}

function readOutgoing(name: string): Outgoing | undefined {
  try {
    return JSON.parse(readStored(name) ?? '') as Outgoing
  } catch {
    return undefined
  }
}
