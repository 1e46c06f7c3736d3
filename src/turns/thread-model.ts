// The model of a thread: the check of a choice, and a stand-in for a model that cannot be opened.
import { AppError } from '#core/errors.ts'
import type { Model } from '#core/model.ts'
import { printable } from '#safety/printable.ts'

export type ModelChecks = {
  /** True for the name of a model that is offered for choosing. */
  readonly isOffered?: (model: string) => boolean
  /** True for the name of the model that answers where none is chosen. */
  readonly isUsual?: (model: string) => boolean
}

/** The model to store for a thread: null for the usual one. Throws invalid_input for a model that is not offered. */
export function chosenModel(name: string, { isOffered, isUsual }: ModelChecks): string | null {
  if (isUsual?.(name)) return null
  if (isOffered?.(name)) return name
  const message = `the model ${printable(name.slice(0, maxShownChars))} is not offered: GET /api/models and atrium model list name those that are, and LLM_MODELS adds to them`
  throw new AppError('invalid_input', message, { param: 'model' })
}

const maxShownChars = 100

/** A model that cannot be opened fails the turn through the loop, like one that does not answer. */
export async function modelOrFault(model: () => Promise<Model>): Promise<Model> {
  try {
    return await model()
  } catch (error) {
    return {
      provider: 'none',
      name: 'none',
      window: 0,
      // oxlint-disable-next-line require-yield
      async *stream() {
        throw error
      },
    }
  }
}
