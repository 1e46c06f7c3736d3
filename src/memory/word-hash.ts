// A number for a word, so that words of foreign texts can be looked up without V8 keeping them: it keeps each text that
// is looked up in a `Map` or `Set` in a table of its own, and blocks the event loop for 100 ms when that table grows.

/** A whole number of 32 bits, from 0 on. Different words may have the same one. */
export function hashOf(word: string): number {
  let hash = 0
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash, 33) + word.charCodeAt(at)
  return hash >>> 0
}
