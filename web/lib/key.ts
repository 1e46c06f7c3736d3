// Names for what the page itself makes.

/** A key that nothing else has. A page over plain HTTP from another machine has no `crypto.randomUUID`. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}
