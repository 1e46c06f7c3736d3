// POST /responses/compact: summarizes a history into one compaction item.
import type { FastifyRequest } from 'fastify'
import { AppError, wrongField } from '#core/errors.ts'
import { hexOf, newId, responseId, type UserId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import { seedItems } from '#doors/openai/seed.ts'
import { closeCompaction } from '#doors/responses/read/compaction.ts'
import { type InputItem, readInput } from '#doors/responses/read/input.ts'
import { findPrevious } from '#doors/responses/read/plan.ts'
import { type ReferenceParts, resolveReferences } from '#doors/responses/read/references.ts'
import { readPrevious } from '#doors/responses/read/request.ts'
import { CompactSchema } from '#doors/responses/read/schemas.ts'
import { requireStillAllowed } from '#http/caller.ts'
import { check } from '#http/validate.ts'
import { unixTime, usageWire } from '#http/wire-format.ts'
import type { Turns } from '#turns/turns.ts'
import type { ResponsesParts } from './parts.ts'

export async function compactHistory(
  { turns, threads, turnTimeoutMs, now = Date.now }: ResponsesParts,
  request: FastifyRequest,
) {
  const { user } = request.caller
  const { input, previous_response_id: previous } = check(CompactSchema, request.body)
  if (input == null && previous == null) throw wrongField('input', 'is required, or previous_response_id')
  const items = input == null ? [] : await inputItems({ threads, turns }, user, await readInput(input))
  const threadId = previous == null ? undefined : await threadOf(turns, user, previous)
  const signal = AbortSignal.timeout(turnTimeoutMs)
  const { usage, ...compaction } = await turns.compact(
    user,
    { door: 'responses', items, ...(threadId && { threadId }) },
    signal,
  )
  await requireStillAllowed(request)
  return {
    id: responseId(newId(), newId()),
    object: 'response.compaction',
    created_at: unixTime(now()),
    output: [{ type: 'compaction', id: `cmp_${hexOf(newId())}`, encrypted_content: closeCompaction(compaction) }],
    usage: usageWire(usage),
  }
}

async function threadOf(turns: Turns, user: UserId, text: string): Promise<string> {
  const previous = readPrevious(text)
  await findPrevious(turns, user, previous).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'previous_response_not_found') throw error
    throw new AppError('not_found', error.message, { param: 'previous_response_id', cause: error })
  })
  return previous.threadId
}

async function inputItems(parts: ReferenceParts, user: UserId, input: readonly InputItem[]): Promise<Item[]> {
  const { items } = await resolveReferences(parts, user, { input, threadId: undefined })
  const conversation = items.filter(({ type }) => type !== 'system')
  return conversation.length > 0 ? seedItems(conversation, '', 'input') : []
}
