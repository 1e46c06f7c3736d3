// The messages of a request, as the items of a history.
import { wrongField } from '#core/errors.ts'
import type { Part } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import { checkInstructions } from '#doors/openai/blocks.ts'
import { namesForModel } from '#doors/openai/caller-tools.ts'
import { checkArguments } from '#doors/openai/call-arguments.ts'
import { readFile, readImage, readParts, TextPartSchema, textIn } from '#doors/openai/content.ts'
import type { ChainedItem } from '#doors/openai/find-thread.ts'
import { check } from '#http/validate.ts'
import { pace } from '#lib/pace.ts'
import {
  AssistantSchema,
  FilePart,
  RefusalPart,
  RoleSchema,
  SystemSchema,
  ToolMessageSchema,
  UserSchema,
} from './schemas.ts'

const maxMessages = 20_000

export type Messages = {
  readonly items: readonly ChainedItem[]
  /** The index in the request of the message that each item comes from. */
  readonly at: readonly number[]
  /** Texts of system and developer messages. */
  readonly instructions: readonly string[]
  /** The first item after the last assistant message. */
  readonly newest: number
}

/** Throws invalid_input with the path of the message and its field. `nameOf` is the model's name of a caller's function. */
export async function readMessages(messages: readonly unknown[], nameOf = namesForModel([])): Promise<Messages> {
  if (messages.length > maxMessages) {
    throw wrongField('messages', `has ${messages.length} messages, at most ${maxMessages} are accepted`)
  }
  const items: ChainedItem[] = []
  const at: number[] = []
  const instructions: string[] = []
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    const { role } = check(RoleSchema, message, path)
    if (role === 'system' || role === 'developer') {
      instructions.push(textIn(readContent(check(SystemSchema, message, path).content, `${path}.content`, true)))
    } else {
      const before = items.length
      for (const item of itemsOf(role, message, path)) {
        items.push(item.type === 'call' ? { ...item, name: nameOf({ name: item.name }) } : item)
      }
      for (let each = before; each < items.length; each++) at.push(index)
    }
    await pace()
  }
  const calls = items.flatMap((item, each) =>
    item.type === 'call' ? [{ args: item.args, path: `messages[${at[each]}].tool_calls` }] : [],
  )
  await checkArguments(calls)
  const newest = items.findLastIndex((item) => item.type === 'call' || isAssistant(item)) + 1
  checkInstructions(instructions, 'messages')
  return { items, at, instructions, newest }
}

function isAssistant(item: ChainedItem): boolean {
  return item.type === 'message' && item.role === 'assistant'
}

function itemsOf(role: 'user' | 'assistant' | 'tool', message: unknown, path: string): ChainedItem[] {
  if (role === 'user') {
    const content = readContent(check(UserSchema, message, path).content, `${path}.content`)
    return [{ type: 'message', role, content }]
  }
  if (role === 'tool') {
    const { tool_call_id: callId, content } = check(ToolMessageSchema, message, path)
    return [
      { type: 'output', callId: ownCallId(callId), output: textIn(readContent(content, `${path}.content`, true)) },
    ]
  }
  if (isObject(message) && message['function_call'] != null) {
    throw wrongField(`${path}.function_call`, 'is not supported any more: use tool_calls and tools')
  }
  const { content, refusal, tool_calls: calls } = check(AssistantSchema, message, path)
  const said = [...readContent(content ?? '', `${path}.content`, true), ...readContent(refusal ?? '', path)]
  return [
    { type: 'message', role, content: said },
    ...(calls ?? []).map(({ id, function: { name, arguments: args } }): ChainedItem => {
      return { type: 'call', callId: ownCallId(id), name, args: args || '{}' }
    }),
  ]
}

/** The id of a call as it was sent: some clients keep only the letters and digits of it. */
function ownCallId(id: string): string {
  return id.replace(/^call(?=[0-9a-f]{32}$)/, 'call_')
}

/** Content that is a string or a list of parts. `textOnly` refuses pictures and files. */
function readContent(content: string | readonly unknown[], path: string, textOnly = false): Part[] {
  return readParts(content, path, (part, at) => readPart(part, at, textOnly))
}

function readPart(part: unknown, path: string, textOnly: boolean): Part[] {
  if (!isObject(part)) throw wrongField(path, 'must be an object')
  const { type } = part
  if (type === 'text') return readContent(check(TextPartSchema, part, path).text, path)
  if (textOnly && type === 'refusal') return readContent(check(RefusalPart, part, path).refusal, path)
  if (textOnly) throw wrongField(`${path}.type`, `must be text, not ${quoted(type)}`)
  if (type === 'image_url') return [readImage(part, path)]
  if (type === 'file') return [readFile(check(FilePart, part, path).file, `${path}.file`)]
  throw wrongField(`${path}.type`, `must be text, image_url or file, not ${quoted(type)}`)
}

const maxQuotedChars = 40

function quoted(type: unknown): string {
  return typeof type === 'string' ? JSON.stringify(type.slice(0, maxQuotedChars)) : typeof type
}
