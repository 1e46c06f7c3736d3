// Reading a request: its messages, and the options of its turn.
import { wrongField } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import { isObject } from '#core/json.ts'
import type { Sampling, TurnOptions } from '#core/turn.ts'
import { formatBounds, jsonBytes, maxFormatBytes, maxMetadataBytes, overBounds } from '#doors/openai/bounds.ts'
import { type CatalogRules, namesForModel, readCatalog, refuseCallerTools } from '#doors/openai/caller-tools.ts'
import { check } from '#http/validate.ts'
import type * as z from 'zod/mini'
import { type Messages, readMessages } from './messages.ts'
import { CompletionSchema } from './schemas.ts'

const maxToolsBytes = 256 * 1024

export type CompletionRequest = {
  readonly model: string
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly messages: Messages
  readonly options: TurnOptions
}

export type RequestRules = Pick<CatalogRules, 'registered' | 'foreign'> & {
  /** False when functions of the caller are disabled: tools and tool_choice are then refused. */
  readonly externalTools: boolean
  /** Models that the operator offers. A request that names one uses it. */
  readonly choices: readonly string[]
}

/** Throws invalid_input with the path of the field. */
export async function readCompletion(body: unknown, rules: RequestRules): Promise<CompletionRequest> {
  if (!rules.externalTools && isObject(body)) refuseCallerTools(body)
  const fields = check(CompletionSchema, body)
  const offered = fields.tool_choice === 'none' ? [] : (fields.tools ?? [])
  const { tools } = await readCatalog(offered, { ...rules, maxBytes: maxToolsBytes, nested: true })
  const format = await readFormat(fields.response_format)
  const sampling = readSampling(fields)
  const echo = { ...(fields.user != null && { user: fields.user }), ...(await readMetadata(fields.metadata)) }
  return {
    model: fields.model,
    stream: fields.stream ?? false,
    includeUsage: fields.stream_options?.include_usage ?? false,
    messages: await readMessages(fields.messages, namesForModel(tools)),
    options: {
      ...(fields.temperature != null && { temperature: fields.temperature }),
      ...(rules.choices.includes(fields.model) && { model: fields.model }),
      ...(typeof format === 'object' && { format }),
      ...(format === 'json' && { json: true }),
      ...(Object.keys(sampling).length > 0 && { sampling }),
      ...(tools.length > 0 && { tools }),
      ...(Object.keys(echo).length > 0 && { echo }),
    },
  }
}

type Fields = z.output<typeof CompletionSchema>

function readSampling(fields: Fields): Sampling {
  const maxTokens = fields.max_completion_tokens ?? fields.max_tokens
  const { top_p: topP, seed, stop, reasoning_effort: effort } = fields
  return {
    ...(topP != null && { topP }),
    ...(seed != null && { seed }),
    ...(stop != null && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(maxTokens != null && { maxTokens }),
    ...(effort != null && { effort }),
  }
}

async function readFormat(format: Fields['response_format']): Promise<TurnOptions['format'] | 'json'> {
  if (format == null || format.type === 'text') return undefined
  if (format.type === 'json_object') return 'json'
  const path = 'response_format.json_schema'
  const { name, schema, strict } = format.json_schema ?? {}
  if (!schema) throw wrongField(`${path}.schema`, 'is required')
  const over = overBounds(schema, formatBounds)
  if (over) throw wrongField(`${path}.schema`, over)
  const bytes = await jsonBytes(schema)
  if (bytes > maxFormatBytes) throw wrongField(`${path}.schema`, `has ${bytes} bytes, at most ${maxFormatBytes}`)
  return {
    name: name && /^[A-Za-z0-9_-]{1,64}$/.test(name) ? name : 'response',
    schema: schema as JsonObject,
    ...(strict != null && { strict }),
  }
}

async function readMetadata(metadata: Fields['metadata']): Promise<{ metadata?: Record<string, string> }> {
  if (metadata == null || Object.keys(metadata).length === 0) return {}
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== 'string') throw wrongField(`metadata.${key}`, 'must be a string')
  }
  const bytes = await jsonBytes(metadata)
  if (bytes > maxMetadataBytes) throw wrongField('metadata', `has ${bytes} bytes as JSON, at most ${maxMetadataBytes}`)
  return { metadata: metadata as Record<string, string> }
}
