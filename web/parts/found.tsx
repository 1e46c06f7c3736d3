// Marks the words of a search in the page.
import { useLayoutEffect } from 'preact/hooks'
import type { RefObject } from 'preact'
import { patternOf, piecesOf } from '../lib/found.ts'
import './found.css'

const maxMarks = 500

/** A text with the words of a query marked. */
export function Found({ text, query }: { text: string; query: string }) {
  return (
    <>
      {piecesOf(text, query).map(({ text: piece, found }, at) =>
        found ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
      )}
    </>
  )
}

/** Marks the words of a query inside `box` by CSS highlights, again at every change. The nodes are not modified. */
export function useFoundIn(box: RefObject<HTMLElement | null>, query: string): void {
  useLayoutEffect(() => {
    const pattern = patternOf(query)
    const root = box.current
    if (!pattern || !root || !('highlights' in CSS)) return undefined
    const mark = (): void => void CSS.highlights.set('found', new Highlight(...rangesIn([root], pattern)))
    mark()
    const watcher = new MutationObserver(mark)
    watcher.observe(root, { childList: true, subtree: true })
    return () => {
      watcher.disconnect()
      CSS.highlights.delete('found')
    }
  }, [query])
}

/** The places of a pattern in the texts of elements. */
export function rangesIn(roots: Iterable<Element>, pattern: RegExp): Range[] {
  const ranges: Range[] = []
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node && ranges.length < maxMarks; node = walker.nextNode()) {
      for (const match of (node.textContent ?? '').matchAll(pattern)) {
        const range = new Range()
        range.setStart(node, match.index)
        range.setEnd(node, match.index + match[0].length)
        ranges.push(range)
      }
    }
  }
  return ranges
}
