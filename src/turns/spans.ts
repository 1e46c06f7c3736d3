// OpenTelemetry spans of a turn, made from its entries: the turn, each model call, each tool run. Names follow the
// OpenTelemetry conventions for generative AI. Texts are included only on request.
import { isModelMade } from '#core/calls.ts'
import { hexOf } from '#core/ids.ts'
import { type Entry, type Item, textOf } from '#core/item.ts'
import type { Span, SpanValue } from '#core/span.ts'
import type { ModelCall, Turn } from '#core/turn.ts'
import { cutTo } from '#core/words.ts'

/** Longer texts are truncated. */
const maxTextChars = 16_384

export type SpanOptions = {
  /** Include messages, tool arguments and tool results. */
  readonly content: boolean
  /** The provider of a model. */
  readonly providerOf: (model: string) => string
}

/** The spans of an ended turn, ordered by start; the first is the turn's own. */
export function spansOf(turn: Turn, entries: readonly Entry[], options: SpanOptions): Span[] {
  const root = rootOf(turn, entries, options)
  const within = (id: string): Pick<Span, 'traceId' | 'spanId' | 'parentId'> => ({
    traceId: root.traceId,
    spanId: hexOf(id).slice(16),
    parentId: root.spanId,
  })
  const names = new Map<string, { name: string; args: string }>()
  const attempts = new Map<string, Entry>()
  const inner = entries.flatMap((entry, at): Span[] => {
    const { item, asked, id } = entry
    if (item.type === 'call') names.set(item.callId, item)
    if (item.type === 'attempt') attempts.set(item.callId, entry)
    const chat = asked
      ? [{ ...within(id), ...chatOf({ asked, at: entry.at, made: responseAt(entries, at) }, options) }]
      : []
    const attempt = item.type === 'result' ? attempts.get(item.callId) : undefined
    if (item.type !== 'result' || !attempt) return chat
    const { name = 'unknown', args = '' } = names.get(item.callId) ?? {}
    const fault = item.error ? 'tool_error' : undefined
    return [
      ...chat,
      {
        ...within(attempt.id),
        name: `execute_tool ${name}`,
        kind: 'internal',
        startMs: attempt.at,
        endMs: entry.at,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': item.callId,
          'gen_ai.tool.type': 'function',
          ...(fault && { 'error.type': fault }),
          ...(options.content && {
            'gen_ai.tool.call.arguments': cut(args),
            'gen_ai.tool.call.result': cut(item.output),
          }),
        },
        ...(fault && { fault }),
      },
    ]
  })
  return [root, ...inner.sort((one, two) => one.startMs - two.startMs)]
}

function rootOf(turn: Turn, entries: readonly Entry[], { content, providerOf }: SpanOptions): Span {
  const { id, threadId, door, status, usage, error, createdAt, startedAt = createdAt, endedAt = startedAt } = turn
  const fault =
    status === 'completed' ? undefined : (error?.code ?? (status === 'cancelled' ? 'turn_cancelled' : 'internal'))
  const { model } = usage
  return {
    traceId: hexOf(id),
    spanId: hexOf(id).slice(16),
    name: 'invoke_agent atrium',
    kind: 'internal',
    startMs: startedAt,
    endMs: endedAt,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'atrium',
      'gen_ai.conversation.id': threadId,
      ...(model !== undefined && { 'gen_ai.provider.name': providerOf(model), 'gen_ai.response.model': model }),
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'atrium.turn.id': id,
      'atrium.door': door,
      'atrium.status': status,
      'atrium.queued_ms': startedAt - createdAt,
      ...(usage.costUsd !== null && { 'atrium.cost_usd': usage.costUsd }),
      ...(fault && { 'error.type': fault }),
      ...(content && {
        'gen_ai.input.messages': messagesText(entries.filter(({ item }) => isMessage(item, 'user'))),
        'gen_ai.output.messages': messagesText(entries.filter(({ item }) => isMessage(item, 'assistant')).slice(-1)),
      }),
    },
    ...(fault && { fault }),
  }
}

type Chat = { readonly asked: ModelCall; readonly at: number; readonly made: readonly Entry[] }

function chatOf({ asked, at, made }: Chat, { content, providerOf }: SpanOptions) {
  const { model, usage, ms } = asked
  const attributes: Record<string, SpanValue> = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerOf(model),
    'gen_ai.request.model': model,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [made.some(({ item }) => item.type === 'call') ? 'tool_calls' : 'stop'],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    ...(usage.costUsd !== null && { 'atrium.cost_usd': usage.costUsd }),
    ...(content && { 'gen_ai.output.messages': messagesText(made) }),
  }
  return { name: `chat ${model}`, kind: 'client' as const, startMs: at - ms, endMs: at, attributes }
}

/** The entries of one model response, which are adjacent. */
function responseAt(entries: readonly Entry[], from: number): readonly Entry[] {
  const end = entries.findIndex(({ item, asked }, at) => at >= from && (!isModelMade(item) || (at > from && asked)))
  return entries.slice(from, end < 0 ? undefined : end)
}

function isMessage(item: Item, role: 'user' | 'assistant'): boolean {
  return item.type === 'message' && item.role === role
}

/** Messages as JSON in the form of the OpenTelemetry convention. */
function messagesText(entries: readonly Entry[]): string {
  const messages = entries.flatMap(({ item }): object[] => {
    if (item.type === 'message') return [{ role: item.role, parts: [{ type: 'text', content: cut(textOf(item)) }] }]
    if (item.type !== 'call') return []
    const { callId: id, name, args } = item
    return [{ role: 'assistant', parts: [{ type: 'tool_call', id, name, arguments: cut(args) }] }]
  })
  return JSON.stringify(messages)
}

function cut(text: string): string {
  return cutTo(text, maxTextChars)
}
