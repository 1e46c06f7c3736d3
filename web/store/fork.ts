// Retry and edit: forks the thread before a message and sends the message again there. The original stays.
import type { MessageItem, Thread } from '#doors/web/wire/thread.ts'
import { request, faultText } from '../api/client.ts'
import { filesIn } from '../lib/message-files.ts'
import { go } from '../router.ts'
import { chooseModelFor } from './models.ts'
import { notify } from './notices.ts'
import { send } from './outbox.ts'

/**
 * Sends a message again, with the same or a changed text, in a fork that ends before it. Shows the fork. `model` answers
 * there from then on; null is the usual one.
 */
export async function resend(
  threadId: string,
  message: MessageItem,
  text: string,
  model?: string | null,
): Promise<void> {
  try {
    const thread = await request<Thread>('POST', `/api/threads/${threadId}/fork`, {
      body: { before_seq: message.seq },
    })
    if (model === null) await chooseModelFor(thread.id, null)
    const sent = send({ threadId: thread.id, text, files: filesIn(message.content), ...(model && { model }) })
    go(`/threads/${thread.id}`)
    await sent
  } catch (error) {
    notify(`The message was not sent again. ${faultText(error)}`)
  }
}
