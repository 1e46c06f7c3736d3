// Bounds a cache by its number of entries.

/** Deletes the oldest keys of a Map until at most `max` are left. */
export function evictOldest<K>(entries: Map<K, unknown>, max: number): void {
  while (entries.size > max) entries.delete(entries.keys().next().value as K)
}
