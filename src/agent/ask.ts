// One question to the model: its stream becomes deltas as it arrives and drafts when it is whole.
import type { Delta } from '#core/event.ts'
import { newCallId, newId } from '#core/ids.ts'
import { type Draft, textMessage } from '#core/item.ts'
import { isObject, type Json } from '#core/json.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import { noUsage, type Usage } from '#core/turn.ts'

/** Calls in one response beyond this are not taken: no task needs them, and each may hold a process. */
const maxCalls = 64

export type Reply = {
  readonly drafts: readonly Draft[]
  readonly usage: Usage
  /** Why the stream broke off, when it did; `drafts` then hold the text that had arrived. */
  readonly fault?: unknown
}

export type Question = {
  readonly model: Model
  readonly request: ModelRequest
  readonly turnId: string
  readonly signal: AbortSignal
  readonly emit: (deltas: Delta[]) => void
}

/** Asks once. Never throws: a fault comes back beside what had arrived. */
export async function ask({ model, request, turnId, signal, emit }: Question): Promise<Reply> {
  const itemId = newId()
  const calls: Draft[] = []
  let text = ''
  let reasoning = ''
  let opaque: string | undefined
  let usage = noUsage
  let fault: unknown
  try {
    for await (const batch of model.stream(request, signal)) {
      const deltas: Delta[] = []
      for (const event of batch) {
        switch (event.type) {
          case 'text':
            deltas.push({ type: 'delta', turnId, itemId, offset: text.length, text: event.text })
            text += event.text
            break
          case 'reasoning':
            reasoning += event.text
            opaque = event.opaque ?? opaque
            break
          case 'call':
            if (calls.length < maxCalls) calls.push(callDraft(event.name, event.args))
            break
          case 'done':
            usage = event.usage
            break
          default:
            event satisfies never
        }
      }
      if (deltas.length > 0) emit(deltas)
    }
  } catch (error) {
    fault = error
  }
  const drafts: Draft[] = []
  // A provider may keep its thoughts to itself and still want their seal back.
  if ((reasoning || opaque) && fault === undefined) {
    drafts.push({ id: newId(), item: { type: 'reasoning', text: reasoning, ...(opaque && { opaque }) } })
  }
  // A response without calls always leaves a message, so that the turn can end.
  if (text || (calls.length === 0 && fault === undefined))
    drafts.push({ id: itemId, item: textMessage('assistant', text) })
  if (fault !== undefined) return { drafts, usage, fault }
  return { drafts: [...drafts, ...calls], usage }
}

function callDraft(name: string, args: string): Draft {
  return { id: newId(), item: { type: 'call', callId: newCallId(), name, args: parseArgs(args) } }
}

/** The arguments as an object, or the raw text where they are none: the model is told so. */
function parseArgs(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as Json) : text
  } catch {
    return text
  }
}
