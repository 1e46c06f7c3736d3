// Messages being sent: shown at once, held while offline, removed when the thread shows them.
import { signal } from '@preact/signals'
import type { Attachment, Sent } from '#doors/web/wire/chat.ts'
import type { QueuedItem } from '#doors/web/wire/thread.ts'
import { ApiFault, request, faultText } from '../api/client.ts'
import { newKey } from '../lib/key.ts'
import { go, route } from '../router.ts'
import { writeStored, readStored } from './local-storage.ts'
import { threadList } from './threads.ts'

const storageName = 'outbox'

export type Outgoing = {
  /** The idempotency key: a repeated attempt is the same message. */
  readonly key: string
  /** Undefined until the thread exists. */
  readonly threadId: string | undefined
  readonly text: string
  readonly files: readonly Attachment[]
  readonly state: 'sending' | 'held' | 'sent' | 'failed'
  readonly turnId?: string
  readonly fault?: string
}

const outbox = signal<readonly Outgoing[]>([])

/** Messages being sent to a thread; undefined for a new thread. */
export function outgoingTo(threadId: string | undefined): readonly Outgoing[] {
  return outbox.value.filter((each) => each.threadId === threadId)
}

/** Sends a message. Never throws: the outbox has its state. */
export async function send(message: Pick<Outgoing, 'threadId' | 'text' | 'files'>): Promise<void> {
  const outgoing: Outgoing = { ...message, key: newKey(), state: 'sending' }
  put([...outbox.value, outgoing])
  await attempt(outgoing)
}

/** Sends the held messages, in order. */
export async function sendHeld(): Promise<void> {
  for (const each of outbox.peek()) {
    if (each.state !== 'held') continue
    await attempt(each)
    // Still held: the ones behind it would fail too, and must not overtake it.
    if (outbox.peek().some(({ key, state }) => key === each.key && state === 'held')) return
  }
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

/** Adds messages that the gateway has queued behind a running turn: a reloaded page does not know them. */
export function addQueued(threadId: string, items: readonly QueuedItem[]): void {
  const known = new Set(outbox.peek().map(({ turnId }) => turnId))
  const messages = items.filter((item) => item.type === 'message')
  const more = messages.filter(({ turn_id }) => !known.has(turn_id))
  if (more.length > 0) put([...outbox.peek(), ...more.map((message) => outgoingOf(threadId, message))])
}

function outgoingOf(
  threadId: string,
  { turn_id: turnId, content }: Extract<QueuedItem, { type: 'message' }>,
): Outgoing {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const files = content.flatMap((part) => (part.type === 'file' ? [{ name: part.name, media_type: '', data: '' }] : []))
  return { key: turnId, threadId, text, files, state: 'sent', turnId }
}

/** Sends a message of the outbox and sets its state. */
export async function attempt(outgoing: Outgoing): Promise<void> {
  const { key, threadId, text, files } = outgoing
  change(key, { state: 'sending' })
  try {
    const sent = await request<Sent>('POST', '/api/chat/send', {
      body: {
        message: text,
        ...(threadId && { thread_id: threadId }),
        ...(files.length > 0 && { attachments: files }),
      },
      headers: { 'idempotency-key': key },
    })
    // `addQueued` may have added the same message meanwhile.
    put(outbox.peek().filter(({ turnId }) => turnId !== sent.turn_id))
    change(key, { state: 'sent', threadId: sent.thread_id, turnId: sent.turn_id })
    if (threadId === undefined && route.peek().path === '/') go(`/threads/${sent.thread_id}`)
    void threadList.load()
  } catch (error) {
    const away = error instanceof ApiFault && (error.code === 'offline' || error.status === 503 || error.status === 401)
    change(key, away ? { state: 'held' } : { state: 'failed', fault: faultText(error) })
  }
}

function change(key: string, to: Partial<Outgoing>): void {
  put(outbox.peek().map((each) => (each.key === key ? { ...each, ...to } : each)))
}

function put(next: readonly Outgoing[]): void {
  outbox.value = next
  const unsent = next.filter(({ state }) => state !== 'sent')
  writeStored(storageName, unsent.length === 0 ? undefined : JSON.stringify(unsent))
}

/** Reads the messages that a closed page left unsent. They are held until `sendHeld`. */
export function restoreOutbox(): void {
  try {
    const left = JSON.parse(readStored(storageName) ?? '[]') as Outgoing[]
    outbox.value = left.map((each) => ({ ...each, state: each.state === 'failed' ? 'failed' : 'held' }))
  } catch {
    outbox.value = []
  }
}
