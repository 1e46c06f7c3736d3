// A bounded cache of what is made of words. A word that occurs again stays; the others are forgotten in time.
import { hashOf } from './word-hash.ts'

/** Keeps at most `max` words: of those that have the same place, the two that occurred last. */
export function createWordCache<T>(max: number, make: (word: string) => T): (word: string) => T {
  type Known = { readonly word: string; readonly made: T }
  const places = Math.ceil(max / 2)
  // Not maps: see `word-hash.ts`.
  const recent = Array<Known | undefined>(places).fill(undefined)
  const older = Array<Known | undefined>(places).fill(undefined)

  function add(word: string): Known {
    // A copy: V8 makes a slice of a word of 13 or more characters, and a slice keeps the whole text in memory.
    const own = Buffer.from(word).toString()
    return { word: own, made: make(own) }
  }

  return (word) => {
    const place = hashOf(word) % places
    const [last, before] = [recent[place], older[place]]
    if (last?.word === word) return last.made
    const known = before?.word === word ? before : add(word)
    older[place] = last
    recent[place] = known
    return known.made
  }
}
