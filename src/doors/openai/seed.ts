// Converts the messages of a request to the items that start a turn.
import { wrongField } from '#core/errors.ts'
import { newCallId } from '#core/ids.ts'
import {
  isAssistantMessage,
  isUserMessage,
  type Item,
  type Message,
  type Part,
  type Result,
  textMessage,
} from '#core/item.ts'
import { historyOrigin } from '#core/origins.ts'

/** A message of a request, or a part of one. Answers are untrusted unless they are marked as `ours`. */
export type HistoryItem =
  | {
      readonly type: 'message'
      readonly role: 'user' | 'assistant'
      readonly content: readonly Part[]
      readonly ours?: true
    }
  /** Its text is added to the instructions. */
  | { readonly type: 'system'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly args: string }
  | { readonly type: 'output'; readonly callId: string; readonly output: string; readonly images?: readonly string[] }

type Output = Extract<HistoryItem, { type: 'output' }>
type SeedItem = HistoryItem | { readonly type: 'reference' | 'nothing' }

/**
 * The items that start a turn. If the assistant spoke last, a user message "Continue." is added. `field` has the messages
 * in the request.
 */
export function seedItems(input: readonly SeedItem[], blocks: string, field: string): Item[] {
  const items = conversation(input)
  if (items.length === 0 && blocks === '') throw wrongField(field, 'has no content')
  const last = items.at(-1)
  if (last && isAssistantMessage(last)) items.push(textMessage('user', 'Continue.'))
  return withBlocks(items, blocks)
}

/** Puts the blocks before the text of the first user message. */
function withBlocks(items: Item[], blocks: string): Item[] {
  if (blocks === '') return items
  const at = items.findIndex(isUserMessage)
  if (at < 0) return [textMessage('user', blocks.trimEnd()), ...items]
  items[at] = prefixed(items[at] as Message, blocks)
  return items
}

/**
 * Each group of calls is followed by its results, and call ids are replaced by new ones. An assistant message is untrusted
 * unless it is marked as `ours`.
 */
function conversation(input: readonly SeedItem[]): Item[] {
  const outputs = new Map<string, Output[]>()
  for (const item of input) {
    if (item.type !== 'output') continue
    const earlier = outputs.get(item.callId)
    if (earlier) earlier.push(item)
    else outputs.set(item.callId, [item])
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
      if (item.type === 'message') items.push(messageOf(item))
    }
  }
  return [...items, ...results]
}

/** A message of a request as it is stored. */
export function messageOf({ ours, ...message }: HistoryItem & { type: 'message' }): Message {
  if (message.role === 'user' || ours) return message
  const content = message.content.map((part) => (part.type === 'text' ? { ...part, origin: historyOrigin } : part))
  return { ...message, content }
}

/** The output of a caller's function is untrusted, like the output of any tool: `origin` marks it. */
function resultOf(callId: string, name: string, given: Output | undefined): Result {
  if (given === undefined) return { type: 'result', callId, output: 'no output was given', error: true }
  const { output, images } = given
  return { type: 'result', callId, output, ...(images && { images }), origin: name }
}

function prefixed(message: Message, blocks: string): Message {
  const [first, ...rest] = message.content
  const isUserText = first?.type === 'text' && first.origin === undefined
  if (isUserText) return { ...message, content: [{ type: 'text', text: blocks + first.text }, ...rest] }
  const lead: Part = { type: 'text', text: blocks }
  return { ...message, content: [lead, ...message.content] }
}
