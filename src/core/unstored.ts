// The items of a thread that are being written and are not stored yet, and which of them will never be: when a process is
// lost in the middle of a response, another one asks the model again.
import type { PartialText } from './bus.ts'

export interface Unstored {
  /** Takes a piece of an item. Returns the items that were given up: those of an earlier response. */
  write(piece: Pick<PartialText, 'itemId' | 'firstId'>): readonly string[]
  /** Takes the id of a stored item. Returns the items that were given up: those that began before it. */
  store(id: string): readonly string[]
  /** Forgets all items and returns them. */
  clear(): readonly string[]
}

/** Ids are in the order of time, as far as the clocks of the processes agree: a later response has later ids. */
export function createUnstored(): Unstored {
  let ids: readonly string[] = []

  function take(goes: (id: string) => boolean): readonly string[] {
    const gone = ids.filter(goes)
    if (gone.length > 0) ids = ids.filter((id) => !goes(id))
    return gone
  }

  const takeBefore = (id: string): readonly string[] => take((each) => timeOf(each) < timeOf(id))

  return {
    write({ itemId, firstId }) {
      const gone = firstId === undefined ? [] : takeBefore(firstId)
      if (!ids.includes(itemId)) ids = [...ids, itemId]
      return gone
    },
    store(id) {
      take((each) => each === id)
      return takeBefore(id)
    },
    clear: () => take(() => true),
  }
}

/** The part of an id that tells its time: ids of one millisecond are in no order. */
function timeOf(id: string): string {
  return id.slice(0, '00000000-0000'.length)
}
