// Schemas of requests. They check requests, and the OpenAPI document is generated from them. Null means absent.
import * as z from 'zod/mini'
import { content, filled, flag, ModelName, object, Temperature, text, toolList } from '#doors/openai/request-fields.ts'

/** The fields of a create request that can be wrong. Every other field is accepted with any value. */
export const CreateSchema = z.object(
  {
    model: ModelName,
    input: z.nullish(z.union([z.string(), z.array(z.unknown())], { error: 'must be a string or a list of items' })),
    previous_response_id: z.nullish(text),
    stream: z.nullish(flag),
    temperature: z.nullish(Temperature),
    instructions: z.nullish(text),
    x_context: z.nullish(object),
    tools: z.nullish(toolList),
    tool_choice: z.optional(z.unknown()),
  },
  { error: 'must be a JSON object' },
)

export const CompactSchema = z.pick(CreateSchema, { model: true, input: true, previous_response_id: true })

/** A conversation that is made or changed. */
export const ConversationSchema = z.object(
  {
    items: z.nullish(z.array(z.unknown(), { error: 'must be a list of items' })),
    metadata: z.nullish(
      z.record(z.string(), z.string({ error: 'must be a string' }), { error: 'must be an object of strings' }),
    ),
  },
  { error: 'must be a JSON object' },
)

export const MessageSchema = z.object({
  role: z.enum(['user', 'assistant', 'system', 'developer'], {
    error: 'must be user, assistant, system or developer',
  }),
  content: z.nullish(content),
})

export const FunctionCallSchema = z.object({
  call_id: filled,
  name: filled,
  namespace: z.nullish(text),
  arguments: z.nullish(z.union([z.string(), object], { error: 'must be a string of JSON' })),
})

export const FunctionCallOutputSchema = z.object({
  call_id: filled,
  output: z.unknown().check(z.refine((output) => output != null, { error: 'is required' })),
})

export const ItemReferenceSchema = z.object({ id: filled })

export const CompactionSchema = z.object({ encrypted_content: filled })
