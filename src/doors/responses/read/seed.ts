// Converts the checked input of a request to the items that start a turn.
import { newCallId } from '#core/ids.ts'
import { type Item, type Message, type Part, type Result, textMessage } from '#core/item.ts'
import { wrongField } from '#http/validate.ts'
import type { InputItem } from './input.ts'

/**
 * Each group of calls is followed by its results, call ids are replaced by new ones, and the blocks are put before the
 * text of the last user message. If the assistant spoke last, a user message "Continue." is added.
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
    const earlier = outputs.get(item.callId)
    if (earlier) earlier.push(item.output)
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

/** The output of a caller's function is untrusted, like the output of any tool: `origin` marks it. */
function resultOf(callId: string, name: string, output: string | undefined): Result {
  if (output === undefined) return { type: 'result', callId, output: 'no output was given', error: true }
  return { type: 'result', callId, output, origin: name }
}

function prefixed(message: Message, blocks: string): Message {
  const [first, ...rest] = message.content
  const isUserText = first?.type === 'text' && first.origin === undefined
  if (isUserText) return { ...message, content: [{ type: 'text', text: blocks + first.text }, ...rest] }
  const lead: Part = { type: 'text', text: blocks }
  return { ...message, content: [lead, ...message.content] }
}
