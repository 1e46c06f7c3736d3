// The body of a chat-completions request, as bytes. Rendered items of a thread are cached, so a turn renders only its
// new items.
import type { Call, Item, Message, Part } from '#core/item.ts'
import { textOf } from '#core/item.ts'
import { objectIn } from '#core/json.ts'
import type { ModelRequest } from '#core/model.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Sampling } from '#core/turn.ts'
import { isLong, jsonInSlices } from '#core/json-slices.ts'
import { evictOldest } from '#lib/evict.ts'
import { pace } from '#lib/pace.ts'
import { withoutMarks } from '#safety/fence.ts'
import { adaptSchema } from './schema.ts'

/** Cached system prompts: about one for each active user. */
const maxPrompts = 64
/** Letters of a body that become bytes at once: less than a millisecond. */
const sliceChars = 256 * 1024
/** A longer body becomes bytes in slices. */
const maxAtOnceChars = 4 * sliceChars

export type BodyRules = {
  /** The model accepts a temperature, and words to stop at. */
  readonly sampling: boolean
  /** The model accepts a reasoning effort. */
  readonly effort: boolean
  /** The server is OpenAI's own, which calls the limit of an answer by another name. */
  readonly openai: boolean
  /** Image URLs that the server accepts. With any other it would refuse the whole conversation. */
  readonly pictures?: RegExp | undefined
}

/** Text or bytes, one after the other. */
export type Body = readonly (string | Buffer)[]

export interface BodyWriter {
  /** Renders what is new and takes long, large schemas and pictures, with pauses. Undefined when there is nothing. */
  prepare(request: Pick<ModelRequest, 'tools' | 'items'>): Promise<void> | undefined
  /** All bodies share the bytes of the tools. A long body is made with pauses. */
  write(request: ModelRequest): Body | Promise<Body>
}

/** Writes request bodies for one model. A thread or tool is cached as long as it lives. */
export function createBodyWriter(model: string, rules: BodyRules): BodyWriter {
  const { sampling, pictures = /^/ } = rules
  const threads = new WeakMap<readonly Item[], { count: number; text: string }>()
  const catalogs = new WeakMap<readonly ToolSpec[], Buffer>()
  const renderedTools = new WeakMap<ToolSpec, string>()
  // System prompts are long. All turns of a user share one, and so do all users without identity files.
  const prompts = new Map<string, string>()
  /** The content of user messages with pictures, until their thread is rendered. */
  const contents = new WeakMap<Item, string>()

  function systemJson(text: string): string {
    const known = prompts.get(text)
    if (known !== undefined) return known
    const json = `{"role":"system","content":${quoted(text)}}`
    prompts.set(text, json)
    evictOldest(prompts, maxPrompts)
    return json
  }

  function threadJson(items: readonly Item[]): string {
    const cached = threads.get(items)
    const from = cached && cached.count <= items.length ? cached : { count: 0, text: '' }
    const settled = settledCount(items, from.count)
    const text = join(from.text, renderItems(items, { from: from.count, to: settled, pictures, contents }))
    if (settled > from.count) threads.set(items, { count: settled, text })
    return settled === items.length
      ? text
      : join(text, renderItems(items, { from: settled, to: items.length, pictures, contents }))
  }

  /** Kept as bytes: tools are most of a short request, and the same for every turn. */
  function toolsField(tools: readonly ToolSpec[]): Buffer {
    let bytes = catalogs.get(tools)
    if (bytes === undefined) {
      bytes = Buffer.from(tools.length > 0 ? `,"tools":[${tools.map(toolJson).join(',')}]` : '')
      catalogs.set(tools, bytes)
    }
    return bytes
  }

  // A caller's functions make a new catalog for each turn; the service's own tools are the same in all of them.
  function toolJson(spec: ToolSpec): string {
    let text = renderedTools.get(spec)
    if (text === undefined) {
      text = JSON.stringify(functionTool(spec))
      renderedTools.set(spec, text)
    }
    return text
  }

  async function render(tools: readonly ToolSpec[], messages: readonly Message[]): Promise<void> {
    for (const spec of tools) {
      toolJson(spec)
      await pace()
    }
    for (const message of messages) {
      let json = ''
      for (const slice of jsonInSlices(message.content.map((part) => userPart(part, pictures)))) {
        json += slice
        await pace()
      }
      contents.set(message, json)
    }
  }

  /** Messages with large pictures that are in no rendered thread yet. */
  function newPictures(items: readonly Item[]): Message[] {
    const from = threads.get(items)?.count ?? 0
    return items
      .slice(from)
      .filter((item) => item.type === 'message' && hasPicture(item) && isLong(item.content)) as Message[]
  }

  const opening = `{"model":${JSON.stringify(model)},"stream":true,"stream_options":{"include_usage":true}`
  return {
    prepare({ tools, items }) {
      const pictured = newPictures(items)
      return pictured.length === 0 && tools.every((spec) => renderedTools.has(spec))
        ? undefined
        : render(tools, pictured)
    },
    write({ system, items, tools, temperature, format, json, sampling: asked }) {
      let [before, after] = [opening, '']
      if (temperature !== undefined && sampling) before += `,"temperature":${JSON.stringify(temperature)}`
      if (format) after += `,"response_format":${JSON.stringify({ type: 'json_schema', json_schema: format })}`
      if (json) after += ',"response_format":{"type":"json_object"}'
      if (asked) after += samplingJson(asked, rules)
      after += `,"messages":[${join(system === '' ? '' : systemJson(system), threadJson(items))}]}`
      const head = [before, toolsField(tools)]
      return after.length > maxAtOnceChars ? inSlices(head, after) : [...head, after]
    },
  }
}

async function inSlices(head: Body, text: string): Promise<Body> {
  const blocks = [...head]
  for (let from = 0; from < text.length; ) {
    const end = from + sliceChars
    // Both halves of a pair stay together.
    const to = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end
    blocks.push(Buffer.from(text.slice(from, to)))
    from = to
    await pace()
  }
  return blocks
}

/** The fields of a request that the server takes, each with a comma before it. */
function samplingJson(asked: Sampling, { sampling, effort, openai }: BodyRules): string {
  const { topP, stop, seed, maxTokens } = asked
  const fields = {
    ...(sampling && { top_p: topP, stop }),
    seed,
    [openai ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    ...(effort && { reasoning_effort: asked.effort }),
  }
  const json = JSON.stringify(fields).slice(1, -1)
  return json === '' ? '' : `,${json}`
}

/** How many items form whole groups: all up to the last input, since calls of one answer must be in one message. */
function settledCount(items: readonly Item[], from: number): number {
  for (let count = items.length; count > from; count -= 1) {
    const item = items[count - 1]
    if (item?.type === 'result' || (item?.type === 'message' && item.role === 'user')) return count
  }
  return from
}

type Range = {
  readonly from: number
  readonly to: number
  readonly pictures: RegExp
  /** The content of messages that is rendered already. */
  readonly contents: WeakMap<Item, string>
}

function renderItems(items: readonly Item[], { from, to, pictures, contents }: Range): string {
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
    // Left out: reasoning, which no server takes back, and the log's bookkeeping items.
    if (item?.type === 'call') {
      calls.push(toolCall(item))
    } else if (item?.type === 'message' && item.role === 'assistant' && calls.length > 0) {
      // No message may come between calls and their results.
      prose = prose === undefined ? textOf(item) : `${prose}\n\n${textOf(item)}`
    } else if (item?.type === 'message') {
      closeAnswer()
      if (item.role === 'assistant') prose = textOf(item)
      else messages.push(`{"role":"user","content":${contents.get(item) ?? userContent(item, pictures)}}`)
      contents.delete(item)
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
  // Servers parse the arguments, and refuse the whole request if they are not an object.
  const text = objectIn(args) ? args : JSON.stringify({ text: args })
  const called = `{"name":${JSON.stringify(name)},"arguments":${quoted(text)}}`
  return `{"id":${JSON.stringify(callId)},"type":"function","function":${called}}`
}

function assistantMessage(prose: string, calls: readonly string[]): string {
  if (calls.length === 0) return `{"role":"assistant","content":${quoted(prose)}}`
  const content = prose === '' ? 'null' : quoted(prose)
  return `{"role":"assistant","content":${content},"tool_calls":[${calls.join(',')}]}`
}

/** One string where there are no images, since not every server takes a list of parts. */
function userContent(message: Message, pictures: RegExp): string {
  if (hasPicture(message)) {
    return JSON.stringify(message.content.map((part) => userPart(part, pictures)))
  }
  return quoted(message.content.map((part) => (part.type === 'image' ? '' : partText(part))).join(''))
}

function hasPicture({ role, content }: Message): boolean {
  return role === 'user' && content.some((part) => part.type === 'image')
}

function userPart(part: Part, pictures: RegExp) {
  if (part.type === 'image') {
    if (pictures.test(part.url)) return { type: 'image_url', image_url: { url: part.url } }
    return { type: 'text', text: '(an image that cannot be shown: the model takes none of this kind)' }
  }
  return { type: 'text', text: partText(part).toWellFormed() }
}

/** A text part as it is; a file as text inside a `<file>` tag that its content cannot close. */
export function partText(part: Exclude<Part, { type: 'image' }>): string {
  if (part.type !== 'file') return part.text
  const name = part.name.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `\n<file name="${name}">\n${withoutMarks(part.text)}\n</file>\n`
}

/** Lone surrogates are replaced: servers refuse a request that has one. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed())
}

function functionTool(spec: ToolSpec) {
  const { description, parameters, exact } = adaptSchema(spec)
  // Strict mode has its own schema rules. Only the author's unchanged schema can be trusted to follow them.
  const strict = exact ? spec.strict : undefined
  return { type: 'function', function: { name: spec.name, description, parameters, strict } }
}

function join(left: string, right: string): string {
  return left === '' || right === '' ? left + right : `${left},${right}`
}
