// The input of a request: items in every format that clients send, and the intent they express.
import { AppError, wrongField } from '#core/errors.ts'
import { uuidOf } from '#core/ids.ts'
import { historyOrigin } from '#core/origins.ts'
import { isObject } from '#core/json.ts'
import { check } from '#http/validate.ts'
import { pace } from '#lib/pace.ts'
import { openCompaction } from './compaction.ts'
import { isTooDeep } from '#doors/openai/bounds.ts'
import { checkArguments } from '#doors/openai/call-arguments.ts'
import { namesForModel } from '#doors/openai/caller-tools.ts'
import { readContent, textIn } from '#doors/openai/content.ts'
import type { HistoryItem } from '#doors/openai/seed.ts'
import {
  CompactionSchema,
  FunctionCallOutputSchema,
  FunctionCallSchema,
  ItemReferenceSchema,
  MessageSchema,
} from './schemas.ts'

/** More than any real conversation has. Each item becomes a row. */
const maxItems = 5_000
/** Parts of all messages together. */
const maxParts = 20_000

/** One checked item. Items keep their positions in the request, so that an error can name them. */
export type InputItem =
  | HistoryItem
  | { readonly type: 'reference'; readonly itemId: string; readonly threadId: string }
  /** Accepted and ignored: reasoning of an earlier response. */
  | { readonly type: 'nothing' }

type OutputItem = Extract<HistoryItem, { type: 'output' }>

/** The kind of a request, by its items. */
export type Intent =
  /** The output of a call that waits for it, under the strict rules. */
  | { readonly kind: 'resume'; readonly output: OutputItem }
  /** A whole history that ends with an output: resumes the call if it still waits, otherwise it is new input. */
  | { readonly kind: 'replay'; readonly output: OutputItem }
  | { readonly kind: 'message' }

type NameOf = ReturnType<typeof namesForModel>

/** Reads the input, by default of the field `input`. Throws invalid_input that names the item and its field. */
export async function readInput(
  input: string | readonly unknown[] | null | undefined,
  { nameOf = namesForModel([]), field = 'input' }: { readonly nameOf?: NameOf; readonly field?: string } = {},
): Promise<InputItem[]> {
  if (input == null) throw wrongField(field, 'is required: a string or a list of items')
  if (typeof input === 'string') {
    if (input === '') throw wrongField(field, 'must not be empty')
    return [{ type: 'message', role: 'user', content: readContent(input, field) }]
  }
  if (input.length === 0) throw wrongField(field, 'must not be empty')
  if (input.length > maxItems) throw wrongField(field, `has ${input.length} items, at most ${maxItems} are accepted`)
  const items: InputItem[] = []
  let parts = 0
  for (const [at, each] of input.entries()) {
    const item = await readItem(each, `${field}[${at}]`, nameOf)
    parts += item.type === 'message' ? item.content.length : 0
    if (parts > maxParts) throw wrongField(field, `has more than ${maxParts} parts in all: join the texts of a message`)
    items.push(item)
    await pace()
  }
  const calls = items.flatMap((item, at) =>
    item.type === 'call' ? [{ args: item.args, path: `${field}[${at}].arguments` }] : [],
  )
  await checkArguments(calls)
  return items
}

/**
 * Decides between resume, replay and message. References must be resolved already. An output whose call is not in the
 * same input makes the request a resume, which may contain nothing else.
 */
export function intentOf(items: readonly InputItem[], hasPrevious: boolean): Intent {
  const called = new Set(items.map((item) => (item.type === 'call' ? item.callId : undefined)))
  const outputs = items.filter((item) => item.type === 'output')
  if (outputs.some(({ callId }) => !called.has(callId))) return strictResume(items, hasPrevious)
  const last = items.at(-1)
  return last?.type === 'output' ? { kind: 'replay', output: last } : { kind: 'message' }
}

function strictResume(items: readonly InputItem[], hasPrevious: boolean): Intent {
  const [first, second] = items
  const other = items.findIndex(({ type }) => type !== 'output')
  if (other >= 0) {
    const advice = 'send the output alone, then the message with previous_response_id of the resumed response'
    throw wrongField(`input[${other}]`, `must be a function_call_output like the others: ${advice}`)
  }
  if (!hasPrevious) {
    throw wrongField(
      'previous_response_id',
      'is required with a function_call_output: the id of the response that made the call. `conversation` stands for it where the operator has set RESPONSES_FIELDS=reference',
    )
  }
  if (first?.type !== 'output') throw wrongField('input', 'must not be empty')
  if (second) {
    const message = 'input[1] is one output too many: a response makes one call at a time, and waits for its output'
    throw new AppError('call_id_mismatch', message, { param: 'input[1].call_id' })
  }
  return { kind: 'resume', output: first }
}

async function readItem(item: unknown, path: string, nameOf: NameOf): Promise<InputItem> {
  if (typeof item === 'string') return { type: 'message', role: 'user', content: readContent(item, path) }
  if (!isObject(item)) throw wrongField(path, 'must be an object')
  const type = item['type'] ?? (item['role'] === undefined && item['id'] !== undefined ? 'item_reference' : 'message')
  switch (type) {
    case 'message':
      return readMessage(item, path)
    case 'function_call': {
      const { call_id: callId, name, namespace, arguments: args } = check(FunctionCallSchema, item, path)
      const called = nameOf({ name, ...(namespace && { namespace }) })
      return { type: 'call', callId, name: called, args: readArguments(args ?? {}) }
    }
    case 'function_call_output': {
      const { call_id: callId, output } = check(FunctionCallOutputSchema, item, path)
      return { type: 'output', callId, ...readOutput(output, `${path}.output`) }
    }
    case 'item_reference':
      return readReference(check(ItemReferenceSchema, item, path).id, `${path}.id`)
    case 'reasoning':
      return { type: 'nothing' }
    case 'compaction': {
      const content = await openCompaction(check(CompactionSchema, item, path).encrypted_content)
      if (content === undefined) throw wrongField(`${path}.encrypted_content`, 'was not made by this service')
      return { type: 'message', role: 'user', content }
    }
    default:
      if (typeof type === 'string' && otherKinds.test(type)) return readOther(item, type)
      throw wrongField(
        `${path}.type`,
        'must be message, function_call, function_call_output, item_reference, reasoning or compaction',
      )
  }
}

function readMessage(item: object, path: string): InputItem {
  const { role, content } = check(MessageSchema, item, path)
  if (content == null && role !== 'assistant') throw wrongField(`${path}.content`, 'is required')
  const parts = readContent(content ?? [], `${path}.content`)
  if (role === 'system' || role === 'developer') return { type: 'system', text: textIn(parts) }
  return { type: 'message', role, content: parts }
}

/** The arguments as JSON text. Some clients send an object. */
function readArguments(args: string | Record<string, unknown>): string {
  if (typeof args === 'string') return args === '' ? '{}' : args
  return isTooDeep(args) ? '{}' : JSON.stringify(args)
}

/** An output: the joined text of a list of parts and its images; any other JSON becomes its JSON text. */
function readOutput(output: unknown, path: string): Pick<OutputItem, 'output' | 'images'> {
  if (typeof output === 'string') return { output }
  if (isTooDeep(output)) throw wrongField(path, 'is nested too deeply')
  const isParts = Array.isArray(output) && output.every((part) => isObject(part) && typeof part['type'] === 'string')
  if (!isParts) return { output: JSON.stringify(output) }
  const parts = readContent(output, path)
  const images = parts.flatMap((part) => (part.type === 'image' ? [part.url] : []))
  return { output: textIn(parts), ...(images.length > 0 && { images }) }
}

/** Calls of tools that are not offered here, and their outputs: `web_search_call`, `custom_tool_call_output` and others. */
const otherKinds = /^(?!function_call)(?:[a-z_]{1,60}_call(?:_output)?|mcp_[a-z_]{1,60}|tool_search_[a-z]{1,20})$/
/** Characters of such an item that the model sees. Some have images as text. */
const maxOtherChars = 20_000

/** An item of another kind as untrusted text: nobody here can tell what it did. */
function readOther(item: Record<string, unknown>, type: string): InputItem {
  const whole = isTooDeep(item) ? '(nested too deeply)' : JSON.stringify(item)
  const text = whole.length > maxOtherChars ? `${whole.slice(0, maxOtherChars)}…` : whole
  const role = type.endsWith('_output') || type.endsWith('_response') ? 'user' : 'assistant'
  return { type: 'message', role, content: [{ type: 'text', text: `${type}: ${text}`, origin: historyOrigin }] }
}

/** An item id contains the id of its thread. Ids of other services cannot be resolved. */
function readReference(id: string, path: string): InputItem {
  const match = /^(?:msg|fc|rs)_([0-9a-f]{32})([0-9a-f]{32})$/.exec(id)
  if (!match?.[1] || !match[2]) throw wrongField(path, 'names no item of your threads: send the item itself')
  return { type: 'reference', itemId: uuidOf(match[1]), threadId: uuidOf(match[2]) }
}
