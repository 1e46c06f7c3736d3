// Words that a search found, marked in what is shown.
import { useLayoutEffect } from 'preact/hooks'
import type { RefObject } from 'preact'
import { patternOf, piecesOf } from '../lib/found.ts'
import './found.css'

const mostMarks = 500

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

/** Marks the words of a query in nodes that somebody else made, without touching them. */
export function useFoundIn(box: RefObject<HTMLElement | null>, query: string, content: string): void {
  useLayoutEffect(() => {
    const pattern = patternOf(query)
    if (!pattern || !box.current || !('highlights' in CSS)) return undefined
    const ranges: Range[] = []
    const walker = document.createTreeWalker(box.current, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node && ranges.length < mostMarks; node = walker.nextNode()) {
      for (const match of (node.textContent ?? '').matchAll(pattern)) {
        const range = new Range()
        range.setStart(node, match.index)
        range.setEnd(node, match.index + match[0].length)
        ranges.push(range)
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges))
    return () => void CSS.highlights.delete('found')
  }, [query, content])
}
