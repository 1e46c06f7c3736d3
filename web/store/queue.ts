// Queued messages of a thread: change one, remove one, or stop everything.
import type { Stopped } from '#doors/web/wire/chat.ts'
import { countWords } from '#core/words.ts'
import { ApiFault, faultText, request } from '../api/client.ts'
import { prependDraft } from './drafts.ts'
import { returnFiles } from './files.ts'
import { conversationOf } from './hub.ts'
import { notice, notify } from './notices.ts'
import { changeQueued, type Outgoing, outgoingTo, removeOutgoing, send } from './outbox.ts'

function pathOf({ threadId, turnId }: Outgoing): string {
  return `/api/threads/${threadId}/queued/${turnId}`
}

/** Changes a queued message. If its turn has begun meanwhile, the new text goes to the composer. */
export async function editQueued(message: Outgoing, text: string): Promise<void> {
  const { threadId = 'new', turnId = '' } = message
  try {
    await request('PATCH', pathOf(message), { body: { message: text } })
    changeQueued(turnId, text)
  } catch (error) {
    if (!hasBegun(error)) throw error
    prependDraft(threadId, text)
    notify('The message has begun already, so it stays as it was. Your text is in the composer.')
  }
}

/**
 * Puts the changed text of a message into the composer: the message is queued no longer, or its page was left. Its files
 * come along unless it still has them, in the queue or in the thread.
 */
export function keepEdit(message: Outgoing, text: string): void {
  const { threadId, turnId, files } = message
  const isQueued = outgoingTo(threadId).some(({ key }) => key === message.key)
  const hasArrived =
    threadId !== undefined &&
    conversationOf(threadId)
      .turns.peek()
      .some(({ id }) => id === turnId)
  const draft = threadId ?? 'new'
  prependDraft(draft, text)
  if (!isQueued && !hasArrived) void returnFiles(draft, files)
  // A notice that is there, such as of what was stopped, has an Undo.
  if (!isQueued && !notice.peek()) notify('The message is not queued any more. Your text is in the composer.')
}

/** Removes a queued message. Undo sends it again. */
export async function removeQueued(message: Outgoing): Promise<void> {
  try {
    await request('DELETE', pathOf(message))
    removeOutgoing(message)
    notify('The queued message is removed', { undo: () => void sendAgain([message]) })
  } catch (error) {
    if (hasBegun(error)) notify('The message has begun already, so it was not removed.')
    else notify(`The message was not removed. ${faultText(error)}`)
  }
}

/** Stops the turn of a thread and removes all queued messages. Undo sends them again. */
export async function stopAll(threadId: string): Promise<void> {
  // The page may hear that they are gone before the answer comes.
  const before = outgoingTo(threadId)
  try {
    const { removed } = await request<Stopped>('POST', `/api/threads/${threadId}/stop`, { body: {} })
    const messages = before.filter(({ turnId }) => turnId !== undefined && removed.includes(turnId))
    messages.forEach(removeOutgoing)
    if (messages.length === 0) return
    const words = `Stopped, and ${countWords(messages.length, 'queued message')} removed`
    notify(words, { undo: () => void sendAgain(messages) })
  } catch (error) {
    notify(`The turn was not stopped. ${faultText(error)}`)
  }
}

function hasBegun(error: unknown): boolean {
  return error instanceof ApiFault && error.code === 'turn_started'
}

async function sendAgain(messages: readonly Outgoing[]): Promise<void> {
  await Promise.all(messages.map(({ threadId, text, files }) => send({ threadId, text, files })))
}
