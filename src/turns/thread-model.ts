// The check of a model that is chosen for a thread.
import { AppError } from '#core/errors.ts'
import { printable } from '#safety/printable.ts'

/** Throws invalid_input for a model that is not offered. */
export function checkModel(name: string, isOffered: (name: string) => boolean = () => false): void {
  if (isOffered(name)) return
  const message = `the model ${printable(name.slice(0, maxShownChars))} is not offered: GET /api/models and atrium model list name those that are`
  throw new AppError('invalid_input', message, { param: 'model' })
}

const maxShownChars = 100
