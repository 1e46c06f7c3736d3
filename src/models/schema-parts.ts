// Reading parts of a JSON schema.
import { isObject, type Json, type JsonObject } from '#core/json.ts'

/** Longer references are not followed: a walk may look one up a thousand times. */
const maxReferenceChars = 1_000

/** The target of a local reference such as `#/$defs/Shape`. */
export function lookUp(reference: Json | undefined, root: JsonObject): Json | undefined {
  if (reference === '#') return root
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  if (reference.length > maxReferenceChars) return undefined
  let found: Json | undefined = root
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    found = isSchema(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return found
}

export function isSchema(value: Json | undefined): value is JsonObject {
  return isObject(value)
}

export function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}
