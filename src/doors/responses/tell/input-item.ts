// The input items of a turn on the wire, built from the entries of the log.
import { hexOf } from '#core/ids.ts'
import { type Answer, type Call, type Entry, type OwnPart, ownParts, textOf } from '#core/item.ts'
import type { CallerName } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import { nameForCaller } from '#doors/openai/caller-tools.ts'
import type { HistoryItem } from '#doors/openai/seed.ts'
import { closeCompaction, compactionIn } from '#doors/responses/read/compaction.ts'
import { inputOfGiven } from '#doors/responses/read/given-items.ts'
import { itemId, messageOutput } from './output.ts'

/** Undefined for entries that no client sends. */
export function inputItem({ id, item }: Entry, { threadId, options }: Pick<Turn, 'threadId' | 'options'>) {
  const threadHex = hexOf(threadId)
  switch (item.type) {
    case 'message': {
      if (item.given) return givenItem(inputOfGiven(item, item.given), id, threadHex)
      const wireId = itemId('msg', id, threadHex)
      if (item.role === 'assistant') return messageOutput(wireId, textOf(item), item.cut ? 'incomplete' : 'completed')
      const compacted = compactionIn(item)
      if (compacted) return { id: wireId, type: 'compaction', encrypted_content: closeCompaction(compacted) }
      return { id: wireId, type: 'message', status: 'completed', role: 'user', content: ownParts(item).map(inputPart) }
    }
    case 'call': {
      const own = nameForCaller(options.tools, item.name)
      return wireCall(itemId('fc', id, threadHex), { ...own, callId: item.callId, args: item.args })
    }
    case 'result':
    case 'answer':
      return wireOutput(itemId('fc', id, threadHex), item)
    case 'reasoning':
    case 'attempt':
    case 'gate':
    case 'summary':
      return undefined
    default:
      return item satisfies never
  }
}

/** What a client added to its conversation, as it sent it. */
function givenItem(item: Exclude<HistoryItem, { type: 'message' }>, id: string, threadHex: string) {
  if (item.type === 'call') return wireCall(itemId('fc', id, threadHex), item)
  if (item.type === 'output') return wireOutput(itemId('fc', id, threadHex), item)
  const content = [inputPart({ type: 'text', text: item.text })]
  return { id: itemId('msg', id, threadHex), type: 'message', status: 'completed', role: 'system', content }
}

type WireCall = CallerName & Pick<Call, 'callId' | 'args'>

function wireCall(id: string, { callId, name, namespace, args }: WireCall) {
  const own = { name, ...(namespace !== undefined && { namespace }) }
  return { id, type: 'function_call', status: 'completed', call_id: callId, ...own, arguments: args }
}

function wireOutput(
  id: string,
  { callId, output: text = '', images = [] }: Pick<Answer, 'callId' | 'output' | 'images'>,
) {
  const pictures = images.map((url) => inputPart({ type: 'image', url }))
  const output = pictures.length > 0 ? [{ type: 'input_text', text }, ...pictures] : text
  return { id, type: 'function_call_output', status: 'completed', call_id: callId, output }
}

function inputPart(part: OwnPart) {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return { type: 'input_image', image_url: part.url, detail: 'auto' }
    case 'file':
      return { type: 'input_file', filename: part.name, text: part.text }
    default:
      return part satisfies never
  }
}
