// Strictly increasing ids. Time-ordered UUIDs of the same millisecond are not ordered, but two messages of one millisecond
// must be: the queue of a thread and every list sort by id.

/** Returns a function that makes ids. Each sorts after the one before, whatever the clock does. */
export function createOrderedIds(newId: () => string): () => string {
  let last = ''
  return () => {
    const id = newId()
    last = id > last ? id : successor(last)
    return last
  }
}

/** The next UUID in sort order: its last 16 digits plus one. */
function successor(uuid: string): string {
  const digits = (BigInt(`0x${uuid.slice(19).replace('-', '')}`) + 1n).toString(16).padStart(16, '0')
  return `${uuid.slice(0, 19)}${digits.slice(0, 4)}-${digits.slice(4)}`
}
