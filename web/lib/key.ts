// Random keys.

/** A unique key. `crypto.randomUUID` is missing on pages over plain HTTP. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}
