// Retry and edit: forks the thread before a message and sends the message again there. The original stays.
import type { Attachment } from '#doors/web/wire/chat.ts'
import type { MessageItem, Thread } from '#doors/web/wire/thread.ts'
import { request, faultText } from '../api/client.ts'
import { go } from '../router.ts'
import { notify } from './notices.ts'
import { send } from './outbox.ts'

/** Sends a message again, with the same or a changed text, in a fork that ends before it. Shows the fork. */
export async function resend(threadId: string, message: MessageItem, text: string): Promise<void> {
  try {
    const thread = await request<Thread>('POST', `/api/threads/${threadId}/fork`, {
      body: { before_seq: message.seq },
    })
    const sent = send({ threadId: thread.id, text, files: filesOf(message) })
    go(`/threads/${thread.id}`)
    await sent
  } catch (error) {
    notify(`The message was not sent again. ${faultText(error)}`)
  }
}

/** The attachments of a message. A text part from outside becomes a file, so that it does not pass as the sender's own. */
function filesOf({ content }: MessageItem): Attachment[] {
  return content.flatMap((part, at) => {
    const name = part.type === 'file' ? part.name : part.type === 'text' ? part.origin : undefined
    if (name !== undefined && part.type !== 'image') {
      return [{ name, media_type: 'text/plain', data: new TextEncoder().encode(part.text).toBase64() }]
    }
    const found = part.type === 'image' ? /^data:(image\/\w+);base64,(.+)$/.exec(part.url) : undefined
    if (!found?.[1] || !found[2]) return []
    return [{ name: `picture-${at}`, media_type: found[1], data: found[2] }]
  })
}
