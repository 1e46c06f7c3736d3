// Where the calls of a thread stand, read from its items.
import type { Answer, Call, Gate, Item } from './item.ts'

/** A call of the latest model response that has no result yet, and what has happened to it. */
export type OpenCall = {
  readonly call: Call
  readonly gate?: Gate
  readonly answer?: Answer
  readonly attempted: boolean
}

/**
 * The open calls at the end of a thread, in the order the model made them. The model is only asked once every call has
 * its result, so all open calls belong to the latest response and a look back to it is enough.
 */
export function openCalls(items: readonly Item[]): OpenCall[] {
  const closed = new Set<string>()
  const attempted = new Set<string>()
  const gates = new Map<string, Gate>()
  const answers = new Map<string, Answer>()
  const open: OpenCall[] = []
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at] as Item
    if (item.type === 'result' || (item.type === 'answer' && item.decision === 'output')) closed.add(item.callId)
    // What was tried before a gate is not what waits behind it.
    else if (item.type === 'attempt' && !gates.has(item.callId)) attempted.add(item.callId)
    else if (item.type === 'attempt') continue
    else if (item.type === 'gate') keepLatest(gates, item)
    // An answer older than the latest gate was given to an earlier one.
    else if (item.type === 'answer' && !gates.has(item.callId)) keepLatest(answers, item)
    else if (item.type === 'answer') continue
    else if (item.type !== 'call') break
    else if (!closed.has(item.callId)) {
      const gate = gates.get(item.callId)
      const answer = answers.get(item.callId)
      open.push({
        call: item,
        ...(gate && { gate }),
        ...(answer && { answer }),
        attempted: attempted.has(item.callId),
      })
    }
  }
  return open.toReversed()
}

/** Read backwards, the first of a call is the one that counts. */
function keepLatest<T extends { readonly callId: string }>(known: Map<string, T>, item: T): void {
  if (!known.has(item.callId)) known.set(item.callId, item)
}
