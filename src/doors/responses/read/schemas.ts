// What a request may hold, as schemas: they check it, and the OpenAPI document is made from them. Null means absent.
import * as z from 'zod/mini'
import { byteLength, isDeeperThan } from '#core/json.ts'

const maxModelBytes = 256
/** More than anything a program means. */
export const maxLevels = 100
const text = z.string({ error: 'must be a string' })
const filled = text.check(z.minLength(1, { error: 'must not be empty' }))
const object = z.record(z.string(), z.unknown(), { error: 'must be an object' })

const model = z
  .string({ error: (issue) => (issue.input == null ? 'is required: any name of a model' : 'must be a string') })
  .check(
    z.minLength(1, { error: 'must not be empty' }),
    z.refine((name) => byteLength(name) <= maxModelBytes, { error: `must not exceed ${maxModelBytes} bytes` }),
    z.refine((name) => name.trim() === name, { error: 'must not begin or end with white space' }),
    z.refine((name) => !/\p{Cc}/u.test(name), { error: 'must not contain control characters' }),
  )

/** A function of the caller's. */
const ToolSchema = z.object(
  {
    type: z.literal('function', { error: 'must be "function": other kinds of tools are not offered here' }),
    name: text.check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, _ or -' })),
    description: z.nullish(text),
    parameters: z.nullish(object),
    strict: z.nullish(z.boolean({ error: 'must be true or false' })),
  },
  { error: 'must be an object' },
)

/** The fields of a create request that can be wrong. Every other field is accepted, whatever it holds. */
export const CreateSchema = z.object(
  {
    model,
    input: z.nullish(z.union([z.string(), z.array(z.unknown())], { error: 'must be a string or a list of items' })),
    previous_response_id: z.nullish(text),
    stream: z.nullish(z.boolean({ error: 'must be true or false' })),
    temperature: z.nullish(
      z
        .number({ error: 'must be a number from 0 to 2' })
        .check(z.minimum(0, { error: 'must be from 0 to 2' }), z.maximum(2, { error: 'must be from 0 to 2' })),
    ),
    instructions: z.nullish(text),
    x_context: z.nullish(object),
    tools: z.nullish(z.array(ToolSchema, { error: 'must be a list of functions' })),
    tool_choice: z.optional(z.unknown()),
  },
  { error: 'must be a JSON object' },
)

/** The fields of a compaction that can be wrong. */
export const CompactSchema = z.pick(CreateSchema, { model: true, input: true, previous_response_id: true })

export const MessageSchema = z.object({
  role: z.enum(['user', 'assistant', 'system', 'developer'], {
    error: 'must be user, assistant, system or developer',
  }),
  content: z.nullish(z.union([z.string(), z.array(z.unknown())], { error: 'must be a string or a list of parts' })),
})

export const FunctionCallSchema = z.object({
  call_id: filled,
  name: filled,
  arguments: z.nullish(z.union([z.string(), object], { error: 'must be a string of JSON' })),
})

export const FunctionCallOutputSchema = z.object({
  call_id: filled,
  output: z.unknown().check(z.refine((output) => output != null, { error: 'is required' })),
})

export const ItemReferenceSchema = z.object({ id: filled })

export const CompactionSchema = z.object({ encrypted_content: filled })

export const TextPartSchema = z.object({ text })

export const RefusalPartSchema = z.object({ refusal: text })

export const ImagePartSchema = z.object({
  image_url: z.union([z.string(), z.object({ url: z.string() })], {
    error: 'must be a URL or a data URL: files by id are not offered here',
  }),
})

export const FilePartSchema = z.object({
  filename: z.nullish(text),
  file_data: z.nullish(text),
  file_url: z.nullish(text),
  file_id: z.nullish(text),
  text: z.nullish(text),
})

/** True for a value nested deeper than anything a program means: what is stored is written as JSON, and that recurses. */
export function tooDeep(value: unknown): boolean {
  return isDeeperThan(maxLevels, value)
}

/** Why a value is more than a bound allows, undefined when it is not; looked at no further than that. */
export function overBounds(value: unknown, { levels, values }: { levels: number; values: number }): string | undefined {
  let left = values
  const walk = (each: unknown, above: number): string | undefined => {
    left -= 1
    if (left < 0) return `has more than ${values} values`
    if (typeof each !== 'object' || each === null) return undefined
    if (above === levels) return `is nested deeper than ${levels} levels`
    for (const inner of Object.values(each)) {
      const over = walk(inner, above + 1)
      if (over) return over
    }
    return undefined
  }
  return walk(value, 0)
}
