// The state of a thread's calls, derived from its items.
import { type Answer, type Call, type Gate, isAssistantMessage, isUserMessage, type Item, textOf } from './item.ts'

/** A call of the latest model response that has no result yet, with its gate, answer and attempt. */
export type OpenCall = {
  readonly call: Call
  readonly gate?: Gate
  readonly answer?: Answer
  readonly attempted: boolean
  /** A person allowed it at an approval gate, which need not be its latest gate. */
  readonly approved?: true
  /** A form that was answered before the latest gate, an approval, and that no run of the call has had yet. */
  readonly form?: AnsweredForm
}

type AnsweredForm = { readonly gate: Gate; readonly answer: Answer }

/** True for items that a model makes; an unbroken run of them is one response. */
export function isModelMade(item: Item): boolean {
  return item.type === 'reasoning' || item.type === 'call' || isAssistantMessage(item)
}

/** The texts of the latest model response that has any, joined; undefined when there is none. */
export function replyIn(items: readonly Item[]): string | undefined {
  const texts: string[] = []
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at] as Item
    if (isAssistantMessage(item)) texts.push(textOf(item))
    else if (texts.length > 0 && !isModelMade(item)) break
  }
  return texts.length > 0 ? texts.toReversed().join('\n\n') : undefined
}

/**
 * The open calls at the end of a thread, in the order the model made them. The model is only asked once every call has
 * its result, so all open calls belong to the latest response and the scan stops there.
 */
export function openCalls(items: readonly Item[]): OpenCall[] {
  const closed = new Set<string>()
  const attempted = new Set<string>()
  const gates = new Map<string, Gate>()
  const answers = new Map<string, Answer>()
  const approved = new Set<string>()
  const forms = new Map<string, AnsweredForm>()
  /** Calls that ran before their latest gate. */
  const ran = new Set<string>()
  /** The answer after the place of the scan, until its gate is found. */
  const pending = new Map<string, Answer>()
  const open: OpenCall[] = []
  let inResponse = false
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at] as Item
    const made = isModelMade(item)
    if (inResponse && !made) break
    inResponse = made
    if (item.type === 'answer') pending.set(item.callId, item)
    if (item.type === 'gate') {
      const { callId, kind } = item
      const answer = pending.get(callId)
      if (kind === 'approval' && answer?.decision === 'allow') approved.add(callId)
      const waits = gates.get(callId)?.kind === 'approval' && !ran.has(callId) && !forms.has(callId)
      if (kind === 'input' && !item.held && answer && waits) forms.set(callId, { gate: item, answer })
      pending.delete(callId)
    }
    if (item.type === 'result' || (item.type === 'answer' && item.decision === 'output')) closed.add(item.callId)
    // An attempt before the latest gate was an earlier run.
    else if (item.type === 'attempt' && !gates.has(item.callId)) attempted.add(item.callId)
    else if (item.type === 'attempt') ran.add(item.callId)
    else if (item.type === 'gate') keepLatest(gates, item)
    // An answer before the latest gate belongs to an earlier gate.
    else if (item.type === 'answer' && !gates.has(item.callId)) keepLatest(answers, item)
    else if (item.type === 'answer') continue
    else if (isUserMessage(item)) break
    else if (item.type === 'call' && !closed.has(item.callId)) {
      const gate = gates.get(item.callId)
      const answer = answers.get(item.callId)
      const form = forms.get(item.callId)
      open.push({
        call: item,
        ...(gate && { gate }),
        ...(answer && { answer }),
        attempted: attempted.has(item.callId),
        ...(approved.has(item.callId) && { approved: true }),
        ...(form && { form }),
      })
    }
  }
  return open.toReversed()
}

/** The scan goes backwards, so the first item of a call is its latest. */
function keepLatest<T extends { readonly callId: string }>(known: Map<string, T>, item: T): void {
  if (!known.has(item.callId)) known.set(item.callId, item)
}
