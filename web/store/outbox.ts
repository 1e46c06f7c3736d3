// Messages on their way: shown at once, sent when the connection is back, gone when the thread has them.
import { signal } from '@preact/signals'
import type { Attachment, Sent } from '#doors/web/wire/chat.ts'
import type { QueuedItem } from '#doors/web/wire/thread.ts'
import { ApiFault, ask, faultText } from '../api/client.ts'
import { newKey } from '../lib/key.ts'
import { go, place } from '../router.ts'
import { keep, kept } from './local-storage.ts'
import { threadList } from './threads.ts'

const keptName = 'outbox'

export type Outgoing = {
  /** Makes a repeated attempt the same message. */
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

/** What is on its way to a thread; without one, to a thread that does not exist yet. */
export function outgoingTo(threadId: string | undefined): readonly Outgoing[] {
  return outbox.value.filter((each) => each.threadId === threadId)
}

/** Sends a message; whatever becomes of it is seen in the outbox. */
export async function send(message: Pick<Outgoing, 'threadId' | 'text' | 'files'>): Promise<void> {
  const outgoing: Outgoing = { ...message, key: newKey(), state: 'sending' }
  put([...outbox.value, outgoing])
  await attempt(outgoing)
}

/** Sends what was held back while the connection was away, in order. */
export async function sendHeld(): Promise<void> {
  for (const each of outbox.peek()) {
    if (each.state !== 'held') continue
    await attempt(each)
    // The others would fare no better, and must not overtake it.
    if (outbox.peek().some(({ key, state }) => key === each.key && state === 'held')) return
  }
}

export async function sendAgain(outgoing: Outgoing): Promise<void> {
  await attempt(outgoing)
}

export function drop({ key }: Outgoing): void {
  put(outbox.peek().filter((each) => each.key !== key))
}

/** The thread shows these turns: their messages are on their way no longer. An effect: either side may know first. */
export function arrived(turnIds: ReadonlySet<string>): void {
  if (outbox.value.some(({ turnId }) => turnId !== undefined && turnIds.has(turnId))) {
    put(outbox.peek().filter(({ turnId }) => turnId === undefined || !turnIds.has(turnId)))
  }
}

/** The gateway has these messages, and they wait behind a running turn: a page that was loaded again knows them from there. */
export function waiting(threadId: string, items: readonly QueuedItem[]): void {
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

async function attempt(outgoing: Outgoing): Promise<void> {
  const { key, threadId, text, files } = outgoing
  change(key, { state: 'sending' })
  try {
    const sent = await ask<Sent>('POST', '/api/chat/send', {
      body: {
        message: text,
        ...(threadId && { thread_id: threadId }),
        ...(files.length > 0 && { attachments: files }),
      },
      headers: { 'idempotency-key': key },
    })
    // It may be known from the gateway already, when that was faster.
    put(outbox.peek().filter(({ turnId }) => turnId !== sent.turn_id))
    change(key, { state: 'sent', threadId: sent.thread_id, turnId: sent.turn_id })
    if (threadId === undefined && place.peek().path === '/') go(`/threads/${sent.thread_id}`)
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
  keep(keptName, unsent.length === 0 ? undefined : JSON.stringify(unsent))
}

/** Takes up what a closed page left unsent. */
export function restoreOutbox(): void {
  try {
    const left = JSON.parse(kept(keptName) ?? '[]') as Outgoing[]
    outbox.value = left.map((each) => ({ ...each, state: each.state === 'failed' ? 'failed' : 'held' }))
  } catch {
    outbox.value = []
  }
}
