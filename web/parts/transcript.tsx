// The conversation, virtualised: turns near the viewport are in the page, and in idle moments up to 200 around them, which
// the browser's own search finds; spacers stand for the others. New text
// keeps a reader at the end there, and does not scroll a reader who has scrolled up.
import { useComputed } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TurnView } from '../lib/conversation.ts'
import { drawnFrom, keptStep, maxKept, type Range, widened } from '../lib/kept-turns.ts'
import type { Conversation } from '../store/conversation.ts'
import { outgoingTo } from '../store/outbox.ts'
import { findOpen, shownMessage } from '../store/shown-message.ts'
import { lazy } from '../lazy.tsx'
import { Button } from './button.tsx'
import { OutgoingMessage } from './outgoing.tsx'
import { createReadingPlace } from './reading-place.ts'
import { Skeleton } from './states.tsx'
import './transcript.css'
import { Turn } from './turn.tsx'

const Find = lazy(async () => (await import('./find.tsx')).Find, { small: true })
const OriginLine = lazy(async () => (await import('./fork.tsx')).OriginLine, { small: true })

/** Assumed height of a turn that was never drawn. */
const defaultTurnPx = 220
/** Turns within this distance of the viewport are drawn. */
const overscanPx = 1_500
/** A scroll position this near to the end counts as the end. */
const endPx = 60
/** Between two steps where the browser does not tell when it is idle. */
const idleMs = 100
/** This near to the top, earlier items are loaded. */
const earlierPx = 1_200

export function Transcript({ conversation }: { conversation: Conversation }) {
  const turns = conversation.turns.value
  const scroller = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<string, number>())
  const atEnd = useRef(true)
  const lastTop = useRef(0)
  const kept = useRef(0)
  const place = useMemo(createReadingPlace, [conversation.id])
  const [away, setAway] = useState(false)
  const [range, setRange] = useState<Range>({ from: 0, to: 0 })
  const outgoing = useComputed(() => outgoingTo(conversation.id)).value

  const look = (): void => {
    const box = scroller.current
    if (!box) return
    const { scrollTop, clientHeight } = box
    const now = conversation.turns.peek()
    const next = widened(rangeIn(now, heights.current, scrollTop, clientHeight), kept.current, now.length)
    setRange((old) => (old.from === next.from && old.to === next.to ? old : next))
    if (scrollTop < earlierPx && conversation.hasEarlier.peek()) void conversation.loadEarlier()
  }
  const toEnd = (): void => {
    const box = scroller.current
    if (box) box.scrollTop = box.scrollHeight
  }
  /** Only scrolling up leaves the end; text that streams in faster than it is scrolled does not. */
  const scrolled = (): void => {
    const box = scroller.current
    if (!box) return
    if (isNearEnd(box)) atEnd.current = true
    else if (box.scrollTop < lastTop.current) atEnd.current = false
    lastTop.current = box.scrollTop
    setAway(!atEnd.current)
    place.note(box)
    look()
  }

  const loaded = conversation.loaded.value
  const shown = shownMessage.value?.threadId === conversation.id ? shownMessage.value : undefined
  useLayoutEffect(() => {
    if (shownMessage.peek() === undefined) toEnd()
    look()
  }, [conversation.id, loaded])
  useLayoutEffect(() => {
    if (!shown || !loaded || !scroller.current) return
    shownMessage.value = undefined
    atEnd.current = false
    // A whole page of turns would take long: those around the message come in idle moments.
    kept.current = 0
    const place = turns.findLastIndex(({ seq }) => seq <= shown.seq)
    scroller.current.scrollTop = sumHeights(turns.slice(0, Math.max(0, place)), heights.current)
    look()
  }, [shown, loaded])
  useLayoutEffect(() => {
    if (atEnd.current) toEnd()
    look()
  }, [turns])
  // Sending a message always scrolls to the end.
  useLayoutEffect(() => {
    if (outgoing.length === 0) return
    atEnd.current = true
    toEnd()
  }, [outgoing.length])
  useEffect(() => {
    const box = inner.current
    if (!box) return undefined
    const watcher = new ResizeObserver(() => {
      for (const turn of box.querySelectorAll<HTMLElement>('[data-turn]')) {
        heights.current.set(turn.dataset['turn'] ?? '', turn.offsetHeight)
      }
      if (scroller.current) place.keep(scroller.current)
      if (atEnd.current && !box.contains(focusedCall())) toEnd()
      // A thread that opens at its beginning is not scrolled.
      if (scroller.current) setAway(!atEnd.current && !isNearEnd(scroller.current))
      look()
    })
    watcher.observe(box)
    // The keyboard of a phone and a long draft take their room from what is seen.
    if (scroller.current) watcher.observe(scroller.current)
    return () => watcher.disconnect()
  }, [])

  // Once the thread is shown, more of it is brought into the page, a little in each idle moment.
  useEffect(() => {
    if (!loaded || shown) return undefined
    return whileIdle(() => {
      const count = conversation.turns.peek().length
      if (kept.current < Math.min(maxKept, count)) {
        kept.current = Math.min(maxKept, kept.current + keptStep)
        look()
        return true
      }
      if (count >= maxKept || !conversation.hasEarlier.peek()) return false
      return conversation.loadEarlier().then(() => conversation.turns.peek().length > count)
    })
  }, [conversation.id, loaded, shown])

  const origin = conversation.origin.value
  const ownFrom = origin ? firstFrom(turns, origin.seq) : -1
  const from = drawnFrom(range, turns.length)
  const to = atEnd.current ? turns.length : Math.min(range.to, turns.length)
  return (
    <div class="transcript-place">
      {findOpen.value === conversation.id && <Find conversation={conversation} />}
      <div class="transcript" ref={scroller} onScroll={scrolled} tabIndex={-1}>
        <div class="column" role="log" aria-live="off" aria-label="Conversation" ref={inner}>
          {!loaded && <Skeleton />}
          <Space px={sumHeights(turns.slice(0, from), heights.current)} />
          {turns
            .slice(from, to)
            .flatMap((turn, at) => [
              from + at === ownFrom && origin && <OriginLine key="origin" origin={origin} />,
              <Turn key={turn.key} conversation={conversation} turn={turn} />,
            ])}
          {ownFrom === turns.length && origin && <OriginLine origin={origin} />}
          <Space px={sumHeights(turns.slice(to), heights.current)} />
          {outgoing.map((each) => (
            <OutgoingMessage key={each.key} outgoing={each} />
          ))}
        </div>
      </div>
      {away && turns.length > 0 && (
        <div class="latest">
          <Button
            size="small"
            icon="down"
            onClick={() => {
              atEnd.current = true
              toEnd()
            }}
          >
            Latest
          </Button>
        </div>
      )}
    </div>
  )
}

/** The place of the first turn whose message has this seq or a later one; the end if there is none. */
function firstFrom(turns: readonly TurnView[], seq: number): number {
  const at = turns.findIndex(({ message }) => message && message.seq >= seq)
  return at < 0 ? turns.length : at
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: Element): boolean {
  return scrollHeight - scrollTop - clientHeight < endPx
}

/** Does a step in each idle moment, while there is more to do. Returns what ends it. */
function whileIdle(step: () => boolean | Promise<boolean>): () => void {
  let ended = false
  // Safari has no idle callbacks.
  const inIdle = (work: () => Promise<void>): void => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void work())
    else setTimeout(() => void work(), idleMs)
  }
  const next = (): void => {
    inIdle(async () => {
      if (!ended && (await step()) && !ended) next()
    })
  }
  next()
  return () => (ended = true)
}

/** Spacer for turns that are not in the page. An SVG takes its height as an attribute, so no inline style is needed. */
function Space({ px }: { px: number }) {
  return px > 0 ? <svg width="1" height={px} aria-hidden="true" class="space" /> : null
}

/** The focused call or long text, if any: what the reader has just unfolded must not scroll away. */
function focusedCall(): Element | null {
  const focused = document.activeElement
  return focused?.matches('.call-head, .call-inside *, .long-text') ? focused : null
}

function heightOf({ key }: TurnView, heights: ReadonlyMap<string, number>): number {
  return heights.get(key) ?? defaultTurnPx
}

function sumHeights(turns: readonly TurnView[], heights: ReadonlyMap<string, number>): number {
  return turns.reduce((sum, turn) => sum + heightOf(turn, heights), 0)
}

/** The turns within `overscanPx` of the viewport. */
function rangeIn(
  turns: readonly TurnView[],
  heights: ReadonlyMap<string, number>,
  scrollTop: number,
  clientHeight: number,
): Range {
  let top = 0
  let from = -1
  let to = turns.length
  for (const [at, turn] of turns.entries()) {
    const bottom = top + heightOf(turn, heights)
    if (from < 0 && bottom > scrollTop - overscanPx) from = at
    if (top > scrollTop + clientHeight + overscanPx) {
      to = at
      break
    }
    top = bottom
  }
  return { from: from < 0 ? Math.max(0, turns.length - 1) : from, to }
}
