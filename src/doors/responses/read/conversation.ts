// Reading requests that make or change a conversation, and the conversation that a create request names.
import { wrongField } from '#core/errors.ts'
import { parseConversationId } from '#core/ids.ts'
import { byteLength, isObject } from '#core/json.ts'
import type { ThreadMetadata } from '#core/thread-store.ts'
import { maxMetadataBytes } from '#doors/openai/bounds.ts'
import { check } from '#http/validate.ts'
import { type InputItem, readInput } from './input.ts'
import { ConversationSchema } from './schemas.ts'

export type ConversationRequest = { readonly metadata: ThreadMetadata; readonly items: readonly InputItem[] }

/** A request without a body makes an empty conversation. Throws invalid_input with the path of the field. */
export async function readConversation(body: unknown): Promise<ConversationRequest> {
  const { metadata, items } = check(ConversationSchema, body ?? {})
  return { metadata: checkSize(metadata ?? {}), items: items?.length ? await readInput(items, { field: 'items' }) : [] }
}

/** The items that are added to a conversation. Throws invalid_input with the path of the field. */
export async function readNewItems(body: unknown): Promise<readonly InputItem[]> {
  return readInput(check(ConversationSchema, body ?? {}).items, { field: 'items' })
}

/** The metadata that replaces what a conversation has. Throws invalid_input. */
export function readNewMetadata(body: unknown): ThreadMetadata {
  const { metadata } = check(ConversationSchema, body ?? {})
  if (metadata == null) throw wrongField('metadata', 'is required: an object of strings')
  return checkSize(metadata)
}

function checkSize(metadata: ThreadMetadata): ThreadMetadata {
  if (byteLength(JSON.stringify(metadata)) <= maxMetadataBytes) return metadata
  throw wrongField('metadata', `must not exceed ${maxMetadataBytes} bytes of JSON`)
}

/** The thread of the field `conversation`: an id, or an object with one. Throws invalid_input. */
export function readConversationField(field: unknown): string | undefined {
  if (field == null) return undefined
  const id = isObject(field) ? field['id'] : field
  const threadId = typeof id === 'string' ? parseConversationId(id) : undefined
  if (threadId === undefined) throw wrongField('conversation', 'must be the id of a conversation, or an object with it')
  return threadId
}
