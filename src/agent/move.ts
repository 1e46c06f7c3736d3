// The next move of a turn, decided from its log alone. Answering a gate, resuming a caller's function and recovering
// from a crash are the same decision.
import { type OpenCall, openCalls } from '#core/calls.ts'
import type { InputAnswer } from '#core/form.ts'
import { type Answer, type Call, type Gate, isAssistantMessage, type Item } from '#core/item.ts'
import type { Toolbox } from './toolbox.ts'

/** The next step of one open call. */
export type Settlement = {
  readonly call: Call
  readonly how:
    | 'run'
    | 'denied'
    | 'expired'
    | 'unanswered'
    | 'forbidden'
    | 'interrupted'
    | 'unknown'
    | 'invalid'
    | 'approval'
    | 'output'
  /** The note of the person who denied the call, or the policy's reason to ask or forbid. */
  readonly word?: string
  /** The policy's reason, for the person who decides. */
  readonly why?: string
  /** The origin of untrusted text that the model had read before the call. */
  readonly taint?: string
  /** The leak rule that the call violates: it would send a secret out. */
  readonly leak?: string
  /** The answer to what the call asked for in an earlier run. */
  readonly input?: InputAnswer
  /** The call was held open by a process that is gone, and nobody has answered: its gate must be closed. */
  readonly closesGate?: true
}

export type Move =
  | { readonly do: 'ask' }
  | { readonly do: 'settle'; readonly calls: readonly Settlement[] }
  /** A gate must be answered first. */
  | { readonly do: 'wait' }
  /** The turn ends: the model has answered, or the caller has to run a function. */
  | { readonly do: 'stop' }

/**
 * Order: first the calls that can be closed now, then approvals, then the caller's functions one at a time (an open
 * output gate blocks the later ones). With no open call, the model is asked unless the last message is its own.
 */
export function nextMove(items: readonly Item[], toolbox: Pick<Toolbox, 'kindOf' | 'repeatable'>): Move {
  const open = openCalls(items)
  if (open.length === 0) return modelSpokeLast(items) ? { do: 'stop' } : { do: 'ask' }
  const ready = open.flatMap((each) => readiness(each, toolbox) ?? [])
  if (ready.length > 0) return { do: 'settle', calls: ready }
  const unasked = open.flatMap(({ gate, answer, call }) => (gate && !answer ? [] : (approval(call, toolbox) ?? [])))
  if (unasked.length > 0) return { do: 'settle', calls: unasked }
  if (open.some(({ gate }) => gate && gate.kind !== 'output')) return { do: 'wait' }
  if (open.some(({ gate }) => gate)) return { do: 'stop' }
  return { do: 'settle', calls: open.slice(0, 1).map(({ call }) => ({ call, how: 'output' })) }
}

/** How a call can be closed now; undefined when it cannot. */
function readiness(
  { call, gate, answer, attempted, approved, form }: OpenCall,
  toolbox: Pick<Toolbox, 'kindOf' | 'repeatable'>,
): Settlement | undefined {
  // This process does not hold it, else the turn would not be looking for its next move.
  if (gate?.held) return { call, how: 'interrupted', ...(!answer && { closesGate: true }) }
  if (gate && !answer) return undefined
  const input = gate?.kind === 'input' && answer ? inputOf(gate, answer) : undefined
  if (answer?.decision === 'deny' && !input) {
    const how = gate?.kind === 'input' ? 'unanswered' : answer.by === 'expiry' ? 'expired' : 'denied'
    return { call, how, ...(answer.output && { word: answer.output }) }
  }
  // Also when the tool has been removed since: the call may have taken effect.
  if (attempted && !toolbox.repeatable(call)) return { call, how: 'interrupted' }
  const kind = toolbox.kindOf(call)
  if (kind.do === 'run' || (kind.do === 'ask' && approved)) {
    const values = input ?? (form && inputOf(form.gate, form.answer))
    return {
      call,
      how: 'run',
      ...(kind.taint !== undefined && { taint: kind.taint }),
      ...(values && { input: values }),
    }
  }
  if (kind.do === 'unknown' || kind.do === 'invalid') return { call, how: kind.do }
  if (kind.do === 'deny') return { call, how: 'forbidden', word: kind.reason, ...(kind.leak && { leak: kind.leak }) }
  // A sign-in or a form that was answered is no approval: the policy has turned to asking since the call began.
  if (kind.do === 'ask') return undefined
  // Approved as a tool of the service, but now a caller's function: no second answer comes, the model must call again.
  return answer && { call, how: 'unknown' }
}

/** The answer that the tool gets; undefined if nobody answered. A person who declines is an answer too. */
export function inputOf({ state }: Gate, { decision, by, values = {} }: Answer): InputAnswer | undefined {
  if (by === 'expiry') return undefined
  const kept = state === undefined ? {} : { state }
  return decision === 'deny' ? { action: 'decline', ...kept } : { action: 'accept', values, ...kept }
}

/** The approval that a call needs, if any. */
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

function modelSpokeLast(items: readonly Item[]): boolean {
  const last = items.findLast(
    ({ type }) => type === 'message' || type === 'call' || type === 'result' || type === 'answer',
  )
  return last !== undefined && isAssistantMessage(last)
}
