// The pictures of an album: messages that are taken as one.
import type { IncomingMessage } from './channel.ts'

/** An album with one more message. */
export function joinAlbum(first: IncomingMessage, next: IncomingMessage): IncomingMessage {
  return {
    ...first,
    ids: [...first.ids, ...next.ids],
    text: first.text || next.text,
    files: [...first.files, ...next.files],
    album: [...(first.album ?? [first]), next],
  }
}
