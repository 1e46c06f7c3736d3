// Caches that are bounded by how many entries they have: the oldest go first.

/** Deletes the oldest keys of a Map until at most `max` are left. */
export function evictOldest<K>(entries: Map<K, unknown>, max: number): void {
  while (entries.size > max) entries.delete(entries.keys().next().value as K)
}
