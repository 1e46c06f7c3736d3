// Ids: time-ordered UUIDs inside, prefixed hex on the wire.
import { randomUUIDv7 } from 'node:crypto'

/** The owner of a row. A branded type: a method on a user's rows does not accept any string. */
export type UserId = string & { readonly brand: 'UserId' }

/** The operator of the service, who is also a user. */
export const operator = 'operator' as UserId

/** A user id from text that was checked at its source (a token row, a webhook's namespace). */
export function userId(text: string): UserId {
  return text as UserId
}

/** A new id. Later ids sort later, so that new rows are close together on disk. */
export function newId(): string {
  return randomUUIDv7()
}

/** A new call id, unique across threads; never the provider's. */
export function newCallId(): string {
  return inOnePiece(`call_${hexOf(randomUUIDv7())}`)
}

/** A bound for ids: those made before this time sort before it. */
export function idAt(time: number): string {
  const digits = Math.max(0, Math.min(Math.floor(time), 2 ** 48 - 1))
    .toString(16)
    .padStart(12, '0')
  return uuidOf(`${digits}70008000000000000000`)
}

/** The time at which an id was made. */
export function idTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** The 32 hex digits of a UUID. A turn asks for ten: `replaceAll` would take twice as long. */
export function hexOf(uuid: string): string {
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)
}

/**
 * The same id as one piece of memory. V8 keeps a text that was put together in parts, and writes JSON with such a text in it
 * several times slower. An id has small letters only.
 */
export function inOnePiece(id: string): string {
  return id.toLowerCase()
}

/** The UUID of 32 hex digits. */
export function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The id of a turn in the Responses API; it includes the thread id. */
export function responseId(turnId: string, threadId: string): string {
  return inOnePiece(`resp_${hexOf(turnId)}${hexOf(threadId)}`)
}

/** Reads a response id back; undefined when the text is not one. */
export function parseResponseId(text: string): { turnId: string; threadId: string } | undefined {
  const match = /^resp_([0-9a-f]{32})([0-9a-f]{32})$/.exec(text)
  return match ? { turnId: uuidOf(match[1] ?? ''), threadId: uuidOf(match[2] ?? '') } : undefined
}

/** The id of a thread as a conversation of the Responses API. */
export function conversationId(threadId: string): string {
  return inOnePiece(`conv_${threadId}`)
}

/** The thread of a conversation's id, with or without hyphens; undefined when the text is not one. */
export function parseConversationId(text: string): string | undefined {
  const [, id = ''] = /^conv_([0-9a-f-]{32,36})$/.exec(text) ?? []
  const uuid = id.length === 32 ? uuidOf(id) : id
  return isUuid(uuid) ? uuid : undefined
}

/** True for the canonical text of a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
