// The items a turn is started with, from the checked input of a request.
import { newCallId } from '#core/ids.ts'
import { type Item, type Message, type Part, type Result, textMessage } from '#core/item.ts'
import { wrongField } from '#http/validate.ts'
import type { InputItem } from './input.ts'

/**
 * Builds the items: each group of calls is followed by its results, call ids are minted anew, and the blocks stand
 * before the text of the last user message. An answer at the end is followed by a word that asks to go on.
 */
export function seedItems(input: readonly InputItem[], blocks: string): Item[] {
  const items = conversation(input)
  if (items.length === 0 && blocks === '') throw wrongField('input', 'has no content')
  const last = items.at(-1)
  if (last?.type === 'message' && last.role === 'assistant') items.push(textMessage('user', 'Continue.'))
  if (blocks === '') return items
  const at = items.findLastIndex((item) => item.type === 'message' && item.role === 'user')
  if (at < 0) return [textMessage('user', blocks.trimEnd()), ...items]
  items[at] = prefixed(items[at] as Message, blocks)
  return items
}

function conversation(input: readonly InputItem[]): Item[] {
  const outputs = new Map<string, string[]>()
  for (const item of input) {
    if (item.type !== 'output') continue
    const known = outputs.get(item.callId)
    if (known) known.push(item.output)
    else outputs.set(item.callId, [item.output])
  }
  const items: Item[] = []
  let results: Result[] = []
  for (const item of input) {
    if (item.type === 'call') {
      const callId = newCallId()
      const output = outputs.get(item.callId)?.shift()
      items.push({ type: 'call', callId, name: item.name, args: item.args })
      results.push(resultOf(callId, item.name, output))
    } else if (item.type === 'output' || (item.type === 'message' && item.content.length > 0)) {
      items.push(...results)
      results = []
      if (item.type === 'message') items.push(item)
    }
  }
  return [...items, ...results]
}

/** What a caller's function gave is data from outside, like any other. */
function resultOf(callId: string, name: string, output: string | undefined): Result {
  if (output === undefined) return { type: 'result', callId, output: 'no output was given', error: true }
  return { type: 'result', callId, output, origin: name }
}

function prefixed(message: Message, blocks: string): Message {
  const [first, ...rest] = message.content
  const own = first?.type === 'text' && first.origin === undefined
  if (own) return { ...message, content: [{ type: 'text', text: blocks + first.text }, ...rest] }
  const lead: Part = { type: 'text', text: blocks }
  return { ...message, content: [lead, ...message.content] }
}
