// The next move of a turn, decided from its log alone. Resuming a gate, resuming a caller's tool and recovering from a
// crash are all this one decision.
import { type OpenCall, openCalls } from '#core/calls.ts'
import type { Call, Item } from '#core/item.ts'
import type { Toolbox } from './toolbox.ts'

/** What to do about one open call. */
export type Settlement = {
  readonly call: Call
  readonly how: 'run' | 'denied' | 'interrupted' | 'unknown' | 'invalid' | 'approval' | 'output'
  /** What the person who denied it said. */
  readonly word?: string
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
  const unasked = open.filter(({ gate, call }) => !gate && toolbox.kindOf(call) === 'ask')
  if (unasked.length > 0) return { do: 'settle', calls: unasked.map(({ call }) => ({ call, how: 'approval' })) }
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
  if (answer?.decision === 'deny') return { call, how: 'denied', ...(answer.output && { word: answer.output }) }
  // Also where the tool is gone since: it may have taken effect.
  if (attempted && !toolbox.repeatable(call)) return { call, how: 'interrupted' }
  const kind = toolbox.kindOf(call)
  const allowed = answer?.decision === 'allow' ? kind === 'run' || kind === 'ask' : kind === 'run'
  if (allowed) return { call, how: 'run' }
  if (kind === 'unknown' || kind === 'invalid') return { call, how: kind }
  if (kind === 'deny') return { call, how: 'denied' }
  // Allowed as a tool of ours, which it no longer is: nobody will answer again, so the model must call anew.
  return answer && { call, how: 'unknown' }
}

function spokenLast(items: readonly Item[]): boolean {
  const last = items.findLast(
    ({ type }) => type === 'message' || type === 'call' || type === 'result' || type === 'answer',
  )
  return last?.type === 'message' && last.role === 'assistant'
}
