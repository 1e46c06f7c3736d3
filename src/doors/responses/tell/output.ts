// The response object of a turn and its output items, built from the entries of the log.
import type { ErrorCode } from '#core/errors.ts'
import { conversationId, hexOf, inOnePiece, responseId } from '#core/ids.ts'
import { type Entry, type Gate, isAssistantMessage, textOf } from '#core/item.ts'
import type { CallerName, ToolSpec } from '#core/tool.ts'
import type { Turn, TurnError, TurnOptions } from '#core/turn.ts'
import { nameForCaller } from '#doors/openai/caller-tools.ts'
import { inputCount } from '#doors/openai/turn-events.ts'
import { type Echo, echoOf } from '#doors/responses/echo.ts'
import { parseLossless } from '#http/lossless-json.ts'
import { unixTime, usageWire } from '#http/wire-format.ts'

/** The model name in answers to requests other than create: the name of the create request is not stored. */
export const placeholderModel = 'reborn'

export type MessageOutput = {
  readonly id: string
  readonly type: 'message'
  readonly status: 'in_progress' | 'completed' | 'incomplete'
  readonly role: 'assistant'
  readonly content: readonly {
    readonly type: 'output_text'
    readonly text: string
    readonly annotations: readonly never[]
    readonly logprobs: readonly never[]
  }[]
}

export type CallOutput = {
  readonly id: string
  readonly type: 'function_call'
  readonly status: 'in_progress' | 'completed'
  readonly call_id: string
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
}

export type OutputItem = MessageOutput | CallOutput

/** The thread of a turn, and its catalog, by which the caller's functions get their own names back. */
type TurnNames = Pick<Turn, 'threadId' | 'options'>

/** The id of an item on the wire. It contains the id of its thread, so that a reference can be resolved. */
export function itemId(prefix: 'msg' | 'fc', entryId: string, threadHex: string): string {
  return inOnePiece(`${prefix}_${hexOf(entryId)}${threadHex}`)
}

export function messageOutput(id: string, text: string, status: MessageOutput['status']): MessageOutput {
  const content = [{ type: 'output_text' as const, text, annotations: [], logprobs: [] }]
  return { id, type: 'message', status, role: 'assistant', content }
}

/** True for an item that the client gets: not the service's own calls, results and reasoning. */
export function isOutput(item: Entry['item']): boolean {
  return isAssistantMessage(item) || (item.type === 'gate' && item.kind === 'output')
}

/** The output item of an entry of a turn. Undefined for any other than `isOutput` is true for. */
export function outputItem({ id, item }: Pick<Entry, 'id' | 'item'>, turn: TurnNames): OutputItem | undefined {
  const threadHex = hexOf(turn.threadId)
  if (isAssistantMessage(item)) {
    return messageOutput(itemId('msg', id, threadHex), textOf(item), item.cut ? 'incomplete' : 'completed')
  }
  if (item.type !== 'gate' || item.kind !== 'output') return undefined
  const { callId: call_id, args } = item
  const own = nameForCaller(turn.options.tools, item.name)
  return {
    id: itemId('fc', id, threadHex),
    type: 'function_call',
    status: 'completed',
    call_id,
    ...own,
    arguments: args,
  }
}

/** The output of a turn from all its entries, and the last approval or sign-in gate among them. */
export function outputOf(turn: Turn, entries: readonly Entry[]): { output: OutputItem[]; gate: Gate | undefined } {
  const produced = entries.slice(inputCount(turn))
  const output = produced.flatMap((entry) => outputItem(entry, turn) ?? [])
  return { output, gate: produced.findLast(({ item }) => isPausingGate(item))?.item as Gate | undefined }
}

/** True for a gate that has to be answered outside this API. */
export function isPausingGate(item: Entry['item']): item is Gate {
  return item.type === 'gate' && item.kind !== 'output'
}

export type ResponseState = {
  readonly turn: Turn
  readonly model: string
  readonly output: readonly OutputItem[]
  readonly gate?: Gate | undefined
}

/** The whole response object. */
export function responseObject({ turn, model, output, gate }: ResponseState) {
  const { options } = turn
  const echo = echoOf(options.echo)
  const ended = wireStatus(turn)
  // The model's answer ends the turn and was cut at the token limit.
  const status = ended === 'completed' && output.at(-1)?.status === 'incomplete' ? 'incomplete' : ended
  const error = status === 'failed' ? (turn.error ?? gateError(gate)) : undefined
  return {
    id: responseId(turn.id, turn.threadId),
    object: 'response',
    created_at: unixTime(turn.createdAt),
    completed_at: status === 'completed' && turn.endedAt !== undefined ? unixTime(turn.endedAt) : null,
    status,
    error: error ? wireError(error) : null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: echo.instructions ?? null,
    model,
    previous_response_id: echo.previous ?? null,
    output,
    tools: wireTools(options.tools ?? [], echo),
    tool_choice: 'auto',
    truncation: 'disabled',
    parallel_tool_calls: false,
    text: { format: wireFormat(options, echo) },
    top_p: 1,
    temperature: options.temperature ?? 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    reasoning: { effort: null, summary: null },
    usage: status === 'in_progress' ? null : usageWire(turn.usage),
    max_output_tokens: options.sampling?.maxTokens ?? null,
    max_tool_calls: null,
    store: echo.store ?? true,
    background: echo.background ?? false,
    service_tier: 'default',
    metadata: echo.metadata ?? {},
    safety_identifier: null,
    prompt_cache_key: null,
    ...(echo.conversation && { conversation: { id: conversationId(turn.threadId) } }),
  }
}

/** The status of a turn in the terms of the OpenAI API. A turn that waits at a gate counts as failed here. */
export function wireStatus({ status }: Turn): 'in_progress' | 'completed' | 'failed' | 'cancelled' {
  switch (status) {
    case 'queued':
    case 'running':
      return 'in_progress'
    case 'completed':
      return 'completed'
    case 'failed':
    case 'waiting':
      return 'failed'
    case 'cancelled':
      return 'cancelled'
    default:
      return status satisfies never
  }
}

/** The caller's functions as they were sent: under their own names, those of a namespace together. */
function wireTools(tools: readonly ToolSpec[], { schemas }: Echo) {
  const listed: object[] = []
  const groups = new Map<string, object[]>()
  for (const tool of tools) {
    const { name, namespace }: CallerName = tool.own ?? { name: tool.name }
    if (namespace === undefined) listed.push(wireTool(tool, name, schemas?.[name]))
    else {
      const group = groups.get(namespace) ?? []
      if (group.length === 0) listed.push({ type: 'namespace', name: namespace, tools: group })
      groups.set(namespace, group)
      group.push(wireTool(tool, name))
    }
  }
  return listed
}

/** `schema` is the source text of the parameters, where that is stored. */
function wireTool({ description, parameters, strict }: ToolSpec, name: string, schema?: string) {
  return {
    type: 'function',
    name,
    description: description === '' ? null : description,
    parameters: Object.keys(parameters).length > 0 ? asWritten(parameters, schema) : null,
    strict: strict ?? null,
  }
}

function wireFormat({ format, json }: TurnOptions, { formatSchema }: Echo) {
  if (!format) return { type: json ? 'json_object' : 'text' }
  const { name, schema, strict } = format
  return {
    type: 'json_schema',
    name,
    description: null,
    schema: asWritten(schema, formatSchema),
    strict: strict ?? null,
  }
}

function asWritten(schema: unknown, text: string | undefined): unknown {
  return text === undefined ? schema : parseLossless(text)
}

function gateError(gate: Gate | undefined): TurnError {
  const what = gate?.kind === 'credential' ? 'a sign-in' : gate?.kind === 'input' ? 'an answer' : 'an approval'
  const call = gate ? ` for ${gate.name}` : ''
  const advice =
    'resolve it with `atrium gates`, in the web UI or another channel; the turn then goes on, and GET shows its result'
  return { code: 'gate_required', message: `the turn needs ${what}${call}: ${advice}` }
}

function wireError({ code, message }: TurnError) {
  const param = code === 'previous_response_not_found' ? 'previous_response_id' : null
  return { code, message, type: errorType(code), param }
}

function errorType(code: ErrorCode): string {
  if (code === 'model_rate_limited') return 'rate_limit_error'
  return code === 'gate_required' || code === 'previous_response_not_found' ? 'invalid_request_error' : 'server_error'
}
