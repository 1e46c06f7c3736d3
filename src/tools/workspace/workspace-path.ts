// Checks the path of a workspace file, as a call gives it.
import { wrongField } from '#core/errors.ts'

const maxPathChars = 1_000
const maxNameBytes = 255
const maxNames = 64

/** The names of a path below the workspace; none for the workspace itself. Throws invalid_input for an unsafe path. */
export function namesOf(path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  const problem = problemOf(path, names)
  if (problem === undefined) return names
  throw wrongField('path', `${problem}; an example: notes/today.md`)
}

function problemOf(path: string, names: readonly string[]): string | undefined {
  if (path.length > maxPathChars) return `must have at most ${maxPathChars} characters`
  if (/\p{Cc}/u.test(path)) return 'must not have control characters'
  if (!path.isWellFormed()) return 'must not have half a character (a lone surrogate)'
  if (path.startsWith('/') || /^~(\/|$)/.test(path)) return 'must be relative to the workspace'
  if (names.includes('..')) return 'must not have .. as a name: nothing outside the workspace can be reached'
  if (names.length > maxNames) return `must have at most ${maxNames} names`
  if (names.some((name) => Buffer.byteLength(name) > maxNameBytes)) return `has a name of over ${maxNameBytes} bytes`
  return undefined
}
