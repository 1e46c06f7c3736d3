// The options that a new turn is stored with: those of its request, completed from its thread.
import type { NewTurn } from '#core/turn-store.ts'
import type { TurnOptions } from '#core/turn.ts'
import { unknownHistory } from './chain-points.ts'
import { readGateHeaders, readItemRow } from './item-headers.ts'
import { entryOf } from './rows.ts'
import { first, type Job, type Row } from './sql.ts'

/** A turn that names no model itself uses the one of its thread. */
export function* optionsOf(request: NewTurn, thread: Row | undefined): Job<TurnOptions> {
  const options = withKnownChain(request, yield* withTools(request, thread), thread)
  const ofThread = request.model === undefined ? (thread?.['model'] as string | null | undefined) : request.model
  const model = options.model ?? ofThread
  return model ? { ...options, model } : options
}

/**
 * If the thread has gone on since the chain of a client was made, the client's history is not the thread's. The turn gets a
 * chain that no history has: its point is never found, and the points before it are no longer the latest of the thread.
 */
function withKnownChain({ chainSeq }: NewTurn, options: TurnOptions, thread: Row | undefined): TurnOptions {
  if (chainSeq === undefined || chainSeq === Number(thread?.['last_seq'])) return options
  const { instructions: _, ...rest } = options
  return { ...rest, chain: unknownHistory }
}

/** A resume without tools uses those of the turn that made the call. No turn uses others than its caller may. */
function* withTools(request: NewTurn, thread: Row | undefined): Job<TurnOptions> {
  const options = yield* withStoredTools(request, thread)
  const { allowedTools: allowed } = request
  if (!allowed) return options
  return { ...options, serviceTools: options.serviceTools?.filter((name) => allowed.includes(name)) ?? allowed }
}

function* withStoredTools({ options, resumes }: NewTurn, thread: Row | undefined): Job<TurnOptions> {
  if (resumes === undefined || thread === undefined || (options.tools && options.serviceTools)) return options
  // The last item of a thread that waits for an output is of the turn that made the call, also in a fork, which has no turn.
  const row = yield* first(
    'SELECT options FROM turns WHERE id = (SELECT turn_id FROM items WHERE thread_id = ? AND seq = ?)',
    String(thread['id']),
    Number(thread['last_seq']),
  )
  const stored = row
    ? (JSON.parse(String(row['options'] ?? '{}')) as TurnOptions)
    : yield* toolsInGate(String(thread['id']), resumes)
  const { tools = stored.tools, serviceTools = stored.serviceTools } = options
  return { ...options, ...(tools && { tools }), ...(serviceTools && { serviceTools }) }
}

/** The tools that the gate of a call names: for a fork whose turn was erased with the original thread. */
function* toolsInGate(threadId: string, callId: string): Job<Pick<TurnOptions, 'tools' | 'serviceTools'>> {
  const header = (yield* readGateHeaders(threadId, 0)).findLast(
    ({ item }) => item.type === 'gate' && item.callId === callId,
  )
  const row = header && (yield* readItemRow(threadId, header.seq))
  const gate = row && entryOf(row).item
  return gate?.type === 'gate' && gate.serviceTools ? { serviceTools: gate.serviceTools } : {}
}
