// The blocks of a transcript in their order, found by id. Queued messages stay at the end.
import { type Block, isQueued } from './block.ts'

export interface BlockList {
  readonly all: readonly Block[]
  get(id: string): Block | undefined
  /** Replaces the block of that id; a new one comes before the queued messages, and a queued message last. */
  put(block: Block): void
  /** Inserts a new block behind the last one that `isBefore` accepts. */
  putAfter(block: Block, isBefore: (each: Block) => boolean): void
  remove(id: string): void
}

export function createBlockList(): BlockList {
  const all: Block[] = []
  /** Block id -> index in `all`. */
  const at = new Map<string, number>()

  function insert(block: Block, index: number): void {
    all.splice(index, 0, block)
    all.slice(index).forEach(({ id }, after) => at.set(id, index + after))
  }

  function putAfter(block: Block, isBefore: (each: Block) => boolean): void {
    insert(block, all.findLastIndex(isBefore) + 1)
  }

  return {
    all,
    get: (id) => all[at.get(id) ?? -1],
    put(block) {
      const index = at.get(block.id)
      if (index !== undefined) all[index] = block
      else if (isQueued(block)) insert(block, all.length)
      else putAfter(block, (each) => !isQueued(each))
    },
    putAfter,
    remove(id) {
      const index = at.get(id)
      if (index === undefined) return
      all.splice(index, 1)
      at.delete(id)
      for (const [each, where] of at) if (where > index) at.set(each, where - 1)
    },
  }
}
