// Reading a create request. Only the fields of `CreateSchema` can be wrong; any other is ignored when it is malformed.
import { wrongField } from '#core/errors.ts'
import { parseResponseId } from '#core/ids.ts'
import { isObject, type JsonObject } from '#core/json.ts'
import { isLong } from '#core/json-slices.ts'
import type { TurnOptions } from '#core/turn.ts'
import { checkInstructions, contextBlock } from '#doors/openai/blocks.ts'
import {
  formatBounds,
  isTooDeep,
  jsonBytes,
  maxFormatBytes,
  maxMetadataBytes,
  overBounds,
} from '#doors/openai/bounds.ts'
import { type CatalogRules, namesForModel, readCatalog, refuseCallerTools } from '#doors/openai/caller-tools.ts'
import type { Echo } from '#doors/responses/echo.ts'
import { check } from '#http/validate.ts'
import { hasRawNumbers, withPlainNumbers } from '#http/lossless-json.ts'
import { readConversationField } from './conversation.ts'
import { type InputItem, readInput } from './input.ts'
import { CreateSchema } from './schemas.ts'

const maxContextBytes = 10 * 1024
/** More than a service has, and as long as a name may be. */
const [maxServiceTools, maxServiceToolChars] = [1_000, 64]

export type Previous = { readonly turnId: string; readonly threadId: string }

export type CreateRequest = {
  readonly model: string
  readonly stream: boolean
  readonly input: readonly InputItem[]
  /** Instructions of the request, and the texts of its system and developer messages. */
  readonly instructions: readonly string[]
  /** The block of the context; empty without one. */
  readonly context: string
  readonly previous?: Previous
  /** The thread that the request names as its conversation. */
  readonly conversation?: string
  /** True when `tools: []` was sent. On a resume it differs from a request without `tools`. */
  readonly noTools: boolean
  /** `store: false`: the thread is temporary. */
  readonly temporary: boolean
  /** Answered at once, before the turn is over. */
  readonly background: boolean
  readonly options: TurnOptions
}

export type RequestRules = {
  /** False when functions of the caller are disabled: tools and tool_choice are then refused. */
  readonly externalTools: boolean
  readonly catalog: CatalogRules
  /** With `reference`, `max_output_tokens`, `background`, `conversation` and `store` do what the reference says. */
  readonly fields?: 'specified' | 'reference'
}

/** Throws invalid_input with the path of the field. */
export async function readCreate(body: unknown, rules: RequestRules): Promise<CreateRequest> {
  if (!rules.externalTools && isObject(body)) refuseCallerTools(body)
  if (isObject(body)) refuseLongContext(body['x_context'])
  const fields = check(CreateSchema, body)
  // Fields outside the schema are read as sent, and ignored when malformed.
  const raw = body as Readonly<Record<string, unknown>>
  const { tools, schemas } = await readCatalog(fields.tools ?? [], rules.catalog)
  const context = await readContext(raw['x_context'])
  const input = await readInput(fields.input, { nameOf: namesForModel(tools) })
  const systems = input.flatMap((item) => (item.type === 'system' ? [item.text] : []))
  const instructions = [fields.instructions ?? '', ...systems]
  checkInstructions(instructions, 'instructions')
  const format = await readFormat(raw['text'])
  const previous = fields.previous_response_id == null ? undefined : readPrevious(fields.previous_response_id)
  const conversation = rules.fields === 'reference' ? readConversationField(raw['conversation']) : undefined
  if (previous && conversation !== undefined)
    throw wrongField('conversation', 'must not be sent with previous_response_id')
  const background = rules.fields === 'reference' && raw['background'] === true
  const temporary = rules.fields === 'reference' && raw['store'] === false
  const echo: Echo = {
    ...(temporary && { store: false }),
    ...(background && { background }),
    ...(conversation !== undefined && { conversation: true }),
    ...(fields.previous_response_id != null && { previous: fields.previous_response_id }),
    ...(fields.instructions != null && { instructions: fields.instructions }),
    ...(await readMetadata(raw['metadata'])),
    ...(Object.keys(schemas).length > 0 && { schemas }),
    ...(typeof format === 'object' && hasRawNumbers(format.schema) && { formatSchema: JSON.stringify(format.schema) }),
  }
  return {
    model: fields.model,
    stream: fields.stream ?? false,
    input,
    instructions: instructions.filter((text) => text.trim() !== ''),
    context: context ? await contextBlock(context) : '',
    noTools: fields.tools?.length === 0,
    temporary,
    background,
    options: {
      ...readServiceTools(raw['x_service_tools']),
      ...(rules.fields === 'reference' && readMaxTokens(raw['max_output_tokens'])),
      ...(background && { unattended: true }),
      ...(fields.temperature != null && { temperature: fields.temperature }),
      ...(typeof format === 'object' && { format: withPlainNumbers(format) }),
      ...(format === 'json' && { json: true }),
      ...(tools.length > 0 && { tools }),
      ...(Object.keys(echo).length > 0 && { echo }),
    },
    ...(previous && { previous }),
    ...(conversation !== undefined && { conversation }),
  }
}

/** Parses a previous_response_id. Does not check that the response exists. Throws invalid_input. */
export function readPrevious(text: string): Previous {
  const previous = parseResponseId(text)
  if (!previous) throw wrongField('previous_response_id', 'is not the id of a response: resp_ and 64 hex digits')
  return previous
}

/**
 * Refuses most of what is too large before a schema walks through it, which takes a millisecond for a thousand names. `isLong`
 * counts a value as sixteen letters; its JSON has at least two bytes.
 */
function refuseLongContext(context: unknown): void {
  if (isObject(context) && isLong(context, 10 * maxContextBytes))
    throw wrongField('x_context', `has more than ${maxContextBytes} bytes as JSON`)
}

async function readContext(context: unknown): Promise<Record<string, unknown> | undefined> {
  if (!isObject(context)) return undefined
  if (isTooDeep(context)) throw wrongField('x_context', 'is nested too deeply')
  const bytes = await jsonBytes(context)
  if (bytes > maxContextBytes) throw wrongField('x_context', `has ${bytes} bytes as JSON, at most ${maxContextBytes}`)
  return context
}

/** Reads `text.format`. A malformed or too large one counts as plain text: this field never refuses a request. */
async function readFormat(text: unknown): Promise<TurnOptions['format'] | 'json'> {
  const format = isObject(text) ? text['format'] : undefined
  if (!isObject(format)) return undefined
  if (format['type'] === 'json_object') return 'json'
  const { type, name, schema, strict } = format
  if (type !== 'json_schema' || !isObject(schema)) return undefined
  if (overBounds(schema, formatBounds) || (await jsonBytes(schema)) > maxFormatBytes) return undefined
  return {
    name: typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : 'response',
    schema: schema as JsonObject,
    ...(typeof strict === 'boolean' && { strict }),
  }
}

/** `false`, or a list of names, of which an entry that is none stands for no tool. Any other value is ignored. */
function readServiceTools(tools: unknown): Pick<TurnOptions, 'serviceTools'> {
  if (tools === false) return { serviceTools: [] }
  if (!Array.isArray(tools)) return {}
  const names = tools.filter((name): name is string => typeof name === 'string' && name.length <= maxServiceToolChars)
  return { serviceTools: names.slice(0, maxServiceTools) }
}

function readMaxTokens(count: unknown): Pick<TurnOptions, 'sampling'> {
  return Number.isSafeInteger(count) && Number(count) > 0 ? { sampling: { maxTokens: Number(count) } } : {}
}

async function readMetadata(metadata: unknown): Promise<Pick<Echo, 'metadata'>> {
  if (!isObject(metadata) || Object.keys(metadata).length === 0) return {}
  if (!Object.values(metadata).every((value) => typeof value === 'string')) return {}
  const fits = (await jsonBytes(metadata)) <= maxMetadataBytes
  return fits ? { metadata: metadata as Record<string, string> } : {}
}
