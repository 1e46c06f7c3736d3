// A request as the providers' packages take it: messages that alternate, without what providers refuse.
import { createHash } from 'node:crypto'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider'
import type { Call, Item, Message, Part, Reasoning } from '#core/item.ts'
import { objectIn } from '#core/json.ts'
import type { ModelRequest } from '#core/model.ts'
import { partText } from './chat-body.ts'
import { type Sealer, unseal } from './signature.ts'

type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>
type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type AssistantPart = AssistantMessage['content'][number]

const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } }
/** Texts that stand where a provider takes no emptiness. */
const nothingSaid = '(an empty message)'
const nothingCame = '(no output)'
const neverRun = 'this call has no result: it was not run'
const stopped = '(stopped before an answer)'

/** The pictures that each takes as data: another would have the whole conversation refused, in every later turn too. */
const pictures: Readonly<Record<Sealer, ReadonlySet<string>>> = {
  anthropic: new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  google: new Set(['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif']),
}

export type PromptParts = {
  readonly request: ModelRequest
  readonly sealer: Sealer
  readonly tools: readonly LanguageModelV4FunctionTool[]
}

/** The prompt of a call, with the marks of what shall be cached. */
export function promptOf({
  request,
  sealer,
  tools,
}: PromptParts): Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'> {
  const messages = wellFormed(messagesOf(request.items, sealer))
  const system = request.system.toWellFormed()
  const prompt: LanguageModelV4Prompt = [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...messages,
  ]
  return sealer === 'anthropic' ? marked(prompt, tools) : { prompt, tools: [...tools] }
}

/**
 * Four marks at most: the tools, which all users share, the system prompt, and the last two of what the model was
 * told, so that each call finds what the one before it left.
 */
function marked(
  prompt: LanguageModelV4Prompt,
  tools: readonly LanguageModelV4FunctionTool[],
): Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'> {
  const told = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : [])).slice(-2)
  return {
    tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, providerOptions: cacheMark } : tool)),
    prompt: prompt.map((message, at) =>
      message.role === 'system' || told.includes(at) ? { ...message, providerOptions: cacheMark } : message,
    ),
  }
}

function messagesOf(items: readonly Item[], sealer: Sealer): LanguageModelV4Message[] {
  const messages: LanguageModelV4Message[] = []
  const open = new Map<string, string>()
  let said: AssistantPart[] = []

  function closeAnswer(): void {
    const content = speakable(said, sealer)
    said = []
    if (content.length > 0) add(messages, { role: 'assistant', content })
  }
  /** Every call has its result, whatever a caller's history left out. */
  function closeCalls(): void {
    closeAnswer()
    for (const [callId, name] of open) add(messages, toolResult(callId, name, { output: neverRun, error: true }))
    open.clear()
  }

  function say(...parts: AssistantPart[]): void {
    if (said.length === 0 && messages.at(-1)?.role === 'tool') closeCalls()
    said.push(...parts)
  }

  for (const item of items) {
    switch (item.type) {
      case 'message':
        if (item.role === 'assistant') say(...assistantText(item))
        else {
          closeCalls()
          add(messages, { role: 'user', content: userParts(item, sealer) })
        }
        break
      case 'reasoning':
        if (!sealText(said.at(-1), item, sealer)) say(...thought(item, sealer))
        break
      case 'call':
        say(toolCall(item, sealer))
        open.set(item.callId, item.name)
        break
      case 'result': {
        const name = open.get(item.callId)
        if (name === undefined) break
        closeAnswer()
        open.delete(item.callId)
        add(messages, toolResult(item.callId, name, item))
        break
      }
      case 'attempt':
      case 'gate':
      case 'answer':
      case 'summary':
        break
      default:
        item satisfies never
    }
  }
  closeCalls()
  return sealer === 'google' ? alternating(messages) : startingWithUser(messages)
}

/** Joins what one side says in a row. */
function add(messages: LanguageModelV4Message[], message: UserMessage | AssistantMessage | ToolMessage): void {
  const last = messages.at(-1)
  if (last?.role === 'user' && message.role === 'user') last.content.push(...message.content)
  else if (last?.role === 'assistant' && message.role === 'assistant') last.content.push(...message.content)
  else if (last?.role === 'tool' && message.role === 'tool') last.content.push(...message.content)
  else messages.push(message)
}

function startingWithUser(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  if (messages.length > 0 && messages[0]?.role !== 'assistant') return [...messages]
  return [{ role: 'user', content: [{ type: 'text', text: nothingSaid }] }, ...messages]
}

/** Google's package joins nothing: a message after results would be the second in a row of the user's. */
function alternating(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const between: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: stopped }] }
  return startingWithUser(messages).flatMap((message, at, all) =>
    message.role === 'user' && all[at - 1]?.role === 'tool' ? [between, message] : [message],
  )
}

/** Thoughts alone are no answer, and Anthropic takes none at the end of one. */
function speakable(parts: readonly AssistantPart[], sealer: Sealer): AssistantPart[] {
  const last = parts.findLastIndex(
    (part) => part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== ''),
  )
  return last === -1 ? [] : parts.slice(0, sealer === 'anthropic' ? last + 1 : undefined)
}

function userParts(message: Message, sealer: Sealer): UserMessage['content'] {
  const parts = message.content.flatMap((part) => userPart(part, sealer))
  return parts.length > 0 ? parts : [{ type: 'text', text: nothingSaid }]
}

function userPart(part: Part, sealer: Sealer): UserMessage['content'] {
  if (part.type === 'image') return [imagePart(part.url, sealer)]
  const text = partText(part)
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function imagePart(url: string, sealer: Sealer): UserMessage['content'][number] {
  const inline = /^data:(image\/[\w.+-]+)?[^,]*;base64,/i.exec(url)
  if (inline) {
    const mediaType = (inline[1]?.toLowerCase() ?? 'image/png').replace(/^image\/jpg$/, 'image/jpeg')
    const data = url.slice(inline[0].length)
    if (pictures[sealer].has(mediaType) && data !== '') return { type: 'file', mediaType, data: { type: 'data', data } }
    return { type: 'text', text: `(an image that cannot be shown: ${data === '' ? 'it is empty' : mediaType})` }
  }
  const address = URL.parse(url)
  if (!address || !/^https?:$/.test(address.protocol)) {
    return { type: 'text', text: '(an image that cannot be shown: its address is no http URL and no base64 data URL)' }
  }
  return { type: 'file', mediaType: typeByName(address.pathname), data: { type: 'url', url: address } }
}

function typeByName(path: string): string {
  const kind = /\.(png|webp|gif|heic|heif|bmp)$/i.exec(path)?.[1]?.toLowerCase()
  return `image/${kind ?? 'jpeg'}`
}

function assistantText(message: Message): AssistantPart[] {
  const text = message.content.map((part) => (part.type === 'image' ? '' : part.text)).join('')
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

/** Only with the seal of this provider: nobody takes a thought without, and nobody may get another's. */
function thought({ text, seal }: Reasoning, sealer: Sealer): AssistantPart[] {
  const providerOptions = unseal(sealer, seal)
  if (!providerOptions) return []
  // A seal of a text that was not kept.
  if (sealer === 'google' && text === '') return [{ type: 'text', text, providerOptions }]
  return [{ type: 'reasoning', text, providerOptions }]
}

/** Google seals texts too; the seal then came alone behind the text, and goes back with it. */
function sealText(last: AssistantPart | undefined, { text, seal }: Reasoning, sealer: Sealer): boolean {
  if (sealer !== 'google' || text !== '' || last?.type !== 'text' || last.providerOptions) return false
  const providerOptions = unseal(sealer, seal)
  if (providerOptions) last.providerOptions = providerOptions
  return providerOptions !== undefined
}

/** Half a character has no place in JSON: servers refuse the request for it. */
function wellFormed<T>(value: T): T
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null || value instanceof URL) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)]))
}

function toolCall({ callId, name, args, seal }: Call, sealer: Sealer): AssistantPart {
  const providerOptions = unseal(sealer, seal)
  return {
    type: 'tool-call',
    toolCallId: wireId(callId),
    toolName: name,
    input: objectIn(args) ?? { text: args },
    ...(providerOptions && { providerOptions }),
  }
}

function toolResult(callId: string, toolName: string, result: { output: string; error?: true }): ToolMessage {
  const value = result.output.trim() === '' ? nothingCame : result.output
  const output = { type: result.error ? ('error-text' as const) : ('text' as const), value }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: wireId(callId), toolName, output }] }
}

/** Our ids fit; those of a caller's history may not. */
function wireId(callId: string): string {
  if (/^[\w-]{1,64}$/.test(callId)) return callId
  return `call_${createHash('sha256').update(callId).digest('hex').slice(0, 32)}`
}
