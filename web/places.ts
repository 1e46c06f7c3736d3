// Back and Forward lead to the place at which a page was left, other ways to its top. Loaded after the first page, with the
// style of printed pages.
import { effect, untracked } from '@preact/signals'
import { evictOldest } from '#lib/evict.ts'
import { focusFirst, focusSoon } from './parts/focus.ts'
import { phone } from './parts/phone.ts'
import { route, threadIdIn } from './router.ts'
import { conversationOf } from './store/hub.ts'
import { menuOpen } from './store/shell.ts'
import { shownMessage } from './store/shown-message.ts'
import './style/print.css'

/** Entries of the history whose places are known. */
const maxPlaces = 100
/** A thread this near to its end was left at its end. */
const endPx = 60
/** Frames in which a page is expected to have grown to the place. */
const maxFrames = 300
/** The place is set again for this many frames, because heights still change. */
const settleFrames = 5

type Place = {
  readonly top: number
  /** The link in the page that had the focus. */
  readonly link: string | null | undefined
  /** The first turn in view of a thread that was left above its end, and how far it is above the view. */
  readonly turn?: { readonly key: string; readonly seq: number; readonly px: number }
}

const places = new Map<string, Place>()
let entry = entryKey()
let { path } = route.peek()
let stop: (() => void) | undefined

effect(() => {
  const next = route.value.path
  untracked(() => arrive(next))
})

/** The page is still the one that is left. */
function arrive(next: string): void {
  // The sign-in page has none.
  const main = document.querySelector('main')
  const arrived = entryKey()
  if (main && (arrived !== entry || next !== path)) {
    // A page that is left before it is back at its place keeps that place.
    if (arrived !== entry && !stop) keepPlace(main)
    stop?.()
    menuOpen.value = false
    const place = arrived === entry ? undefined : places.get(arrived)
    // Beside a list that is shown already, its details change.
    if (place) returnTo(main, place, next)
    else if (phone.matches || pageOf(next) !== pageOf(path)) main.scrollTop = 0
    // The link that led here may leave with its page.
    if (document.activeElement?.matches('#main a')) focusSoon('#main')
  }
  entry = arrived
  path = next
}

function keepPlace(main: Element): void {
  places.delete(entry)
  places.set(entry, placeIn(main))
  evictOldest(places, maxPlaces)
}

/** Names the entry of the history that is shown. Browsers that cannot tell it have one for all: there, Back leads to the top. */
function entryKey(): string {
  return (globalThis as { navigation?: Navigation }).navigation?.currentEntry?.key ?? ''
}

function pageOf(address: string): string | undefined {
  return address.split('/')[1]
}

function placeIn(main: Element): Place {
  const focused = document.activeElement
  const link = main.contains(focused) ? focused?.getAttribute('href') : undefined
  const turn = turnInView(main)
  return { top: main.scrollTop, link, ...(turn && { turn }) }
}

function turnInView(main: Element): Place['turn'] {
  const box = main.querySelector('.transcript')
  const id = threadIdIn(path)
  if (!box || id === undefined || box.scrollHeight - box.scrollTop - box.clientHeight < endPx) return undefined
  const { top } = box.getBoundingClientRect()
  const first = [...box.querySelectorAll<HTMLElement>('[data-turn]')].find(
    (turn) => turn.getBoundingClientRect().bottom > top,
  )
  const known = conversationOf(id)
    .turns.peek()
    .find(({ key }) => key === first?.dataset['turn'])
  return first && known && { key: known.key, seq: known.seq, px: top - first.getBoundingClientRect().top }
}

/** Scrolls to a place once the page has it, unless the reader acts before. */
function returnTo(main: Element, { top, link, turn }: Place, to: string): void {
  const threadId = threadIdIn(to)
  if (turn && threadId !== undefined) shownMessage.value = { threadId, seq: turn.seq }
  let [frames, settled] = [0, 0]
  const scroll = (): void => {
    if (stop !== end) return
    if (frames++ === maxFrames) return end()
    if (turn ? scrollToTurn(main, turn, settled === 0) : scrollMain(main, top)) settled++
    if (settled < settleFrames) return void requestAnimationFrame(scroll)
    if (typeof link === 'string' && [document.body, main].some((each) => each === document.activeElement))
      focusFirst(`main a[href="${CSS.escape(link)}"]`)
    end()
  }
  const acts = ['wheel', 'pointerdown', 'keydown'] as const
  const end = (): void => {
    stop = undefined
    for (const act of acts) removeEventListener(act, end)
  }
  stop = end
  for (const act of acts) addEventListener(act, end)
  requestAnimationFrame(scroll)
}

function scrollMain(main: Element, top: number): boolean {
  main.scrollTop = top
  return Math.abs(main.scrollTop - top) < 1
}

/** At first to its beginning: what is not in view yet has no height of its own. */
function scrollToTurn(main: Element, { key, px }: NonNullable<Place['turn']>, first: boolean): boolean {
  const box = main.querySelector('.transcript')
  const found = box?.querySelector(`[data-turn="${CSS.escape(key)}"]`)
  if (!box || !found) return false
  box.scrollTop += found.getBoundingClientRect().top - box.getBoundingClientRect().top + (first ? 0 : px)
  return true
}
