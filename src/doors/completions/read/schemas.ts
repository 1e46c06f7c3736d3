// Schemas of requests. They check requests, and the OpenAPI document is generated from them. Null means absent.
import * as z from 'zod/mini'
import { content, filled, flag, ModelName, object, Temperature, text, toolList } from '#doors/openai/request-fields.ts'

const maxStops = 16
const maxStopChars = 1_000
const maxUserChars = 512
/** More than any model can write. */
const maxTokens = 10_000_000

function wholeNumber(min: number, max: number) {
  const error = { error: `must be a whole number from ${min} to ${max}` }
  return z.int(error).check(z.minimum(min, error), z.maximum(max, error))
}

const stop = filled.check(z.maxLength(maxStopChars, { error: 'is too long' }))
const share = { error: 'must be a number from 0 to 1' }
const legacy = z.nullish(z.unknown().check(z.refine(() => false, { error: 'is not supported any more: use tools' })))

/** The fields of a request that are read. Every other field is accepted with any value. */
export const CompletionSchema = z.object(
  {
    model: ModelName,
    messages: z
      .array(z.unknown(), { error: (issue) => (issue.input == null ? 'is required' : 'must be a list of messages') })
      .check(z.minLength(1, { error: 'must not be empty' })),
    stream: z.nullish(flag),
    stream_options: z.nullish(z.object({ include_usage: z.nullish(flag) }, { error: 'must be an object' })),
    n: z.nullish(z.literal(1, { error: 'must be 1: a turn gives one answer' })),
    temperature: z.nullish(Temperature),
    top_p: z.nullish(z.number(share).check(z.minimum(0, share), z.maximum(1, share))),
    stop: z.nullish(
      z.union([stop, z.array(stop).check(z.maxLength(maxStops))], {
        error: `must be a string or a list of at most ${maxStops} strings`,
      }),
    ),
    seed: z.nullish(wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
    max_tokens: z.nullish(wholeNumber(1, maxTokens)),
    max_completion_tokens: z.nullish(wholeNumber(1, maxTokens)),
    reasoning_effort: z.nullish(
      z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'], {
        error: 'must be none, minimal, low, medium, high or xhigh',
      }),
    ),
    response_format: z.nullish(
      z.object(
        {
          type: z.enum(['text', 'json_object', 'json_schema'], { error: 'must be text, json_object or json_schema' }),
          json_schema: z.nullish(
            z.object(
              { name: z.nullish(text), schema: z.nullish(object), strict: z.nullish(flag) },
              { error: 'must be an object' },
            ),
          ),
        },
        { error: 'must be an object' },
      ),
    ),
    tools: z.nullish(toolList),
    tool_choice: z.optional(z.unknown()),
    user: z.nullish(text.check(z.maxLength(maxUserChars, { error: `must have at most ${maxUserChars} characters` }))),
    metadata: z.nullish(object),
    functions: legacy,
    function_call: legacy,
  },
  { error: 'must be a JSON object' },
)

const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const

export const RoleSchema = z.object(
  { role: z.enum(roles, { error: `must be ${roles.join(', ')}` }) },
  { error: 'must be an object' },
)

export const SystemSchema = z.object({ content })

export const UserSchema = z.object({ content })

const CallSchema = z.object(
  {
    id: filled,
    type: z.nullish(z.literal('function', { error: 'must be function' })),
    function: z.object({ name: filled, arguments: z.nullish(text) }, { error: 'must be an object' }),
  },
  { error: 'must be an object' },
)

export const AssistantSchema = z.object({
  content: z.nullish(content),
  refusal: z.nullish(text),
  tool_calls: z.nullish(z.array(CallSchema, { error: 'must be a list of calls' })),
})

export const ToolMessageSchema = z.object({ tool_call_id: filled, content })

export const FilePart = z.object({
  file: z.object(
    { filename: z.nullish(text), file_data: z.string({ error: 'is required: files by id are not offered here' }) },
    { error: 'must be an object' },
  ),
})

export const RefusalPart = z.object({ refusal: text })
