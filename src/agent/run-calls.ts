// Runs the calls of one model response at once. A call may stay open while it asks a person.
import type { InputAnswer } from '#core/form.ts'
import type { Answer, Draft, Gate } from '#core/item.ts'
import { pace } from '#lib/pace.ts'
import { createQueue } from '#lib/queue.ts'
import { inputOf, type Settlement } from './move.ts'
import { type AskInput, runCall, type RunParts } from './settle.ts'

/** A result, or the gate of a call that stays open. `waits` once every call that still runs waits for a person. */
export type Settled = { readonly draft: Draft; readonly waits: boolean }

/** Waits for the answer to a gate that was just recorded. */
export type AnswerTo = (callId: string) => Promise<Answer>

type Arrival =
  | { readonly type: 'result'; readonly callId: string; readonly draft: Draft }
  | { readonly type: 'fault'; readonly error: unknown }
  | {
      readonly type: 'gate'
      readonly draft: Draft & { readonly item: Gate }
      readonly resolve: (answer: Promise<InputAnswer>) => void
    }

/** A tool reads its arguments at once: those of a hundred calls would block the event loop. */
async function begin(settlement: Settlement, parts: RunParts): Promise<Draft> {
  const turn = pace()
  if (turn) await turn
  parts.context.signal.throwIfAborted()
  return runCall(settlement, parts)
}

/** Yields drafts as they arrive, so that each is stored at once. The caller must record one before it asks for the next. */
export async function* runCalls(
  calls: readonly Settlement[],
  { answerTo, ...parts }: Omit<RunParts, 'askInput'> & { readonly answerTo: AnswerTo },
): AsyncGenerator<Settled> {
  const arrivals = createQueue<Arrival>(Number.POSITIVE_INFINITY)
  const arrive = (arrival: Arrival): void => void arrivals.push([arrival])
  const askInput: AskInput = (draft) => {
    const answered = new Promise<InputAnswer>((resolve) => arrive({ type: 'gate', draft, resolve }))
    // The call may be gone when the turn ends.
    answered.catch(() => {})
    return answered
  }
  for (const each of calls) {
    begin(each, { ...parts, askInput }).then(
      (draft) => arrive({ type: 'result', callId: each.call.callId, draft }),
      (error: unknown) => arrive({ type: 'fault', error }),
    )
  }
  let running = calls.length
  const held = new Set<string>()
  if (running === 0) return
  for await (const batch of arrivals) {
    for (const arrival of batch) {
      if (arrival.type === 'fault') throw arrival.error
      const { callId } = arrival.type === 'gate' ? arrival.draft.item : arrival
      if (arrival.type === 'gate') held.add(callId)
      else running--
      yield { draft: arrival.draft, waits: running > 0 && held.size === running }
      if (running === 0) return
      if (arrival.type !== 'gate') continue
      const gate = arrival.draft.item
      const answered = answerTo(callId).then((answer): InputAnswer => {
        held.delete(callId)
        return inputOf(gate, answer) ?? { action: 'decline' }
      })
      arrival.resolve(answered)
    }
  }
}
