// Wrong tokens by address: whoever guesses has few guesses. A token that came in before is not held up by those of others.

const windowMs = 60_000
/** Addresses and tokens that are remembered; of more, the longest unused are forgotten. */
const mostAddresses = 2_000
const mostKnown = 10_000

export interface Guesses {
  /** True for a token that somebody came in with. */
  isKnown(hash: string): boolean
  /** How long other tokens from an address are not looked at; 0 when they are. */
  heldMs(address: string): number
  good(hash: string): void
  wrong(address: string, hash: string): void
}

/** `perMinute` different wrong tokens from one address are looked at, 0 is any number; the same one again is no new guess. */
export function createGuesses(perMinute: number, now: () => number): Guesses {
  /** When each wrong token of an address came first, oldest first. */
  const wrong = new Map<string, Map<string, number>>()
  const known = new Set<string>()

  return {
    isKnown: (hash) => known.has(hash),
    heldMs(address) {
      const seen = wrong.get(address)
      if (!seen || perMinute === 0) return 0
      for (const [hash, at] of seen) {
        if (at > now() - windowMs) break
        seen.delete(hash)
      }
      const [oldest = 0] = seen.values()
      return seen.size < perMinute ? 0 : oldest + windowMs - now()
    },
    good(hash) {
      known.delete(hash)
      known.add(hash)
      if (known.size > mostKnown) known.delete(known.values().next().value ?? '')
    },
    wrong(address, hash) {
      const seen = wrong.get(address) ?? new Map<string, number>()
      if (!seen.has(hash)) seen.set(hash, now())
      wrong.delete(address)
      wrong.set(address, seen)
      if (wrong.size > mostAddresses) wrong.delete(wrong.keys().next().value ?? '')
    },
  }
}
