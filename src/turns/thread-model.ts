// The check of a model that is chosen for a thread.
import { AppError } from '#core/errors.ts'
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
  const message = `the model ${printable(name.slice(0, maxShownChars))} is not offered: GET /api/models and atrium model list name those that are`
  throw new AppError('invalid_input', message, { param: 'model' })
}

const maxShownChars = 100
