// A bounded cache of what is made of words. A word that occurs again stays; the others are forgotten in time.

/** `max` words are kept for sure, and at most twice as many. */
export function createWordCache<T extends object>(max: number, make: (word: string) => T): (word: string) => T {
  let recent = new Map<string, T>()
  let older = new Map<string, T>()
  return (word) => {
    const known = recent.get(word)
    if (known) return known
    // A copy: V8 makes a slice of a word of 13 or more characters, and a slice keeps the whole text in memory.
    const own = Buffer.from(word).toString()
    const made = older.get(own) ?? make(own)
    // Words that were not used since the last time are forgotten.
    if (recent.size >= max) [older, recent] = [recent, new Map()]
    recent.set(own, made)
    return made
  }
}
