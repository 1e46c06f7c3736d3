// Retry and edit: a fork of the thread before a message, in which the message is sent again. The original stays.
import type { Attachment } from '#doors/web/wire/chat.ts'
import type { MessageItem, Thread } from '#doors/web/wire/thread.ts'
import { ask, faultText } from '../api/client.ts'
import { go } from '../router.ts'
import { base64 } from './files.ts'
import { tell } from './notices.ts'
import { send } from './outbox.ts'

/** Sends a message again, as it was or changed, in a fork that begins before it; shows the fork. */
export async function resend(threadId: string, message: MessageItem, text: string): Promise<void> {
  try {
    const thread = await ask<Thread>('POST', `/api/threads/${threadId}/fork`, {
      body: { before_seq: message.seq },
    })
    const sent = send({ threadId: thread.id, text, files: filesOf(message) })
    go(`/threads/${thread.id}`)
    await sent
  } catch (error) {
    tell(`It was not sent again. ${faultText(error)}`)
  }
}

/** What came with a message, as it went in. A text from outside becomes a file: it stays nobody's own word. */
function filesOf({ content }: MessageItem): Attachment[] {
  return content.flatMap((part, at) => {
    const name = part.type === 'file' ? part.name : part.type === 'text' ? part.origin : undefined
    if (name !== undefined && part.type !== 'image') {
      return [{ name, media_type: 'text/plain', data: base64(new TextEncoder().encode(part.text)) }]
    }
    const found = part.type === 'image' ? /^data:(image\/\w+);base64,(.+)$/.exec(part.url) : undefined
    if (!found?.[1] || !found[2]) return []
    return [{ name: `picture-${at}`, media_type: found[1], data: found[2] }]
  })
}
