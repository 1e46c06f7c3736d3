// The body of a chat-completions request, as text. What was rendered of a thread once is kept, so that a turn pays for
// its new items and not for its history.
import type { Call, Item, Message, Part } from '#core/item.ts'
import { textOf } from '#core/item.ts'
import { objectIn } from '#core/json.ts'
import type { ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import { withoutMarks } from '#safety/fence.ts'
import { adaptSchema } from './schema.ts'

/** System prompts that are remembered, one for each user that is about. */
const maxPrompts = 64

export type BodyRules = {
  /** Whether a temperature is taken. */
  readonly sampling?: boolean
  /** The addresses of pictures that are taken: for any other the whole conversation would be refused. */
  readonly pictures?: RegExp | undefined
}

/** Makes the function that writes request bodies for one model; it remembers threads and tools as long as they live. */
export function createBodyWriter(
  model: string,
  { sampling = true, pictures = /^/ }: BodyRules = {},
): (request: ModelRequest) => string {
  const threads = new WeakMap<readonly Item[], { count: number; text: string }>()
  const catalogs = new WeakMap<readonly ToolSpec[], string>()
  const known = new WeakMap<ToolSpec, string>()
  // Many turns of one user, and of all who have no identity of their own, share a system prompt, and it is long.
  const prompts = new Map<string, string>()

  function systemJson(text: string): string {
    const known = prompts.get(text)
    if (known !== undefined) return known
    const json = `{"role":"system","content":${quoted(text)}}`
    for (const oldest of prompts.keys()) {
      if (prompts.size < maxPrompts) break
      prompts.delete(oldest)
    }
    prompts.set(text, json)
    return json
  }

  function threadJson(items: readonly Item[]): string {
    const kept = threads.get(items)
    const from = kept && kept.count <= items.length ? kept : { count: 0, text: '' }
    const settled = settledCount(items, from.count)
    const text = join(from.text, renderItems(items, { from: from.count, to: settled, pictures }))
    if (settled > from.count) threads.set(items, { count: settled, text })
    return settled === items.length
      ? text
      : join(text, renderItems(items, { from: settled, to: items.length, pictures }))
  }

  function toolsJson(tools: readonly ToolSpec[]): string {
    let text = catalogs.get(tools)
    if (text === undefined) {
      text = `[${tools.map(toolJson).join(',')}]`
      catalogs.set(tools, text)
    }
    return text
  }

  // A caller's functions make another catalog for each of its turns; the service's own tools are the same in all.
  function toolJson(spec: ToolSpec): string {
    let text = known.get(spec)
    if (text === undefined) {
      text = JSON.stringify(functionTool(spec))
      known.set(spec, text)
    }
    return text
  }

  const opening = `{"model":${JSON.stringify(model)},"stream":true,"stream_options":{"include_usage":true}`
  return ({ system, items, tools, temperature, format }) => {
    let body = opening
    if (temperature !== undefined && sampling) body += `,"temperature":${JSON.stringify(temperature)}`
    if (tools.length > 0) body += `,"tools":${toolsJson(tools)}`
    if (format) body += `,"response_format":${JSON.stringify({ type: 'json_schema', json_schema: format })}`
    return `${body},"messages":[${join(system === '' ? '' : systemJson(system), threadJson(items))}]}`
  }
}

/** How many items form whole groups: all up to the last input, since calls of one answer belong into one message. */
function settledCount(items: readonly Item[], from: number): number {
  for (let count = items.length; count > from; count -= 1) {
    const item = items[count - 1]
    if (item?.type === 'result' || (item?.type === 'message' && item.role === 'user')) return count
  }
  return from
}

type Stretch = { readonly from: number; readonly to: number; readonly pictures: RegExp }

function renderItems(items: readonly Item[], { from, to, pictures }: Stretch): string {
  const messages: string[] = []
  let prose: string | undefined
  let calls: string[] = []
  const closeAnswer = (): void => {
    if (prose === undefined && calls.length === 0) return
    messages.push(assistantMessage(prose ?? '', calls))
    prose = undefined
    calls = []
  }
  for (let at = from; at < to; at += 1) {
    const item = items[at]
    // Reasoning is left out, no server takes it back; so is the bookkeeping of the log.
    if (item?.type === 'call') {
      calls.push(toolCall(item))
    } else if (item?.type === 'message' && item.role === 'assistant' && calls.length > 0) {
      // Nothing may stand between calls and their results.
      prose = prose === undefined ? textOf(item) : `${prose}\n\n${textOf(item)}`
    } else if (item?.type === 'message') {
      closeAnswer()
      if (item.role === 'assistant') prose = textOf(item)
      else messages.push(`{"role":"user","content":${userContent(item, pictures)}}`)
    } else if (item?.type === 'result') {
      closeAnswer()
      const output = quoted(item.output)
      messages.push(`{"role":"tool","tool_call_id":${JSON.stringify(item.callId)},"content":${output}}`)
    }
  }
  closeAnswer()
  return messages.join(',')
}

function toolCall({ callId, name, args }: Call): string {
  // Servers parse it, and refuse the whole request where it is no object.
  const text = objectIn(args) ? args : JSON.stringify({ text: args })
  const called = `{"name":${JSON.stringify(name)},"arguments":${quoted(text)}}`
  return `{"id":${JSON.stringify(callId)},"type":"function","function":${called}}`
}

function assistantMessage(prose: string, calls: readonly string[]): string {
  if (calls.length === 0) return `{"role":"assistant","content":${quoted(prose)}}`
  const content = prose === '' ? 'null' : quoted(prose)
  return `{"role":"assistant","content":${content},"tool_calls":[${calls.join(',')}]}`
}

/** One string wherever that is enough, since not every server takes a list of parts. */
function userContent(message: Message, pictures: RegExp): string {
  if (message.content.some((part) => part.type === 'image')) {
    return JSON.stringify(message.content.map((part) => userPart(part, pictures)))
  }
  return quoted(message.content.map((part) => (part.type === 'image' ? '' : partText(part))).join(''))
}

function userPart(part: Part, pictures: RegExp) {
  if (part.type === 'image') {
    if (pictures.test(part.url)) return { type: 'image_url', image_url: { url: part.url } }
    return { type: 'text', text: '(an image that cannot be shown: the model takes none of this kind)' }
  }
  return { type: 'text', text: partText(part).toWellFormed() }
}

/** A text or a file as text: the file between marks that it cannot close. */
export function partText(part: Exclude<Part, { type: 'image' }>): string {
  if (part.type === 'text') return part.text
  const name = part.name.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `\n<file name="${name}">\n${withoutMarks(part.text)}\n</file>\n`
}

/** Half a character has no place in JSON: servers refuse the request for it. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

function functionTool(spec: ToolSpec) {
  const { description, parameters, exact } = adaptSchema(spec)
  // Strict schemas have rules of their own, which only the author's own schema can be trusted to keep.
  const strict = exact ? spec.strict : undefined
  return { type: 'function', function: { name: spec.name, description, parameters, strict } }
}

function join(left: string, right: string): string {
  return left === '' || right === '' ? left + right : `${left},${right}`
}
