// POST /responses/compact: a history becomes one small item. It is made from the text itself, without asking a model.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { hexOf, newId, responseId, type UserId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import { createTranscript, type Transcript } from '#doors/responses/read/compaction.ts'
import { readInput } from '#doors/responses/read/input.ts'
import { findPrevious } from '#doors/responses/read/plan.ts'
import { resolveReferences } from '#doors/responses/read/references.ts'
import { readPrevious } from '#doors/responses/read/request.ts'
import { CompactSchema } from '#doors/responses/read/schemas.ts'
import { seedItems } from '#doors/responses/read/seed.ts'
import { check, wrongField } from '#http/check.ts'
import { unixTime, usageWire } from '#http/wire.ts'
import type { Turns } from '#turns/turns.ts'
import type { ResponsesParts } from './parts.ts'

const pageSize = 500
/** A thread longer than this is not read to its end. */
const maxPages = 200

export async function compactHistory({ turns, now = Date.now }: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const { input, previous_response_id: previous } = check(CompactSchema, request.body)
  if (input == null && previous == null) throw wrongField('input', 'is required, or previous_response_id')
  const given = input == null ? [] : await givenItems(turns, user, readInput(input))
  const transcript = createTranscript()
  if (previous != null) await addStored(transcript, turns, user, previous)
  transcript.add(given)
  return {
    id: responseId(newId(), newId()),
    object: 'response.compaction',
    created_at: unixTime(now()),
    output: [{ type: 'compaction', id: `cmp_${hexOf(newId())}`, encrypted_content: transcript.close() }],
    usage: usageWire(noUsage),
  }
}

async function addStored(transcript: Transcript, turns: Turns, user: UserId, text: string): Promise<void> {
  const previous = readPrevious(text)
  await findPrevious(turns, user, previous).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'previous_response_not_found') throw error
    throw new AppError('not_found', error.message, { param: 'previous_response_id', cause: error })
  })
  for (let after = 0, pages = 0; pages < maxPages; pages++) {
    const { entries, more } = await turns.history(user, previous.threadId, { after, limit: pageSize })
    transcript.add(entries.map(({ item }) => item))
    if (!more) break
    after = entries.at(-1)?.seq ?? after
  }
}

async function givenItems(turns: Turns, user: UserId, input: ReturnType<typeof readInput>): Promise<Item[]> {
  const { items } = await resolveReferences(turns, user, { input, threadId: undefined })
  const conversation = items.filter(({ type }) => type !== 'system')
  return conversation.length > 0 ? seedItems(conversation, '') : []
}
