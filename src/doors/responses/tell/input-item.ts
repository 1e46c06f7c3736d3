// The input items of a turn on the wire, built from the entries of the log.
import { hexOf } from '#core/ids.ts'
import { type Entry, type OwnPart, ownParts, textOf } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { nameForCaller } from '#doors/openai/caller-tools.ts'
import { closeCompaction, compactionIn } from '#doors/responses/read/compaction.ts'
import { itemId, messageOutput } from './output.ts'

/** Undefined for entries that no client sends. */
export function inputItem({ id, item }: Entry, { threadId, options }: Pick<Turn, 'threadId' | 'options'>) {
  const threadHex = hexOf(threadId)
  switch (item.type) {
    case 'message': {
      const wireId = itemId('msg', id, threadHex)
      if (item.role === 'assistant') return messageOutput(wireId, textOf(item), item.cut ? 'incomplete' : 'completed')
      const compacted = compactionIn(item)
      if (compacted) return { id: wireId, type: 'compaction', encrypted_content: closeCompaction(compacted) }
      return { id: wireId, type: 'message', status: 'completed', role: 'user', content: ownParts(item).map(inputPart) }
    }
    case 'call': {
      const call = { call_id: item.callId, ...nameForCaller(options.tools, item.name), arguments: item.args }
      return { id: itemId('fc', id, threadHex), type: 'function_call', status: 'completed', ...call }
    }
    case 'result':
    case 'answer': {
      const pictures = (item.images ?? []).map((url) => inputPart({ type: 'image', url }))
      const text = item.output ?? ''
      const output = pictures.length > 0 ? [{ type: 'input_text', text }, ...pictures] : text
      const answer = { call_id: item.callId, output }
      return { id: itemId('fc', id, threadHex), type: 'function_call_output', status: 'completed', ...answer }
    }
    case 'reasoning':
    case 'attempt':
    case 'gate':
    case 'summary':
      return undefined
    default:
      return item satisfies never
  }
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
