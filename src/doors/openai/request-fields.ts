// Fields that requests of both API doors have, and the kinds of values of their other fields.
import * as z from 'zod/mini'
import { byteLength } from '#core/json.ts'

export const text = z.string({ error: 'must be a string' })
export const filled = text.check(z.minLength(1, { error: 'must not be empty' }))
export const flag = z.boolean({ error: 'must be true or false' })
export const object = z.record(z.string(), z.unknown(), { error: 'must be an object' })
/** A message of text, or of parts that are read one by one. */
export const content = z.union([z.string(), z.array(z.unknown())], { error: 'must be a string or a list of parts' })
/** The tools of a request. The catalog checks each of them. */
export const toolList = z.array(z.unknown(), { error: 'must be a list of functions' })

const maxModelBytes = 256

export const ModelName = z
  .string({ error: (issue) => (issue.input == null ? 'is required: any name of a model' : 'must be a string') })
  .check(
    z.minLength(1, { error: 'must not be empty' }),
    z.refine((name) => byteLength(name) <= maxModelBytes, { error: `must not exceed ${maxModelBytes} bytes` }),
    z.refine((name) => name.trim() === name, { error: 'must not begin or end with white space' }),
    z.refine((name) => !/\p{Cc}/u.test(name), { error: 'must not contain control characters' }),
  )

export const Temperature = z
  .number({ error: 'must be a number from 0 to 2' })
  .check(z.minimum(0, { error: 'must be from 0 to 2' }), z.maximum(2, { error: 'must be from 0 to 2' }))
