// The attachments of a message, as they are sent.
import type { Attachment } from '#doors/web/wire/chat.ts'
import type { Part } from '#doors/web/wire/thread.ts'

/** A text part from outside becomes a file, so that it does not pass as the sender's own. */
export function filesIn(content: readonly Part[]): Attachment[] {
  return content.flatMap((part, at) => {
    const name = part.type === 'file' ? part.name : part.type === 'text' ? part.origin : undefined
    if (name !== undefined && part.type !== 'image') {
      const pages = part.type === 'file' && part.pages ? { pages: part.pages } : {}
      return [{ name, media_type: 'text/plain', data: new TextEncoder().encode(part.text).toBase64(), ...pages }]
    }
    const found = part.type === 'image' ? /^data:(image\/\w+);base64,(.+)$/.exec(part.url) : undefined
    if (!found?.[1] || !found[2]) return []
    return [{ name: `picture-${at}`, media_type: found[1], data: found[2] }]
  })
}
