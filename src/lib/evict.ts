// Eviction for caches with a limited number of entries. The browser app loads this file, so it imports nothing.

type Bounded<K> = { readonly size: number; keys(): Iterator<K>; delete(key: K): boolean }

/** Deletes the oldest keys of a Map or Set until at most `max` are left. To make a key the newest, delete and set it. */
export function evictOldest<K>(entries: Bounded<K>, max: number): void {
  while (entries.size > max) entries.delete(entries.keys().next().value as K)
}
