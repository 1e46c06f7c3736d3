// GET /api/models: the models that can be chosen for a thread.
import type * as z from 'zod/mini'
import type { OfferedModels } from '#core/admin.ts'
import { type Route, route } from '#http/routes.ts'
import { ModelsAnswer } from '#doors/web/wire/model.ts'

export type ModelParts = { readonly models: OfferedModels }

export function modelRoutes({ models }: ModelParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/models',
      who: 'user',
      summary: 'List the models that can be chosen for a thread; the operator also gets their prices',
      answers: { 200: ModelsAnswer },
      async handle({ caller }) {
        const offered = await models.list()
        return {
          models: offered.map(({ id, name, role, inputUsd, outputUsd }) => ({
            id,
            name,
            role,
            ...(caller.operator && { input_usd: inputUsd, output_usd: outputUsd }),
          })),
        } satisfies z.output<typeof ModelsAnswer>
      },
    }),
  ]
}
