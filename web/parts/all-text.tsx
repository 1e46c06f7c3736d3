// All of a long text, in blocks of which the browser lays out those in view alone.
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { textBlocks } from '../lib/chunks.ts'
import './all-text.css'

const blockChars = 20_000

export function AllText({ text }: { text: string }) {
  return (
    <>
      {useMemo(() => textBlocks(text, blockChars), [text]).map((block, at) => (
        <span key={at} class="text-block">
          {block}
        </span>
      ))}
    </>
  )
}

/** The same in place of the button that asked for it, which had the focus. */
export function AllLongText({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => place.current?.focus({ preventScroll: true }), [])
  return (
    <div class="long-text" tabIndex={-1} ref={place}>
      <AllText text={text} />
    </div>
  )
}
