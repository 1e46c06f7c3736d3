// Updates of the Bot API as plain data. Only private chats are served; what cannot be read is ignored.
import * as z from 'zod/mini'
import { joinAlbum } from '#doors/channel/album.ts'
import type { FileRef, Incoming, IncomingMessage } from '#doors/channel/channel.ts'

/** Kinds of messages that no door takes. Other kinds, such as a pinned message, are not sent by people. */
const otherKinds =
  'voice audio video video_note sticker animation story paid_media checklist game location contact poll dice'.split(' ')
const Chat = z.object({ id: z.number(), type: z.string() })
const Photo = z.object({
  file_id: z.string(),
  file_size: z.optional(z.number()),
  width: z.number(),
  height: z.number(),
})
const Document = z.object({
  file_id: z.string(),
  file_name: z.optional(z.string()),
  file_size: z.optional(z.number()),
})
const Message = z.object({
  message_id: z.number(),
  chat: Chat,
  text: z.optional(z.string()),
  caption: z.optional(z.string()),
  photo: z.optional(z.array(Photo)),
  document: z.optional(Document),
  media_group_id: z.optional(z.string()),
  ...Object.fromEntries(otherKinds.map((kind) => [kind, z.optional(z.unknown())])),
})
const Update = z.object({
  message: z.optional(Message),
  edited_message: z.optional(Message),
  callback_query: z.optional(
    z.object({
      id: z.string(),
      data: z.optional(z.string()),
      message: z.optional(z.object({ message_id: z.number(), chat: Chat })),
    }),
  ),
})
type Message = z.infer<typeof Message>
const Numbered = z.object({ update_id: z.number() })

const Grouped = z.object({ message: z.object({ chat: Chat, media_group_id: z.optional(z.string()) }) })

const maxNameChars = 200

/** The id of an update, also of one that cannot be read otherwise. */
export function updateId(update: unknown): number | undefined {
  const read = z.safeParse(Numbered, update)
  return read.success ? read.data.update_id : undefined
}

/** Where the first album begins that may go on after a batch, since it ends what the batch has of its chat. */
export function albumStart(batch: readonly unknown[]): number | undefined {
  const starts = new Map<string, number>()
  const lasts = new Map<number, string | undefined>()
  for (const [at, update] of batch.entries()) {
    const read = z.safeParse(Grouped, update)
    if (!read.success) continue
    const { chat, media_group_id: group } = read.data.message
    const album = group === undefined ? undefined : `${chat.id} ${group}`
    if (album !== undefined && !starts.has(album)) starts.set(album, at)
    lasts.set(chat.id, album)
  }
  const open = [...lasts.values()].flatMap((album) => (album === undefined ? [] : (starts.get(album) ?? [])))
  return open.length === 0 ? undefined : Math.min(...open)
}

/** A batch of updates, in order. The pictures of an album are one message. */
export function readUpdates(batch: readonly unknown[]): Incoming[] {
  const all: Incoming[] = []
  const albums = new Map<string, number>()
  for (const update of batch) {
    const read = z.safeParse(Update, update)
    const id = updateId(update)
    if (id === undefined) continue
    const album = read.data?.message?.media_group_id
    const incoming = read.success ? incomingOf(id, read.data) : ({ type: 'ignored', ids: [id] } as const)
    const key = album === undefined ? undefined : `${incoming.chat} ${album}`
    const at = key === undefined ? undefined : albums.get(key)
    const first = at === undefined ? undefined : all[at]
    if (at !== undefined && first?.type === 'message' && incoming.type === 'message') {
      all[at] = joinAlbum(first, incoming)
      continue
    }
    if (key !== undefined) albums.set(key, all.length)
    all.push(incoming)
  }
  return all
}

function incomingOf(
  id: number,
  { message, edited_message: edited, callback_query: query }: z.infer<typeof Update>,
): Incoming {
  const ids = [id]
  const chat = (message ?? edited ?? query?.message)?.chat
  if (chat?.type !== 'private') return { type: 'ignored', ids, ...(chat && { chat: String(chat.id) }) }
  const sent = message ?? edited
  if (sent && !isServed(sent)) return { type: 'ignored', ids, chat: String(chat.id) }
  if (message) return messageOf(ids, message)
  if (edited) return { ...messageOf(ids, edited), edited: true }
  if (!query?.message) return { type: 'ignored', ids, chat: String(chat.id) }
  const { id: press, data = '', message: shown } = query
  return { type: 'press', ids, chat: String(chat.id), message: String(shown.message_id), press, data }
}

function isServed(message: Message): boolean {
  const { text, photo, document } = message
  const other = otherKinds.some((kind) => (message as Readonly<Record<string, unknown>>)[kind] !== undefined)
  return text !== undefined || photo !== undefined || document !== undefined || other
}

function messageOf(ids: readonly number[], message: Message): IncomingMessage {
  const { message_id: number, chat, text, caption } = message
  const files = filesOf(message)
  return {
    type: 'message',
    ids,
    chat: String(chat.id),
    message: String(number),
    text: text ?? caption ?? '',
    files,
    ...(text === undefined && files.length === 0 && { unsupported: true }),
  }
}

function filesOf({ photo = [], document }: Message): FileRef[] {
  if (document) {
    const { file_id: id, file_name: name = 'document', file_size: bytes } = document
    return [{ id, name: name.slice(0, maxNameChars), ...(bytes !== undefined && { bytes }) }]
  }
  // The same photo in several sizes: the largest is the one that was sent.
  const [largest] = photo.toSorted((a, b) => b.width * b.height - a.width * a.height)
  if (!largest) return []
  const { file_id: id, file_size: bytes } = largest
  return [{ id, name: 'photo.jpg', ...(bytes !== undefined && { bytes }) }]
}
