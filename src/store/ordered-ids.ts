// Ids in the order they were made. A time-ordered UUID says nothing about two of the same millisecond, and two messages
// of one moment must keep their order: the queue of a thread and every listing go by the id.

/** Makes ids of which each sorts after the one before, whatever the clock does. */
export function createOrderedIds(newId: () => string): () => string {
  let last = ''
  return () => {
    const id = newId()
    last = id > last ? id : successor(last)
    return last
  }
}

/** The next UUID in sorting order; only its random digits count up. */
function successor(uuid: string): string {
  const digits = (BigInt(`0x${uuid.slice(19).replace('-', '')}`) + 1n).toString(16).padStart(16, '0')
  return `${uuid.slice(0, 19)}${digits.slice(0, 4)}-${digits.slice(4)}`
}
