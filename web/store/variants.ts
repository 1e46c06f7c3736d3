// Variants of messages: Retry and Edit say a message again in a variant of the thread; and forks on purpose. Loaded at the
// first use.
import { signal } from '@preact/signals'
import type { Sent } from '#doors/web/wire/chat.ts'
import type { MessageItem, Thread } from '#doors/web/wire/thread.ts'
import { request } from '../api/client.ts'
import { filesIn } from '../lib/message-files.ts'
import { newKey } from '../lib/key.ts'
import { go } from '../router.ts'
import type { Conversation } from './conversation.ts'
import { conversationOf } from './hub.ts'
import { shownMessage } from './shown-message.ts'

/** The button of the variants that gets the focus when they are drawn. */
export const focusedVariant = signal<{ readonly seq: number; readonly button: 'previous' | 'next' } | undefined>(
  undefined,
)

/**
 * Says a message again, with the same or a changed text, in a variant of the thread, and shows it there. `model` answers
 * in it from then on; null is the usual one. Throws if it was not sent.
 */
export async function resend(
  threadId: string,
  { seq, content }: MessageItem,
  text: string,
  model?: string | null,
): Promise<void> {
  const files = filesIn(content)
  const sent = await request<Sent>('POST', '/api/chat/send', {
    body: {
      message: text,
      thread_id: threadId,
      before_seq: seq,
      ...(files.length > 0 && { attachments: files }),
      ...(model !== undefined && { model }),
    },
    headers: { 'idempotency-key': newKey() },
  })
  go(`/threads/${sent.thread_id}`)
}

/** Shows another variant of the message with this seq, and leaves the focus at the same button. */
export async function showVariant(threadId: string, seq: number, button: 'previous' | 'next'): Promise<void> {
  await conversationOf(threadId).load()
  focusedVariant.value = { seq, button }
  shownMessage.value = { threadId, seq }
  go(`/threads/${threadId}`)
}

/** Makes a thread of its own that goes on after a turn, and shows it. Throws. */
export async function forkBehind(conversation: Conversation, turnKey: string): Promise<void> {
  const turns = conversation.turns.peek()
  const next = turns[turns.findIndex(({ key }) => key === turnKey) + 1]
  const body = { before_seq: next?.message?.seq ?? conversation.lastSeq() + 1 }
  const { id } = await request<Thread>('POST', `/api/threads/${conversation.id}/fork`, { body })
  go(`/threads/${id}`)
}
