// The levels of a text's headings in the page: no level is skipped, whichever the text begins with.
import type { MarkdownBlock } from './markdown-tree.ts'

export type HeadingLevels = ReadonlyMap<MarkdownBlock, number>

/** Headings of a text go below the heading of the page. */
const headingsAbove = 1

/** The level of each heading: one below the last heading before it that has a smaller depth. */
export function headingLevels(blocks: readonly MarkdownBlock[]): HeadingLevels {
  const levels = new Map<MarkdownBlock, number>()
  const above: number[] = []
  const walk = (inside: readonly MarkdownBlock[]): void => {
    for (const block of inside) {
      if (block.type === 'quote') walk(block.blocks)
      else if (block.type === 'list') for (const item of block.items) walk(item.blocks)
      else if (block.type === 'heading') {
        while ((above.at(-1) ?? 0) >= block.depth) above.pop()
        above.push(block.depth)
        levels.set(block, Math.min(6, above.length + headingsAbove))
      }
    }
  }
  walk(blocks)
  return levels
}
