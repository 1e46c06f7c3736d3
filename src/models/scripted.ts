// A model that answers from a script, for tests and benchmarks: reads the file and plays it. What it says depends on the
// request's items only.
import { AppError } from '#core/errors.ts'
import { type Item, textOf } from '#core/item.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import { noUsage, type Usage } from '#core/turn.ts'
import { type Sleep, sleep as realSleep } from './retry.ts'
import { chooseReply, ERROR_CODES, type Input, latestInput, type Reply, type Script } from './script.ts'

const WINDOW = 128_000
const CHARS_PER_TOKEN = 4
const REPLY_FIELDS = [
  'when',
  'afterTool',
  'text',
  'reasoning',
  'calls',
  'delayMs',
  'chunkDelayMs',
  'error',
  'usage',
  'times',
]
const USAGE_FIELDS = ['inputTokens', 'cachedTokens', 'outputTokens', 'reasoningTokens', 'costUsd'] as const

/** A model that follows a script (`parseScript` reads one). */
export function createScriptedModel({
  script,
  name = 'scripted',
  sleep = realSleep,
}: {
  script: Script
  name?: string
  sleep?: Sleep
}): Model {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    signal.throwIfAborted()
    const reply = chooseReply(script, request.items)
    const input = latestInput(request.items)
    if (reply.delayMs) await sleep(reply.delayMs, signal)
    for (const batch of batchesOf(reply, input, request)) {
      signal.throwIfAborted()
      yield batch.events
      if (reply.chunkDelayMs && batch.pause) await sleep(reply.chunkDelayMs, signal)
    }
    signal.throwIfAborted()
    if (reply.error) throw new AppError(reply.error.code, reply.error.message ?? `the script says ${reply.error.code}`)
  }
  return { provider: 'scripted', name, window: WINDOW, stream }
}

/** Reads a script: an object with `replies`, or a bare list of replies or texts. Throws invalid_config. */
export function parseScript(text: string): Script {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw new AppError('invalid_config', `the script is no JSON: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    })
  }
  if (Array.isArray(value)) return { replies: list(value, 'replies', readReply) }
  const fields = open(value, '', ['replies', 'loop'])
  return strip({
    replies: list(fields('replies') ?? fault('replies', 'is missing'), 'replies', readReply),
    loop: optional(fields('loop'), 'loop', boolean),
  })
}

type Batch = { readonly events: readonly ModelEvent[]; readonly pause: boolean }

/** What is yielded, in order: everything at once, or chunk by chunk where the reply has pauses. */
function batchesOf(reply: Reply, input: Input, request: ModelRequest): Batch[] {
  const chunks = chunksOf(reply, input).slice(0, reply.error ? (reply.error.afterChunks ?? 0) : undefined)
  const texts = chunks.map((text): ModelEvent => ({ type: 'text', text }))
  const silent = reply.error !== undefined && texts.length === 0
  const first: ModelEvent[] = reply.reasoning && !silent ? [{ type: 'reasoning', text: reply.reasoning }] : []
  const last: ModelEvent[] = reply.error
    ? []
    : [...callsOf(reply), { type: 'done', usage: usageOf(reply, chunks, request) }]
  if (!reply.chunkDelayMs) {
    const events = [...first, ...texts, ...last]
    return events.length === 0 ? [] : [{ events, pause: false }]
  }
  const paced = [...first, ...texts].map((event) => ({ events: [event], pause: true }))
  return last.length === 0 ? paced : [...paced, { events: last, pause: false }]
}

function chunksOf(reply: Reply, input: Input): readonly string[] {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(input|result)\}\}/g, (_, name: string) => (name === 'input' ? input.user : input.result))
  if (reply.text === undefined) return []
  if (typeof reply.text !== 'string') return reply.text.map(fill)
  return fill(reply.text).match(/\s*\S+\s*|\s+/g) ?? []
}

function callsOf(reply: Reply): ModelEvent[] {
  return (reply.calls ?? []).map(({ name, args }) => ({
    type: 'call',
    name,
    args: typeof args === 'string' ? args : JSON.stringify(args),
  }))
}

function usageOf(reply: Reply, chunks: readonly string[], request: ModelRequest): Usage {
  if (reply.usage) return { ...noUsage, ...reply.usage }
  const said = [...chunks, reply.reasoning ?? '', ...(reply.calls ?? []).map(({ args }) => JSON.stringify(args))]
  const heard = request.items.reduce((sum, item) => sum + charsOf(item), request.system.length)
  return {
    ...noUsage,
    inputTokens: tokens(heard),
    outputTokens: tokens(said.reduce((sum, text) => sum + text.length, 0)),
    reasoningTokens: tokens(reply.reasoning?.length ?? 0),
  }
}

function charsOf(item: Item): number {
  if (item.type === 'message') return textOf(item).length
  if (item.type === 'result') return item.output.length
  return item.type === 'call' ? JSON.stringify(item.args).length : 0
}

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}

type Read<T> = (value: Json, path: string) => T

function readReply(value: Json, path: string): Reply {
  if (typeof value === 'string') return { text: value }
  const at = (name: string): string => `${path}.${name}`
  const field = open(value, path, REPLY_FIELDS)
  const read = <T>(name: string, as: Read<T>): T | undefined => optional(field(name), at(name), as)
  return strip({
    when: read('when', string),
    afterTool: read('afterTool', string),
    text: read('text', (value, path) => (Array.isArray(value) ? list(value, path, string) : string(value, path))),
    reasoning: read('reasoning', string),
    calls: read('calls', (value, path) => list(value, path, readCall)),
    delayMs: read('delayMs', number),
    chunkDelayMs: read('chunkDelayMs', number),
    error: read('error', readError),
    usage: read('usage', readUsage),
    times: read('times', (value, path) =>
      Number.isInteger(value) && Number(value) > 0 ? Number(value) : fault(path, 'must be a whole number from 1'),
    ),
  })
}

function readCall(value: Json, path: string): { name: string; args: JsonObject | string } {
  const field = open(value, path, ['name', 'args'])
  const args = field('args') ?? {}
  if (typeof args !== 'string' && !isObject(args)) fault(`${path}.args`, 'must be an object or a string')
  return { name: string(field('name') ?? null, `${path}.name`), args }
}

function readError(value: Json, path: string): NonNullable<Reply['error']> {
  const field = open(value, path, ['code', 'message', 'afterChunks'])
  const code = ERROR_CODES.find((each) => each === field('code'))
  return strip({
    code: code ?? fault(`${path}.code`, `must be one of ${ERROR_CODES.join(', ')}`),
    message: optional(field('message'), `${path}.message`, string),
    afterChunks: optional(field('afterChunks'), `${path}.afterChunks`, number),
  })
}

function readUsage(value: Json, path: string): Partial<Usage> {
  const field = open(value, path, USAGE_FIELDS)
  const read = USAGE_FIELDS.map((name) => [name, optional(field(name), `${path}.${name}`, number)] as const)
  return Object.fromEntries(read.filter(([, count]) => count !== undefined))
}

/** Opens an object whose fields are known; a misspelt one would else be silently without effect. */
function open(value: Json, path: string, known: readonly string[]): (name: string) => Json | undefined {
  if (!isObject(value)) return fault(path, 'must be an object')
  const stray = Object.keys(value).find((name) => !known.includes(name))
  if (stray !== undefined) {
    fault(path === '' ? stray : `${path}.${stray}`, `is no field of a script; here stand ${known.join(', ')}`)
  }
  return (name) => (Object.hasOwn(value, name) ? value[name] : undefined)
}

function optional<T>(value: Json | undefined, path: string, read: Read<T>): T | undefined {
  return value === undefined ? undefined : read(value, path)
}

function list<T>(value: Json, path: string, read: Read<T>): T[] {
  if (!Array.isArray(value)) return fault(path, 'must be a list')
  return value.map((each: Json, at) => read(each, `${path}[${at}]`))
}

function string(value: Json, path: string): string {
  return typeof value === 'string' ? value : fault(path, 'must be a string')
}

function number(value: Json, path: string): number {
  return typeof value === 'number' && value >= 0 ? value : fault(path, 'must be a number from 0')
}

function boolean(value: Json, path: string): boolean {
  return typeof value === 'boolean' ? value : fault(path, 'must be true or false')
}

function fault(path: string, what: string): never {
  throw new AppError('invalid_config', `in the script, ${path === '' ? 'the whole' : path} ${what}`)
}

type Stripped<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Without the fields that are undefined, so that a script reads back as it was written. */
function strip<T extends object>(value: T): Stripped<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Stripped<T>
}
