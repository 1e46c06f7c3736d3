// The turn that a checked request starts: a resume, a replay that resumes, or items for a new or existing thread.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import type { TurnOptions } from '#core/turn.ts'
import { seedItems } from '#doors/openai/seed.ts'
import { echoOf } from '#doors/responses/echo.ts'
import type { Threads } from '#turns/threads.ts'
import type { StartTurn, Turns } from '#turns/turns.ts'
import { intentOf } from './input.ts'
import { resolveReferences } from './references.ts'
import type { CreateRequest, Previous } from './request.ts'

export type PlanParts = {
  readonly turns: Pick<Turns, 'get' | 'watch'>
  readonly threads: Pick<Threads, 'findItems' | 'get' | 'findByOpenCall'>
}

/** Throws invalid_input for a malformed request, then previous_response_not_found. Stores nothing. */
export async function planTurn(
  { turns, threads }: PlanParts,
  user: UserId,
  request: CreateRequest,
): Promise<StartTurn> {
  const { previous, options } = request
  const threadId = previous?.threadId
  const { items, known } = await resolveReferences({ threads, turns }, user, { input: request.input, threadId })
  const intent = intentOf(items, previous !== undefined)
  if (previous) await findPrevious(turns, user, previous)
  const common = { user, door: 'responses', whenBusy: 'refuse' } as const
  if (intent.kind !== 'message') {
    const { callId, output, images } = intent.output
    const open = intent.kind === 'resume' ? threadId : (await threads.findByOpenCall(user, callId))?.id
    if (open !== undefined) {
      const answer: Item = { type: 'answer', callId, decision: 'output', output, ...(images && { images }), by: user }
      return { ...common, threadId: open, resumes: callId, options: resumeOptions(request), input: [answer] }
    }
  }
  const fresh = known.size > 0 ? items.filter((_, at) => !known.has(at)) : items
  return { ...common, ...(threadId && { threadId }), options, input: seedItems(fresh, request.blocks, 'input') }
}

/** Any response of a thread continues it. An unknown, a deleted and another user's response give the same error. */
export async function findPrevious(
  turns: Pick<Turns, 'get'>,
  user: UserId,
  { turnId, threadId }: Previous,
): Promise<void> {
  const turn = await turns.get(user, turnId)
  if (turn?.threadId !== threadId) throw previousNotFound()
}

export function previousNotFound(): AppError {
  const message = 'the previous response was not found: check previous_response_id, or send the whole history as input'
  return new AppError('previous_response_not_found', message, { param: 'previous_response_id' })
}

/**
 * Instructions are ignored on a resume, so they are not echoed either. Without `tools` the tools of the waiting turn
 * remain; an empty list removes them.
 */
function resumeOptions({ options, noTools }: CreateRequest): TurnOptions {
  const { instructions: _, ...echo } = echoOf(options.echo)
  const { echo: __, ...rest } = options
  return { ...rest, ...(noTools && { tools: [] }), ...(Object.keys(echo).length > 0 && { echo }) }
}
