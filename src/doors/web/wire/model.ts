// Wire format of the models that can be chosen for a thread.
import * as z from 'zod/mini'

export const ModelsAnswer = z.object({
  /** The usual model comes first. */
  models: z.array(
    z.object({
      /** The name by which it is chosen: `provider/name`. */
      id: z.string(),
      name: z.string(),
      role: z.enum(['usual', 'fallback', 'offered']),
      /** USD per million tokens, null when unknown. Only the operator gets prices. */
      input_usd: z.exactOptional(z.nullable(z.number())),
      output_usd: z.exactOptional(z.nullable(z.number())),
    }),
  ),
})

export type OfferedModel = z.output<typeof ModelsAnswer>['models'][number]
export type ModelList = z.output<typeof ModelsAnswer>
