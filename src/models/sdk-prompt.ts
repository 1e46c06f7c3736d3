// A request as the AI SDK packages take it: alternating messages, without anything that providers refuse.
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
import { type SdkProvider, signatureOptions } from './signature.ts'

type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>
type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type AssistantPart = AssistantMessage['content'][number]

const cacheMark = { anthropic: { cacheControl: { type: 'ephemeral' } } }
/** Placeholders where a provider refuses an empty text or a missing message. */
const emptyMessage = '(an empty message)'
const emptyOutput = '(no output)'
const missingResult = 'this call has no result: it was not run'
const noAnswer = '(stopped before an answer)'

/** Image types that each provider takes as data. With another type it would refuse this and every later turn. */
const pictures: Readonly<Record<SdkProvider, ReadonlySet<string>>> = {
  anthropic: new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  google: new Set(['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif']),
}

export type PromptParts = {
  readonly request: ModelRequest
  readonly provider: SdkProvider
  readonly tools: readonly LanguageModelV4FunctionTool[]
  /** Puts marks in place of large pictures. */
  readonly mark?: (messages: readonly LanguageModelV4Message[]) => LanguageModelV4Message[]
}

/** The prompt of a call, for Anthropic with cache marks. */
export function promptOf({
  request,
  provider,
  tools,
  mark = (messages) => [...messages],
}: PromptParts): Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'> {
  const messages = wellFormed(mark(messagesOf(request.items, provider)))
  const system = request.system.toWellFormed()
  const prompt: LanguageModelV4Prompt = [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...messages,
  ]
  return provider === 'anthropic' ? marked(prompt, tools) : { prompt, tools: [...tools] }
}

/**
 * Sets at most four cache marks: the tools, which all users share, the system prompt, and the last two inputs, so that
 * each call finds the cache of the call before it.
 */
function marked(
  prompt: LanguageModelV4Prompt,
  tools: readonly LanguageModelV4FunctionTool[],
): Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'> {
  const inputs = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : [])).slice(-2)
  return {
    tools: tools.map((tool, at) => (at === tools.length - 1 ? { ...tool, providerOptions: cacheMark } : tool)),
    prompt: prompt.map((message, at) =>
      message.role === 'system' || inputs.includes(at) ? { ...message, providerOptions: cacheMark } : message,
    ),
  }
}

function messagesOf(items: readonly Item[], provider: SdkProvider): LanguageModelV4Message[] {
  const messages: LanguageModelV4Message[] = []
  const open = new Map<string, string>()
  let answer: AssistantPart[] = []

  function closeAnswer(): void {
    const content = usableParts(answer, provider)
    answer = []
    if (content.length > 0) add(messages, { role: 'assistant', content })
  }
  /** Adds a result to every call without one: a caller's history may lack them. */
  function closeCalls(): void {
    closeAnswer()
    for (const [callId, name] of open) add(messages, toolResult(callId, name, { output: missingResult, error: true }))
    open.clear()
  }

  function addToAnswer(...parts: AssistantPart[]): void {
    if (answer.length === 0 && messages.at(-1)?.role === 'tool') closeCalls()
    answer.push(...parts)
  }

  for (const item of items) {
    switch (item.type) {
      case 'message':
        if (item.role === 'assistant') addToAnswer(...assistantText(item))
        else {
          closeCalls()
          add(messages, { role: 'user', content: userParts(item, provider) })
        }
        break
      case 'reasoning':
        if (!signText(answer.at(-1), item, provider)) addToAnswer(...reasoningParts(item, provider))
        break
      case 'call':
        addToAnswer(toolCall(item, provider))
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
  return provider === 'google' ? alternating(messages) : startingWithUser(messages)
}

/** Adds a message; consecutive messages of one role become one. */
function add(messages: LanguageModelV4Message[], message: UserMessage | AssistantMessage | ToolMessage): void {
  const last = messages.at(-1)
  if (last?.role === 'user' && message.role === 'user') last.content.push(...message.content)
  else if (last?.role === 'assistant' && message.role === 'assistant') last.content.push(...message.content)
  else if (last?.role === 'tool' && message.role === 'tool') last.content.push(...message.content)
  else messages.push(message)
}

function startingWithUser(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  if (messages.length > 0 && messages[0]?.role !== 'assistant') return [...messages]
  return [{ role: 'user', content: [{ type: 'text', text: emptyMessage }] }, ...messages]
}

/** Google's package does not join messages: a user message after tool results would be the second of one role. */
function alternating(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const between: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: noAnswer }] }
  return startingWithUser(messages).flatMap((message, at, all) =>
    message.role === 'user' && all[at - 1]?.role === 'tool' ? [between, message] : [message],
  )
}

/** The parts of an answer to send back. Reasoning alone is no answer, and Anthropic refuses it at the end of one. */
function usableParts(parts: readonly AssistantPart[], provider: SdkProvider): AssistantPart[] {
  const last = parts.findLastIndex(
    (part) => part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== ''),
  )
  return last === -1 ? [] : parts.slice(0, provider === 'anthropic' ? last + 1 : undefined)
}

function userParts(message: Message, provider: SdkProvider): UserMessage['content'] {
  const parts = message.content.flatMap((part) => userPart(part, provider))
  return parts.length > 0 ? parts : [{ type: 'text', text: emptyMessage }]
}

function userPart(part: Part, provider: SdkProvider): UserMessage['content'] {
  if (part.type === 'image') return [imagePart(part.url, provider)]
  const text = partText(part)
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function imagePart(url: string, provider: SdkProvider): UserMessage['content'][number] {
  const inline = /^data:(image\/[\w.+-]+)?[^,]*;base64,/i.exec(url)
  if (inline) {
    const mediaType = (inline[1]?.toLowerCase() ?? 'image/png').replace(/^image\/jpg$/, 'image/jpeg')
    const data = url.slice(inline[0].length)
    if (pictures[provider].has(mediaType) && data !== '')
      return { type: 'file', mediaType, data: { type: 'data', data } }
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

/** Reasoning is sent back only with this provider's signature: no provider takes it without, or may get another's. */
function reasoningParts({ text, seal }: Reasoning, provider: SdkProvider): AssistantPart[] {
  const providerOptions = signatureOptions(provider, seal)
  if (!providerOptions) return []
  // A signature of a text that was not stored.
  if (provider === 'google' && text === '') return [{ type: 'text', text, providerOptions }]
  return [{ type: 'reasoning', text, providerOptions }]
}

/** Google signs texts too. Such a signature was stored as reasoning after the text, and goes back with the text. */
function signText(last: AssistantPart | undefined, { text, seal }: Reasoning, provider: SdkProvider): boolean {
  if (provider !== 'google' || text !== '' || last?.type !== 'text' || last.providerOptions) return false
  const providerOptions = signatureOptions(provider, seal)
  if (providerOptions) last.providerOptions = providerOptions
  return providerOptions !== undefined
}

/** Replaces lone surrogates: servers refuse a request that has one. */
function wellFormed<T>(value: T): T
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null || value instanceof URL) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)]))
}

function toolCall({ callId, name, args, seal }: Call, provider: SdkProvider): AssistantPart {
  const providerOptions = signatureOptions(provider, seal)
  return {
    type: 'tool-call',
    toolCallId: wireId(callId),
    toolName: name,
    input: objectIn(args) ?? { text: args },
    ...(providerOptions && { providerOptions }),
  }
}

function toolResult(callId: string, toolName: string, result: { output: string; error?: true }): ToolMessage {
  const value = result.output.trim() === '' ? emptyOutput : result.output
  const output = { type: result.error ? ('error-text' as const) : ('text' as const), value }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: wireId(callId), toolName, output }] }
}

/** A call id that every provider takes. Our ids fit; those in a caller's history may not. */
function wireId(callId: string): string {
  if (/^[\w-]{1,64}$/.test(callId)) return callId
  return `call_${createHash('sha256').update(callId).digest('hex').slice(0, 32)}`
}
