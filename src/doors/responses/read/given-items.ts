// The items that a client adds to its conversation, as they are stored. Each is one message, so that any of them can be
// removed. A call that nobody here made must never run: calls and outputs are untrusted text to the model.
import type { Given, Message, Part } from '#core/item.ts'
import { historyOrigin } from '#core/origins.ts'
import { instructionsParts } from '#doors/openai/blocks.ts'
import { type HistoryItem, messageOf } from '#doors/openai/seed.ts'
import type { InputItem } from './input.ts'

/** Expects references to be resolved. Reasoning and messages without content are left out. */
export async function givenItems(items: readonly InputItem[]): Promise<Message[]> {
  const messages: Message[] = []
  for (const item of items) {
    const message = await givenItem(item)
    if (message && message.content.length > 0) messages.push(message)
  }
  return messages
}

async function givenItem(item: InputItem): Promise<Message | undefined> {
  switch (item.type) {
    case 'message':
      return messageOf(item)
    case 'system':
      return {
        type: 'message',
        role: 'user',
        content: await instructionsParts(item.text),
        given: { type: 'instructions' },
      }
    case 'call': {
      const { callId, name, args } = item
      const content = [lead(`function_call ${name} (${callId}):`), outside(args)]
      return { type: 'message', role: 'assistant', content, given: { type: 'call', callId, name } }
    }
    case 'output': {
      const { callId, output, images = [] } = item
      const pictures = images.map((url): Part => ({ type: 'image', url }))
      const content = [lead(`function_call_output (${callId}):`), outside(output), ...pictures]
      return { type: 'message', role: 'user', content, given: { type: 'output', callId } }
    }
    case 'reference':
    case 'nothing':
      return undefined
    default:
      return item satisfies never
  }
}

/** An added item as input again. */
export function inputOfGiven({ content }: Message, given: Given): Exclude<HistoryItem, { type: 'message' }> {
  const text = textOfGiven(content)
  switch (given.type) {
    case 'call':
      return { type: 'call', callId: given.callId, name: given.name, args: text }
    case 'output': {
      const images = content.flatMap((part) => (part.type === 'image' ? [part.url] : []))
      return { type: 'output', callId: given.callId, output: text, ...(images.length > 0 && { images }) }
    }
    case 'instructions':
      return { type: 'system', text }
    default:
      return given satisfies never
  }
}

function textOfGiven(content: readonly Part[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The names in it are the client's words too. */
function lead(text: string): Part {
  return { type: 'framing', text, origin: historyOrigin }
}

function outside(text: string): Part {
  return { type: 'text', text, origin: historyOrigin }
}
