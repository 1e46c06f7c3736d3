// The file format of a scripted model, and its reader: a fault is named by its path.
import { AppError, type ErrorCode } from '#core/errors.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import type { Usage } from '#core/turn.ts'

const errorCodes = [
  'model_unknown',
  'model_key_missing',
  'model_unreachable',
  'model_unauthorized',
  'model_rate_limited',
  'model_refused',
  'model_failed',
  'model_timeout',
] as const satisfies readonly ErrorCode[]
const replyFields = [
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
const usageFields = ['inputTokens', 'cachedTokens', 'outputTokens', 'reasoningTokens', 'costUsd'] as const

/** One thing the model says. All fields are optional; an empty reply is an empty answer. */
export type Reply = {
  /** Only to a user message that contains this. Alone, only while no tool result came after that message. */
  readonly when?: string
  /** Only when the latest input is a result of this tool. */
  readonly afterTool?: string
  /** One string is streamed word by word, a list as it is. `{{input}}` and `{{result}}` are filled in. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string
  /** A string is sent raw, as a model might that writes no valid JSON. */
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject | string }[]
  readonly delayMs?: number
  readonly chunkDelayMs?: number
  /** Instead of an end. It leaves no response behind: a reply in turn stays in turn. */
  readonly error?: {
    readonly code: (typeof errorCodes)[number]
    readonly message?: string
    readonly afterChunks?: number
  }
  readonly usage?: Partial<Usage>
  /** How many responses it serves: 1 in turn, else without end. */
  readonly times?: number
}

export type Script = { readonly replies: readonly Reply[]; readonly loop?: boolean }

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

type Read<T> = (value: Json, path: string) => T

function readReply(value: Json, path: string): Reply {
  if (typeof value === 'string') return { text: value }
  const at = (name: string): string => `${path}.${name}`
  const field = open(value, path, replyFields)
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
  const code = errorCodes.find((each) => each === field('code'))
  return strip({
    code: code ?? fault(`${path}.code`, `must be one of ${errorCodes.join(', ')}`),
    message: optional(field('message'), `${path}.message`, string),
    afterChunks: optional(field('afterChunks'), `${path}.afterChunks`, number),
  })
}

function readUsage(value: Json, path: string): Partial<Usage> {
  const field = open(value, path, usageFields)
  const read = usageFields.map((name) => [name, optional(field(name), `${path}.${name}`, number)] as const)
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
