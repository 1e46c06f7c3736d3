// The input of a request: items in every shape that clients send, and what kind of request they make.
import { AppError } from '#core/errors.ts'
import { uuidOf } from '#core/ids.ts'
import type { Part } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import { check, wrongField } from '#http/validate.ts'
import { openCompaction } from './compaction.ts'
import { tooDeep } from '#doors/openai/bounds.ts'
import { readContent, textIn } from '#doors/openai/content.ts'
import {
  CompactionSchema,
  FunctionCallOutputSchema,
  FunctionCallSchema,
  ItemReferenceSchema,
  MessageSchema,
} from './schemas.ts'

/** More than any conversation has; each becomes a row. */
const maxItems = 5_000

/** One item of the input, checked. The list keeps the places of the request, so that a fault can name them. */
export type InputItem =
  | { readonly type: 'message'; readonly role: 'user' | 'assistant'; readonly content: readonly Part[] }
  /** Joins the instructions. */
  | { readonly type: 'system'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly args: string }
  | { readonly type: 'output'; readonly callId: string; readonly output: string }
  | { readonly type: 'reference'; readonly itemId: string; readonly threadId: string }
  /** Accepted and left out: reasoning of an earlier response. */
  | { readonly type: 'nothing' }

/** What a request wants, as far as its items tell. */
export type Intent =
  /** The output of a call that waits for it, under the strict rules. */
  | { readonly kind: 'resume'; readonly callId: string; readonly output: string }
  /** A whole history whose last item is an output: a resume if the call still waits, else a new thread. */
  | { readonly kind: 'replay'; readonly callId: string; readonly output: string }
  | { readonly kind: 'message' }

/** Reads the input field. Throws invalid_input naming the item and its field. */
export function readInput(input: string | readonly unknown[] | null | undefined): InputItem[] {
  if (input == null) throw wrongField('input', 'is required: a string or a list of items')
  if (typeof input === 'string') {
    if (input === '') throw wrongField('input', 'must not be empty')
    return [{ type: 'message', role: 'user', content: readContent(input, 'input') }]
  }
  if (input.length === 0) throw wrongField('input', 'must not be empty')
  if (input.length > maxItems) throw wrongField('input', `has ${input.length} items, at most ${maxItems} are taken`)
  return input.map((item, at) => readItem(item, `input[${at}]`))
}

/**
 * Decides between resume, replay and message; references must be resolved already. An output whose call is not in the
 * same input makes a resume, and then nothing else may be in it.
 */
export function intentOf(items: readonly InputItem[], hasPrevious: boolean): Intent {
  const called = new Set(items.map((item) => (item.type === 'call' ? item.callId : undefined)))
  const outputs = items.filter((item) => item.type === 'output')
  if (outputs.some(({ callId }) => !called.has(callId))) return strictResume(items, hasPrevious)
  const last = items.at(-1)
  return last?.type === 'output' ? { kind: 'replay', callId: last.callId, output: last.output } : { kind: 'message' }
}

function strictResume(items: readonly InputItem[], hasPrevious: boolean): Intent {
  const [first, second] = items
  const stranger = items.findIndex(({ type }) => type !== 'output')
  if (stranger >= 0) {
    const way = 'send the output alone, then the message with previous_response_id of the resumed response'
    throw wrongField(`input[${stranger}]`, `must be a function_call_output like the others: ${way}`)
  }
  if (!hasPrevious) {
    throw wrongField(
      'previous_response_id',
      'is required with a function_call_output: the id of the response that called',
    )
  }
  if (first?.type !== 'output') throw wrongField('input', 'must not be empty')
  if (second) {
    const message = 'input[1] is one output too many: a response makes one call at a time, and waits for its output'
    throw new AppError('call_id_mismatch', message, { param: 'input[1].call_id' })
  }
  return { kind: 'resume', callId: first.callId, output: first.output }
}

function readItem(item: unknown, path: string): InputItem {
  if (typeof item === 'string') return { type: 'message', role: 'user', content: readContent(item, path) }
  if (!isObject(item)) throw wrongField(path, 'must be an object')
  switch (item['type'] ?? (item['role'] === undefined && item['id'] !== undefined ? 'item_reference' : 'message')) {
    case 'message':
      return readMessage(item, path)
    case 'function_call': {
      const { call_id: callId, name, arguments: args } = check(FunctionCallSchema, item, path)
      return { type: 'call', callId, name, args: readArguments(args ?? {}) }
    }
    case 'function_call_output': {
      const { call_id: callId, output } = check(FunctionCallOutputSchema, item, path)
      return { type: 'output', callId, output: readOutput(output, `${path}.output`) }
    }
    case 'item_reference':
      return readReference(check(ItemReferenceSchema, item, path).id, `${path}.id`)
    case 'reasoning':
      return { type: 'nothing' }
    case 'compaction': {
      const content = openCompaction(check(CompactionSchema, item, path).encrypted_content)
      if (content === undefined) throw wrongField(`${path}.encrypted_content`, 'was not made by this service')
      return { type: 'message', role: 'user', content }
    }
    default:
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

/** The arguments as they were written; some clients send the object itself. */
function readArguments(args: string | Record<string, unknown>): string {
  if (typeof args === 'string') return args === '' ? '{}' : args
  return tooDeep(args) ? '{}' : JSON.stringify(args)
}

/** An output is text; a list of parts is joined, any other JSON is taken as its text. */
function readOutput(output: unknown, path: string): string {
  if (typeof output === 'string') return output
  if (tooDeep(output)) throw wrongField(path, 'is nested too deeply')
  const parts = Array.isArray(output) && output.every((part) => isObject(part) && typeof part['type'] === 'string')
  return parts ? textIn(readContent(output, path)) : JSON.stringify(output)
}

/** Ids of items carry their thread; one that was not made here cannot be found. */
function readReference(id: string, path: string): InputItem {
  const match = /^(?:msg|fc|rs)_([0-9a-f]{32})([0-9a-f]{32})$/.exec(id)
  if (!match?.[1] || !match[2]) throw wrongField(path, 'names no item of a thread of yours: send the item itself')
  return { type: 'reference', itemId: uuidOf(match[1]), threadId: uuidOf(match[2]) }
}
