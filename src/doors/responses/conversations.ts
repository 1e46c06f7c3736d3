// /conversations: a conversation is a thread, seen by clients of the Responses API.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { conversationId, parseConversationId, type UserId } from '#core/ids.ts'
import type { ThreadMetadata } from '#core/thread-store.ts'
import type { Thread } from '#core/turn.ts'
import type { Message } from '#core/item.ts'
import { checkInstructions } from '#doors/openai/blocks.ts'
import { readConversation, readNewItems, readNewMetadata } from '#doors/responses/read/conversation.ts'
import { givenItems } from '#doors/responses/read/given-items.ts'
import type { InputItem } from '#doors/responses/read/input.ts'
import { resolveReferences } from '#doors/responses/read/references.ts'
import { entryIdOf, readConversationItem, readConversationItems } from '#doors/responses/tell/conversation-items.ts'
import { inputItem } from '#doors/responses/tell/input-item.ts'
import { idOf, itemIdOf, pageOf, pageQuery } from '#doors/responses/tell/page-query.ts'
import { unixTime } from '#http/wire-format.ts'
import type { Threads } from '#turns/threads.ts'
import type { ResponsesParts } from './parts.ts'

/** POST /conversations: a thread with the given items and no turn. */
export async function createConversation(parts: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const { metadata, items: input } = await readConversation(request.body)
  const items = await itemsOf(parts, user, input)
  return wireConversation(await parts.threads.create(user, { door: 'responses', items, metadata }))
}

async function itemsOf(parts: ResponsesParts, user: UserId, input: readonly InputItem[]): Promise<Message[]> {
  checkInstructions(
    input.flatMap((item) => (item.type === 'system' ? [item.text] : [])),
    'items',
  )
  const { items } = await resolveReferences(parts, user, { input, threadId: undefined, field: 'items' })
  return givenItems(items)
}

export async function getConversation({ threads }: ResponsesParts, request: FastifyRequest) {
  return wireConversation(await findConversation(threads, request.caller.user, idOf(request)))
}

/** POST /conversations/{id}: replaces the metadata. */
export async function updateConversation({ threads }: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const metadata = readNewMetadata(request.body)
  const thread = await findConversation(threads, user, idOf(request))
  await threads.setMetadata(user, thread.id, metadata)
  return wireConversation({ ...thread, metadata })
}

/** DELETE /conversations/{id}: erases the thread with everything in it. */
export async function deleteConversation({ threads }: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const { id } = await findConversation(threads, user, idOf(request))
  await threads.remove(user, id)
  return { id: conversationId(id), object: 'conversation.deleted', deleted: true }
}

/** GET /conversations/{id}/items: newest first, unless `order=asc`. */
export async function listConversationItems(parts: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const thread = await findConversation(parts.threads, user, idOf(request))
  const { items, more } = await readConversationItems(parts, thread, user, pageQuery(request))
  return pageOf(items, more)
}

/** POST /conversations/{id}/items: adds items at the end, for no turn to answer. */
export async function addConversationItems(parts: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const input = await readNewItems(request.body)
  const { id } = await findConversation(parts.threads, user, idOf(request))
  const items = await itemsOf(parts, user, input)
  const entries = items.length > 0 ? await parts.threads.addItems(user, id, items) : []
  const added = entries.flatMap((entry) => inputItem(entry, { threadId: id, options: {} }) ?? [])
  return pageOf(added, false)
}

export async function getConversationItem(parts: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const thread = await findConversation(parts.threads, user, idOf(request))
  const item = await readConversationItem(parts, thread, user, itemIdOf(request))
  if (!item) throw noItem()
  return item
}

/** DELETE /conversations/{id}/items/{item}: removes an item that no response has read. */
export async function removeConversationItem({ threads }: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const thread = await findConversation(threads, user, idOf(request))
  const itemId = entryIdOf(thread, itemIdOf(request))
  if (itemId === undefined) throw noItem()
  await threads.removeItem(user, thread.id, itemId)
  return wireConversation(thread)
}

function noItem(): AppError {
  return new AppError('not_found', 'the conversation has no item with this id')
}

/** Throws the same not_found for a malformed or unknown id and for another user's. */
async function findConversation(threads: Pick<Threads, 'get'>, user: UserId, id: string): Promise<Thread> {
  const threadId = parseConversationId(id)
  const thread = threadId === undefined ? undefined : await threads.get(user, threadId)
  if (thread) return thread
  throw new AppError('not_found', 'no conversation has this id: check it, or create one')
}

function wireConversation({
  id,
  createdAt,
  metadata = {},
}: Pick<Thread, 'id' | 'createdAt'> & { metadata?: ThreadMetadata }) {
  return { id: conversationId(id), object: 'conversation', created_at: unixTime(createdAt), metadata }
}
