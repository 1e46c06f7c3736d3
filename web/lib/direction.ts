// The direction of a list, quote or table, by its first letter. The browser's `dir="auto"` looks again at each insertion,
// which takes quadratic time for a long list.
import type { MarkdownBlock, Span } from './markdown-tree.ts'

/** `rtl` if the first letter is written from right to left; undefined otherwise. */
export function directionOf(blocks: readonly MarkdownBlock[]): 'rtl' | undefined {
  for (const block of blocks) {
    const letter = firstLetter(block)
    if (letter !== undefined) return rightToLeft.test(letter) ? 'rtl' : undefined
  }
  return undefined
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

function firstLetter(block: MarkdownBlock): string | undefined {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
    case 'note':
      return letterOfSpans(block.spans)
    case 'code':
    case 'math':
    case 'plain':
      return letterIn(block.text)
    case 'quote':
      return first(block.blocks, firstLetter)
    case 'list':
      return first(block.items, ({ blocks }) => first(blocks, firstLetter))
    case 'table':
      return first([block.head, ...block.rows], (row) => first(row, letterOfSpans))
    case 'rule':
      return undefined
    default:
      return block satisfies never
  }
}

function letterOfSpans(spans: readonly Span[]): string | undefined {
  return first(spans, (span) =>
    'spans' in span ? letterOfSpans(span.spans) : 'text' in span ? letterIn(span.text) : undefined,
  )
}

function letterIn(text: string): string | undefined {
  return /\p{L}/u.exec(text)?.[0]
}

function first<T>(list: readonly T[], find: (each: T) => string | undefined): string | undefined {
  for (const each of list) {
    const found = find(each)
    if (found !== undefined) return found
  }
  return undefined
}
