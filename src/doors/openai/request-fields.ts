// Fields that requests of both API doors have.
import * as z from 'zod/mini'
import { byteLength } from '#core/json.ts'

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
