// The next move of a turn, decided from its log alone. Resuming a gate, resuming a caller's tool and recovering from a
// crash are all this one decision.
import { type OpenCall, openCalls } from '#core/calls.ts'
import type { Call, Item } from '#core/item.ts'
import type { Toolbox } from './toolbox.ts'

/** What to do about one open call. */
export type Settlement = {
  readonly call: Call
  readonly how:
    | 'run'
    | 'denied'
    | 'expired'
    | 'forbidden'
    | 'interrupted'
    | 'unknown'
    | 'invalid'
    | 'approval'
    | 'output'
  /** What the person who denied it said, or why the policy asks or forbids. */
  readonly word?: string
  /** Why the policy asks, for the person who decides. */
  readonly why?: string
  /** Where the untrusted text came from that the model had read when it made the call. */
  readonly taint?: string
  /** The rule by which the call would have carried a secret away. */
  readonly leak?: string
}

export type Move =
  | { readonly do: 'ask' }
  | { readonly do: 'settle'; readonly calls: readonly Settlement[] }
  /** Somebody must answer an approval or a sign-in first. */
  | { readonly do: 'wait' }
  /** The turn is over: the model has answered, or its caller has to run a function. */
  | { readonly do: 'stop' }

/**
 * Calls that can be closed now come first, then approvals, then the caller's functions one at a time: an open output
 * gate holds the later ones back. With no open call, the model is asked unless it has spoken last.
 */
export function nextMove(items: readonly Item[], toolbox: Pick<Toolbox, 'kindOf' | 'repeatable'>): Move {
  const open = openCalls(items)
  if (open.length === 0) return spokenLast(items) ? { do: 'stop' } : { do: 'ask' }
  const ready = open.flatMap((each) => readiness(each, toolbox) ?? [])
  if (ready.length > 0) return { do: 'settle', calls: ready }
  const unasked = open.flatMap(({ gate, call }) => (gate ? [] : (approval(call, toolbox) ?? [])))
  if (unasked.length > 0) return { do: 'settle', calls: unasked }
  if (open.some(({ gate }) => gate && gate.kind !== 'output')) return { do: 'wait' }
  if (open.some(({ gate }) => gate)) return { do: 'stop' }
  return { do: 'settle', calls: open.slice(0, 1).map(({ call }) => ({ call, how: 'output' })) }
}

/** How a call can be closed right now, if it can. */
function readiness(
  { call, gate, answer, attempted }: OpenCall,
  toolbox: Pick<Toolbox, 'kindOf' | 'repeatable'>,
): Settlement | undefined {
  if (gate && !answer) return undefined
  if (answer?.decision === 'deny') {
    return { call, how: answer.by === 'expiry' ? 'expired' : 'denied', ...(answer.output && { word: answer.output }) }
  }
  // Also where the tool is gone since: it may have taken effect.
  if (attempted && !toolbox.repeatable(call)) return { call, how: 'interrupted' }
  const kind = toolbox.kindOf(call)
  if (kind.do === 'run' || (kind.do === 'ask' && answer?.decision === 'allow')) {
    return { call, how: 'run', ...(kind.taint !== undefined && { taint: kind.taint }) }
  }
  if (kind.do === 'unknown' || kind.do === 'invalid') return { call, how: kind.do }
  if (kind.do === 'deny') return { call, how: 'forbidden', word: kind.reason, ...(kind.leak && { leak: kind.leak }) }
  // Allowed as a tool of ours, which it no longer is: nobody will answer again, so the model must call anew.
  return answer && { call, how: 'unknown' }
}

/** The approval that a call needs, if it needs one. */
function approval(call: Call, toolbox: Pick<Toolbox, 'kindOf'>): Settlement | undefined {
  const kind = toolbox.kindOf(call)
  if (kind.do !== 'ask') return undefined
  return {
    call,
    how: 'approval',
    word: kind.reason,
    why: kind.why,
    ...(kind.taint !== undefined && { taint: kind.taint }),
  }
}

function spokenLast(items: readonly Item[]): boolean {
  const last = items.findLast(
    ({ type }) => type === 'message' || type === 'call' || type === 'result' || type === 'answer',
  )
  return last?.type === 'message' && last.role === 'assistant'
}
